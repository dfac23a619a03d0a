"""Constituents of trees, and trees of constituents."""

import numpy as np
import pytest

from spacy_mtl.constituents.brackets import read_brackets
from spacy_mtl.constituents.clean import clean
from spacy_mtl.constituents.tree import Constituent, Tree, bracketed, constituents_of, tree_from, words_of

from .trees import random_tree

TEXT = "(S (NP (PRP It)) (VP (VBZ rains) (ADVP (RB hard))) (. .))"


def tree_of(text: str) -> Tree:
    return next(read_brackets([text], "text")).tree


def test_constituents_come_before_those_inside_them():
    assert constituents_of(tree_of(TEXT)) == [
        ("S", 0, 4), ("NP", 0, 1), ("VP", 1, 3), ("ADVP", 2, 3),
    ]  # fmt: skip
    assert constituents_of(tree_of(f"(TOP {TEXT})")) == constituents_of(tree_of(TEXT))
    assert [word.word for word in words_of(tree_of(TEXT))] == ["It", "rains", "hard", "."]


@pytest.mark.parametrize("seed", range(20))
def test_a_tree_is_made_from_its_constituents(seed):
    tree = random_tree(np.random.default_rng(seed), 1 + seed % 9)
    assert tree_from(words_of(tree), constituents_of(tree)) == Tree("", (tree,))
    assert tree_of(bracketed(tree)) == tree


@pytest.mark.parametrize(
    "wrong", [[("A", 0, 2), ("B", 1, 3)], [("A", 2, 5)], [("A", 4, 5)], [("A", 1, 1)], [("A", -1, 2)]]
)
def test_constituents_that_are_no_tree_are_refused(wrong):
    with pytest.raises(ValueError, match=r"crosses|within"):
        tree_from(words_of(tree_of(TEXT)), [Constituent(*one) for one in wrong])


def test_round_brackets_are_written_as_they_are_read():
    words = [("-LRB-", "("), ("NN", "f(x)"), ("-RRB-", ")"), ("(", ":")]
    tree = Tree("", (Tree("NP", tuple(Tree(tag, (), word) for tag, word in words)),))
    text = bracketed(tree)
    assert text == "( (NP (-LRB- -LRB-) (NN f-LRB-x-RRB-) (-RRB- -RRB-) (-LRB- :)))"
    assert [word.word for word in words_of(clean(tree_of(text)))] == ["(", "f-LRB-x-RRB-", ")", ":"]


@pytest.mark.parametrize(
    ("tree", "words"),
    [
        (Tree("NN", (), ""), "The word ''"),
        (Tree("NN"), "The word ''"),
        (Tree("NN", (), "New York"), "The word 'New York'"),
        (Tree("NN", (), "10\u00a0000"), "The word '10"),
        (Tree("", (), "word"), "The tag ''"),
        (Tree("N P", (Tree("NN", (), "word"),)), "The label 'N P'"),
    ],
)
def test_what_could_not_be_read_back_is_not_written(tree, words):
    with pytest.raises(ValueError, match=rf"M576.*{words}"):
        bracketed(Tree("S", (tree,)))
