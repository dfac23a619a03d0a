"""Habits of using tags and trees: drawing them, and matching words by what the components have set."""

import html

import pytest
import spacy
from spacy import displacy
from spacy.matcher import DependencyMatcher, Matcher
from spacy.training import Example

from ..parsing import gold_doc, make_parser, train, treebank

TAGGING = {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": ["U0:%x[0,LOWER]", "U1:%x[-1,LOWER]", "B"]}
#: Two templates, of the tags of both words and of their distance.
PARSING = ["U0:%h[0,TAG]/%m[0,TAG]/%d", "U1:%h[0,TAG]/%b[TAG]/%m[0,TAG]", "B0:%h[0,TAG]/%m[0,TAG]/%d"]


@pytest.fixture(scope="module")
def docs():
    """Documents of one sentence, with tags and trees from a tagger and a parser that is trained behind it."""
    nlp = spacy.blank("en")
    nlp.add_pipe("mtl_tagger", config={"model": {"templates": TAGGING}})
    make_parser(PARSING, nlp=nlp)
    golds = [gold_doc(nlp, [sentence]) for sentence in treebank(60)]
    train(nlp, [Example(nlp.make_doc(gold.text), gold) for gold in golds])
    found = list(nlp.pipe(gold.text for gold in golds))
    right = [all(a.head.i == b.head.i for a, b in zip(*pair, strict=True)) for pair in zip(found, golds, strict=True)]
    assert sum(right) > 45
    return found


def test_trees_are_drawn(docs):
    for doc in docs[:10]:
        drawn = html.unescape(displacy.render(doc, style="dep", jupyter=False, options={"collapse_punct": False}))
        assert drawn.count('class="displacy-arrow"') == sum(token.head.i != token.i for token in doc)
        assert all(f">{token.text}</tspan>" in drawn for token in doc)
        assert all(f">{token.dep_}</textPath>" in drawn for token in doc if token.head.i != token.i)
    assert displacy.parse_deps(docs[0])["words"][0]["text"] == docs[0][0].text


def test_words_are_matched_by_tags(docs):
    matcher = Matcher(docs[0].vocab)
    matcher.add("noun phrase", [[{"TAG": "DET"}, {"TAG": {"IN": ["ADJ", "NOUN"]}}]])
    found = [[(start, end) for _, start, end in matcher(doc)] for doc in docs]
    wanted = [
        [(i, i + 2) for i in range(len(doc) - 1) if doc[i].tag_ == "DET" and doc[i + 1].tag_ in ("ADJ", "NOUN")]
        for doc in docs
    ]
    assert found == wanted
    assert sum(map(len, found)) > 30


def test_words_are_matched_by_their_place_in_the_tree(docs):
    matcher = DependencyMatcher(docs[0].vocab)
    subject = {"LEFT_ID": "verb", "REL_OP": ">", "RIGHT_ID": "subject", "RIGHT_ATTRS": {"DEP": "nsubj"}}
    matcher.add("subject", [[{"RIGHT_ID": "verb", "RIGHT_ATTRS": {"TAG": "VERB"}}, subject]])
    for doc in docs:
        wanted = {(token.head.i, token.i) for token in doc if token.dep_ == "nsubj" and token.head.tag_ == "VERB"}
        assert {tuple(words) for _, words in matcher(doc)} == wanted
    assert sum(len(matcher(doc)) for doc in docs) > 45
