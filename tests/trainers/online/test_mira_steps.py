"""The quadratic program of a MIRA step against cvxpy, and its optimality conditions."""

import cvxpy as cp
import numpy as np
import pytest

from spacy_mtl.trainers.online.mira_steps import PRECISION, hildreth


def solve(differences, losses, cap):
    """alpha, slopes and the step w of min 1/2 ||w||^2 + cap * xi s.t. differences @ w >= losses - xi."""
    alpha, slopes = np.empty(losses.size), np.empty(losses.size)
    hildreth(differences @ differences.T, losses, cap, alpha, slopes)
    return alpha, slopes, differences.T @ alpha


@pytest.mark.parametrize("cap", [1e-3, 0.03, 0.3, 1e3])
@pytest.mark.parametrize(("k", "dimension"), [(1, 3), (4, 9), (8, 3), (12, 12)])
def test_reaches_the_optimum(k, dimension, cap):
    """More constraints than dimensions too: the Gram matrix is singular then."""
    rng = np.random.default_rng(k)
    differences = rng.integers(-2, 3, (k, dimension)).astype(float) + 0.5 * rng.normal(size=dimension)
    losses = rng.uniform(-0.5, 3, k)
    alpha, slopes, w = solve(differences, losses, cap)
    v, xi = cp.Variable(dimension), cp.Variable(nonneg=True)
    objective = cp.Minimize(0.5 * cp.sum_squares(v) + cap * xi)
    optimum = cp.Problem(objective, [differences @ v >= losses - xi]).solve(solver=cp.CLARABEL)
    slack = max(0.0, (losses - differences @ w).max())
    assert 0.5 * w @ w + cap * slack == pytest.approx(optimum, rel=1e-5, abs=2 * PRECISION * cap)
    np.testing.assert_allclose(w, v.value, atol=1e-4)
    np.testing.assert_allclose(slopes, losses - differences @ w, atol=1e-9)
    assert (alpha >= 0).all()
    assert alpha.sum() <= cap * (1 + 1e-12)
    assert slack == pytest.approx(0, abs=1e-6) or alpha.sum() == pytest.approx(cap)
    np.testing.assert_allclose(alpha * (slopes - slack), 0, atol=1e-6 * cap)  # only what is tight has a multiplier


def test_nothing_violated_nothing_done():
    alpha, _, _ = solve(np.eye(3), np.array([-1.0, 0.0, -0.2]), 1.0)
    assert not alpha.any()


def test_outputs_no_different_from_gold_take_all_the_cap_gives():
    """A confusion of labels that no feature tells apart: its margin cannot be had at any price."""
    alpha, _, w = solve(np.zeros((1, 2)), np.array([1.0]), 0.5)
    assert alpha.tolist() == [0.5]
    assert not w.any()


def test_the_same_output_twice():
    _, _, once = solve(np.array([[1.0, 2.0]]), np.array([1.0]), 1.0)
    _, _, twice = solve(np.array([[1.0, 2.0], [1.0, 2.0]]), np.array([1.0, 1.0]), 1.0)
    np.testing.assert_allclose(once, [0.2, 0.4])
    np.testing.assert_allclose(twice, once)
