"""Linear chains: the k best label sequences."""

import numpy as np

from spacy_mtl.kernels import kernel, subkernel
from spacy_mtl.structures import contract
from spacy_mtl.structures.contract import implements

from .problem import ChainProblem
from .viterbi import FORBIDDEN


@subkernel
def merge_best(lists, counts, gains, out, come_from):
    """Merge L sorted lists, after adding a gain to each; return the number of entries found.

    lists: float64[L, k], descending, of which the first ``counts[x]`` entries of list x are filled. gains: float64[L].
    Fills out: float64[k], descending, and come_from: int32[k], ``x * k + rank within list x``. Forbidden entries are left
    out; of equal scores, the lower x comes first.
    """
    width = out.size
    heads = np.zeros(counts.size, np.int64)
    for found in range(width):
        where, top = -1, np.float64(FORBIDDEN) / 2
        for x in range(counts.size):
            if heads[x] < counts[x]:
                score = lists[x, heads[x]] + gains[x]
                if score > top:
                    where, top = x, score
        if where < 0:
            return found
        out[found] = top
        come_from[found] = where * width + heads[where]
        heads[where] += 1
    return width


@kernel
def kbest(nodes, pairs, k):
    """The k best label sequences, all different, best first; fewer if fewer are allowed.

    A score of FORBIDDEN / 2 or less is forbidden. nodes: float32[n, L]; pairs: float32[n or 1, L, L], entry t scores
    (t - 1, t), one entry serves all positions. k: at least 1. Returns labels int32[k', n] and scores float64[k'], descending.
    """
    n, n_labels = nodes.shape
    shared = pairs.shape[0] == 1
    best, after = np.empty((n_labels, k)), np.empty((n_labels, k))
    back = np.empty((n + 1, n_labels, k), np.int32)
    counts, counts_after = np.ones(n_labels, np.int64), np.empty(n_labels, np.int64)
    for y in range(n_labels):
        best[y, 0] = nodes[0, y]
    for t in range(1, n):
        step = pairs[0 if shared else t]
        for y in range(n_labels):
            gains = step[:, y] + np.float64(nodes[t, y])
            counts_after[y] = merge_best(best, counts, gains, after[y], back[t, y])
        best, after = after, best
        counts, counts_after = counts_after, counts
    scores = np.empty(k)
    found = merge_best(best, counts, np.zeros(n_labels), scores, back[n, 0])
    labels = np.empty((found, n), np.int32)
    for f in range(found):
        link = back[n, 0, f]
        for t in range(n - 1, -1, -1):
            labels[f, t] = link // k
            if t:
                link = back[t, link // k, link % k]
    return labels, scores[:found]


@implements(contract.kbest, ChainProblem)
def piece_kbest(problem, i, work, k):
    n = problem.last[i] - problem.first[i]
    return kbest(work.nodes[:n], work.pairs[: n if problem.observed else 1], k)
