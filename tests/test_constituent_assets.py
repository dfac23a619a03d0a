"""The treebank of constituents in assets/ is what its README says it is."""

import re
from pathlib import Path

import pytest

from spacy_mtl.constituents.binarize import Binarization
from spacy_mtl.constituents.clean import clean
from spacy_mtl.constituents.tree import bracketed, constituents_of, words_of
from spacy_mtl.corpora.bracketed import read_bracketed
from spacy_mtl.models.grammar.treebank import read_grammar

CORPUS = Path(__file__).parents[1] / "assets" / "en-constituents"
LABELS = "S SQ SBARQ SBAR FRAG NP VP PP ADJP ADVP WHNP WHADVP"
TAGS = "CC CD DT EX IN JJ JJR MD NN NNP NNS POS PRP PRP$ RB TO VB VBD VBG VBN VBP VBZ WP WRB . , `` ''"
SPLITS = {
    split: [placed.tree for placed in read_bracketed(CORPUS / f"{split}.mrg")] for split in ("train", "dev", "test")
}
ALL = [tree for trees in SPLITS.values() for tree in trees]


def test_there_are_as_many_as_it_says():
    text = (CORPUS / "README.md").read_text(encoding="utf8")
    rows = re.findall(r"`(\w+)\.mrg` \| (\d+) \| (\d+) ", text)
    assert rows == [
        (split, str(len(trees)), str(sum(len(words_of(tree)) for tree in trees))) for split, trees in SPLITS.items()
    ]
    assert len(ALL) >= 60


def test_no_sentence_is_twice_there():
    texts = [" ".join(str(word.word) for word in words_of(tree)) for tree in ALL]
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize("split", SPLITS)
def test_lines_are_trees_that_need_no_cleaning(split):
    lines = (CORPUS / f"{split}.mrg").read_text(encoding="utf8").splitlines()
    assert lines == [bracketed(tree) for tree in SPLITS[split]]
    assert all(clean(tree) == tree for tree in SPLITS[split])


def test_labels_and_tags():
    assert {constituent.label for tree in ALL for constituent in constituents_of(tree)} == set(LABELS.split())
    assert {word.label for tree in ALL for word in words_of(tree)} == set(TAGS.split())


def test_train_has_every_rule_of_the_others():
    """So that a grammar read from it holds all gold trees."""

    def rules(trees):
        symbols = [([word.label for word in words_of(tree)], Binarization().symbols(tree)) for tree in trees]
        found = read_grammar(symbols)
        name, grammar = found.symbols, found.grammar
        return {
            (name[a], name[b], name[c]) for a, b, c in zip(grammar.parent, grammar.left, grammar.right, strict=True)
        }

    assert rules(SPLITS["dev"] + SPLITS["test"]) - rules(SPLITS["train"]) == set()
