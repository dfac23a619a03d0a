"""SMO on marginals: mass is that of a distribution, the dual rises, and exponentiated gradient takes over where it stands."""

from itertools import pairwise

import numpy as np
import pytest

from benchmarks.trainers.dual_curves import curve
from benchmarks.trainers.smo import SMO
from spacy_mtl.trainers.eg.sweeps import expect_dual
from spacy_mtl.trainers.eg.training import expectation, new_state
from spacy_mtl.trainers.shared.exact import exact_norms, marginals_of

from ..trainers.reference import random_problem, solve_primal

C = 0.7


@pytest.fixture(scope="module")
def problem():
    return random_problem(3, n_sentences=6, observed=True)


def test_marginals_stay_marginals_and_weights_are_theirs(problem):
    training = SMO(C=C).begin(problem)
    n_labels = training._state.nodes.shape[1]
    for _ in range(15):
        training.end_pass()
        nodes, pairs = training._state.nodes, training._state.pairs.reshape(-1, n_labels, n_labels)
        np.testing.assert_allclose(nodes.sum(axis=1), 1, atol=1e-9)
        for a, b in zip(problem.arrays.first, problem.arrays.last, strict=True):
            np.testing.assert_allclose(pairs[a + 1 : b].sum(axis=2), nodes[a : b - 1], atol=1e-9)
            np.testing.assert_allclose(pairs[a + 1 : b].sum(axis=1), nodes[a + 1 : b], atol=1e-9)
    assert (training._state.nodes > 1e-6).sum() > nodes.shape[0]  # mass has left gold
    norms = C * exact_norms(problem, marginals_of(problem, training._state))
    np.testing.assert_allclose(problem.block_norms(training.weights), norms, rtol=1e-4)


def test_the_dual_never_falls_and_comes_near_the_optimum(problem):
    optimum, _ = solve_primal(problem, 2.0, C)
    points = curve(problem, SMO(C=C), 60)
    duals = [point["dual"] for point in points]
    assert all(b >= a - 1e-5 for a, b in pairwise(duals))
    assert 0.9 * optimum < duals[-1] <= optimum * (1 + 1e-5)
    assert points[-1]["primal"] >= optimum * (1 - 1e-5)


def test_the_hybrid_goes_on_from_the_marginals(problem):
    optimum, _ = solve_primal(problem, 2.0, C)
    training = SMO(C=C, hybrid=3).begin(problem)
    for _ in range(3):
        training.end_pass()
    before = training.report().dual
    successor = training._hand_over()
    w, state = problem.zeros(), new_state(problem)
    expectation(
        problem, C, lambda out: float(expect_dual(problem.arrays, successor._theta, state, out, 0, problem.n)), w
    )
    np.testing.assert_allclose(state.nodes, training._state.nodes, atol=0.02)
    assert successor.report().dual > 0.9 * before
    points = curve(problem, SMO(C=C, hybrid=3), 60)
    assert [point["passes"] for point in points] == list(range(61))
    assert 0.98 * optimum < points[-1]["dual"] <= optimum * (1 + 1e-5)


def test_chains_without_pairs_of_every_position_are_refused():
    with pytest.raises(ValueError, match="label pairs"):
        SMO().begin(random_problem(0))
