"""Chain problems are refused where they make no sense, and cut where gold is missing."""

from dataclasses import replace

import numpy as np
import pytest

from spacy_mtl.structures.chain.build import (
    ChainFeatures,
    Constraints,
    chain_problem,
    hamming_cost,
    pieces,
)
from spacy_mtl.structures.chain.vectors import side_by_side
from spacy_mtl.structures.chain.viterbi import FORBIDDEN
from spacy_mtl.structures.problem import Blocks, block_starts

EVERYTHING = {"decode", "outputs", "directions", "marginals", "kbest", "metric", "features", "cut"}
LABELS = ("O", "B-PER", "I-PER")
O, B, I = range(3)  # noqa: E741


def iob2():
    """I-PER follows B-PER or itself only, and does not begin a sentence."""
    allowed = Constraints.none(3)
    allowed.start[I] = False
    allowed.step[O, I] = False
    return allowed


def build(gold, starts=None, constraints=None, cost=None, rows=None, forms=None):
    """A problem with one node template and the label-pair template."""
    n_tokens = len(gold)
    node = np.zeros((n_tokens, 1), np.int32) if rows is None else np.array(rows, np.int32)[:, None]
    forms = None if forms is None else np.array(forms, np.int32)
    features = ChainFeatures(node, np.zeros((n_tokens, 1), np.int32), False, forms=forms)
    blocks = Blocks(block_starts([node.max(initial=0) + 1]), block_starts([1]), ("U00", "B00"))
    starts = np.array([0, n_tokens] if starts is None else starts)
    return chain_problem(features, blocks, np.array(gold), starts, LABELS, constraints, cost)


def test_problem_of_a_small_corpus():
    problem = build([O, B, I, -1, O], [0, 3, 5], iob2(), rows=[0, 1, 0, 2, 2])
    arrays = problem.arrays
    assert problem.n == 2
    assert problem.offers == EVERYTHING
    assert (problem.node_width, problem.pair_width) == (3, 9)
    assert arrays.first.tolist() == [0, 4]
    assert arrays.last.tolist() == [3, 5]
    assert arrays.open_left.tolist() == [False, True]
    assert arrays.open_right.tolist() == [False, False]
    assert arrays.repeats.tolist() == [[True], [False]]
    assert arrays.gold.dtype == np.int32
    assert arrays.start.tolist() == [0, 0, FORBIDDEN]
    assert np.argwhere(arrays.step).tolist() == [[O, I]]
    assert not arrays.end.any()
    np.testing.assert_array_equal(arrays.cost, hamming_cost(3))
    assert [matrix.shape for matrix in problem.zeros()] == [(3, 3), (1, 9)]


def test_every_sequence_is_allowed_by_default():
    arrays = build([I, I]).arrays
    assert not any(mask.any() for mask in (arrays.start, arrays.end, arrays.step))


@pytest.mark.parametrize(
    ("gold", "starts", "words"),
    [
        ([O, O, I], None, "'I-PER' after 'O' (token 2"),
        ([O, I, B], [0, 1, 3], "'I-PER' after '(start of sentence)' (token 1"),
        ([O, O, B, I, O, I, I], None, "'I-PER' after 'O' (token 5"),
        ([I, O, I], None, "'I-PER' after '(start of sentence)' (token 0"),
    ],
)
def test_gold_that_the_constraints_forbid(gold, starts, words):
    with pytest.raises(ValueError, match="M201") as caught:
        build(gold, starts, iob2())
    assert words in str(caught.value)


def test_gold_that_may_not_end_there():
    allowed = Constraints.none(3)
    allowed.end[B] = False
    with pytest.raises(ValueError, match="M201") as caught:
        build([B, O, O, B], [0, 3, 4], allowed)
    assert "'(end of sentence)' after 'B-PER' (token 3" in str(caught.value)
    with pytest.raises(ValueError, match="M201"):  # behind missing gold, too
        build([O, -1, B], None, allowed)


def test_constraints_do_not_reach_across_missing_gold():
    assert build([-1, I, O, -1, I], None, iob2()).n == 2
    allowed = Constraints.none(3)
    allowed.end[B] = False
    assert build([B, -1, O], None, allowed).n == 2


@pytest.mark.parametrize(
    "cost",
    [
        np.zeros((2, 2)),
        np.zeros(3),
        np.ones((3, 3)),
        hamming_cost(3) - 2 * np.eye(3, k=1),
        np.where(np.eye(3, k=1), np.nan, hamming_cost(3)),
        np.where(np.eye(3, k=1), np.inf, hamming_cost(3)),
    ],
)
def test_costs_that_make_no_sense(cost):
    with pytest.raises(ValueError, match=r"M202.*3 x 3"):
        build([O, B], cost=cost)


