"""Re-weighted templates against the same rounds in plain numpy and scipy: mu, weights, and which templates count as removed."""

import functools

import numpy as np
import pytest
from scipy.optimize import minimize

from spacy_mtl.trainers.base import fit
from spacy_mtl.trainers.crf.trainer import CRF

from ..l1_reference import flat, margins
from ..reference import block_slices, random_problem

C, EPSILON = 3.0, 1e-3
SEEDS = [0, 1]


@functools.cache
def problem_of(seed):
    return random_problem(seed, n_sentences=8)


@functools.cache
def rounds_of(seed: int, rounds: int, epsilon: float = EPSILON) -> tuple[np.ndarray, np.ndarray]:
    """mu (float64[T]) and w after the first problem, with mu = 1, and ``rounds`` more with mu_j = ||w_j||^2 + epsilon."""
    problem = problem_of(seed)
    rows, slices = [row for row, _ in margins(problem)], block_slices(problem)
    w, mu = np.zeros(slices[-1].stop), np.ones(len(slices))
    if rounds:
        _, w = rounds_of(seed, rounds - 1, epsilon)
        mu = np.array([w[s] @ w[s] for s in slices]) + epsilon
    share = np.concatenate([np.full(s.stop - s.start, m) for s, m in zip(slices, mu, strict=True)])
    options = {"ftol": 1e-15, "gtol": 1e-9, "maxiter": 5000}
    # in w / root, the penalty is half the square of the norm whatever mu, and L-BFGS takes a few steps
    root = np.sqrt(share)
    outputs = np.concatenate(rows) * root, np.array([len(row) for row in rows])
    found = minimize(value_and_gradient, w / root, outputs, jac=True, method="L-BFGS-B", options=options)
    return mu, found.x * root


def value_and_gradient(x: np.ndarray, rows: np.ndarray, sizes: np.ndarray) -> tuple[float, np.ndarray]:
    """rows: one for each output of each sentence. sizes: how many outputs each sentence has."""
    scores, starts = rows @ x, np.cumsum(sizes) - sizes
    largest = np.maximum.reduceat(scores, starts)
    weights = np.exp(scores - np.repeat(largest, sizes))
    sums = np.add.reduceat(weights, starts)
    value = 0.5 * x @ x + C * (np.log(sums) + largest).sum()
    return float(value), x + C * (weights / np.repeat(sums, sizes)) @ rows


@pytest.mark.parametrize("rounds", [1, 2, 6])
@pytest.mark.parametrize("seed", SEEDS)
def test_each_round_is_that_of_the_reference(seed, rounds):
    mu, w = rounds_of(seed, rounds)
    training = fit(CRF(penalty="irw", C=C, tol=1e-7, rounds=rounds, epsilon=EPSILON), problem_of(seed), 3000)
    assert training.converged
    np.testing.assert_allclose(flat(training.weights), w, atol=2e-3)
    shown = training.template_weights
    np.testing.assert_allclose(shown[shown > 0], mu[shown > 0], rtol=5e-3)
    squares = np.array([w[s] @ w[s] for s in block_slices(problem_of(seed))])
    np.testing.assert_array_equal(shown > 0, squares > EPSILON)


def test_epsilon_is_added_to_the_squared_norms():
    """With an epsilon as large as the norms, any other exponent would be seen at once."""
    mu, _ = rounds_of(0, 3, 1.0)
    training = fit(CRF(penalty="irw", C=C, tol=1e-6, rounds=3, epsilon=1.0), problem_of(0), 3000)
    shown = training.template_weights
    np.testing.assert_allclose(shown[shown > 0], mu[shown > 0], rtol=2e-3)
    assert mu.min() >= 1


def test_templates_that_never_counted_are_not_live():
    """Some are left with weights far below epsilon, which keeps their mu from vanishing; the others hold themselves."""
    problem = random_problem(0, n_sentences=20, n_templates=8)
    training = fit(CRF(penalty="irw", C=C, tol=1e-6), problem, 3000)
    norms = np.array([np.linalg.norm(flat(training.weights)[s]) for s in block_slices(problem)])
    live = norms**2 > EPSILON
    assert 0 < live.sum() < live.size
    assert (norms[~live] > 0).any()
    assert training.report().live_templates == live.sum()
    np.testing.assert_array_equal(training.template_weights > 0, live)


def test_where_all_weights_are_small_none_is_removed():
    training = fit(CRF(penalty="irw", C=1e-3), problem_of(0), 500)
    assert training.report().live_templates == training.report().n_templates


def test_before_the_first_round_all_weigh_the_same():
    training = CRF(penalty="irw", C=C, warm_up=0).begin(problem_of(0))
    training.end_pass()
    assert training.round == 0
    np.testing.assert_array_equal(training.template_weights, np.ones(problem_of(0).blocks.n))
