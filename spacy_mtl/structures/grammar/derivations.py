"""Derivations in the forest of one sentence: the best one, its items, and sums of numbers over its parts.

Arguments throughout: items: float[a] and edges: float[b], a number for each part. first: int64[a + 1], borders of the edges of each item, from any
number. left, right: int32[b]. output: int32[n], see :mod:`.problem`.
"""

import numpy as np

from spacy_mtl.kernels import kernel, subkernel


@kernel
def find_best(items, edges, first, left, right, best, back):
    """Set best (float64[a]) to the score of the best derivation of each item, and back (int32[a]) to its last edge, -1 for single words (CKY)."""
    for a in range(first.size - 1):
        low, high = first[a] - first[0], first[a + 1] - first[0]
        top, at = 0.0, np.int64(-1)
        for e in range(low, high):
            value = edges[e] + best[left[e]] + best[right[e]]
            if at < 0 or value > top:
                top, at = value, e
        best[a], back[a] = items[a] + top, at


@kernel
def best_root(root, best):
    """The item of highest score among those that may cover the sentence. root: bool[a]."""
    top = -1
    for a in range(root.size):
        if root[a] and (top < 0 or best[a] > best[top]):
            top = a
    return top


@kernel
def trace_back(top, back, left, right, output):
    """Write the derivation of item ``top`` that ``back`` tells to output: from wide items to narrow ones, so edges come in descending order."""
    inside = np.zeros(top + 1, np.bool_)
    inside[top], output[0], place = True, top, output.size - 1
    for a in range(top, -1, -1):
        if inside[a] and back[a] >= 0:
            output[place] = back[a]
            place -= 1
            inside[left[back[a]]] = inside[right[back[a]]] = True


@subkernel
def sum_parts(items, edges, left, right, output):
    """The sum of the numbers of the parts of an output, float64."""
    total = np.float64(items[output[0]])
    for k in range(1, output.size):
        e = output[k]
        total += np.float64(edges[e]) + items[left[e]] + items[right[e]]
    return total


@subkernel
def add_parts_of(items, edges, left, right, output, amount):
    """Add amount to the numbers of the parts of an output."""
    step = items.dtype.type(amount)
    items[output[0]] += step
    for k in range(1, output.size):
        e = output[k]
        edges[e] += step
        items[left[e]] += step
        items[right[e]] += step