def test_a_cost_of_ones_own():
    cost = np.array([[0, 1, 2], [3, 0, 0.5], [0, 0, 0]])
    arrays = build([O, B], cost=cost).arrays
    assert arrays.cost.dtype == np.float32
    np.testing.assert_array_equal(arrays.cost, cost)


@pytest.mark.parametrize("bad", [5, -2, 10**7, np.nan, 0.5])
def test_feature_rows_that_no_template_has(bad):
    blocks = Blocks(block_starts([5]), block_starts([5]), ("U00", "B00"))
    for name, of in (("node", "tokens"), ("pair", "pairs of tokens")):
        rows = {"node": np.zeros((3, 1)), "pair": np.zeros((3, 1))}
        rows[name][1] = bad
        with pytest.raises(ValueError, match=f"M257.* of {of} "):
            chain_problem(ChainFeatures(**rows, observed=True), blocks, np.array([O, B, I]), np.array([0, 3]), LABELS)
        rows[name] = np.zeros((2, 1))
        with pytest.raises(ValueError, match=r"M257.*shape \(2, 1\) instead of \(3, 1\)"):
            chain_problem(ChainFeatures(**rows, observed=True), blocks, np.array([O, B, I]), np.array([0, 3]), LABELS)


@pytest.mark.parametrize("bad", [2, -1])
def test_rows_of_vectors_that_the_weights_do_not_have(bad):
    starts, own = np.arange(4), np.full((3, 1), -1, np.int32)
    vectors = side_by_side(starts, np.array([0, bad, 1], np.int32), np.ones(3, np.float32), own)
    features = ChainFeatures(np.empty((3, 0), np.int32), np.empty((3, 0), np.int32), False, vectors)
    blocks = Blocks(block_starts([2]), block_starts([]), ("V00",))
    with pytest.raises(ValueError, match=r"M257.* of vectors "):
        chain_problem(features, blocks, np.array([O, B, I]), np.array([0, 3]), LABELS)


@pytest.mark.parametrize("starts", [[1, 3], [0, 2], [0, 4], [0, 2, 1, 3]])
def test_borders_that_do_not_cover_the_tokens(starts):
    with pytest.raises(ValueError, match=r"M203.*3 tokens"):
        build([O, B, I], starts)


@pytest.mark.parametrize("gold", [[-1, -1], []])
def test_no_gold_at_all(gold):
    with pytest.raises(ValueError, match="M204"):
        build(gold)


def test_pieces_of_sentences_with_and_without_gold():
    gold = np.array([O, O, -1, O, -1, -1, B, O, -1, O])
    first, last, open_left, open_right = pieces(np.array([0, 2, 5, 5, 7, 10]), gold)
    assert list(zip(first, last, strict=True)) == [(0, 2), (3, 4), (6, 7), (7, 8), (9, 10)]
    assert open_left.tolist() == [False, True, True, False, True]
    assert open_right.tolist() == [False, True, False, True, False]


def test_penalties_are_finite():
    start, end, step = iob2().penalties()
    assert start.dtype == end.dtype == step.dtype == np.float32
    assert np.isfinite(step).all()


@pytest.mark.parametrize(
    ("rows", "starts", "repeats"),
    [
        ([0, 1, 0], [0, 3], [True]),
        ([0, 1, 0], [0, 2, 3], [False, False]),
        ([0, 0, 0], [0, 1, 3], [False, True]),
        ([-1, -1, 0], [0, 3], [False]),
    ],
)
def test_repeats_inside_a_piece_only(rows, starts, repeats):
    assert build([O, O, O], starts, rows=rows).arrays.repeats[:, 0].tolist() == repeats


def test_forms_are_found_by_their_keys():
    allowed = replace(Constraints.none(3), forms=np.array([3, 7, 9], np.uint64), form_labels=np.eye(3, dtype=bool))
    rows = allowed.form_rows(np.array([7, 1, 9, 3, 99], np.uint64))
    assert rows.tolist() == [1, -1, 2, 0, -1]
    assert rows.dtype == np.int32
    assert (allowed.form_penalties() == np.where(np.eye(3), 0, FORBIDDEN)).all()
    assert Constraints.none(3).form_rows(np.array([7], np.uint64)).tolist() == [-1]


def test_gold_that_its_form_may_not_have_is_refused():
    allowed = replace(Constraints.none(3), forms=np.array([3], np.uint64), form_labels=np.array([[True, True, False]]))
    build([O, I, B], constraints=allowed, forms=[0, -1, 0])
    with pytest.raises(ValueError, match=r"^\[M205\] The gold label 'I-PER' of token 1 "):
        build([O, I, I], constraints=allowed, forms=[0, 0, -1])
