"""L1M3N where every position has a value for every feature, against cvxpy over all outputs."""

import functools
from itertools import product

import cvxpy as cp
import numpy as np
import pytest

from spacy_mtl.sequences import problem_from_arrays
from spacy_mtl.trainers.base import fit
from spacy_mtl.trainers.l1m3n.trainer import L1M3N

from ..l1_reference import flat

LENGTHS = [3, 2, 3, 1, 2, 3, 2, 3]
C = 0.4


@functools.cache
def data():
    """Real values, a little of which tells the labels. X: float32[N, 40]. y: int64[N]."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, 3, sum(LENGTHS))
    X = rng.normal(size=(y.size, 40)).astype(np.float32)
    X += 0.5 * np.repeat(np.eye(3, dtype=np.float32)[y], [8, 16, 16], axis=1)
    return X, y


@functools.cache
def problem():
    return problem_from_arrays(data()[0], data()[1], LENGTHS)


def margins():
    """For each sequence Phi(y) - Phi(gold) and the loss, of every output."""
    X, gold = data()
    for a, n in zip(np.cumsum([0, *LENGTHS]), LENGTHS, strict=False):
        truth, outputs = gold[a : a + n], np.array(list(product(range(3), repeat=n)))

        def phi(labels, a=a, n=n):
            node, pair = np.zeros((X.shape[1], 3)), np.zeros((3, 3))
            np.add.at(node.T, labels, X[a : a + n])
            np.add.at(pair, (labels[:-1], labels[1:]), 1)
            return np.concatenate([node.ravel(), pair.ravel()])

        yield np.stack([phi(y) - phi(truth) for y in outputs]), (outputs != truth).sum(axis=1)


@functools.cache
def optimum(algorithm):
    """Of P4 at C, and of the other problems with the constant that leads to the same solution. Returns constant and optimum."""
    w = cp.Variable(3 * data()[0].shape[1] + 9)
    hinges = sum(cp.max(rows @ w + loss) for rows, loss in margins())
    value = cp.Problem(cp.Minimize(0.5 * cp.square(cp.norm1(w)) + C * hinges)).solve(solver=cp.CLARABEL)
    size, hinge = float(np.abs(w.value).sum()), float(hinges.value)
    assert 0.1 * sum(LENGTHS) < hinge < 0.9 * sum(LENGTHS)
    other = C / (2 * size)
    return {
        "em": (C, float(value)),
        "cutting_plane": (other, 0.5 * size + other * hinge),
        "subgradient": (size, hinge / len(LENGTHS)),
    }[algorithm]


def trained(algorithm, passes, **settings):
    constant = optimum(algorithm)[0]
    name = "radius" if algorithm == "subgradient" else "C"
    return fit(L1M3N(algorithm, **{name: constant}, **settings), problem(), passes)


@pytest.mark.parametrize(
    ("algorithm", "settings"),
    [
        ("em", {"rounds": 400, "inner_passes": 10, "tol": 1e-4}),
        ("cutting_plane", {"eps": 1e-4}),
        ("subgradient", {"tol": 1e-4}),
    ],
)
def test_the_optimum_is_reached(algorithm, settings):
    report = trained(algorithm, 6000, **settings).report()
    wanted = optimum(algorithm)[1]
    assert report.primal == pytest.approx(wanted, rel=1e-3)
    assert report.dual <= wanted * (1 + 1e-6)


@pytest.mark.parametrize(("batch_size", "passes"), [(0, 300), (1, 3000), (3, 3000)])
def test_subgradient_steps_of_the_default_size_come_close(batch_size, passes):
    """Within 2%, where the solution is spread over many weights and ||w||_2 is a small part of the radius."""
    training = trained("subgradient", passes, batch_size=batch_size)
    wanted = optimum("subgradient")[1]
    assert wanted <= training.report().primal * (1 + 1e-6)
    assert training.report().primal == pytest.approx(wanted, rel=0.02)


def test_the_scale_of_the_features_does_not_matter_to_the_steps():
    X, y = data()
    radius = optimum("subgradient")[0]
    larger = problem_from_arrays(16 * X, y, LENGTHS, transitions=False)
    plain = problem_from_arrays(X, y, LENGTHS, transitions=False)
    weights = [
        flat(fit(L1M3N("subgradient", radius=r), p, 40).weights) for r, p in ((radius, plain), (radius / 16, larger))
    ]
    np.testing.assert_allclose(16 * weights[1], weights[0], atol=1e-4 * np.abs(weights[0]).max())
