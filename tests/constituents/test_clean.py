"""What is taken from trees before a grammar is read."""

import pytest

from spacy_mtl.constituents.clean import clean, plain_label, plain_word
from spacy_mtl.constituents.tree import bracketed

from .test_tree import tree_of


@pytest.mark.parametrize(
    ("label", "plain"),
    [
        ("NP-SBJ-1", "NP"),
        ("NP=2", "NP"),
        ("ADVP|PRT", "ADVP"),
        ("-LRB-", "-LRB-"),
        ("S", "S"),
        ("PRP$", "PRP$"),
        ("", ""),
    ],
)
def test_labels(label, plain):
    assert plain_label(label) == plain


def test_words():
    assert [plain_word(word) for word in ("-LRB-", "1\\/2", "\\*", "-x-")] == ["(", "1/2", "*", "-x-"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("(S (NP-SBJ-1 (-NONE- *)) (VP (TO to)))", "(S (VP (TO to)))"),
        ("(S (SBAR (-NONE- 0) (S (NP (N a)) (VP (V b)))))", "(S (SBAR (S (NP (N a)) (VP (V b)))))"),
        ("(VP (V b) (NP (NP-2 (N c)) (PP (-NONE- *ICH*-1))))", "(VP (V b) (NP (N c)))"),
        ("(NP-SBJ (-LRB- -LRB-) (NNP-X a))", "(NP (-LRB- -LRB-) (NNP-X a))"),
        ("(N (N a))", "(N (N a))"),
    ],
)
def test_traces_functions_and_doubled_labels(before, after):
    assert bracketed(clean(tree_of(before))) == after


def test_a_tree_of_traces_is_none():
    assert clean(tree_of("(S (NP (-NONE- *)))")) is None
