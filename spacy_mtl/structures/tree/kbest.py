"""The k best trees, and the k best labelled trees.

First-order projective trees have their own algorithm (:mod:`.algorithms.eisner_kbest`). Lawler's (1972) partition works for every kind of tree: after
removing the best tree from a set, the rest is divided into sets that agree with it up to some word and differ there, and the best of each is found
by one more decoding with arcs left out.
"""

import numpy as np

from spacy_mtl.kernels import kernel, subkernel
from spacy_mtl.structures import contract
from spacy_mtl.structures.contract import implements

from .algorithms.copies import copy_list, copy_table
from .algorithms.eisner_kbest import insert, kbest_eisner, merge
from .decode import best_tree, fill_best, pairs_of
from .problem import TreeProblem, arc_to, arcs_of


@subkernel
def restrict(scores, heads, word, forbidden, out):
    """Set out to the scores with the heads of the words before ``word`` fixed, and the heads ``forbidden`` (bool[n + 1]) of that word left out.

    Returns whether the word has a head left.
    """
    copy_table(scores, out)
    size = scores.shape[0]
    left = False
    for h in range(size):
        for m in range(1, word):
            if heads[m - 1] != h:
                out[h, m] = -np.inf
        if forbidden[h]:
            out[h, word] = -np.inf
        left |= h != word and out[h, word] > -np.inf
    return left


@kernel
def partition_best(scores, pairs, projective, single_root, k):
    """:func:`kbest_trees` by Lawler's partition."""
    n = scores.shape[0] - 1
    # candidates: the best tree of each set that is not divided yet; ``word`` is where it must differ, with none of the heads ``forbidden``
    most = k * n + 1
    heads, totals = np.empty((most, n), np.int32), np.empty(most)
    word, forbidden = np.ones(most, np.int64), np.zeros((most, n + 1), np.bool_)
    chosen, trial = np.empty(k, np.int64), np.empty(scores.shape)
    totals[0] = best_tree(scores, pairs, projective, single_root, heads[0])
    count, found = 1 if totals[0] > -np.inf else 0, 0
    used = np.zeros(most, np.bool_)
    while found < k:
        best = -1
        for c in range(count):
            if not used[c] and (best < 0 or totals[c] > totals[best]):
                best = c
        if best < 0:
            break
        used[best] = True
        chosen[found] = best
        found += 1
        if found == k:
            break
        for m in range(word[best], n + 1):
            if m == word[best]:
                copy_list(forbidden[best], forbidden[count])
            else:
                forbidden[count] = False
            forbidden[count, heads[best, m - 1]] = True
            word[count] = m
            if restrict(scores, heads[best], m, forbidden[count], trial):
                totals[count] = best_tree(trial, pairs, projective, single_root, heads[count])
                count += totals[count] > -np.inf
    return heads[chosen[:found]], totals[chosen[:found]]


@kernel
def kbest_trees(scores, pairs, projective, single_root, k):
    """The k best trees, all different, best first; fewer if fewer are allowed. Returns heads int32[k', n] and scores float64[k'], descending.

    scores: float64[n + 1, n + 1]; pairs: :class:`.algorithms.siblings.Pairs`, without entries for first-order trees.
    """
    if projective and pairs.first.size == 0:
        return kbest_eisner(scores, single_root, k)
    return partition_best(scores, pairs, projective, single_root, k)


@subkernel
def best_labels(scores, k, top, labels):
    """Find the min(k, L) best labels of an arc and their scores, in descending order. scores: float32[L]; top: float64[k]; labels: int64[k]."""
    count = 0
    for y in range(scores.size):
        count = insert(top, labels, count, np.float64(scores[y]), y)
    return count


@subkernel
def kbest_labels(problem, i, heads, work, k):
    """The k best labellings of a tree. heads: int32[n]. Returns outputs int32[k', n] and the sums of their labelled arcs, float64[k'], descending."""
    n, begin = heads.size, arcs_of(problem.first, problem.last, problem.first_arc, i)[0]
    labels, links = np.empty((n, k), np.int64), np.empty((n, k), np.int64)
    now, after, top = np.zeros(k), np.empty(k), np.empty(k)
    count = 1
    for m in range(n):
        arc = arc_to(problem.first_arc, problem.heads, problem.first[i] + m, heads[m])
        n_best = best_labels(work.arcs[arc - begin], k, top, labels[m])
        count = merge(now, count, top, n_best, 0.0, 0, after, links[m], 0)
        now, after = after, now
    outputs = np.empty((count, n), np.int32)
    for c in range(count):
        at = c
        for m in range(n - 1, -1, -1):
            outputs[c, m] = heads[m] * problem.n_labels + labels[m, links[m, at] % k]
            at = links[m, at] // k
    return outputs, now[:count].copy()


@subkernel
def with_labels(problem, i, trees, totals, work, k):
    """The k best labelled trees, which are labellings of the k best trees under their best labels. trees: int32[k', n]; totals: float64[k']."""
    outputs = np.empty((k * trees.shape[0], trees.shape[1]), np.int32)
    best, place, count, found = np.empty(k), np.empty(k, np.int64), 0, 0
    for c in range(trees.shape[0]):
        if found == k and totals[c] <= best[k - 1]:
            break
        labelled, sums = kbest_labels(problem, i, trees[c], work, k)
        rest = totals[c] - sums[0]  # score of the sibling pairs
        for x in range(sums.size):
            copy_list(labelled[x], outputs[count])
            if found < k or sums[x] + rest > best[k - 1]:
                found = insert(best, place, found, sums[x] + rest, count)
            count += 1
    return outputs[place[:found]], best[:found]


@implements(contract.kbest, TreeProblem)
def kbest(problem, i, work, k):
    scores = fill_best(problem, i, work)
    trees, totals = kbest_trees(scores, pairs_of(problem, i, work), problem.projective, problem.single_root, k)
    if problem.n_labels == 1:
        return trees, totals
    return with_labels(problem, i, trees, totals, work, k)
