"""The best trees of many sentences from the scores of their parts."""

import numpy as np

from ..kernels import kernel
from ..structures.tree import best_tree
from ..structures.tree_problem import find
from ..structures.tree_siblings import Pairs, no_pairs


@kernel
def dense_scores(first, heads, scores, start, n):
    """float64[n + 1, n + 1] scores of the arcs of a sentence, -inf for those left out."""
    dense = np.full((n + 1, n + 1), -np.inf)
    for m in range(1, n + 1):
        for a in range(first[start + m - 1], first[start + m]):
            dense[heads[a], m] = scores[a]
    return dense


@kernel
def sentence_pairs(first, heads, pair_first, inner, pair_scores, start, n):
    """The pairs of siblings of a sentence."""
    begin = np.zeros((n + 1, n + 1), np.int64)
    end = np.zeros((n + 1, n + 1), np.int64)
    low, high = pair_first[first[start]], pair_first[first[start + n]]
    for m in range(1, n + 1):
        for a in range(first[start + m - 1], first[start + m]):
            begin[heads[a], m], end[heads[a], m] = pair_first[a] - low, pair_first[a + 1] - low
    return Pairs(begin, end, inner[low:high], pair_scores[low:high])


@kernel
def decode_trees(starts, first, heads, scores, pair_first, inner, pair_scores, projective, single_root, out):
    """Heads int32[N] of the best trees. pair_first: int64[A + 1], or of length 1 for trees of the first order."""
    for s in range(starts.size - 1):
        start, n = starts[s], starts[s + 1] - starts[s]
        dense = dense_scores(first, heads, scores, start, n)
        if pair_first.size > 1:
            pairs = sentence_pairs(first, heads, pair_first, inner, pair_scores, start, n)
        else:
            pairs = no_pairs()
        best_tree(dense, pairs, projective, single_root, out[start : start + n])


@kernel
def best_labels(first, heads, scores, chosen, out):
    """out[t] = the best label of the arc from ``chosen[t]``. scores: float32[A, L]; chosen, out: int32[N]."""
    for t in range(chosen.size):
        a = find(heads, first[t], first[t + 1], chosen[t])
        best = 0
        for y in range(1, scores.shape[1]):
            if scores[a, y] > scores[a, best]:
                best = y
        out[t] = best
