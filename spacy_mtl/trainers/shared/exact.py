"""Objectives in double precision, for certificates: the contract's functions work in the precision of the buffers that they are given.

A primal value is that of the weights as they are returned (float32). A dual value is that of part marginals which belong to Gibbs distributions
over outputs; those of mixtures of stored outputs are in :mod:`.mixture`. Both are summed in float64, with an allowance for what rounding is left.

Several threads take some of the sentences each, or some of the templates; the values are those of one thread, but for the rounding of a sum.
"""

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np

from spacy_mtl.errors import Warnings
from spacy_mtl.kernels import seldom_kernel
from spacy_mtl.structures.contract import (
    Scale,
    Weights,
    add_direction,
    add_offset,
    decode,
    dot_state,
    expected_loss,
    gold_outputs,
    gold_score,
    hold_weights,
    load_output,
    n_templates,
    new_work,
    score_parts,
    set_direction,
    set_marginals,
)
from spacy_mtl.structures.problem import Problem
from spacy_mtl.threads.crew import ALONE, Crew
from spacy_mtl.trainers.base import Training

from .groups import block_of, template_groups

Found = TypeVar("Found")
#: Rounding of sums in double precision, relative to the sum of the terms' absolute values: far more than what is seen.
ALLOWANCE = 1e-12
#: The same for entropies, differences of two numbers that come from sums over the positions of a sentence.
ENTROPY = 2e-14


@seldom_kernel
def _new_work(arrays):
    return new_work(arrays)


@seldom_kernel
def _hinges(arrays, weights, live, work, out, first, last):
    hold_weights(arrays, weights, live, work)
    for i in range(first, last):
        score_parts(arrays, weights, live, i, work)
        gold = gold_score(arrays, i, work)
        out[i] = max(0.0, decode(arrays, i, work, True) - gold)


@seldom_kernel
def _gibbs(arrays, weights, live, work, state, losses, entropies, sizes, first, last):
    hold_weights(arrays, weights, live, work)
    for i in range(first, last):
        score_parts(arrays, weights, live, i, work)
        gold = gold_score(arrays, i, work)
        add_offset(arrays, i, work, 1.0)
        log_z = set_marginals(arrays, state, i, work)
        add_offset(arrays, i, work, -1.0)
        losses[i] = max(0.0, log_z - gold)
        inside = dot_state(arrays, state, i, work)
        entropies[i] = log_z - inside
        sizes[i] = abs(log_z) + abs(inside)


@seldom_kernel
def _add_gold_minus(arrays, vector, live, states, side, work):
    n = n_templates(arrays)
    ones, gold = Scale(np.ones(n[0]), np.ones(n[1])), gold_outputs(arrays)
    for i in range(side.size):
        load_output(arrays, i, gold, work)
        set_direction(arrays, states[side[i]], i, work)
        add_direction(arrays, vector, live, ones, i, work, 1.0)


@seldom_kernel
def _expected_loss(arrays, states, side, first, last):
    total = 0.0
    for i in range(first, last):
        total += expected_loss(arrays, states[side[i]], i)
    return total


class Marginals(NamedTuple):
    """Part marginals M in double precision: those of sentence i are in ``states[side[i]]``. states: two states in float64. side: int64[n]."""

    states: tuple[Any, Any]
    side: np.ndarray


def marginals_of(problem: Problem, state: Any) -> Marginals:
    """The marginals in one state."""
    return Marginals((state, state), np.zeros(problem.n, np.int64))


class Gibbs(NamedTuple):
    """Distributions p(y) ~ exp(score + offset): part marginals, -log p(y_i) and entropy plus expected offset of every sentence (the data term of the
    dual), and how far the entropies' rounding may go.

    losses, entropies, rounding: float64[n].
    """

    marginals: Marginals
    losses: np.ndarray
    entropies: np.ndarray
    rounding: np.ndarray


def in_double(arrays: Any) -> Any:
    """A NamedTuple of arrays (a state, or a buffer for a sentence) with its float32 arrays in float64; others as they are."""
    return type(arrays)(*(a.astype(np.float64) if a is not None and a.dtype == np.float32 else a for a in arrays))


def double_work(problem: Problem) -> Any:
    """A buffer for one sentence in which scores, sums and directions are float64."""
    return in_double(_new_work(problem.arrays))


