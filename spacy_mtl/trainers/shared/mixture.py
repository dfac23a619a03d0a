"""Losses and features of a mixture of outputs, in double precision.

They are summed output by output: marginals of gold are 1 minus the rest, which rounding would lose where it is small. The dual multiplies
V(M) by C, and where outputs other than gold have large shares, most of V(M) cancels: sums in single precision would not do.
"""

import numpy as np

from spacy_mtl.kernels import seldom_kernel, subkernel
from spacy_mtl.structures.contract import (
    Live,
    Weights,
    add_direction,
    gold_direction,
    gold_outputs,
    load_output,
    n_sentences,
    new_work,
    output_loss,
    same_output,
)
from spacy_mtl.structures.problem import Problem, shares
from spacy_mtl.threads.crew import ALONE, Crew

from .frank_wolfe import Atoms
from .groups import block_of, template_groups


@subkernel
def share_of(atoms, i, k):
    """The share of atom k in sentence i in single precision, as float64: rounded down, so that shares never sum to more than 1."""
    share = np.float32(atoms.weights[i, k])
    return np.float64(share) if share <= atoms.weights[i, k] else np.float64(share * np.float32(1 - 1.2e-7))


@seldom_kernel
def loss_of_mixtures(arrays, atoms, first, last):
    """E_M[loss], summed over sentences first to last - 1, for the shares of :func:`share_of`; gold has the rest."""
    work, gold = new_work(arrays), gold_outputs(arrays)
    total = 0.0
    for i in range(first, last):
        for k in range(atoms.weights.shape[1]):
            share = share_of(atoms, i, k)
            if share > 0:
                load_output(arrays, i, atoms.outputs[k], work)
                if not same_output(arrays, i, work, gold):
                    total += share * output_loss(arrays, i, work)
    return total


@seldom_kernel
def add_mixture(arrays, vector, live, scale, atoms):
    """Add scale_j V_j(M) to vector for every live template j, for the same mixture."""
    work, gold = new_work(arrays), gold_outputs(arrays)
    for i in range(n_sentences(arrays)):
        for k in range(atoms.weights.shape[1]):
            share = share_of(atoms, i, k)
            if share > 0:
                load_output(arrays, i, atoms.outputs[k], work)
                if not same_output(arrays, i, work, gold):
                    gold_direction(arrays, i, work)
                    add_direction(arrays, vector, live, scale, i, work, -share)


def mixture_loss(problem: Problem, atoms: Atoms, crew: Crew = ALONE) -> float:
    """E_M[loss], summed over sentences, for the same mixture. The threads sum over a part of the corpus each."""
    return sum(crew.map(lambda part: loss_of_mixtures(problem.arrays, atoms, *part), crew.parts(problem.n)))


def mixture_vector(problem: Problem, atoms: Atoms, mask: np.ndarray) -> Weights:
    """V(M) in double precision, in which the templates outside of the mask (bool[T + Tp]) are 0; memory is only used where it is written."""
    ones = shares(problem, np.ones(problem.blocks.n))
    vector = Weights(*(np.zeros(matrix.shape) for matrix in problem.zeros()))
    live: Live = problem.live(mask)
    add_mixture(problem.arrays, vector, live, ones, atoms)
    return vector


def whole_mixture_vector(problem: Problem, atoms: Atoms, crew: Crew = ALONE) -> Weights:
    """V(M) in double precision, all of it: the memory of two weight vectors. Each template is summed up by one thread."""
    whole = Weights(*(np.zeros(matrix.shape) for matrix in problem.zeros()))
    ones = shares(problem, np.ones(problem.blocks.n))
    groups = [np.ones(problem.blocks.n, bool)] if crew.size == 1 else template_groups(problem, crew.size)
    crew.map(lambda mask: add_mixture(problem.arrays, whole, problem.live(mask), ones, atoms), groups)
    return whole


def mixture_largest(problem: Problem, atoms: Atoms, crew: Crew = ALONE) -> float:
    """max_k |V_k(M)| over single weights, some templates at a time."""

    def largest(mask: np.ndarray) -> float:
        return max(
            float(max(matrix.max(initial=0), -matrix.min(initial=0))) for matrix in mixture_vector(problem, atoms, mask)
        )

    return max(crew.map(largest, template_groups(problem, crew.size)))


def gather(
    problem: Problem, atoms: Atoms, out: Weights | None = None, factors: np.ndarray | None = None, crew: Crew = ALONE
) -> np.ndarray:
    """||V_j(M)|| of every template, float64[T + Tp]. ``out`` is set to factors_j V_j(M) if given. factors: float64[T + Tp], 1 by default.

    Each template is summed up by one thread, in the order of the sentences: the result does not depend on how many there are.
    """

    def gather_group(mask: np.ndarray) -> np.ndarray:
        vector = mixture_vector(problem, atoms, mask)
        if out is not None:
            for j in map(int, np.flatnonzero(mask)):
                factor = 1.0 if factors is None else factors[j]
                np.multiply(block_of(problem, vector, j), factor, out=block_of(problem, out, j), casting="same_kind")
        return problem.block_norms(vector, mask)

    norms = np.zeros(problem.blocks.n)
    for found in crew.map(gather_group, template_groups(problem, crew.size)):
        norms += found
    return norms
