"""The Laplace M3N against cvxpy for weak and strong priors; its weights are small, but not 0."""

import numpy as np
import pytest

from spacy_mtl.sequences import problem_from_arrays
from spacy_mtl.trainers.base import fit
from spacy_mtl.trainers.l1m3n.trainer import L1M3N
from spacy_mtl.trainers.shared.mixture import gather

from ..l1_reference import flat, objective, solve
from ..reference import random_problem


@pytest.mark.parametrize("rate", [0.1, 10.0, 1000.0])
@pytest.mark.parametrize("seed", [0, 1])
def test_it_reaches_the_optimum(seed, rate):
    problem = random_problem(seed)
    training = fit(L1M3N("laplace", C=2.0, prior_lambda=rate, rounds=400, tol=1e-5), problem, 4000)
    report, optimum = training.report(), solve(problem, "laplace", 2.0, rate)[0]
    assert report.primal == pytest.approx(optimum, rel=1e-3)
    assert report.dual == pytest.approx(optimum, rel=1e-3)
    assert report.primal == pytest.approx(objective(problem, "laplace", training.weights, 2.0, rate), rel=1e-4)


@pytest.mark.filterwarnings("ignore:.*M337")
@pytest.mark.parametrize(("seed", "C"), [(2, 1e-7), (15, 1e5), (17, 1e6)])
def test_the_gap_of_values_of_very_different_sizes_is_never_negative(seed, C):
    """At a large C nearly all mass of the mixtures is on gold, at a tiny one the penalty is hardly more than rounding errors of 1."""
    rng = np.random.default_rng(seed)
    X = {"large": 1400 * rng.normal(size=(3, 2)), "small": rng.normal(size=(3, 1)), "same": np.ones((3, 1))}
    problem = problem_from_arrays(X, [0, 1, 1], [1, 1, 1] if seed % 2 else [3])
    gaps: list[float] = []
    training = L1M3N("laplace", C=C, rounds=40, inner_passes=3, tol=1e-15)
    fit(training, problem, 120, lambda running: gaps.append(running.report().gap))
    assert min(gaps) >= 0
    assert min(gaps) < 1e-3


def test_weights_are_shrunk_but_not_zero():
    """Where l1-M3N keeps a few weights, the same few are the large ones here, and all that the data pull at are left."""
    problem = random_problem(0)
    C, rate = 70.0, 1e4
    laplace = fit(L1M3N("laplace", C=C, prior_lambda=rate, rounds=200, tol=1e-5), problem, 2000)
    vector = problem.zeros()
    gather(problem, laplace._atoms, out=vector)
    assert ((flat(laplace.weights) != 0) == (flat(vector) != 0)).all()
    assert (flat(laplace._metric) > 0).all()
    # far out R is sqrt(lambda) ||w||_1: P1 at C / (2 sqrt(lambda))
    sparse = fit(L1M3N("cutting_plane", C=C / (2 * np.sqrt(rate)), eps=1e-4), problem, 100)
    large = np.abs(flat(laplace.weights)) > 0.05
    assert 0 < large.sum() < large.size / 4
    assert large[np.abs(flat(sparse.weights)) > 0.2].all()
