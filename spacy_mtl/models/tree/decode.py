"""Find the best trees of many sentences from the scores of their parts."""

import numpy as np

from spacy_mtl.kernels import kernel
from spacy_mtl.structures.tree.algorithms.chu_liu import chu_liu_edmonds
from spacy_mtl.structures.tree.algorithms.climb import climb_from
from spacy_mtl.structures.tree.algorithms.eisner import eisner
from spacy_mtl.structures.tree.algorithms.grand_eisner import eisner_grandparents
from spacy_mtl.structures.tree.algorithms.siblings import eisner_siblings, pair_table
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
def decode_arcs(starts, first, heads, scores, projective, single_root, out):
    """Fill ``out`` with the heads int32[N] of the best first-order trees."""
    for s in range(starts.size - 1):
        start, n = starts[s], starts[s + 1] - starts[s]
        dense = dense_scores(first, heads, scores, start, n)
        if projective:
            eisner(dense, single_root, out[start : start + n])
        else:
            chu_liu_edmonds(dense, single_root, out[start : start + n])


@kernel
def decode_pairs(
    starts, first, heads, scores, pair_first, inner, pair_scores, siblings, grandparents, crossing, single_root, out
):
    """Fill ``out`` with the heads int32[N] of the best second-order trees. pair_first: int64[A + 1].

    siblings, grandparents, crossing: True for trees with pairs of siblings alone, with grandparents, and for trees that may cross; otherwise None,
    so that the algorithm is not compiled.
    """
    for s in range(starts.size - 1):
        start, n = starts[s], starts[s + 1] - starts[s]
        dense, tree, score = dense_scores(first, heads, scores, start, n), out[start : start + n], -np.inf
        listed = pair_scores[pair_first[first[start]] : pair_first[first[start + n]]]
        pairs = pair_table(start, n, first, heads, pair_first, inner, listed, grandparents is not None)
        if siblings is not None:
            score = eisner_siblings(dense, pairs, single_root, tree)
        if grandparents is not None:
            score = eisner_grandparents(dense, pairs, single_root, tree)
        if crossing is not None:
            climb_from(score, dense, pairs, single_root, tree)


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