def double_zeros(problem: Problem) -> Weights:
    """A weight vector of zeros in float64; memory is only used where it is written."""
    return Weights(*(np.zeros(matrix.shape) for matrix in problem.zeros()))


def double_state(problem: Problem) -> Any:
    """A state in float64, with all mass on gold."""
    return in_double(problem.gold_state())


def _share_out(problem: Problem, crew: Crew, do: Callable[[int, int], Found]) -> list[Found]:
    """Call do(first, last) for parts of the sentences that together are all, and return what it returns."""
    return crew.map(lambda part: do(*part), crew.parts(problem.n))


def exact_hinges(problem: Problem, weights: Weights, crew: Crew = ALONE) -> np.ndarray:
    """Structured hinge of every sentence as :meth:`.Problem.hinges` gives it, with scores summed in double precision."""
    out, live = np.empty(problem.n), problem.all_live()
    _share_out(problem, crew, lambda *part: _hinges(problem.arrays, weights, live, double_work(problem), out, *part))
    return out


def exact_gibbs(problem: Problem, weights: Weights, crew: Crew = ALONE) -> Gibbs:
    """The distributions of these weights (float32), in double precision."""
    state, sizes, live = double_state(problem), np.empty((3, problem.n)), problem.all_live()

    def fill(first: int, last: int) -> None:
        _gibbs(problem.arrays, weights, live, double_work(problem), state, *sizes, first, last)

    _share_out(problem, crew, fill)
    return Gibbs(marginals_of(problem, state), sizes[0], sizes[1], ENTROPY * sizes[2])


def exact_loss(problem: Problem, marginals: Marginals, crew: Crew = ALONE) -> float:
    """E_M[loss], summed over sentences."""
    states, side = marginals
    return float(sum(_share_out(problem, crew, lambda *part: _expected_loss(problem.arrays, states, side, *part))))


def _by_groups(
    problem: Problem, marginals: Marginals, crew: Crew, read: Callable[[np.ndarray, Weights], Found]
) -> list[Found]:
    """What ``read`` returns for V(M) in double precision, some templates at a time: told their mask, bool[T + Tp], and a vector with their blocks.

    Memory is only used for the blocks that are filled.
    """

    def gather(mask: np.ndarray) -> Found:
        vector = double_zeros(problem)
        live, work = problem.live(mask), double_work(problem)
        _add_gold_minus(problem.arrays, vector, live, marginals.states, marginals.side, work)
        return read(mask, vector)

    return crew.map(gather, template_groups(problem, crew.size))


def exact_norms(
    problem: Problem, marginals: Marginals, factors: np.ndarray | None = None, minus: Weights | None = None, crew: Crew = ALONE
) -> np.ndarray:  # fmt: skip
    """||factors_j V_j(M) - minus_j|| of every template, float64[T + Tp]. factors: float64[T + Tp], 1 by default; minus: 0 by default."""

    def norms(mask: np.ndarray, vector: Weights) -> np.ndarray:
        for j in map(int, np.flatnonzero(mask)):
            block = block_of(problem, vector, j)
            if factors is not None:
                block *= factors[j]
            if minus is not None:
                block -= block_of(problem, minus, j)
        return problem.block_norms(vector, mask)

    return np.sum(_by_groups(problem, marginals, crew, norms), axis=0)


def exact_largest(problem: Problem, marginals: Marginals, crew: Crew = ALONE) -> float:
    """max_k |V_k(M)| over single weights."""

    def largest(mask: np.ndarray, vector: Weights) -> float:
        return max(float(max(matrix.max(initial=0), -matrix.min(initial=0))) for matrix in vector)

    return max(_by_groups(problem, marginals, crew, largest))


def lowered(value: float, size: float) -> float:
    """A dual value minus what its own rounding can have added. size: the sum of its terms' absolute values, or of terms of one sign."""
    return float(value - ALLOWANCE * abs(size))


def raised(value: float) -> float:
    """A primal value, a sum of terms of at least 0, plus what its own rounding can have taken away."""
    return float(value * (1 + ALLOWANCE))


def warn_of_precision(training: Training) -> None:
    """Warn (M335) that a training stops at the limits of single precision, above its ``tol``."""
    settings = training.settings  # type: ignore[attr-defined]
    text = Warnings.M335.format(trainer=type(settings).__name__, gap=training.report().gap, tol=settings.tol)
    warnings.warn(text, stacklevel=3)
