"""The Laplace M3N against cvxpy for weak and strong priors; its weights are small, but not 0."""

import numpy as np
import pytest

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
