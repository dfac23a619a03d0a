"""Trainers on small tree problems against enumeration: CRFs, and all ways to train with an l1 norm."""

import functools

import cvxpy as cp
import numpy as np
import pytest

from spacy_mtl.trainers.base import fit
from spacy_mtl.trainers.crf.trainer import CRF
from spacy_mtl.trainers.l1m3n.trainer import L1M3N

from ..structures.tree.corpora import flat
from .certificates import laplace_size
from .test_trees import KINDS, C, corpus_of, margins, solve

RADIUS = 1.5


@functools.cache
def rows_of(kind):
    corpus = corpus_of(*kind)
    return [margins(corpus, i) for i in range(corpus.problem.n)]


def hinges(kind, w) -> float:
    return sum(float(np.max(differences @ w + costs)) for differences, costs in rows_of(kind))


def log_losses(kind, w) -> float:
    return sum(float(np.log(np.exp(differences @ w).sum())) for differences, _ in rows_of(kind))


@functools.cache
def optimum(kind, size: str, loss: str = "hinge") -> float:
    """size: the regularizer, by its name here."""
    w = cp.Variable(rows_of(kind)[0][0].shape[1])
    losses = [
        cp.max(differences @ w + costs) if loss == "hinge" else cp.log_sum_exp(differences @ w)
        for differences, costs in rows_of(kind)
    ]
    if size == "ball":
        problem = cp.Problem(cp.Minimize(sum(losses) / len(losses)), [cp.norm1(w) <= RADIUS])
    else:
        penalty = 0.5 * (cp.norm1(w) if size == "l1" else cp.square(cp.norm1(w)))
        problem = cp.Problem(cp.Minimize(penalty + C * sum(losses)))
    return float(problem.solve(solver=cp.CLARABEL))


@pytest.mark.parametrize("kind", KINDS)
def test_the_l2_crf_reaches_the_optimum(kind):
    best, reference = solve(kind, 2.0, "log")
    training = fit(CRF(C=C, tol=1e-7), corpus_of(*kind).problem, 300)
    w = flat(training.weights)
    assert training.converged
    assert 0.5 * w @ w + C * log_losses(kind, w) == pytest.approx(best, rel=1e-6)
    assert training.report().primal == pytest.approx(best, rel=1e-6)
    np.testing.assert_allclose(w, reference, atol=1e-3)


@pytest.mark.parametrize("kind", KINDS)
def test_the_l1_crf_reaches_the_optimum(kind):
    best = optimum(kind, "l1", "log")
    training = fit(CRF(penalty="l1", C=C, tol=1e-5), corpus_of(*kind).problem, 600)
    w = flat(training.weights)
    assert training.converged
    assert 0.5 * np.abs(w).sum() + C * log_losses(kind, w) == pytest.approx(best, rel=2e-5)
    assert training.report().dual <= best * (1 + 1e-7)


@pytest.mark.parametrize("kind", KINDS)
def test_em_reaches_the_optimum(kind):
    best = optimum(kind, "squared l1")
    training = fit(L1M3N("em", C=C, rounds=400, tol=1e-4), corpus_of(*kind).problem, 3000)
    w, report = flat(training.weights), training.report()
    assert training.converged
    assert 0.5 * np.abs(w).sum() ** 2 + C * hinges(kind, w) == pytest.approx(best, rel=2e-4)
    assert best * (1 - 2e-4) <= report.dual <= best * (1 + 1e-7)


@pytest.mark.parametrize("kind", KINDS)
def test_the_laplace_m3n_reaches_the_optimum(kind):
    """Its own dual proves it, if that is below the objective of all weights; and here of the reference's at other norms."""
    training = fit(L1M3N("laplace", C=C, rounds=400, tol=1e-4), corpus_of(*kind).problem, 3000)
    w, report = flat(training.weights), training.report()
    found = laplace_size(w) + C * hinges(kind, w)
    assert training.converged
    assert report.primal == pytest.approx(found, rel=1e-9)
    assert report.dual >= found * (1 - 1.1e-4)
    for p in (1.0, 2.0):
        other = solve(kind, p)[1]
        assert report.dual <= laplace_size(other) + C * hinges(kind, other)


@pytest.mark.parametrize("kind", KINDS)
def test_l1_cutting_planes_reach_the_optimum(kind):
    best = optimum(kind, "l1")
    training = fit(L1M3N("cutting_plane", C=C, tol=1e-6), corpus_of(*kind).problem, 200)
    w = flat(training.weights)
    assert training.converged
    assert 0.5 * np.abs(w).sum() + C * hinges(kind, w) == pytest.approx(best, rel=2e-6)
    assert training.report().dual <= best * (1 + 1e-7)


@pytest.mark.parametrize("kind", KINDS)
def test_the_projected_subgradient_reaches_the_optimum(kind):
    best = optimum(kind, "ball")
    training = fit(L1M3N("subgradient", radius=RADIUS, learning_rate=0.3), corpus_of(*kind).problem, 3000)
    w = flat(training.weights)
    assert np.abs(w).sum() <= RADIUS
    assert best * (1 - 1e-9) <= hinges(kind, w) / corpus_of(*kind).problem.n <= 1.01 * best


@pytest.mark.parametrize("kind", KINDS)
def test_the_projected_subgradient_learns_with_its_defaults(kind):
    """In so large a ball the optimum is at 0 hinge, or nearly so."""
    training = fit(L1M3N(algorithm="subgradient"), corpus_of(*kind).problem, 60)
    assert hinges(kind, flat(training.weights)) < 0.05 * hinges(kind, np.zeros(rows_of(kind)[0][0].shape[1]))
