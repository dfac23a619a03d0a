"""Docs as words of a grammar, and constituents as spans."""

import pytest
import spacy
from spacy.tokens import Doc, Span

from spacy_mtl.constituents.tree import SPANS_KEY, Constituent, constituents_of
from spacy_mtl.models.grammar.docs import set_constituents, trees_of, words_from_docs
from spacy_mtl.templates.spans.presets import constituents_v1

FOUND = [
    [Constituent("S", 0, 2), Constituent("VP", 1, 2)], [Constituent("FRAG", 0, 1)],
    [Constituent("S", 0, 2), Constituent("NP", 0, 1)],
]  # fmt: skip


@pytest.fixture
def docs():
    """Three sentences in two Docs, and an empty Doc."""
    vocab = spacy.blank("en").vocab
    first = Doc(vocab, ["It", "rains", "Yes"], tags=["PRP", "VBZ", "UH"], sent_starts=[True, False, True])
    return [first, Doc(vocab, []), Doc(vocab, ["We", "wait"], tags=["PRP", "VBP"])]


def test_words_are_those_of_the_sentences(docs):
    words = words_from_docs(docs, constituents_v1())
    assert words.starts.tolist() == [0, 2, 3, 5]
    assert [words.tags_of(i) for i in range(3)] == [["PRP", "VBZ"], ["UH"], ["PRP", "VBP"]]
    lower = words.columns[words.names["LOWER"]]
    assert lower.tolist() == [docs[0].vocab.strings[text] for text in ("it", "rains", "yes", "we", "wait")]


def test_constituents_are_spans_and_trees_again(docs):
    set_constituents(docs, FOUND)
    assert [(span.label_, span.text) for span in docs[0].spans[SPANS_KEY]] == [
        ("S", "It rains"), ("VP", "rains"), ("FRAG", "Yes"),
    ]  # fmt: skip
    trees = list(trees_of(docs))
    assert [constituents_of(tree) for tree in trees] == FOUND
    assert trees[0].children[0].children[0].word == "It"
    set_constituents(docs, [[], [], []])
    assert [len(doc.spans[SPANS_KEY]) for doc in docs] == [0, 0, 0]


def test_constituents_across_sentences_are_refused(docs):
    docs[0].spans[SPANS_KEY] = [Span(docs[0], 1, 3, "NP")]
    with pytest.raises(ValueError, match="crosses"):
        list(trees_of(docs))
