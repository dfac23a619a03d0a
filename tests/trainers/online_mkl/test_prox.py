"""Proximal operators against their optimality conditions, and against cvxpy on whole blocks."""

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from spacy_mtl.trainers.online_mkl.prox import Regularizer, omega, prox

NORMS = st.lists(st.just(0.0) | st.floats(1e-6, 1e6), max_size=12).map(np.array)
STEPS = st.floats(1e-12, 1e12)
EXPONENTS = [1.0, 1.01, 1.2, 4 / 3, 2.0, 2.5, 3.0, 10.0, 100.0]
L2, L21 = Regularizer(1, 0, 0, 1), Regularizer(0, 1, 0, 1)


def lq(q):
    return Regularizer(0, 0, 1, q)


@given(NORMS, STEPS)
def test_l2_is_a_scaling(b, tau):
    np.testing.assert_allclose(prox(b, L2, tau), b / (1 + tau), rtol=1e-15)


@given(NORMS, STEPS)
def test_l21_is_optimal(b, tau):
    """x_m - b_m + tau sum x = 0 where x_m > 0, and b_m <= tau sum x where x_m = 0; the objective is strictly convex, so this is the minimum."""
    x = prox(b, L21, tau)
    pull, size = (b - x) / tau, b.max(initial=0.0)
    slack = 1e-13 * size * b.size * (1 + 1 / tau)
    assert (x >= 0).all()
    assert (x <= b).all()
    np.testing.assert_allclose(pull[x > 0], x.sum(), rtol=1e-12, atol=slack)
    assert (pull[x == 0] <= x.sum() + slack).all()


@given(st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=8), st.floats(1e-6, 1e6))
def test_l21_treats_ties_alike(b, tau):
    x = prox(np.array(b * 2), L21, tau)
    np.testing.assert_array_equal(x[: len(b)], x[len(b) :])


@pytest.mark.parametrize("q", EXPONENTS)
@given(b=NORMS, tau=STEPS)
def test_lq_solves_its_equation(q, b, tau):
    """x + tau x^(q - 1) = b, block by block; a threshold at q = 1."""
    x = prox(b, lq(q), tau)
    assert (x >= 0).all()
    assert (x[b == 0] == 0).all()
    if q == 1:
        np.testing.assert_allclose(x, np.maximum(b - tau, 0), rtol=1e-15)
        return
    live = (x > 1e-290) & (b > 0)
    np.testing.assert_allclose(x[live] + tau * x[live] ** (q - 1), b[live], rtol=1e-10)
    lost = ~live & (
        b > 0
    )  # so small that it is no number any more: smaller than 1e-290 already makes the left side too large
    assert (tau * 1e-290 ** (q - 1) >= 0.99 * b[lost]).all()


@given(st.integers(0, 1000), STEPS)
def test_lq_at_2_is_l2(seed, tau):
    b = np.random.default_rng(seed).random(5)
    np.testing.assert_allclose(prox(b, lq(2.0), tau), prox(b, L2, tau), rtol=1e-15)


@pytest.mark.parametrize("q", [1.0, 1.2, 4 / 3, 2.0, 3.0, 10.0])
@pytest.mark.parametrize("tau", [1e-3, 0.3, 2.0, 50.0])
def test_lq_against_a_scalar_minimum(q, tau):
    for b in (0.01, 0.5, 3.0, 40.0):
        found = minimize_scalar(
            lambda x, b=b: 0.5 * (x - b) ** 2 + tau / q * max(x, 0.0) ** q,
            bounds=(0, b), method="bounded", options={"xatol": 1e-12},
        )  # fmt: skip
        assert prox(np.array([b]), lq(q), tau)[0] == pytest.approx(found.x, abs=2e-6 * (1 + b))


def cvxpy_omega(norms, regularizer):
    """The regularizer of a list of cvxpy norms."""
    stacked, (l2, l21, weight, q) = cp.hstack(norms), regularizer
    return l2 / 2 * cp.sum_squares(stacked) + l21 / 2 * cp.square(cp.sum(stacked)) + weight / q * cp.sum(cp.power(stacked, q))  # fmt: skip


