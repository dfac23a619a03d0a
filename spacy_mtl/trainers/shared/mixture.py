"""Losses and features of a mixture of outputs, in double precision.

The dual multiplies V(M) by C, and where outputs other than gold have large shares, most of V(M) cancels: sums in single precision would not do.
"""

from collections.abc import Iterator

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

from .frank_wolfe import Atoms

#: V(M) is summed for so many templates at a time as have at most this many weights, which keeps its memory below 128 MB.
WEIGHTS_AT_ONCE = 1 << 24


@subkernel
def share_of(atoms, i, k):
    """The share of atom k in sentence i in single precision, as float64: rounded down, so that shares never sum to more than 1."""
    share = np.float32(atoms.weights[i, k])
    return np.float64(share) if share <= atoms.weights[i, k] else np.float64(share * np.float32(1 - 1.2e-7))


@seldom_kernel
def mixture_loss(arrays, atoms):
    """E_M[loss], summed over sentences, for the shares of :func:`share_of`; gold has the rest."""
    work, gold = new_work(arrays), gold_outputs(arrays)
    total = 0.0
    for i in range(n_sentences(arrays)):
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


def _sizes(problem: Problem) -> np.ndarray:
    """The number of weights of every template, int64[T + Tp]."""
    blocks = problem.blocks
    return np.concatenate([np.diff(blocks.node) * problem.node_width, np.diff(blocks.pair) * problem.pair_width])


def _groups(problem: Problem) -> list[np.ndarray]:
    """Masks bool[T + Tp] of templates with together at most WEIGHTS_AT_ONCE weights, or a single one; each template is in one of them."""
    group_of = np.empty(problem.blocks.n, np.int64)
    group, total = 0, 0
    for j, size in enumerate(_sizes(problem)):
        if total and total + size > WEIGHTS_AT_ONCE:
            group, total = group + 1, 0
        group_of[j] = group
        total += int(size)
    return [group_of == g for g in range(group + 1)]


def _block(problem: Problem, weights: Weights, j: int) -> np.ndarray:
    """The rows of template j."""
    blocks, k = problem.blocks, j - problem.blocks.n_node
    return (
        weights.node[blocks.node[j] : blocks.node[j + 1]]
        if k < 0
        else weights.pair[blocks.pair[k] : blocks.pair[k + 1]]
    )


def mixture_vectors(problem: Problem, atoms: Atoms) -> Iterator[tuple[np.ndarray, Weights]]:
    """V(M), some templates at a time: their mask, and a vector in double precision in which other templates are 0."""
    ones = shares(problem, np.ones(problem.blocks.n))
    for mask in _groups(problem):
        vector = Weights(
            *(np.zeros(matrix.shape) for matrix in problem.zeros())
        )  # memory is only used where it is written
        live: Live = problem.live(mask)
        add_mixture(problem.arrays, vector, live, ones, atoms)
        yield mask, vector


def gather(problem: Problem, atoms: Atoms, out: Weights | None = None, factors: np.ndarray | None = None) -> np.ndarray:
    """||V_j(M)|| of every template, float64[T + Tp]. ``out`` is set to factors_j V_j(M) if given. factors: float64[T + Tp], 1 by default."""
    norms = np.zeros(problem.blocks.n)
    for mask, vector in mixture_vectors(problem, atoms):
        norms += problem.block_norms(vector, mask)
        if out is not None:
            for j in map(int, np.flatnonzero(mask)):
                factor = 1.0 if factors is None else factors[j]
                np.multiply(_block(problem, vector, j), factor, out=_block(problem, out, j), casting="same_kind")
    return norms
