"""Viterbi, constraints and costs, against every label sequence. Scores are small integers: exact sums, and many ties."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from spacy_mtl.structures.chain.build import Constraints, hamming_cost, pieces
from spacy_mtl.structures.chain.viterbi import FORBIDDEN, add_cost, add_rows, constrain, output_score, viterbi

SCORES = st.integers(-4, 4)


@st.composite
def chains(draw):
    """Node scores float32[n, L], and pair scores float32[1 or n, L, L]."""
    n, n_labels = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    n_pairs = draw(st.sampled_from([1, n]))
    nodes = draw(arrays(np.float32, (n, n_labels), elements=SCORES))
    return nodes, draw(arrays(np.float32, (n_pairs, n_labels, n_labels), elements=SCORES))


@st.composite
def constraints(draw, n_labels):
    bits = st.booleans()
    shapes = (n_labels, n_labels, (n_labels, n_labels))
    return Constraints(*(draw(arrays(bool, shape, elements=bits)) for shape in shapes))


def decode(nodes, pairs):
    best, back = np.empty_like(nodes), np.empty(nodes.shape, np.int32)
    labels = np.full(len(nodes), -1, np.int32)
    score = viterbi(nodes, pairs, best, back, labels)
    return labels, score


def test_viterbi_is_exact_on_long_sequences():
    """Without transitions the best labels are those of each position alone, and their sum is the score."""
    rng = np.random.default_rng(0)
    n, n_labels = 200_000, 3
    nodes = (10 + 0.5 * rng.normal(size=(n, n_labels))).astype(np.float32)
    best, back, labels = np.empty_like(nodes), np.empty((n, n_labels), np.int32), np.empty(n, np.int32)
    score = viterbi(nodes, np.zeros((1, n_labels, n_labels), np.float32), best, back, labels)
    assert (labels == nodes.argmax(axis=1)).mean() > 0.99999
    assert score == pytest.approx(nodes.max(axis=1).sum(dtype=float), rel=1e-7)


@given(chains())
def test_viterbi_finds_the_best_sequence(enumerate_chain, chain):
    labels, score = decode(*chain)
    assert score == enumerate_chain(*chain)[1].max() == output_score(*chain, labels)


@given(chains())
def test_output_score_of_every_sequence(enumerate_chain, chain):
    for labels, score in zip(*enumerate_chain(*chain), strict=True):
        assert output_score(*chain, labels.astype(np.int32)) == score


@given(chains())
def test_viterbi_leaves_its_input_alone(chain):
    before = [scores.copy() for scores in chain]
    decode(*chain)
    for old, new in zip(before, chain, strict=True):
        np.testing.assert_array_equal(old, new)


@pytest.mark.parametrize("n", [1, 3])
@pytest.mark.parametrize("n_labels", [1, 3])
def test_of_equal_sequences_the_lowest_labels_win(n, n_labels):
    labels, score = decode(np.ones((n, n_labels), np.float32), np.ones((1, n_labels, n_labels), np.float32))
    assert labels.tolist() == [0] * n
    assert score == 2 * n - 1


def test_per_position_pairs_differ_from_shared():
    pairs = np.zeros((3, 2, 2), np.float32)
    pairs[1, 0, 1] = pairs[2, 1, 0] = 1
    pairs[0] = 99  # no step leads to the first position
    labels, score = decode(np.zeros((3, 2), np.float32), pairs)
    assert labels.tolist() == [0, 1, 0]
    assert score == 2


@given(chains(), st.data())
def test_loss_augmented_viterbi(enumerate_chain, chain, data):
    nodes, pairs = chain
    n, n_labels = nodes.shape
    gold = data.draw(arrays(np.int32, n, elements=st.integers(-1, n_labels - 1)))
    weighted = data.draw(arrays(np.float32, (n_labels, n_labels), elements=st.integers(0, 3)))
    cost = data.draw(st.sampled_from([hamming_cost(n_labels), weighted]))
    augmented = nodes.copy()
    add_cost(cost, gold, augmented, 1.0)
    every, scores = enumerate_chain(nodes, pairs)
    losses = [sum(cost[g, y] for g, y in zip(gold, labels, strict=True) if g >= 0) for labels in every]
    labels, score = decode(augmented, pairs)
    assert score == (scores + losses).max() == output_score(augmented, pairs, labels)
    np.testing.assert_array_equal(augmented[gold < 0], nodes[gold < 0])


def test_hamming_cost_counts_wrong_labels():
    nodes = np.zeros((3, 2), np.float32)
    add_cost(hamming_cost(2), np.array([0, 1, -1], np.int32), nodes, 1.0)
    assert nodes.tolist() == [[0, 1], [1, 0], [0, 0]]


@given(chains(), st.booleans(), st.booleans(), st.data())
def test_constrained_viterbi(enumerate_chain, chain, open_left, open_right, data):
    """The best of the allowed sequences; a side that is cut open allows every label. Where none is allowed, the score says so."""
    nodes, pairs = chain
    allowed = data.draw(constraints(nodes.shape[1]))
    every, scores = enumerate_chain(nodes, pairs)
    legal = np.array([
        (open_left or allowed.start[y[0]])
        and (open_right or allowed.end[y[-1]])
        and all(allowed.step[y[t - 1], y[t]] for t in range(1, len(y)))
        for y in every
    ])  # fmt: skip
    constrain(nodes, pairs, *allowed.penalties(), open_left, open_right)
    labels, score = decode(nodes, pairs)
    if legal.any():
        assert score == scores[legal].max()
        assert any((labels == y).all() for y in every[legal])
    else:
        assert score < FORBIDDEN / 2


@given(st.lists(st.tuples(st.integers(-1, 1), st.booleans()), min_size=1, max_size=8))
def test_missing_gold_cuts_the_chain(tokens):
    """Every token with gold is in one piece; two neighbours are in one piece unless a sentence or missing gold is between."""
    gold = np.array([label for label, _ in tokens])
    starts = np.array([0, *(t for t, (_, begins) in enumerate(tokens) if begins and t), len(tokens)])
    first, last, open_left, open_right = pieces(starts, gold)
    expected, previous_ends = [], True
    for t, label in enumerate(gold):
        begins, ends = t in starts, t + 1 in starts
        if label >= 0 and previous_ends | begins:
            expected.append([t, t, not begins, None])
        if label >= 0:
            expected[-1][1], expected[-1][3] = t + 1, not ends
        previous_ends = ends or label < 0
    assert [list(piece) for piece in zip(first, last, open_left, open_right, strict=True)] == expected


@given(st.data())
def test_add_rows(data):
    n, n_templates, n_rows, width = (data.draw(st.integers(low, 4)) for low in (1, 0, 1, 1))
    rows = data.draw(arrays(np.int32, (n, n_templates), elements=st.integers(-1, n_rows - 1)))
    matrix = data.draw(arrays(np.float32, (n_rows, width), elements=SCORES))
    live = np.flatnonzero(data.draw(arrays(bool, n_templates)))
    out = np.full((n, width), 7, np.float32)
    add_rows(rows, matrix, live, out)
    for t in range(n):
        wanted = sum((matrix[rows[t, j]] for j in live if rows[t, j] >= 0), np.zeros(width))
        np.testing.assert_array_equal(out[t], wanted)
