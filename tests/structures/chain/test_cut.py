"""Mini-samples: where sentences are cut, how long the pieces are, and what the labels on both sides still know of each other."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_mtl.kernels import kernel
from spacy_mtl.structures import contract
from spacy_mtl.structures.chain.build import ChainFeatures, Constraints, chain_problem
from spacy_mtl.structures.chain.problem import find_repeats
from spacy_mtl.structures.problem import Blocks, block_starts

SIZES = st.sampled_from([1, 1.5, 2, 2.25, 3, 3.5, 5.5, 7, 100])


def long_problem(lengths, seed=0, observed=False):
    """Sentences of these lengths; gold is missing here and there."""
    rng = np.random.default_rng(seed)
    n = int(np.sum(lengths))
    gold = np.where(rng.random(n) < 0.05, -1, rng.integers(0, 3, n)).astype(np.int32)
    gold[0] = 0
    rows = rng.integers([0, 9], [9, 18], (n, 2)).astype(np.int32)
    features = ChainFeatures(rows, np.zeros((n, 1), np.int32), observed)
    blocks = Blocks(block_starts([9, 9]), np.array([0, 1]), ("U0", "U1", "B"))
    return chain_problem(features, blocks, gold, block_starts(lengths), ("a", "b", "c"))


@kernel
def decode_all(arrays, weights, live, augmented, labels, scores):
    work = contract.new_work(arrays)
    for i in range(scores.size):
        contract.score_parts(arrays, weights, live, i, work)
        scores[i] = contract.decode(arrays, i, work, augmented)
        labels[arrays.first[i] : arrays.last[i]] = work.labels[: arrays.last[i] - arrays.first[i]]


@settings(max_examples=40)
@given(st.lists(st.integers(1, 30), min_size=1, max_size=6), SIZES, st.integers(0, 10**6))
def test_pieces_partition_every_sentence(lengths, size, seed):
    problem = long_problem(lengths, seed)
    sentences = np.random.default_rng(seed).permutation(problem.n)
    whole, cut = problem.arrays, problem.cut(sentences, size, np.random.default_rng(seed)).arrays
    at = 0
    for s in sentences:
        first, last = whole.first[s], whole.last[s]
        begin = at
        while at < cut.first.size and cut.last[at] <= last and cut.first[at] >= first:
            at += 1
        borders = np.append(cut.first[begin:at], last)
        assert borders[0] == first
        np.testing.assert_array_equal(cut.last[begin:at], borders[1:])
        sizes = np.diff(borders)
        assert ((sizes >= 1) & (sizes <= np.ceil(size))).all()
        assert (sizes[1:-1] >= np.floor(size)).all()
        if last - first <= size:
            assert sizes.size == 1
        np.testing.assert_array_equal(cut.open_left[begin:at], [whole.open_left[s]] + [True] * (sizes.size - 1))
        np.testing.assert_array_equal(cut.open_right[begin:at], [True] * (sizes.size - 1) + [whole.open_right[s]])
    assert at == cut.first.size
    assert cut.gold[np.concatenate([np.arange(a, b) for a, b in zip(cut.first, cut.last, strict=True)])].min() >= 0


@pytest.mark.parametrize("size", [1, 2, 3.5, 5.5, 6.2])
def test_sizes_and_places(size):
    """Inner pieces have the mean size; every position but the first begins a piece with probability 1 / size."""
    n, repeats = 40, 4000
    problem = long_problem([n] * repeats)
    arrays = problem.arrays._replace(
        first=np.arange(repeats) * n, last=np.arange(1, repeats + 1) * n, repeats=np.zeros((repeats, 2), bool)
    )
    cut = problem.cut_arrays(arrays, np.arange(repeats), size, np.random.default_rng(0))
    lengths = cut.last - cut.first
    inner = (cut.first % n > 0) & (
        cut.first % n < n / 2
    )  # those that may end at will; the others are cut short by the end
    assert set(lengths[inner]) == {int(np.floor(size)), int(np.ceil(size))}
    assert lengths[inner].mean() == pytest.approx(size, abs=0.01)
    often = np.bincount(cut.first % n, minlength=n)[1:] / repeats
    np.testing.assert_allclose(often, 1 / size, atol=5 * np.sqrt(0.25 / repeats))


def test_cuts_are_fresh_each_time_and_seeds_reproduce():
    problem, everything = long_problem([25] * 20), np.arange(20)
    random, again = np.random.default_rng(3), np.random.default_rng(3)
    draws = [problem.cut(everything, 5, random).arrays.first.tolist() for _ in range(3)]
    assert len({tuple(draw) for draw in draws}) == 3
    assert draws == [problem.cut(everything, 5, again).arrays.first.tolist() for _ in range(3)]


@pytest.mark.parametrize("size", [100, 1e18, 25])
def test_long_pieces_leave_sentences_whole(size):
    problem = long_problem([25, 3, 12])
    sentences = np.array([2, 0])
    cut = problem.cut(sentences, size, np.random.default_rng(0)).arrays
    for name in ("first", "last", "open_left", "open_right"):
        np.testing.assert_array_equal(getattr(cut, name), getattr(problem.arrays, name)[sentences])


def test_no_sentences():
    assert long_problem([4]).cut(np.empty(0, np.int64), 2.5, np.random.default_rng(0)).n == 0


def test_pieces_can_be_cut_again_and_sentences_drawn_twice():
    problem = long_problem([30, 30])
    cut = problem.cut(np.array([0, 0]), 7, np.random.default_rng(0))
    assert (cut.arrays.first == 0).sum() == 2
    finer = cut.cut(np.arange(cut.n), 1, np.random.default_rng(0)).arrays
    assert (finer.last - finer.first == 1).all()
    first, last = problem.arrays.first[0], problem.arrays.last[0]
    assert finer.first.tolist() == 2 * list(range(first, last))


@settings(max_examples=30)
@given(SIZES, st.integers(0, 10**6))
def test_what_recurs_in_a_piece_is_known_to_recur(size, seed):
    problem = long_problem([12, 1, 20], seed)
    cut = problem.cut(np.arange(problem.n), size, np.random.default_rng(seed)).arrays
    exact = np.zeros_like(cut.repeats)
    find_repeats(cut.first, cut.last, cut.rows, exact)
    assert (cut.repeats >= exact).all()


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.booleans(), st.booleans(), st.sampled_from([1, 1.5, 2, 3]))
def test_labels_do_not_interact_across_a_cut(random_corpus, flat, seed, observed, augmented, size):
    """Decoding, scores and losses of the pieces against enumeration of what each piece alone may do."""
    corpus = random_corpus(seed, observed)
    sentences = np.arange(corpus.problem.n)
    cut = replace(corpus, problem=corpus.problem.cut(sentences, size, np.random.default_rng(seed)))
    weights, live = cut.random_weights(), cut.problem.all_live()
    w = flat(weights)
    labels, scores = np.zeros(cut.problem.arrays.gold.size, np.int32), np.empty(cut.problem.n)
    decode_all(cut.problem.arrays, weights, live, augmented, labels, scores)
    for i in sentences:
        allowed = {tuple(y): w @ cut.phi(i, y) + augmented * cut.loss(i, y) for y in cut.outputs(i)}
        assert scores[i] == pytest.approx(max(allowed.values()), abs=1e-4)
        assert allowed[tuple(labels[cut.piece(i)])] == pytest.approx(scores[i], abs=1e-4)
    vector, loss = cut.problem.gold_minus_expected(cut.problem.gold_state())
    assert not flat(vector).any()
    assert loss == 0


def test_start_and_end_constraints_hold_at_the_ends_of_sentences_only():
    """Only ``a`` may begin and only ``c`` may end: in the middle of a sentence pieces begin and end as they like."""
    allowed = Constraints.none(3)
    allowed.start[1:] = False
    allowed.end[:2] = False
    gold = np.array([0, 1, 1, 2, 0, 1, 2], np.int32)
    features = ChainFeatures(np.zeros((7, 1), np.int32), np.zeros((7, 1), np.int32), False)
    blocks = Blocks(np.array([0, 1]), np.array([0, 1]), ("U", "B"))
    problem = chain_problem(features, blocks, gold, np.array([0, 4, 7]), ("a", "b", "c"), allowed)
    cut = problem.cut(np.arange(2), 1, np.random.default_rng(0))
    weights = problem.zeros()
    weights.node[0] = [0, 5, 0]
    labels, scores = np.zeros(7, np.int32), np.empty(7)
    decode_all(cut.arrays, weights, problem.all_live(), False, labels, scores)
    assert labels.tolist() == [0, 1, 1, 2, 0, 1, 2]
    assert scores.tolist() == [0, 5, 5, 0, 0, 5, 0]
