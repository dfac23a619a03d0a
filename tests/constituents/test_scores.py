"""Scores of constituents, against counts by hand."""

import pytest

from spacy_mtl.constituents.scores import Counts
from spacy_mtl.constituents.tree import constituents_of

from .test_tree import tree_of

GOLD = "(TOP (S (NP (N a)) (, ,) (VP (V b) (NP (NP (N c)) (PP (P d) (NP (N e))))) (. .)))"


def counts(gold: str, predicted: str, **options) -> Counts:
    found = Counts()
    tree = tree_of(gold)
    tags = ["N", ",", "V", "N", "P", "N", "."]
    found.add(tags, constituents_of(tree), constituents_of(tree_of(predicted)), **options)
    return found


def test_the_same_tree():
    found = counts(GOLD, GOLD)
    assert (found.right, found.gold, found.predicted, found.exact) == (7, 7, 7, 1)
    assert found.f1 == found.recall == found.precision == found.exact_match == 1


def test_labels_and_borders_count():
    found = counts(GOLD, "(S (NP (N a)) (, ,) (VP (V b) (NP (N c)) (X (P d) (NP (N e)))) (. .))")
    # S, both NP of one word and VP are right, and the NP of word 3; the wide NP and the PP are missing
    assert (found.right, found.gold, found.predicted, found.exact) == (5, 7, 6, 0)
    assert found.recall == pytest.approx(5 / 7)
    assert found.precision == pytest.approx(5 / 6)
    assert found.f1 == pytest.approx(10 / 13)


def test_punctuation_is_left_out_of_spans():
    found = counts(GOLD, "(S (NP (N a) (, ,)) (VP (V b) (NP (NP (N c)) (PP (P d) (NP (N e) (. .))))))")
    assert found.exact == 1
    found = counts(
        GOLD, "(S (NP (N a) (, ,)) (VP (V b) (NP (NP (N c)) (PP (P d) (NP (N e) (. .))))))", ignored=frozenset()
    )
    assert (found.right, found.gold, found.predicted) == (2, 7, 7)


def test_a_constituent_of_punctuation_alone_does_not_count():
    found = counts(GOLD.replace("(, ,)", "(PRN (, ,))"), GOLD)
    assert found.exact == 1


def test_a_bracket_counts_as_often_as_it_is_there():
    gold = "(S (NP (NP (N a))) (, ,) (X (V b) (N c) (P d) (N e) (. .)))"
    found = counts(gold, gold.replace("(NP (NP (N a)))", "(NP (N a))"))
    assert (found.right, found.gold, found.predicted) == (3, 4, 3)


def test_particles_are_adverbs():
    gold = "(S (ADVP (N a)) (, ,) (X (V b) (N c) (P d) (N e) (. .)))"
    assert counts(gold, gold.replace("ADVP", "PRT")).exact == 1


def test_nothing_at_all():
    found = Counts()
    assert found.f1 == found.recall == found.precision == found.exact_match == 0
    found.add(["N"], [], [])
    assert (found.sentences, found.exact) == (1, 1)
