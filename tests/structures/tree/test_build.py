"""Tree problems from arcs, features and gold: what is listed, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest

from spacy_mtl.structures.contract import Weights
from spacy_mtl.structures.problem import Blocks
from spacy_mtl.structures.tree.build import (
    GoldTrees,
    TreeFeatures,
    all_arcs,
    all_siblings,
    crossing_sentences,
    kept_arcs,
    tree_lacks,
    tree_layout,
    tree_problem,
)
from spacy_mtl.structures.tree.bundles import bundles_of_rows
from spacy_mtl.structures.tree.problem import Siblings

STARTS = np.array([0, 2, 5])
BLOCKS = Blocks(np.array([0, 4]), np.array([0]), ("t0",))
HEADS = np.array([2, 0, 2, 0, 2], np.int32)


def features(n_arcs: int, siblings: Siblings | None = None) -> TreeFeatures:
    """One template, four values; a bundle for each arc."""
    rows = (np.arange(n_arcs, dtype=np.int32) % 4)[:, None]
    first_use = np.concatenate([[0], [4, n_arcs]])
    places = np.concatenate([np.arange(4), np.arange(n_arcs - 4)]).astype(np.int32)[:, None]
    return TreeFeatures(bundles_of_rows(rows, first_use), places, siblings=siblings)


def build(heads=HEADS, arcs=None, starts=STARTS, labels=("",), gold_labels=None, cost=None, siblings=None, **settings):
    arcs = all_arcs(STARTS) if arcs is None else arcs
    gold = GoldTrees(np.array(heads, np.int32), gold_labels, cost)
    return tree_problem(features(13, siblings), arcs, BLOCKS, gold, starts, labels, **settings)


def test_all_arcs():
    arcs = all_arcs(STARTS)
    assert arcs.first.tolist() == [0, 2, 4, 7, 10, 13]
    assert arcs.heads.tolist() == [0, 2, 0, 1, 0, 2, 3, 0, 1, 3, 0, 1, 2]
    kept = kept_arcs(arcs, arcs.heads != 1)
    assert kept.first.tolist() == [0, 2, 3, 6, 8, 10]
    assert kept.heads.tolist() == [0, 2, 0, 0, 2, 3, 0, 3, 0, 2]


@pytest.mark.parametrize("bad", [4, -1])
def test_feature_rows_that_the_weights_do_not_have(bad):
    made, rows = features(13), np.zeros(13, np.int32)
    rows[3] = bad
    wrong = replace(made, node=made.node._replace(rows=rows))
    with pytest.raises(ValueError, match=r"M257.* of arcs .*with 4 in all"):
        tree_problem(wrong, all_arcs(STARTS), BLOCKS, GoldTrees(HEADS), STARTS)
    labelled = replace(TreeFeatures(), pair=wrong.node, pair_links=made.node_links)
    blocks = Blocks(np.array([0]), np.array([0, 4]), ("t0",))
    with pytest.raises(ValueError, match=r"M257.* of labelled arcs "):
        tree_problem(labelled, all_arcs(STARTS), blocks, GoldTrees(HEADS), STARTS)


def test_all_siblings():
    arcs = all_arcs(STARTS)
    arcs = kept_arcs(
        arcs, ~((arcs.heads == 0) & (np.repeat(np.arange(5), np.diff(arcs.first)) == 3))
    )  # not 0 -> 2 in the second sentence
    first, inner = all_siblings(arcs, STARTS)
    listed = {
        (t, int(arcs.heads[a])): inner[first[a] : first[a + 1]].tolist()
        for t in range(5)
        for a in range(arcs.first[t], arcs.first[t + 1])
    }
    assert listed[0, 0] == [0]
    assert listed[1, 0] == [0, 1]
    assert listed[4, 0] == [0, 1]  # not 2
    assert listed[4, 1] == [1, 2]
    assert listed[2, 3] == [2, 3]
    assert (3, 0) not in listed


def test_all_grandparents():
    """By arcs that are kept; none of an arc from the root, none that is the modifier."""
    arcs = kept_arcs(all_arcs(STARTS), ~np.isin(np.arange(13), [1, 6]))
    first, inner = all_siblings(arcs, STARTS, grandparents=True)
    plain_first, plain = all_siblings(arcs, STARTS)
    for t, (start, n) in enumerate([(0, 2)] * 2 + [(2, 3)] * 3):
        for a in range(arcs.first[t], arcs.first[t + 1]):
            h, m, codes = arcs.heads[a], t - start + 1, inner[first[a] : first[a + 1]].tolist()
            above = arcs.heads[arcs.first[start + h - 1] : arcs.first[start + h]] if h else []
            siblings = plain[plain_first[a] : plain_first[a + 1]].tolist()
            assert codes == siblings + [n + 1 + g for g in above if g != m]


def test_rows_as_bundles():
    bundles = bundles_of_rows(np.array([[3, -1, 5], [-1, -1, -1], [0, 4, -1]], np.int32), np.array([0, 1, 3]))
    assert bundles.first.tolist() == [0, 2, 2, 4]
    assert bundles.rows.tolist() == [3, 5, 0, 4]
    assert bundles.templates.tolist() == [0, 2, 0, 1]
    assert bundles.used.tolist() == [0, 1, 2]


def test_crossing_sentences():
    heads = np.array([2, 0, 3, 3, 0, 3, 4], np.int32)
    assert crossing_sentences(heads, np.array([0, 2, 7])).tolist() == []
    heads = np.array([2, 0, 3, 0, 2, 1], np.int32)
    assert crossing_sentences(heads, np.array([0, 2, 6])).tolist() == [1]


def test_a_crossing_gold_tree_is_one_more_output():
    heads = np.array([3, 0, 2, 1], np.int32)  # 3 -> 1 -> 4 crosses 0 -> 2
    starts = np.array([0, 4])
    arcs = all_arcs(starts)
    rows = np.where(arcs.heads == np.repeat(heads, 4), 0, 1).astype(np.int32)[:, None]
    parts = TreeFeatures(bundles_of_rows(rows, np.array([0, 16])), np.arange(16, dtype=np.int32)[:, None])
    problem = tree_problem(parts, arcs, Blocks(np.array([0, 2]), np.array([0]), ("t",)), GoldTrees(heads), starts)
    for gain, hinge in ((10.0, 0.0), (0.0, 4.0)):  # a projective tree without a right head is there
        weights = Weights(np.array([[gain], [0.0]], np.float32), np.zeros((0, 1), np.float32))
        assert problem.hinges(weights).tolist() == [hinge]


def test_costs_and_labels():
    arrays = build(gold_labels=np.array([0, 1, 1, 0, 1]), labels=("a", "b"), cost=np.arange(5)).arrays
    assert arrays.gold_output.tolist() == [4, 1, 5, 0, 5]
    assert arrays.cost.tolist() == arrays.label_cost.tolist() == [0, 1, 2, 3, 4]
    assert build().arrays.label_cost.tolist() == [1] * 5


def test_several_roots_where_allowed():
    assert build([0, 0, 2, 0, 2], single_root=False).n == 2


def test_a_layout_without_gold():
    arrays = tree_layout(features(13), all_arcs(STARTS), STARTS, 1, BLOCKS, True, True)
    assert (arrays.gold == -1).all()


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"heads": [2, 1, 2, 0, 2]}, "M241"),
        ({"heads": [3, 0, 0, 1, 1]}, "M241"),  # one beyond its sentence, by which it would reach the other's root
        ({"heads": [2, 0, 4, 0, 2]}, "M241"),
        ({"heads": [2, 0, -2, 0, 2]}, "M241"),
        ({"heads": [2, 0, -1, 0, 2]}, "M248"),
        ({"heads": [2, 0, 2, 1, 0]}, "M241"),
        ({"heads": [0, 0, 2, 0, 2]}, "M242"),
        ({"starts": np.array([0, 2, 4])}, "M243"),
        ({"starts": np.array([1, 2, 5])}, "M243"),
        ({"starts": np.array([0, 2, 2, 5])}, "M243"),
        ({"arcs": kept_arcs(all_arcs(STARTS), np.arange(13) != 1)}, "M244"),
        ({"cost": -np.ones(5)}, "M245"),
        ({"cost": np.full(5, np.inf)}, "M245"),
        ({"cost": np.ones(4)}, "M245"),
        ({"gold_labels": np.array([0, 0, 0, 0, 1])}, "M247"),
        ({"gold_labels": np.array([0, 0, 0, 0])}, "M247"),
    ],
)
def test_what_is_refused(changes, code):
    with pytest.raises(ValueError, match=code):
        build(**changes)


def crossing(single_root=True, projective=True):
    """One sentence of four words with a crossing gold tree, nothing but its own arcs, 0 -> 1 and 3 -> 4."""
    heads, starts = np.array([3, 0, 2, 1], np.int32), np.array([0, 4])
    arcs = all_arcs(starts)
    word = np.repeat(np.arange(4), 4)
    arcs = kept_arcs(
        arcs, (arcs.heads == heads[word]) | ((arcs.heads == 0) & (word == 0)) | ((arcs.heads == 3) & (word == 3))
    )
    parts = TreeFeatures(
        bundles_of_rows(np.zeros((6, 1), np.int32), np.array([0, 6])), np.arange(6, dtype=np.int32)[:, None]
    )
    return tree_problem(parts, arcs, BLOCKS, GoldTrees(heads), starts, ("",), projective, single_root)


def test_a_sentence_without_a_projective_tree_is_refused():
    with pytest.raises(ValueError, match="M249"):
        crossing()
    zeros = Weights(np.zeros((4, 1), np.float32), np.zeros((0, 1), np.float32))
    assert crossing(single_root=False).hinges(zeros).tolist() == [2]
    assert crossing(projective=False).n == 1


#: what trees can do for a trainer; those of the second order cannot be cut
EVERYTHING = {"decode", "outputs", "directions", "marginals", "kbest", "metric", "features"}


def test_what_is_offered_depends_on_the_kind_of_trees():
    siblings = Siblings(*all_siblings(all_arcs(STARTS), STARTS), np.zeros((20, 0), np.int32))
    assert build(siblings=siblings).offers == EVERYTHING
    assert build().offers == build(projective=False).offers == EVERYTHING | {"cut"}
    rough = build(siblings=siblings, projective=False)
    assert rough.offers == EVERYTHING - {"marginals", "kbest"}
    assert not rough.exact
    assert build(siblings=siblings).exact
    assert build(projective=False).exact
    assert tree_lacks(True, True) == tree_lacks(False, False) == frozenset()
    assert tree_lacks(True, True, grandparents=True) == tree_lacks(False, True) == {"marginals", "kbest"}


def test_grandparents_that_are_not_said_to_be_there_are_refused():
    first, inner = all_siblings(all_arcs(STARTS), STARTS, grandparents=True)
    given = features(13, Siblings(first, inner, np.zeros((inner.size, 1), np.int32)))
    with pytest.raises(ValueError, match="M246"):
        tree_layout(given, all_arcs(STARTS), STARTS, 1, BLOCKS, True, True)
    assert tree_layout(replace(given, grandparents=True), all_arcs(STARTS), STARTS, 1, BLOCKS, True, True).grandparents


def test_a_gold_grandparent_that_was_left_out_is_refused():
    """Word 1 hangs on word 2, which hangs on the root."""
    first, inner = all_siblings(all_arcs(STARTS), STARTS, grandparents=True)
    arc = 1  # from word 2 to word 1
    assert inner[first[arc + 1] - 1] == 3
    inner[first[arc + 1] - 1] = 4
    given = replace(features(13, Siblings(first, inner, np.zeros((inner.size, 1), np.int32))), grandparents=True)
    with pytest.raises(ValueError, match="M244"):
        tree_problem(given, all_arcs(STARTS), BLOCKS, GoldTrees(HEADS), STARTS, projective=False)


def test_a_gold_pair_that_was_left_out_is_refused():
    arcs = all_arcs(STARTS)
    first, inner = all_siblings(arcs, STARTS)
    keep = inner != 2  # the tree 2 -> (1, 3) needs the pairs without an inner sibling, (2, 2)
    counts = np.concatenate([[0], np.cumsum(keep)])
    siblings = Siblings(counts[first], inner[keep], np.zeros((keep.sum(), 0), np.int32))
    with pytest.raises(ValueError, match="M244"):
        build(siblings=siblings)
