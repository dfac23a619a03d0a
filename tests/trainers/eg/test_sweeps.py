"""Sweeps of exponentiated gradient over the corpus, one by one, on a small problem."""

import numpy as np
import pytest

from spacy_mtl.structures.chain.viterbi import FORBIDDEN
from spacy_mtl.structures.contract import Weights
from spacy_mtl.trainers.eg.sweeps import add_gradients, add_weights, expect_dual, expect_primal, gather, online_pass
from spacy_mtl.trainers.eg.training import begin_theta, new_state

from ..reference import random_problem
from .naive import NaiveEG, constrained_problem, flat


def random_weights(problem, seed=0):
    rng = np.random.default_rng(seed)
    return type(problem.zeros())(*(rng.normal(size=matrix.shape).astype(np.float32) for matrix in problem.zeros()))


@pytest.mark.parametrize("observed", [False, True])
def test_both_forms_expect_the_same(observed):
    """theta = 1.5 (<z, phi> - 2 loss), stored for every part or computed from weights."""
    problem = constrained_problem(1, observed)
    z, live = random_weights(problem), problem.all_live()
    theta = begin_theta(problem, 0.0)
    add_gradients(problem.arrays, z, live, -2.0, 0.0, theta, 1.5, 0, problem.n)
    scaled = type(z)(*(np.float32(1.5) * matrix for matrix in z))
    found = []
    for expect, arguments in ((expect_dual, (theta,)), (expect_primal, (scaled, live, -3.0, 0.0))):
        state, vector = new_state(problem), problem.zeros()
        found.append((expect(problem.arrays, *arguments, state, vector, 0, problem.n), flat(vector), *state))
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)
    naive = NaiveEG(problem, 1.0, 3.0)
    naive.logs = [log - gaps @ flat(scaled) for log, gaps in zip(naive.logs, naive.gaps, strict=True)]
    np.testing.assert_allclose(found[0][1], naive.weights(), rtol=1e-4, atol=1e-5)


def test_theta_begins_below_gold_by_the_loss():
    problem = constrained_problem(1)
    theta = begin_theta(problem, 2.5)
    gold, first = problem.arrays.gold, problem.arrays.first
    expected = np.where(np.eye(3, dtype=bool)[gold], 0, -2.5)
    inside = np.setdiff1d(np.arange(gold.size), first)
    np.testing.assert_allclose(theta.nodes[inside], expected[inside])
    np.testing.assert_allclose(theta.nodes[first], expected[first] + problem.arrays.start, rtol=1e-6)
    assert (theta.pairs[:, problem.arrays.step.ravel() < 0] <= FORBIDDEN).all()


def test_add_weights():
    """And what they were taken times, so that it can be taken back."""
    total, other = (Weights(np.full((2, 3), n, np.float32), np.full((1, 9), 2 * n, np.float32)) for n in (1, 2))
    amounts = np.array([7.0, 0.0])
    add_weights(total, other, 0.5, amounts)
    assert (total.node == 2).all()
    assert (total.pair == 4).all()
    assert (other.node == 2).all()
    np.testing.assert_array_equal(amounts, [7.0, 0.5])
    add_weights(total, other, -amounts[1], amounts)
    assert (total.node == 1).all()
    assert (total.pair == 2).all()
    np.testing.assert_array_equal(amounts, [7.0, 0.0])


def online_state(problem, C, start):
    theta, now, other = begin_theta(problem, start), new_state(problem), new_state(problem)
    vector = problem.zeros()
    expect_dual(problem.arrays, theta, now, vector, 0, problem.n)
    problem.scale_blocks(vector, np.full(problem.blocks.n, C))
    return theta, (now, other), np.zeros(problem.n, np.int64), vector


def dual(problem, C, states, side):
    vector = problem.zeros()
    loss = gather(problem.arrays, states, side, vector)
    return C * loss - 0.5 * C**2 * np.sum(flat(vector) ** 2), C * flat(vector)


@pytest.mark.parametrize("rate", [0.1, 100.0])
@pytest.mark.parametrize("seed", range(4))
def test_the_rise_of_an_online_pass_is_that_of_the_dual(seed, rate):
    """Steps halved or not; the weights stay those of the marginals."""
    problem, C = random_problem(seed, observed=seed == 2), 2.0
    theta, states, side, weights = online_state(problem, C, 4.0)
    rates, gaps = np.full(problem.n, rate), np.zeros(problem.n)
    for _ in range(3):
        before, _ = dual(problem, C, states, side)
        order = np.random.default_rng(seed).permutation(problem.n)
        rise = online_pass(
            problem.arrays, weights, problem.all_live(), theta, states, side, rates, order, C, 1.0, 0.0, gaps
        )  # fmt: skip
        after, vector = dual(problem, C, states, side)
        assert rise == pytest.approx(after - before, rel=1e-3, abs=1e-5)
        assert rise >= 0
        np.testing.assert_allclose(flat(weights), vector, rtol=1e-4, atol=1e-5)
    assert (rates < rate).any() == (rate == 100)


def test_gaps_sum_to_the_duality_gap_where_nothing_moves():
    """With every sentence at rest, C sum gaps = primal - dual."""
    problem, C = random_problem(1), 2.0
    theta, states, side, weights = online_state(problem, C, 3.0)
    rates, gaps = np.ones(problem.n), np.zeros(problem.n)
    rise = online_pass(
        problem.arrays, weights, problem.all_live(), theta, states, side, rates, np.arange(problem.n), C, 1.0, 1e9, gaps
    )  # fmt: skip
    value, vector = dual(problem, C, states, side)
    primal = 0.5 * vector @ vector + C * problem.hinges(weights).sum()
    assert rise == 0
    assert not side.any()
    assert C * gaps.sum() == pytest.approx(primal - value, rel=1e-5)
