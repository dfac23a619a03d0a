"""Enumeration of the labelled trees of a sentence."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np


def every_tree(arrays: Any) -> Iterator[Iterator[np.ndarray]]:
    """For each sentence of a ``TreeProblem``, all labelled trees that consist of its arcs and pairs.

    Crossing trees are included only if the problem is not projective; a crossing gold tree of a projective problem is not.
    """
    return (_of_sentence(arrays, i) for i in range(arrays.first.size))


def _of_sentence(arrays: Any, i: int) -> Iterator[np.ndarray]:
    """The trees of sentence i, int32[n] each, head * L + label of every word."""
    words = range(arrays.first[i], arrays.last[i])
    choices = [arrays.heads[arrays.first_arc[t] : arrays.first_arc[t + 1]].tolist() for t in words]
    for heads in product(*choices):
        if not _is_tree(heads) or (arrays.projective and _crosses(heads)):
            continue
        if (arrays.single_root and heads.count(0) != 1) or not _has_pairs(arrays, i, heads):
            continue
        for labels in product(range(arrays.n_labels), repeat=len(heads)):
            yield np.array(heads, np.int32) * arrays.n_labels + np.array(labels, np.int32)


def _is_tree(heads: Sequence[int]) -> bool:
    """Whether every word reaches the root. heads[m - 1]: head of word m."""
    for word in range(1, len(heads) + 1):
        for _ in heads:
            word = heads[word - 1] if word else 0
        if word:
            return False
    return True


def _crosses(heads: Sequence[int]) -> bool:
    """Whether any two arcs cross."""
    arcs = [(min(h, m), max(h, m)) for m, h in enumerate(heads, start=1)]
    return any(a < c < b < d for a, b in arcs for c, d in arcs)


def _has_pairs(arrays: Any, i: int, heads: Sequence[int]) -> bool:
    """Whether all pairs of the tree are among the parts."""
    if not arrays.second_order:
        return True
    for m, h in enumerate(heads, start=1):
        t = arrays.first[i] + m - 1
        arc = arrays.first_arc[t] + arrays.heads[arrays.first_arc[t] : arrays.first_arc[t + 1]].tolist().index(h)
        known = arrays.siblings.inner[arrays.siblings.first[arc] : arrays.siblings.first[arc + 1]]
        between = [k for k in range(min(h, m) + 1, max(h, m)) if heads[k - 1] == h]
        wanted = [min(between, key=lambda k: abs(k - m), default=h)]
        if arrays.grandparents and h:
            wanted.append(len(heads) + 1 + heads[h - 1])
        if not set(wanted) <= set(known.tolist()):
            return False
    return True
