"""Projection onto the l1 ball in place, against the one that sorts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_mtl.structures.contract import Weights
from spacy_mtl.trainers.l1m3n import l1_ball
from spacy_mtl.trainers.l1m3n.l1_ball import l1_threshold, project_onto_l1_ball

from ..l1_reference import project_l1_ball

SEEDS = st.integers(0, 2**32 - 1)


def random_weights(seed):
    """A few numbers of very different size, some equal, some 0."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0, 6, 2)
    values = rng.choice([rng.normal(size=50), np.round(rng.normal(size=50)), rng.normal(size=50) ** 9])
    shapes = (sizes[0], 3), (sizes[1], 9)
    return Weights(*(rng.choice(values, shape).astype(np.float32) for shape in shapes))


def flat(weights):
    return np.concatenate([matrix.ravel() for matrix in weights]).astype(float)


@settings(max_examples=300)
@given(SEEDS, st.floats(-3, 3), st.sampled_from([0.0, 1e-3, 0.5, 1e3]))
def test_it_is_the_projection(seed, exponent, guess):
    weights, radius = random_weights(seed), 10.0**exponent
    before = flat(weights)
    theta = project_onto_l1_ball(weights, radius, guess)
    wanted = project_l1_ball(before, radius) if before.size else before
    scale = max(1.0, np.abs(before).max(initial=0))
    np.testing.assert_allclose(flat(weights), wanted, atol=2e-7 * scale)
    assert theta >= 0
    assert np.abs(flat(weights)).sum() <= radius * (1 + 1e-6) + 1e-6 * scale


def test_what_is_inside_stays_as_it_is():
    weights = Weights(np.array([[0.25, -0.5]], np.float32), np.array([[0.125]], np.float32))
    before = flat(weights)
    for guess in (0.0, 0.1, 7.0):
        assert project_onto_l1_ball(weights, 0.875, guess) == 0
    np.testing.assert_array_equal(flat(weights), before)


def test_small_weights_become_exactly_zero():
    weights = Weights(np.array([[3.0, -1.0, 0.5]], np.float32), np.zeros((0, 9), np.float32))
    assert project_onto_l1_ball(weights, 1.0, 0.0) == pytest.approx(2.0)
    np.testing.assert_allclose(weights.node, [[1, 0, 0]], atol=1e-6)
    assert (weights.node[0, 1:] == 0).all()


def test_the_threshold_does_not_depend_on_the_guess():
    weights = Weights(np.random.default_rng(0).normal(size=(1000, 3)).astype(np.float32), np.zeros((0, 9), np.float32))
    wanted = l1_threshold(weights, 10.0, 0.0)
    assert [l1_threshold(weights, 10.0, guess) for guess in (1e-3, wanted, 2.0, 100.0)] == pytest.approx([wanted] * 4)


def test_zeros_are_inside_at_a_glance(monkeypatch):
    looks = []

    def excess(weights, theta):
        looks.append(theta)
        return 0.0, 0

    monkeypatch.setattr(l1_ball, "excess", excess)
    zeros = Weights(np.zeros((4, 3), np.float32), np.zeros((1, 9), np.float32))
    assert l1_threshold.py_func(zeros, 1.0, 0.5) == 0
    assert looks == [0.5, 0.0]


def test_small_thresholds_settle(monkeypatch):
    """Steps much shorter than the radius: the threshold is a small difference of large sums, and rounding moves it for ever."""
    looks = []

    def excess(weights, theta):
        looks.append(theta)
        return original.py_func(weights, theta)

    original, rng, theta = l1_ball.excess, np.random.default_rng(0), 0.0
    weights = Weights(rng.normal(size=(20, 26)).astype(np.float32), rng.normal(size=(26, 26)).astype(np.float32))
    project_onto_l1_ball(weights, 45.0, 0.0)
    monkeypatch.setattr(l1_ball, "excess", excess)
    for k in range(15):
        weights.node[k] += np.float32(10.0 ** -(2 + k % 5)) * rng.normal(size=26).astype(np.float32)
        looks.clear()
        theta = l1_threshold.py_func(weights, 45.0, theta)
        assert len(looks) < 20
        l1_ball.shrink(weights, theta)
        assert np.abs(flat(weights)).sum() <= 45 * (1 + 1e-6)
