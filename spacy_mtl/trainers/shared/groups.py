"""Templates in groups, which are summed up in double precision one after another, or by a thread each: memory is only used for a group at a time."""

import numpy as np

from spacy_mtl.structures.contract import Weights
from spacy_mtl.structures.problem import Problem

#: A vector in double precision is summed up for so many templates at a time as have at most this many weights: below 128 MB a thread.
WEIGHTS_AT_ONCE = 1 << 24


def template_groups(problem: Problem, n_threads: int) -> list[np.ndarray]:
    """Masks bool[T + Tp] of templates with together at most WEIGHTS_AT_ONCE weights, or a single one; each template is in one of them.

    With several threads, which take one group after another, no group is larger than half of what each thread will do.
    """
    group_of = np.empty(problem.blocks.n, np.int64)
    most = problem.blocks.n if n_threads == 1 else max(1, problem.blocks.n // (2 * n_threads))
    group, total, count = 0, 0, 0
    for j, size in enumerate(_sizes(problem)):
        if count == most or (total and total + size > WEIGHTS_AT_ONCE):
            group, total, count = group + 1, 0, 0
        group_of[j] = group
        total, count = total + int(size), count + 1
    return [group_of == g for g in range(group + 1)]


def block_of(problem: Problem, weights: Weights, j: int) -> np.ndarray:
    """The rows of template j, a view."""
    blocks, k = problem.blocks, j - problem.blocks.n_node
    if k < 0:
        return weights.node[blocks.node[j] : blocks.node[j + 1]]
    return weights.pair[blocks.pair[k] : blocks.pair[k + 1]]


def _sizes(problem: Problem) -> np.ndarray:
    """The number of weights of every template, int64[T + Tp]."""
    blocks = problem.blocks
    return np.concatenate([np.diff(blocks.node) * problem.node_width, np.diff(blocks.pair) * problem.pair_width])
