"""Which stored outputs are outputs of the sentences of a problem."""

from collections.abc import Callable

import numpy as np

from spacy_mtl.structures.problem import Problem
from spacy_mtl.structures.tree.problem import TreeProblem


def possible_outputs(problem: Problem) -> Callable[[np.ndarray], np.ndarray]:
    """A function from stored outputs (int32[n_slots], of chains or trees) to bool[n], whether each sentence's is one of its outputs.

    Labels are in range, and all arcs of a tree among those of the problem. Constraints of a chain are not looked at.
    """
    arrays = problem.arrays
    if isinstance(arrays, TreeProblem):
        arcs = has_arcs(problem)
        return lambda outputs: _in_range(arrays, outputs, np.iinfo(np.int32).max) & arcs(outputs)
    return lambda outputs: _in_range(arrays, outputs, problem.node_width)


def has_labels(problem: Problem) -> Callable[[np.ndarray], np.ndarray]:
    """A function from stored outputs of chains (int32[n_slots]) to bool[n], whether all words of a piece have labels that their forms may have."""
    arrays = problem.arrays
    held = np.flatnonzero(arrays.forms >= 0)

    def possible(outputs: np.ndarray) -> np.ndarray:
        forbidden = np.zeros(arrays.forms.size, bool)
        forbidden[held] = arrays.form_mask[arrays.forms[held], outputs[held]] < 0
        before = np.append(0, np.cumsum(forbidden))
        return before[arrays.last] == before[arrays.first]

    return possible


def _in_range(arrays, outputs: np.ndarray, n: int) -> np.ndarray:
    """Whether all slots of a sentence have a number from 0 to n - 1, bool[S]. Words between two pieces of a chain have slots of no sentence."""
    others = np.append(0, np.cumsum((outputs < 0) | (outputs >= n)))
    return others[arrays.last] == others[arrays.first]


def has_arcs(problem: Problem) -> Callable[[np.ndarray], np.ndarray]:
    """A function from stored outputs (int32[n_slots]) to bool[n], whether all arcs of a sentence's tree are among those of the problem."""
    arrays = problem.arrays
    size = int(max(arrays.heads.max(initial=0), (arrays.last - arrays.first).max(initial=0))) + 1
    words = np.arange(arrays.gold.size)
    arcs = np.repeat(words, np.diff(arrays.first_arc)) * size + arrays.heads  # ascending

    def possible(outputs: np.ndarray) -> np.ndarray:
        wanted = words * size + outputs // arrays.n_labels
        found = arcs[np.minimum(np.searchsorted(arcs, wanted), arcs.size - 1)] == wanted
        return np.logical_and.reduceat(found, arrays.first)

    return possible