@pytest.mark.parametrize("regularizer", [L2, L21, *map(lq, (1.0, 1.2, 4 / 3, 2.0, 3.0))])
@pytest.mark.parametrize("seed", [0, 1])
def test_whole_blocks_are_scaled(regularizer, seed):
    """Proposition 1: the proximal operator of vectors is that of their norms times the vectors' directions."""
    rng = np.random.default_rng(seed)
    blocks = [rng.normal(size=3) * size for size in (2.0, 1.0, 0.3, 0.0)]
    tau = 0.4
    variables = [cp.Variable(3) for _ in blocks]
    apart = sum(cp.sum_squares(v - block) for v, block in zip(variables, blocks, strict=True))
    # the norms enter as upper bounds t >= ||v||, equal at the minimum: omega rises in each of them
    tops = [cp.Variable(nonneg=True) for _ in blocks]
    bounds = [cp.norm(v) <= t for v, t in zip(variables, tops, strict=True)]
    cp.Problem(cp.Minimize(0.5 * apart + tau * cvxpy_omega(tops, regularizer)), bounds).solve(solver=cp.CLARABEL)
    norms = np.array([np.linalg.norm(block) for block in blocks])
    shrunk = prox(norms, regularizer, tau)
    for v, block, before, after in zip(variables, blocks, norms, shrunk, strict=True):
        np.testing.assert_allclose(v.value, block * (after / before if before else 0), atol=2e-5)


def test_a_sum_is_one_step_after_another():
    b = np.array([3.0, 1.0, 0.2])
    both = prox(b, Regularizer(0.5, 2.0, 0.3, 3.0), 0.1)
    one_by_one = prox(prox(prox(b, L21, 0.2), lq(3.0), 0.03), L2, 0.05)
    np.testing.assert_array_equal(both, one_by_one)


@pytest.mark.parametrize("regularizer", [L2, L21, lq(1.0), lq(1.2), lq(3.0)])
def test_steps_of_any_length(regularizer):
    b = np.array([2.0, 1.0, 0.0])
    np.testing.assert_array_equal(prox(b, regularizer, 0.0), b)
    np.testing.assert_allclose(prox(b, regularizer, 1e-300), b, rtol=1e-15)
    np.testing.assert_allclose(prox(b, regularizer, 1e300), 0, atol=1e-100 if regularizer.q < 3 else 1e-140)
    assert prox(np.empty(0), regularizer, 1.0).size == 0


def test_the_input_is_not_changed():
    b = np.array([2.0, 1.0])
    prox(b, L21, 1.0)
    assert b.tolist() == [2.0, 1.0]


def test_sparsity():
    """By hand: at tau = 1 the two largest of (3, 2, 1) stay, with threshold (3 + 2) / (1 + 2)."""
    np.testing.assert_allclose(prox(np.array([1.0, 3.0, 2.0]), L21, 1.0), [0, 3 - 5 / 3, 2 - 5 / 3], rtol=1e-14)


def test_omega():
    b = np.array([1.0, 2.0])
    assert omega(b, Regularizer(2.0, 0, 0, 1)) == pytest.approx(5)
    assert omega(b, Regularizer(0, 2.0, 0, 1)) == pytest.approx(9)
    assert omega(b, Regularizer(0, 0, 3.0, 3)) == pytest.approx(9)
    assert omega(b, Regularizer(2.0, 2.0, 3.0, 3)) == pytest.approx(23)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ((np.ones((2, 2)), L2, 1.0), "M360"),
        ((np.array([-1.0]), L2, 1.0), "M360"),
        ((np.array([np.nan]), L2, 1.0), "M360"),
        ((np.ones(2), L2, -1.0), "M361"),
        ((np.ones(2), L2, np.inf), "M361"),
        ((np.ones(2), Regularizer(-1, 0, 0, 1), 1.0), "M362"),
        ((np.ones(2), lq(0.5), 1.0), "M362"),
    ],
)
def test_bad_input_is_refused(arguments, code):
    with pytest.raises(ValueError, match=code):
        prox(*arguments)
