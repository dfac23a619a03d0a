"""Binarization, and back."""

from itertools import product

import numpy as np
import pytest

from spacy_mtl.constituents.binarize import Binarization, check_labels, constituents_from
from spacy_mtl.constituents.tree import constituents_of

from .test_tree import tree_of
from .trees import random_tree

TREE = "( (S (NP (D a) (J b) (J c) (N d)) (VP (V e))))"
WAYS = [Binarization(h, v, side) for h, v, side in product((0, 1, 2), (1, 2), ("left", "right"))]


@pytest.mark.parametrize(
    ("way", "rests"),
    [
        (Binarization(), {(1, 4): "@NP", (2, 4): "@NP"}),
        (Binarization(side="right"), {(0, 3): "@NP", (0, 2): "@NP"}),
        (Binarization(horizontal=1), {(1, 4): "@NP|/D", (2, 4): "@NP|/J"}),
        (Binarization(horizontal=2), {(1, 4): "@NP|/D", (2, 4): "@NP|/D|/J"}),
        (Binarization(horizontal=2, side="right"), {(0, 3): "@NP|/N", (0, 2): "@NP|/N|/J"}),
        (Binarization(vertical=2), {(1, 4): "@NP^S", (2, 4): "@NP^S"}),
    ],
)
def test_symbols(way, rests):
    up = way.vertical == 2
    words = {(0, 1): "/D", (1, 2): "/J", (2, 3): "/J", (3, 4): "/N", (4, 5): "VP^S" if up else "VP"}
    whole = {(0, 5): "S^" if up else "S", (0, 4): "NP^S" if up else "NP"}
    assert way.symbols(tree_of(TREE)) == words | whole | rests


def test_chains_are_joined():
    assert Binarization().symbols(tree_of("(S (VP (V a) (NP (N b))))")) == {(0, 2): "S+VP", (0, 1): "/V", (1, 2): "NP"}
    assert Binarization().symbols(tree_of("(TOP (S (VP (V a))))")) == {(0, 1): "S+VP"}
    assert Binarization().symbols(tree_of("(TOP (V a))")) == {(0, 1): "/V"}


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_back_to_constituents(way):
    for seed in range(40):
        tree = random_tree(np.random.default_rng(seed), 1 + seed % 12)
        symbols = way.symbols(tree)
        n = 1 + seed % 12
        assert len(symbols) == 2 * n - 1
        assert all(sum((i, k) in symbols and (k, j) in symbols for k in range(i, j)) == (j - i > 1) for i, j in symbols)
        assert constituents_from(symbols) == constituents_of(tree)


def test_several_trees_under_a_top():
    symbols = Binarization().symbols(tree_of("( (S (N a)) (N b) (X (N c) (N d)))"))
    assert symbols == {(0, 1): "S", (1, 2): "/N", (2, 3): "/N", (3, 4): "/N", (2, 4): "X", (1, 4): "@", (0, 4): ""}
    assert constituents_from(symbols) == [("S", 0, 1), ("X", 2, 4)]


@pytest.mark.parametrize("label", ["A+B", "A^B", "@A", "/A", "TOP"])
def test_labels_that_cannot_be_taken_apart_are_refused(label):
    with pytest.raises(ValueError, match=r"M571.*Line 7 of 'file'"):
        check_labels(tree_of(f"(S ({label} (N a)))"), "file", 7)
    check_labels(tree_of("(TOP (S (N+V a)))"), "file", 7)


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("horizontal", -1),
        ("horizontal", 1.5),
        ("vertical", 3),
        ("vertical", 0),
        ("vertical", True),
        ("side", "x"),
        ("side", None),
    ],
)
def test_settings_out_of_range_are_refused(setting, value):
    with pytest.raises(ValueError, match=rf"M419.*'Binarization': {setting} must be .*, but is {value!r}"):
        Binarization(**{setting: value})
