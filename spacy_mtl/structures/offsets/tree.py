"""Offsets of trees: constant scores of arcs and pairs, such as those of a model from which training goes on.

As in chains, those of gold are exactly 0 (see :mod:`.grid`): what an arc gets is what it has more than the gold arc of the
same word, minus the offsets of the gold pairs of that word.
"""

from typing import NamedTuple

import numpy as np

from spacy_mtl.kernels import kernel, subkernel
from spacy_mtl.structures.tree.problem import TreeProblem, gold_heads, pair_code, pair_to

from .grid import checked, on_grid


class TreeOffset(NamedTuple):
    """Scores that do not come from the weights. offset: float[A, L], of labelled arcs. offset_pairs: float[B], of pairs."""

    offset: np.ndarray
    offset_pairs: np.ndarray


def no_offset(n_labels: int) -> TreeOffset:
    """No offsets, as tree problems store them."""
    return TreeOffset(np.empty((0, n_labels), np.float32), np.empty(0, np.float32))


def settle_offset(offset: TreeOffset, problem: TreeProblem) -> TreeOffset:
    """The offset as a problem stores it: float32, exactly 0 in sum on every gold tree. problem: with gold.

    Raises ValueError (M260) for offsets of another shape, or that are not finite or too large.
    """
    shapes = (problem.heads.size, problem.n_labels), (problem.siblings.inner.size,)
    arcs, pairs = on_grid(4, *checked(offset, shapes))  # an arc, the gold arc, and two gold pairs
    move_to_gold(problem, arcs, pairs)
    return TreeOffset(arcs, pairs)


@kernel
def move_to_gold(problem, arcs, pairs):
    """Take the offset of a word's gold arc, and of its gold pairs, from those of all its arcs. arcs: float32[A, L]; pairs: float32[B]."""
    for i in range(problem.first.size):
        heads = gold_heads(problem.gold, problem.first, problem.last, i)
        for m in range(1, heads.size + 1):
            t = problem.first[i] + m - 1
            arc = problem.gold_arc[t]
            gold = arcs[arc, problem.gold_label[t]]
            if problem.second_order:
                for kind in range(2 if problem.grandparents else 1):
                    code = pair_code(heads, m, kind)
                    if code >= 0:
                        gold += pairs[pair_to(problem.siblings.first, problem.siblings.inner, arc, code)]
            for a in range(problem.first_arc[t], problem.first_arc[t + 1]):
                for y in range(problem.n_labels):
                    arcs[a, y] -= gold


@subkernel
def add_offsets(offset, amount, arcs):
    """Add amount * offset to arcs. offset, arcs: float[a, L]."""
    for a in range(offset.shape[0]):
        for y in range(offset.shape[1]):
            arcs[a, y] += amount * offset[a, y]


@subkernel
def add_pair_offsets(offset, amount, pairs):
    """Add amount * offset to pairs. offset, pairs: float[b]."""
    for b in range(offset.size):
        pairs[b] += amount * offset[b]


@subkernel
def product(offset, arcs):
    """<offset, arcs>, float[a, L], in double precision."""
    total = 0.0
    for a in range(offset.shape[0]):
        for y in range(offset.shape[1]):
            total += np.float64(offset[a, y]) * arcs[a, y]
    return total


@subkernel
def pair_product(offset, pairs):
    """<offset, pairs>, float[b], in double precision."""
    total = 0.0
    for b in range(offset.size):
        total += np.float64(offset[b]) * pairs[b]
    return total
