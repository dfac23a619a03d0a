import numpy as np
import pytest

from spacy_mtl.structures.contract import Weights
from spacy_mtl.trainers.l1m3n.elements import fill, l1_norm, largest, multiply
from spacy_mtl.trainers.l1m3n.scales import fill_new, l1_scales, laplace_scales, prune

C = 0.5


def vector(node, pair):
    return Weights(np.array([node], np.float32), np.array([pair], np.float32))


def flat(weights):
    return np.concatenate([matrix.ravel() for matrix in weights]).tolist()


def test_l1_scales_are_shares_of_the_weights():
    V, metric = vector([1, -2], [4]), vector([C * 0.5, C * 0.25], [0])
    l1_scales(V, metric, C)  # w was C (0.5, -0.5, 0)
    assert flat(metric) == pytest.approx([C * 0.5, C * 0.5, 0])
    assert flat(V) == pytest.approx([C * 0.5, -C, 0])


def test_l1_scales_of_no_weights_stay():
    V, metric = vector([0, 0], [0]), vector([1, 2], [3])
    l1_scales(V, metric, C)
    assert flat(V) == [0, 0, 0]
    assert flat(metric) == [1, 2, 3]


def test_laplace_scales():
    rate = 4.0
    V, metric = vector([1, -2], [0]), vector([C * 0.5, C * 0.25], [C / rate])
    weights = np.array([C * 0.5, -C * 0.5, 0])
    laplace_scales(V, metric, C, rate)
    new = np.sqrt((weights**2 + [0.5, 0.25, 1 / rate]) / rate)
    assert flat(metric) == pytest.approx(C * new)
    assert new[2] == 1 / rate  # where the weight is 0, this is what the variance settles at
    assert flat(V) == pytest.approx(C * new * [1, -2, 0])


def test_prune_and_fill_new():
    weights, metric = vector([0.5, -0.1], [0.09]), vector([1, 2], [3])
    prune(weights, metric, 0.1 - 1e-6)
    assert flat(weights) == pytest.approx([0.5, -0.1, 0])
    assert flat(metric) == [1, 2, 0]
    fill_new(metric, vector([1, 0], [1]), 7.0)
    assert flat(metric) == [1, 7, 0]


def test_norms_and_products():
    weights = vector([0.5, -2], [1])
    assert l1_norm(weights) == 3.5
    assert largest(weights) == 2
    assert largest(vector([], [])) == l1_norm(vector([], [])) == 0
    multiply(weights, vector([2, 3], [-1]), 0.5)
    assert flat(weights) == [0.5, -3, -0.5]
    fill(weights, 1.5)
    assert flat(weights) == [1.5] * 3


def test_l1_norm_of_many_small_weights_is_exact():
    many = Weights(np.full((10**6, 3), 1e-3, np.float32), np.full((1, 1), 1e5, np.float32))
    assert l1_norm(many) == pytest.approx(1e5 + 3e6 * float(np.float32(1e-3)), rel=1e-12)
