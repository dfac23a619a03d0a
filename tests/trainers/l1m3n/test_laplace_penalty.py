"""The regularizer of the Laplace M3N: its slope is that of the fixed point of the variances, and the conjugate is its conjugate."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_mtl.structures.contract import Weights
from spacy_mtl.trainers.l1m3n.laplace_penalty import best_laplace_scaling, laplace_conjugate, laplace_penalty

RATES = st.floats(-2, 4).map(lambda power: 10.0**power)
WEIGHTS = st.floats(-3, 2).map(lambda power: 10.0**power)


def vector(*values):
    half = len(values) // 2
    return Weights(np.array([values[:half]], np.float32), np.array([values[half:]], np.float32))


def penalty(w, rate):
    return laplace_penalty(vector(w), rate)


@given(WEIGHTS, RATES)
def test_slope_is_the_pull_of_the_settled_variance(w, rate):
    w = float(np.float32(w))
    settled = (1 + np.sqrt(1 + 4 * rate * w * w)) / (2 * rate)
    assert rate * settled**2 == pytest.approx(w**2 + settled)
    step = float(np.float32(1.01 * w)) - w
    slope = (penalty(w + step, rate) - penalty(w, rate)) / step
    assert slope == pytest.approx(w / settled, rel=0.02)


@given(WEIGHTS, RATES)
def test_conjugate(w, rate):
    """R*(v) = v w - R(w) at v = R'(w), and never less elsewhere."""
    w = float(np.float32(w))
    settled = (1 + np.sqrt(1 + 4 * rate * w * w)) / (2 * rate)
    v = w / settled
    conjugate = -0.5 * np.log1p(-(v**2) / rate)
    assert conjugate == pytest.approx(v * w - penalty(w, rate), rel=1e-3, abs=1e-6)
    for other in (0.5 * w, 0.9 * w, 1.1 * w, 3 * w):
        assert conjugate >= v * other - penalty(other, rate) - 1e-3 * conjugate - 1e-9


def test_far_out_it_is_an_l1_norm_and_even():
    assert penalty(-2.0, 1e6) == penalty(2.0, 1e6) == pytest.approx(2000, rel=0.01)
    assert penalty(0.0, 5.0) == 0
    assert laplace_penalty(vector(1.0, -2.0, 3.0), 2.0) == pytest.approx(sum(penalty(w, 2.0) for w in (1, 2, 3)))


def test_conjugate_of_a_vector_and_its_derivatives():
    v, factor, h = vector(0.5, -0.25, 0.0, 0.75), 0.9, 1e-5
    total, slope, bend = laplace_conjugate(v, factor)
    exact = np.array([0.5, 0.25, 0.75])
    assert total == pytest.approx(-0.5 * np.log(1 - (factor * exact) ** 2).sum())
    above, below = laplace_conjugate(v, factor + h), laplace_conjugate(v, factor - h)
    assert slope == pytest.approx((above[0] - below[0]) / (2 * h), rel=1e-6)
    assert bend == pytest.approx((above[1] - below[1]) / (2 * h), rel=1e-6)
    assert laplace_conjugate(v, 1 / 0.75)[0] == np.inf


@pytest.mark.parametrize("v", [1e-4, 1e-7, 1e-9])
def test_conjugate_of_tiny_pulls_keeps_its_precision(v):
    """Where C is tiny, and so is the dual, they are all of it."""
    v = float(np.float32(v))
    assert laplace_conjugate(vector(v, -v), 1.0)[0] == pytest.approx(v**2, rel=1e-7, abs=0)


@given(st.integers(0, 2**32 - 1), st.floats(-3, 3), RATES)
def test_best_scaling_beats_a_grid(seed, exponent, rate):
    rng = np.random.default_rng(seed)
    v, C, loss = vector(*rng.normal(size=6)), 10.0**exponent, rng.exponential()
    flat = np.concatenate([v.node.ravel(), v.pair.ravel()]).astype(float)
    largest = np.abs(flat).max()
    top = min(1.0, (1 - 1e-9) * np.sqrt(rate) / (C * largest))
    grid = np.linspace(0, top, 2001)
    values = C * grid * loss + 0.5 * np.log1p(-((C * np.outer(grid, flat)) ** 2) / rate).sum(axis=1)
    best = best_laplace_scaling(v, loss, largest, C, rate)
    assert best >= values.max() * (1 - 1e-6)
    assert best <= values.max() + 1e-3 * (1 + values.max())
    assert best_laplace_scaling(vector(0.0, 0.0), loss, 0.0, C, rate) == pytest.approx(C * loss)
