"""Second-order projective trees, max-product: arcs and consecutive siblings (McDonald & Pereira 2006), O(n^3).

An arc h -> m is scored together with the dependent of h that is next to m and between the two, if there is one. Between two consecutive siblings
there is a *sibling* span; other spans are as in :mod:`.eisner`.
"""

from typing import NamedTuple

import numpy as np

from spacy_mtl.kernels import kernel, subkernel

from .eisner import best_sum, push, where_best


class Pairs(NamedTuple):
    """The pairs of one sentence; without entries for first-order trees.

    first, last: int64[n + 1, n + 1], arc (h, m) has the sibling pairs ``first[h, m]:last[h, m]``. end: int64[n + 1, n + 1], it has the pairs with
    grandparents ``last[h, m]:end[h, m]``; without entries if there are none. inner: int32[b], the sibling, or h for none; n + 1 + g for
    grandparent g. scores: float64[b].
    """

    first: np.ndarray
    last: np.ndarray
    end: np.ndarray
    inner: np.ndarray
    scores: np.ndarray


@kernel
def no_pairs():
    """Pairs without entries, for first-order trees."""
    none = np.empty((0, 0), np.int64)
    return Pairs(none, none, none, np.empty(0, np.int32), np.empty(0))


@kernel
def pair_table(start, n, first_arc, heads, first_pair, inner, scores, grandparents):
    """The pairs of the sentence of n words that begins at word ``start`` of a corpus, from those in :class:`.Siblings`. scores: float[b]."""
    begin = first_pair[first_arc[start]]
    first, last = np.zeros((n + 1, n + 1), np.int64), np.zeros((n + 1, n + 1), np.int64)
    end = np.zeros((n + 1, n + 1) if grandparents else (0, 0), np.int64)
    for m in range(1, n + 1):
        for a in range(first_arc[start + m - 1], first_arc[start + m]):
            h, low, high = heads[a], first_pair[a], first_pair[a + 1]
            first[h, m], last[h, m] = low - begin, high - begin
            if grandparents:
                end[h, m] = high - begin
                while high > low and inner[high - 1] > n:
                    high -= 1
                last[h, m] = high - begin
    return Pairs(first, last, end, inner[begin : begin + scores.size], scores.astype(np.float64))


@subkernel
def best_inner(pairs, h, m, left, right, across, between):
    """The best score of the span between head h and modifier m, and its pair, -1 for none."""
    best, where = -np.inf, np.int64(-1)
    for b in range(pairs.first[h, m], pairs.last[h, m]):
        s = pairs.inner[b]
        score = np.float64(pairs.scores[b])
        if s != h:
            score += across[h, s] + between[min(s, m), max(s, m)]
        elif h < m:
            score += left[h + 1, m]
        else:
            score += right[m, h - 1]
        if score > best:
            best, where = score, b
    return best, where


@subkernel
def fill_sibling_spans(scores, pairs, first, left, right, across, between, back):
    """As :func:`.eisner.fill_spans`.

    between: float64[n + 1, n + 1], sibling spans (i, j), i < j. back: int64[n + 1, n + 1], the pair of each arc (h, m).
    """
    size = scores.shape[0]
    for i in range(first, size):
        left[i, i] = right[i, i] = 0
    for width in range(1, size - first):
        for i in range(first, size - width):
            j = i + width
            inner = -np.inf
            for k in range(i, j):
                inner = max(inner, right[i, k] + left[j, k + 1])
            between[i, j] = inner
            fill, back[i, j] = best_inner(pairs, i, j, left, right, across, between)
            across[i, j] = scores[i, j] + fill
            across[j, i] = -np.inf
            if i:
                fill, back[j, i] = best_inner(pairs, j, i, left, right, across, between)
                across[j, i] = scores[j, i] + fill
            right[i, j] = right[j, i] = best_sum(across[i], right[j], i + 1, j + 1)
            left[i, j] = left[j, i] = best_sum(left[i], across[j], i, j)


@subkernel
def follow_siblings(pairs, left, right, across, between, back, stack, count, heads):
    """Fill in the heads of all words in the spans on the stack, int64[., 3] of (i, j, kind).

    Kind 0: complete left, 1: complete right, 2: below the arc i -> j, 3: between the siblings i and j.
    """
    while count:
        count -= 1
        i, j, kind = stack[count, 0], stack[count, 1], stack[count, 2]
        if kind == 2:
            b = back[i, j]
            s = np.int64(pairs.inner[b])
            heads[j - 1] = i
            if s != i:
                count = push(stack, count, i, s, 2)
                count = push(stack, count, min(s, j), max(s, j), 3)
            elif i < j:
                count = push(stack, count, i + 1, j, 0)
            else:
                count = push(stack, count, j, i - 1, 1)
        elif kind == 3:
            split = i
            for k in range(i + 1, j):
                if right[i, k] + left[j, k + 1] > right[i, split] + left[j, split + 1]:
                    split = k
            count = push(stack, count, i, split, 1)
            count = push(stack, count, split + 1, j, 0)
        elif i != j and kind == 1:
            k = where_best(across[i], right[j], i + 1, j + 1)
            count = push(stack, count, i, k, 2)
            count = push(stack, count, k, j, 1)
        elif i != j:
            k = where_best(left[i], across[j], i, j)
            count = push(stack, count, j, k, 2)
            count = push(stack, count, i, k, 0)


@subkernel
def root_pair_score(pairs, r):
    """Score of word r as the only dependent of the root, without the score of its arc."""
    for b in range(pairs.first[0, r], pairs.last[0, r]):
        if pairs.inner[b] == 0:
            return np.float64(pairs.scores[b])
    return -np.inf


@kernel
def eisner_siblings(scores, pairs, single_root, heads):
    """Find the best projective tree under the scores of arcs and sibling pairs; return its score.

    Arguments as in :func:`.eisner.eisner`; an arc without the pair it needs is forbidden.
    """
    size = scores.shape[0]
    shape = (size, size)
    left, right, across, between = np.empty(shape), np.empty(shape), np.empty(shape), np.empty(shape)
    back = np.empty(shape, np.int64)
    fill_sibling_spans(scores, pairs, 1 if single_root else 0, left, right, across, between, back)
    root, best = 0, right[0, size - 1]
    if single_root:
        best = -np.inf
        for r in range(1, size):
            score = scores[0, r] + root_pair_score(pairs, r) + left[1, r] + right[r, size - 1]
            if score > best:
                root, best = r, score
    heads[:] = -1
    if best == -np.inf:
        return best
    stack = np.empty((3 * size + 3, 3), np.int64)
    if single_root:
        heads[root - 1] = 0
        count = push(stack, 0, 1, root, 0)
        count = push(stack, count, root, size - 1, 1)
    else:
        count = push(stack, 0, 0, size - 1, 1)
    follow_siblings(pairs, left, right, across, between, back, stack, count, heads)
    return best
