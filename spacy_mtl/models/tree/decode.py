"""Find the best trees of many sentences from the scores of their parts."""

import numpy as np

from spacy_mtl.kernels import kernel
from spacy_mtl.structures.tree.algorithms.siblings import no_pairs, pair_table
from spacy_mtl.structures.tree.decode import best_tree
from spacy_mtl.structures.tree.problem import find


@kernel
def dense_scores(first, heads, scores, start, n):
    """Scores float64[n + 1, n + 1] (head, modifier) of the arcs of a sentence, -inf for arcs that were left out."""
    dense = np.full((n + 1, n + 1), -np.inf)
    for m in range(1, n + 1):
        for a in range(first[start + m - 1], first[start + m]):
            dense[heads[a], m] = scores[a]
    return dense


@kernel
def decode_trees(
    starts, first, heads, scores, pair_first, inner, pair_scores, grandparents, projective, single_root, out
):
    """Fill ``out`` with the heads int32[N] of the best trees. pair_first: int64[A + 1], or of length 1 for first-order trees."""
    for s in range(starts.size - 1):
        start, n = starts[s], starts[s + 1] - starts[s]
        dense = dense_scores(first, heads, scores, start, n)
        if pair_first.size > 1:
            low, high = pair_first[first[start]], pair_first[first[start + n]]
            pairs = pair_table(start, n, first, heads, pair_first, inner, pair_scores[low:high], grandparents)
        else:
            pairs = no_pairs()
        best_tree(dense, pairs, projective, single_root, out[start : start + n])


@kernel
def best_labels(first, heads, scores, chosen, out):
    """Set out[t] to the best label of word t's arc from ``chosen[t]``. scores: float32[A, L]; chosen, out: int32[N]."""
    for t in range(chosen.size):
        a = find(heads, first[t], first[t + 1], chosen[t])
        best = 0
        for y in range(1, scores.shape[1]):
            if scores[a, y] > scores[a, best]:
                best = y
        out[t] = best
