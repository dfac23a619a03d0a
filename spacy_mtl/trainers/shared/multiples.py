"""Objective values in double precision, and the multiple of a weight vector with the smallest one.

Weights are stored in single precision. If their rounding makes them miss a margin, this costs C times the
shortfall, while slightly longer weights, which predict the same, cost almost nothing.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from spacy_mtl.kernels import seldom_kernel
from spacy_mtl.structures.contract import (
    Weights,
    decode,
    gold_score,
    hold_weights,
    output_loss,
    score_parts,
)
from spacy_mtl.structures.problem import Problem
from spacy_mtl.threads.crew import ALONE, Crew
from spacy_mtl.trainers.base import relative_gap

from .exact import double_work

#: How much longer than the best multiple the weights are made, in turn: rounding after multiplication moves margins by less than that.
SLACK = (5e-7, 4e-6, 3e-5)


@seldom_kernel
def _margins(arrays, weights, live, work, hinges, losses, first, last):
    hold_weights(arrays, weights, live, work)
    for i in range(first, last):
        score_parts(arrays, weights, live, i, work)
        gold = gold_score(arrays, i, work)
        hinges[i] = max(0.0, decode(arrays, i, work, True) - gold)
        losses[i] = output_loss(arrays, i, work)


def hinges_and_losses(problem: Problem, weights: Weights, crew: Crew = ALONE) -> tuple[np.ndarray, np.ndarray]:
    """The structured hinge of every sentence and the loss of the output behind it, float64[n], in double precision."""
    hinges, losses, live = np.empty(problem.n), np.empty(problem.n), problem.all_live()

    def measure(part: tuple[int, int]) -> None:
        _margins(problem.arrays, weights, live, double_work(problem), hinges, losses, *part)

    crew.map(measure, crew.parts(problem.n))
    return hinges, losses


def best_multiple(hinges: np.ndarray, losses: np.ndarray, penalty: float, C: float) -> tuple[float, float]:
    """The s >= 0 with the smallest lower bound of the objective at s w, and this bound.

    hinges, losses: float64[n] at w, of :func:`hinges_and_losses`. penalty: the regularizer at w, which must grow with s^2. At s w the output that was
    found at w has the hinge loss_i + s (hinge_i - loss_i), so the bound is s^2 penalty + C sum_i max(0, loss_i + s (hinge_i - loss_i)).
    """
    gains = losses - hinges  # what the hinge falls by when s grows by 1
    falls, rises = (gains > 0) & (losses > 0), gains <= 0
    ends = falls | (rises & (losses < 0) & (gains < 0))  # there is an s at which it becomes 0, or more than 0
    at = losses[ends] / gains[ends]
    order = np.argsort(at)
    at, turns = at[order], np.abs(gains[ends][order])
    slope = -float(gains[falls].sum()) - float(gains[rises & (losses >= 0)].sum())  # of all hinges, at s = 0
    before = slope + np.concatenate([[0.0], np.cumsum(turns)])  # the same before each end, and after the last one
    slopes = 2 * penalty * at + C * before[:-1]
    k = int(np.searchsorted(slopes, 0.0))  # the minimum is after end k - 1 and not after end k
    s = float(at[k - 1]) if k else 0.0
    if k < at.size:
        flat = -C * float(before[k]) / (2 * penalty) if penalty > 0 else np.inf
        s = max(s, min(flat, float(at[k])))
    return s, s * s * penalty + C * float(np.maximum(0.0, losses - s * gains).sum())


class Objective(NamedTuple):
    """primal: the objective at the weights as they are. bound: a lower bound of it at all their multiples."""

    primal: float
    bound: float


def lengthen(
    problem: Problem,
    weights: Weights,
    penalty: Callable[[Weights], float],
    C: float,
    dual: float,
    tol: float,
    crew: Crew = ALONE,
) -> Objective:
    """The objective at the weights; they are multiplied, in place, by a number if that alone brings the relative gap to ``dual`` within ``tol``.

    penalty: the regularizer, homogeneous of degree 2. Takes a decoding of the corpus, and one for each multiple tried; where none of them is good
    enough, the weights are left as they were, up to rounding, and ``bound`` is the objective of the best that was tried.
    """

    def measure() -> tuple[Objective, float]:
        hinges, losses = hinges_and_losses(problem, weights, crew)
        size = penalty(weights)
        s, bound = best_multiple(hinges, losses, size, C)
        return Objective(size + C * float(hinges.sum()), bound), s

    (found, s), total = measure(), 1.0
    best = found.primal
    for slack in SLACK:
        if relative_gap(found.primal, dual) <= tol or relative_gap(found.bound, dual) > tol or s == 0:
            break
        _multiply(weights, s * (1 + slack))
        total *= s * (1 + slack)
        found, s = measure()
        best = min(best, found.primal)
    if total == 1 or relative_gap(found.primal, dual) <= tol:
        return found
    _multiply(weights, 1 / total)
    return Objective(measure()[0].primal, best)


def _multiply(weights: Weights, factor: float) -> None:
    for matrix in weights:
        np.multiply(matrix, np.float32(factor), out=matrix)
