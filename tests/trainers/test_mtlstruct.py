"""MTLstruct: both solvers against cvxpy over all outputs, and their certificates."""

import numpy as np
import pytest

from spacy_mtl.trainers.base import fit
from spacy_mtl.trainers.mtlstruct import MTLStruct, mtl_struct, ssvm

from .reference import random_problem, solve_primal

EXPONENTS = [1.0, 4 / 3, 2.0, 4.0, 100.0]


def expected_mu(norms: np.ndarray, p: float) -> np.ndarray:
    """Template weights at an optimum, from its block norms: mu_j = ||w_j||^{2-p} / ||w||_p^{2-p}."""
    return (norms / np.sum((norms / norms.max()) ** p) ** (1 / p) / norms.max()) ** (2 - p)


def relative_mu(mu: np.ndarray) -> np.ndarray:
    return mu / mu.sum()


@pytest.mark.parametrize("p", EXPONENTS)
@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("solver", ["dual_ascent", "cutting_plane"])
def test_both_solvers_reach_the_optimum(solver, seed, p):
    problem = random_problem(seed, observed=seed == 2)
    optimum, norms = solve_primal(problem, p, C=0.7)
    passes = 20000 if solver == "dual_ascent" else 300
    training = fit(MTLStruct(p=p, C=0.7, solver=solver, tol=2e-5), problem, passes)
    report = training.report()
    assert report.primal == pytest.approx(optimum, rel=1e-4)
    assert report.dual <= optimum * (1 + 1e-6)
    assert report.gap == pytest.approx((report.primal - report.dual) / report.primal)
    assert report.gap <= 1e-4
    if p < 4:  # where norms meet (p large), the weights mu have no unique value to compare with
        live = norms > 1e-3 * norms.max()
        mu = relative_mu(training.template_weights)
        want = relative_mu(np.where(live, expected_mu(np.maximum(norms, 1e-12), p), 0)) if p < 2 else relative_mu(np.ones(mu.size))
        np.testing.assert_allclose(mu[live], want[live], atol=1e-2)
