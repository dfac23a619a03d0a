"""Objectives in double precision, for certificates: the contract's functions work in the precision of the buffers that they are given.

A primal value is that of the weights as they are returned (float32). A dual value is that of part marginals which belong to distributions over
outputs: Gibbs distributions, or mixtures of stored outputs. Both are summed in float64, with an allowance for what rounding is left.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from spacy_mtl.kernels import kernel
from spacy_mtl.structures.contract import (
    Live,
    Scale,
    Weights,
    add_direction,
    decode,
    dot_state,
    expected_loss,
    gold_outputs,
    gold_score,
    load_output,
    load_parts,
    move,
    n_sentences,
    n_templates,
    new_work,
    score_parts,
    set_direction,
    set_marginals,
    set_vertex,
)
from spacy_mtl.structures.problem import Problem

#: Rounding of sums in double precision, relative to the sum of the terms' absolute values: far more than what is seen.
ALLOWANCE = 1e-12
#: Entries of a vector that are summed in double precision at a time; what is in memory at once is hardly more.
ENTRIES = 1 << 23


@kernel
def _new_work(arrays):
    return new_work(arrays)


@kernel
def _hinges(arrays, weights, live, work, out):
    for i in range(out.size):
        score_parts(arrays, weights, live, i, work)
        gold = gold_score(arrays, i, work)
        out[i] = max(0.0, decode(arrays, i, work, True) - gold)


@kernel
def _gibbs(arrays, weights, live, work, state, losses, entropies):
    for i in range(losses.size):
        score_parts(arrays, weights, live, i, work)
        gold = gold_score(arrays, i, work)
        log_z = set_marginals(arrays, state, i, work)
        losses[i] = log_z - gold
        entropies[i] = log_z - dot_state(arrays, state, i, work)


@kernel
def _gibbs_of_parts(arrays, scores, work, state, losses, entropies):
    for i in range(losses.size):
        load_parts(arrays, scores, i, work)
        gold = gold_score(arrays, i, work)
        log_z = set_marginals(arrays, state, i, work)
        losses[i] = log_z - gold
        entropies[i] = log_z - dot_state(arrays, state, i, work)


@kernel
def _mix(arrays, outputs, shares, state, nowhere, work):
    nothing = Live(np.empty(0, np.int64), np.empty(0, np.int64))
    n = n_templates(arrays)
    ones = Scale(np.ones(n[0]), np.ones(n[1]))
    for i in range(n_sentences(arrays)):
        total = 0.0
        for k in range(shares.shape[1]):
            if shares[i, k] > 0:
                load_output(arrays, i, outputs[k], work)
                if total == 0:
                    set_vertex(arrays, state, i, work)
                total += shares[i, k]
                set_direction(arrays, state, i, work)
                move(arrays, nowhere, nothing, ones, state, i, work, shares[i, k] / total)


@kernel
def _add_gold_minus(arrays, vector, live, state, work):
    n = n_templates(arrays)
    ones, gold = Scale(np.ones(n[0]), np.ones(n[1])), gold_outputs(arrays)
    for i in range(n_sentences(arrays)):
        load_output(arrays, i, gold, work)
        set_direction(arrays, state, i, work)
        add_direction(arrays, vector, live, ones, i, work, 1.0)


@kernel
def _expected_loss(arrays, state):
    total = 0.0
    for i in range(n_sentences(arrays)):
        total += expected_loss(arrays, state, i)
    return total


def in_double(arrays: Any) -> Any:
    """A NamedTuple of arrays (a state, or a buffer for a sentence) with its float32 arrays in float64; others as they are."""
    return type(arrays)(*(a.astype(np.float64) if a.dtype == np.float32 else a for a in arrays))


def double_work(problem: Problem) -> Any:
    """A buffer for one sentence in which scores, sums and directions are float64."""
    return in_double(_new_work(problem.arrays))


def double_state(problem: Problem) -> Any:
    """A state in float64, with all mass on gold."""
    return in_double(problem.gold_state())


def exact_hinges(problem: Problem, weights: Weights) -> np.ndarray:
    """Structured hinge of every sentence as :meth:`.Problem.hinges` gives it, with scores summed in double precision."""
    out = np.empty(problem.n)
    _hinges(problem.arrays, weights, problem.all_live(), double_work(problem), out)
    return out


def exact_gibbs(problem: Problem, weights: Weights) -> tuple[Any, np.ndarray, np.ndarray]:
    """Part marginals (a state in float64) of p(y) ~ exp(score) under these weights, -log p(y_i) and the entropy of every sentence, float64[n]."""
    state, losses, entropies = double_state(problem), np.empty(problem.n), np.empty(problem.n)
    _gibbs(problem.arrays, weights, problem.all_live(), double_work(problem), state, losses, entropies)
    return state, losses, entropies


def exact_gibbs_of_parts(problem: Problem, scores: Any) -> tuple[Any, np.ndarray, np.ndarray]:
    """:func:`exact_gibbs` for scores that are given for every part, a state."""
    state, losses, entropies = double_state(problem), np.empty(problem.n), np.empty(problem.n)
    _gibbs_of_parts(problem.arrays, scores, double_work(problem), state, losses, entropies)
    return state, losses, entropies


def mixture(problem: Problem, outputs: np.ndarray, shares: np.ndarray) -> Any:
    """The part marginals (a state in float64) of a mixture of stored outputs: feasible, whatever the shares.

    outputs: int32[K, n_slots]. shares: float64[n, K], at least 0; each row is divided by its sum, and a row of zeros is gold. (Shares are
    rounded to single precision on the way, which changes the mixture and not that it is one.)
    """
    state = double_state(problem)
    _mix(problem.arrays, outputs, shares, state, problem.zeros(), double_work(problem))
    return state


def exact_loss(problem: Problem, state: Any) -> float:
    """E_M[loss], summed over sentences."""
    return float(_expected_loss(problem.arrays, state))


def _groups(problem: Problem) -> Iterator[np.ndarray]:
    """Masks bool[T + Tp] of templates that together have about ENTRIES entries, or one template with more."""
    blocks = problem.blocks
    sizes = np.concatenate([np.diff(blocks.node) * problem.node_width, np.diff(blocks.pair) * problem.pair_width])
    group = np.cumsum(sizes) // ENTRIES
    for number in np.unique(group):
        yield group == number


def exact_blocks(problem: Problem, state: Any) -> Iterator[tuple[np.ndarray, Weights]]:
    """V(M) in double precision, some templates at a time: their mask, bool[T + Tp], and a vector in which only their blocks are filled.

    state: M, in float64. Memory is only used for the blocks that are filled.
    """
    work = double_work(problem)
    for mask in _groups(problem):
        vector = Weights(*(np.zeros(matrix.shape) for matrix in problem.zeros()))
        _add_gold_minus(problem.arrays, vector, problem.live(mask), state, work)
        yield mask, vector


def exact_norms(problem: Problem, state: Any) -> np.ndarray:
    """||V_j(M)|| of every template, float64[T + Tp], in double precision."""
    out = np.zeros(problem.blocks.n)
    for mask, vector in exact_blocks(problem, state):
        out[mask] = problem.block_norms(vector)[mask]
    return out


def exact_largest(problem: Problem, state: Any) -> float:
    """max_k |V_k(M)| over single weights, in double precision."""
    return max(
        float(max(matrix.max(initial=0), -matrix.min(initial=0)))
        for _, vector in exact_blocks(problem, state)
        for matrix in vector
    )


def lowered(value: float, size: float) -> float:
    """A dual value minus what its own rounding can have added. size: the sum of the absolute values of its terms."""
    return float(value - ALLOWANCE * size)


def raised(value: float) -> float:
    """A primal value, a sum of terms of at least 0, plus what its own rounding can have taken away."""
    return float(value * (1 + ALLOWANCE))
