"""The k best derivations: CKY with the k best of every item (Huang & Chiang 2005, algorithm 1)."""

import numpy as np

from spacy_mtl.kernels import kernel, subkernel
from spacy_mtl.structures import contract
from spacy_mtl.structures.contract import implements

from .problem import GrammarProblem, items_of


@subkernel
def insert(scores, links, count, score, e, x, y):
    """Insert a score into a descending list of at most k entries, dropping the last if it is full; return the new length. links: int32[k, 3]."""
    k = scores.size
    if count == k and score <= scores[k - 1]:
        return count
    at = count if count < k else k - 1
    while at > 0 and scores[at - 1] < score:
        scores[at] = scores[at - 1]
        links[at] = links[at - 1]
        at -= 1
    scores[at] = score
    links[at, 0], links[at, 1], links[at, 2] = e, x, y
    return min(count + 1, k)


@kernel
def fill_lists(items, edges, first, left, right, scores, links, counts):
    """Set scores (float64[a, k], descending), links (int32[a, k, 3]: edge, and ranks of its two items) and counts (int64[a]) of every item.

    For the ranks x and y, (x + 1) (y + 1) - 1 others of the edge are at least as good, so they are left out if that is k or more.
    """
    k = scores.shape[1]
    for a in range(first.size - 1):
        low, high = first[a] - first[0], first[a + 1] - first[0]
        count = 0
        if high == low:
            scores[a, 0], links[a, 0, 0], count = 0.0, -1, 1
        for e in range(low, high):
            p, q = left[e], right[e]
            for x in range(counts[p]):
                for y in range(min(counts[q], k // (x + 1))):
                    score = edges[e] + scores[p, x] + scores[q, y]
                    if count == k and score <= scores[a, k - 1]:
                        break
                    count = insert(scores[a], links[a], count, score, e, x, y)
        counts[a] = count
        for x in range(count):
            scores[a, x] += items[a]


@subkernel
def follow(links, left, right, top, rank, ranks, output):
    """Write the derivation of this rank of item ``top`` to output (int32[n]). ranks: int32[a], overwritten."""
    ranks[: top + 1] = -1
    ranks[top], output[0], place = rank, top, output.size - 1
    for a in range(top, -1, -1):
        if ranks[a] >= 0 and links[a, ranks[a], 0] >= 0:
            e = links[a, ranks[a], 0]
            output[place] = e
            place -= 1
            ranks[left[e]], ranks[right[e]] = links[a, ranks[a], 1], links[a, ranks[a], 2]


@kernel
def kbest_derivations(items, edges, first, left, right, root, n, k):
    """The k best derivations, all different, best first; fewer if there are fewer. root: bool[a]; other arguments as in :mod:`.derivations`.

    Returns outputs int32[k', n] and scores float64[k'], descending.
    """
    a = root.size
    scores, links, counts = np.empty((a, k)), np.empty((a, k, 3), np.int32), np.zeros(a, np.int64)
    fill_lists(items, edges, first, left, right, scores, links, counts)
    totals, tops, count = np.empty(k), np.empty((k, 3), np.int32), 0
    for top in range(a):
        if root[top]:
            for rank in range(counts[top]):
                count = insert(totals, tops, count, scores[top, rank], top, rank, 0)
    outputs, ranks = np.empty((count, n), np.int32), np.empty(a, np.int32)
    for c in range(count):
        follow(links, left, right, tops[c, 0], tops[c, 1], ranks, outputs[c])
    return outputs, totals[:count].copy()


@implements(contract.kbest, GrammarProblem)
def kbest(problem, i, work, k):
    begin, end, edge_begin, edge_end = items_of(problem.first_item, problem.first_edge, i)
    return kbest_derivations(
        work.items, work.edges, problem.first_edge[begin : end + 1], problem.left[edge_begin:edge_end],
        problem.right[edge_begin:edge_end], problem.root[begin:end], problem.first[i + 1] - problem.first[i], k,
    )  # fmt: skip
