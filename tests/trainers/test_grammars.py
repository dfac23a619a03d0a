"""Trainers on context-free grammars, against cvxpy over all trees."""

from functools import cache

import cvxpy as cp
import numpy as np
import pytest

from spacy_mtl.structures.contract import Weights
from spacy_mtl.structures.enumeration.derivations import every_derivation
from spacy_mtl.trainers.base import fit
from spacy_mtl.trainers.crf.trainer import CRF
from spacy_mtl.trainers.eg.trainer import EG
from spacy_mtl.trainers.l1m3n.trainer import L1M3N
from spacy_mtl.trainers.mtlstruct.trainer import MTLStruct
from spacy_mtl.trainers.online.mira import MIRA
from spacy_mtl.trainers.online.perceptron import Perceptron
from spacy_mtl.trainers.online_mkl.trainer import OnlineMKL
from spacy_mtl.trainers.shared.exact import exact_hinges
from spacy_mtl.trainers.shared.frank_wolfe import Atoms
from spacy_mtl.trainers.shared.mixture import whole_mixture_vector

from .grammars import KINDS, flat, hinges, log_losses, owner_of, problem_of, rows_of

C = 0.7


def norm(values, owner: np.ndarray, p: float):
    """The (2, p) norm over blocks, for cvxpy."""
    norms = cp.hstack([cp.norm(values[np.flatnonzero(owner == j)]) for j in np.unique(owner)])
    return cp.norm1(norms) if p == 1 else cp.pnorm(norms, p)


@cache
def optimum(kind: str, size: float | str, loss: str) -> float:
    """The smallest objective. size: p of the norm over templates; "l1" for 1/2 ||w||_1, "squared l1" for its square."""
    w = cp.Variable(rows_of(kind)[0][0].shape[1])
    losses = [cp.max(d @ w + costs) if loss == "hinge" else cp.log_sum_exp(d @ w) for d, costs in rows_of(kind)]
    if isinstance(size, str):
        penalty = cp.norm1(w) if size == "l1" else cp.square(cp.norm1(w))
    else:
        penalty = cp.square(norm(w, owner_of(problem_of(kind)), size))
    return float(cp.Problem(cp.Minimize(0.5 * penalty + C * sum(losses))).solve(solver=cp.CLARABEL))


def size_of(kind: str, w: np.ndarray, p: float) -> float:
    owner = owner_of(problem_of(kind))
    norms = np.sqrt(np.bincount(owner, w**2))
    return 0.5 * float(np.sum(norms**p) ** (2 / p))


@pytest.mark.parametrize("kind", KINDS)
def test_certificates_are_summed_in_double_precision(kind):
    """Hinges at some weights, and gold minus the features of a mixture of trees."""
    problem, rows, rng = problem_of(kind), rows_of(kind), np.random.default_rng(1)
    weights = Weights(*(rng.normal(size=matrix.shape).astype(np.float32) for matrix in problem.zeros()))
    w = flat(weights)
    found = exact_hinges(problem, weights)
    np.testing.assert_allclose(found, [np.max(d @ w + costs) for d, costs in rows], rtol=1e-12)
    shares = np.array([0.25, 0.125, 0.625])  # in single precision
    outputs, expected = np.zeros((4, problem.arrays.gold.size), np.int32), np.zeros(w.size)
    for i, trees in enumerate(every_derivation(problem.arrays)):
        chosen, listed = rng.integers(len(rows[i][1]), size=3), list(trees)
        for k, share in enumerate(shares):
            outputs[k, problem.arrays.first[i] : problem.arrays.first[i + 1]] = listed[chosen[k]]
            expected -= share * rows[i][0][chosen[k]]
    vector = whole_mixture_vector(problem, Atoms(outputs, np.tile(shares, (problem.n, 1))))
    np.testing.assert_allclose(flat(vector), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("p", [1.0, 4 / 3, 2.0])
@pytest.mark.parametrize("solver", ["dual_ascent", "cutting_plane"])
@pytest.mark.parametrize("kind", KINDS)
def test_mtlstruct_reaches_the_optimum(kind, solver, p):
    best = optimum(kind, p, "hinge")
    training = fit(MTLStruct(p=p, C=C, solver=solver, tol=2e-4), problem_of(kind), 3000)
    w, report = flat(training.weights), training.report()
    assert training.converged
    assert size_of(kind, w, p) + C * hinges(kind, w) == pytest.approx(best, rel=1e-3)
    assert report.primal == pytest.approx(size_of(kind, w, p) + C * hinges(kind, w), rel=1e-5)
    assert best * (1 - 1e-3) <= report.dual <= best * (1 + 1e-7)


@pytest.mark.filterwarnings("ignore:.*M336")
@pytest.mark.parametrize("mode", ["online", "batch", "batch_primal"])
@pytest.mark.parametrize("kind", KINDS)
def test_exponentiated_gradient_reaches_the_optimum(kind, mode):
    """Its objective is the dual. On so few trees it comes to the limits of single precision before the primal is as close (M336)."""
    best = optimum(kind, 2.0, "hinge")
    training = fit(EG(mode, C=C, tol=5e-4), problem_of(kind), 20000)
    w, report = flat(training.weights), training.report()
    assert best * (1 - 1e-3) <= report.dual <= best * (1 + 1e-7)
    assert report.primal == pytest.approx(0.5 * w @ w + C * hinges(kind, w), rel=1e-5)
    assert best * (1 - 1e-7) <= report.primal <= best * (1 + 4e-3)


@pytest.mark.parametrize("penalty", ["l2", "l1"])
@pytest.mark.parametrize("kind", KINDS)
def test_crfs_reach_the_optimum(kind, penalty):
    best = optimum(kind, 2.0 if penalty == "l2" else "l1", "log")
    training = fit(CRF(penalty, C=C, tol=1e-5), problem_of(kind), 600)
    w = flat(training.weights)
    size = 0.5 * w @ w if penalty == "l2" else 0.5 * np.abs(w).sum()
    assert training.converged
    assert size + C * log_losses(kind, w) == pytest.approx(best, rel=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_l1m3n_reaches_the_optimum(kind):
    best = optimum(kind, "squared l1", "hinge")
    training = fit(L1M3N("em", C=C, rounds=400, tol=4e-4), problem_of(kind), 4000)
    w, report = flat(training.weights), training.report()
    assert training.converged
    assert 0.5 * np.abs(w).sum() ** 2 + C * hinges(kind, w) == pytest.approx(best, rel=1e-3)
    assert best * (1 - 1e-3) <= report.dual <= best * (1 + 1e-7)


@pytest.mark.parametrize("trainer", [Perceptron(), MIRA(k=3), OnlineMKL(C=10.0), CRF(algorithm="sgd", C=10.0)], ids=str)
def test_online_trainers_learn(trainer):
    """Gold is told from all other trees better than without weights. What their steps are is tested with chains, by the same kernels."""
    w = flat(fit(trainer, problem_of("brackets"), 60).weights)
    assert log_losses("brackets", 20 * w) < 0.5 * log_losses("brackets", np.zeros(w.size))
