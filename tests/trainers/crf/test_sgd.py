"""SGD against the same steps in plain numpy: decay, rates, averages, and how pieces of sentences count under structure regularization."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import logsumexp, softmax

from spacy_mtl.structures.problem import Problem, block_starts
from spacy_mtl.trainers.base import fit
from spacy_mtl.trainers.crf.trainer import CRF
from spacy_mtl.trainers.structreg import StructReg

from ..l1_reference import flat, margins
from ..reference import LABELS, random_problem

C, ETA0 = 2.0, 0.3


def long_problem() -> Problem:
    """Sentences of the reference problem run together by threes, so that there is something to cut."""
    problem = random_problem(0, n_sentences=9, observed=True)
    arrays = problem.arrays
    borders = block_starts((arrays.last - arrays.first).reshape(-1, 3).sum(axis=1))
    together = arrays._replace(
        first=borders[:-1], last=borders[1:], open_left=np.zeros(3, bool), open_right=np.zeros(3, bool),
        repeats=np.ones((3, arrays.rows.shape[1]), bool),
    )  # fmt: skip
    return replace(problem, arrays=together)


def pieces_of(problem: Problem) -> Problem:
    """All its positions alone."""
    n = problem.arrays.gold.size
    alone = problem.arrays._replace(
        first=np.arange(n), last=np.arange(n) + 1, open_left=np.ones(n, bool), open_right=np.ones(n, bool),
        repeats=np.zeros((n, problem.arrays.rows.shape[1]), bool),
    )  # fmt: skip
    return replace(problem, arrays=alone)


def steps(rows, order, n: int, power: float, share: float = 1.0) -> list[np.ndarray]:
    """w after each step.  w <- w / (1 + eta lambda s) - eta grad,  eta = eta0 (1 + lambda eta0 t)^-power, where t grows by s with each step."""
    w, t, decay, seen = np.zeros(rows[0].shape[1]), 0.0, 1 / (C * n), []
    for i in order:
        eta = ETA0 * (1 + decay * ETA0 * t) ** -power
        w = w / (1 + eta * decay * share) - eta * softmax(rows[i] @ w) @ rows[i]
        t += share
        seen.append(w)
    return seen


@pytest.mark.parametrize("average", [False, True])
def test_weights_are_those_of_the_steps(average):
    """Without averaging, after each sentence; with it, the mean over the second and later passes alone."""
    problem = random_problem(1, n_sentences=5)
    training = CRF(C=C, algorithm="sgd", eta0=ETA0, average=average).begin(problem)
    rows, rng, order = [row for row, _ in margins(problem)], np.random.default_rng(1), []
    for k in range(1, 4):
        order += (now := rng.permutation(problem.n)).tolist()
        training.take(problem, now)
        seen = steps(rows, order, problem.n, 0.75 if average else 1.0)
        wanted = np.mean(seen[problem.n :], axis=0) if average and k > 1 else seen[-1]
        np.testing.assert_allclose(flat(training.weights), wanted, atol=2e-5)


@pytest.mark.parametrize("average", [False, True])
def test_looking_amid_a_pass_changes_nothing(average):
    """Neither at the weights, as prediction does, nor at the report."""
    problem, runs = random_problem(1, n_sentences=6), []
    for look in (lambda training: None, lambda training: (training.weights, training.report())):
        training = CRF(C=C, algorithm="sgd", eta0=ETA0, average=average).begin(problem)
        for _ in range(3):
            for batch in (np.arange(4), np.arange(4, 6)):
                training.step(batch)
                look(training)
            training.end_pass()
            look(training)
        runs.append(training)
    np.testing.assert_array_equal(flat(runs[0].weights), flat(runs[1].weights))
    assert runs[0].report() == runs[1].report()
    assert flat(runs[0].weights).any()


def test_a_piece_counts_as_the_part_of_a_sentence_that_it_is():
    """In decay and in time; the rates are those of the corpus of whole sentences."""
    problem = long_problem()
    pieces = pieces_of(problem)
    training = CRF(C=C, algorithm="sgd", eta0=ETA0).begin(problem)
    rng = np.random.default_rng(2)
    order = np.concatenate([rng.permutation(pieces.n) for _ in range(4)])
    training.take(pieces, order)
    rows = [row for row, _ in margins(pieces)]
    share = problem.n / pieces.n  # log(number of outputs) is that of a position times their number
    np.testing.assert_allclose(flat(training.weights), steps(rows, order, problem.n, 1.0, share)[-1], atol=5e-5)
    assert len(LABELS) > 1


def objective(w: np.ndarray, rows: list[np.ndarray]) -> tuple[float, np.ndarray]:
    value, gradient = 0.5 * w @ w, w
    for row in rows:
        log_z = logsumexp(row @ w)
        value, gradient = value + C * log_z, gradient + C * np.exp(row @ w - log_z) @ row
    return float(value), gradient


@pytest.mark.parametrize("average", [False, True])
def test_structure_regularization_minimizes_the_objective_of_its_pieces(average):
    problem = long_problem()
    rows = [row for row, _ in margins(pieces_of(problem))]
    best = minimize(objective, np.zeros(rows[0].shape[1]), (rows,), jac=True, method="L-BFGS-B").fun
    training = fit(StructReg(CRF(C=C, algorithm="sgd", average=average), size=1), problem, 300)
    found, _ = objective(flat(training.weights), rows)
    assert best <= found <= 1.01 * best
