"""The k best projective trees: Eisner's algorithm with the k best of every span (Huang & Chiang 2005, algorithm 1).

Spans as in :mod:`.eisner`.
"""

from typing import NamedTuple

import numpy as np

from spacy_mtl.kernels import kernel, subkernel

from .copies import copy_list


class BestLists(NamedTuple):
    """The best derivations of each span, in descending order. scores: float64[n + 1, n + 1, k]; counts: int64[n + 1, n + 1].

    links: int64[n + 1, n + 1, k], (split * k + rank of the first part) * k + rank of the second part.
    """

    scores: np.ndarray
    links: np.ndarray
    counts: np.ndarray


@subkernel
def new_lists(size, k):
    return BestLists(np.empty((size, size, k)), np.empty((size, size, k), np.int64), np.zeros((size, size), np.int64))


@kernel
def insert(scores, links, count, score, link):
    """Insert a score into a descending list of at most k entries, dropping the last if it is full; return the new length."""
    k = scores.size
    if count == k and score <= scores[k - 1]:
        return count
    at = count if count < k else k - 1
    while at > 0 and scores[at - 1] < score:
        scores[at], links[at] = scores[at - 1], links[at - 1]
        at -= 1
    scores[at], links[at] = score, link
    return min(count + 1, k)


@subkernel
def merge(a, n_a, b, n_b, gain, split, scores, links, count):
    """Insert the sums of one of a[:n_a], one of b[:n_b] and ``gain`` into a list; return its new length.

    For the sum of the entries of ranks x and y, (x + 1) (y + 1) - 1 others are at least as good, so it is left out if that is k or more.
    """
    k = scores.size
    if gain == -np.inf:
        return count
    for x in range(n_a):
        for y in range(min(n_b, k // (x + 1))):
            score = a[x] + b[y] + gain
            if count == k and score <= scores[k - 1]:
                break
            count = insert(scores, links, count, score, (split * k + x) * k + y)
    return count


@subkernel
def fill_lists(scores, first, inner, left, right):
    """Fill the lists of all spans within first..n. inner: the part below an arc between i and j, in either direction."""
    size = scores.shape[0]
    for i in range(first, size):
        for lists in (left, right):
            lists.scores[i, i, 0], lists.counts[i, i] = 0, 1
    for width in range(1, size - first):
        for i in range(first, size - width):
            j = i + width
            count = 0
            for s in range(i, j):
                count = merge(
                    right.scores[i, s], right.counts[i, s], left.scores[s + 1, j], left.counts[s + 1, j],
                    0.0, s, inner.scores[i, j], inner.links[i, j], count,
                )  # fmt: skip
            inner.counts[i, j] = count
            count = 0
            for s in range(i + 1, j + 1):
                count = merge(
                    inner.scores[i, s], inner.counts[i, s], right.scores[s, j], right.counts[s, j],
                    scores[i, s], s, right.scores[i, j], right.links[i, j], count,
                )  # fmt: skip
            right.counts[i, j] = count
            count = 0
            for s in range(i, j):
                count = merge(
                    left.scores[i, s], left.counts[i, s], inner.scores[s, j], inner.counts[s, j],
                    scores[j, s] if s else -np.inf, s, left.scores[i, j], left.links[i, j], count,
                )  # fmt: skip
            left.counts[i, j] = count


@subkernel
def push(stack, count, i, j, rank, kind):
    """Push a span onto the stack; return the number of spans."""
    stack[count, 0], stack[count, 1], stack[count, 2], stack[count, 3] = i, j, rank, kind
    return count + 1


@subkernel
def follow_links(inner, left, right, stack, count, heads):
    """Fill in the heads of all words in the spans on the stack, int64[., 4] of (i, j, rank, kind).

    Kind 0: complete left, 1: complete right, 2: below an arc.
    """
    k = left.scores.shape[2]
    while count:
        count -= 1
        i, j, rank, kind = stack[count, 0], stack[count, 1], stack[count, 2], stack[count, 3]
        if i == j:
            continue
        lists = left if kind == 0 else right if kind == 1 else inner
        link = lists.links[i, j, rank]
        split, x, y = link // (k * k), link // k % k, link % k
        if kind == 0:
            heads[split - 1] = j
            count = push(stack, count, i, split, x, 0)
            count = push(stack, count, split, j, y, 2)
        elif kind == 1:
            heads[split - 1] = i
            count = push(stack, count, i, split, x, 2)
            count = push(stack, count, split, j, y, 1)
        else:
            count = push(stack, count, i, split, x, 1)
            count = push(stack, count, split + 1, j, y, 0)


@subkernel
def kbest_eisner(scores, single_root, k):
    """The k best projective trees, all different, best first; fewer if fewer are allowed.

    Arguments as in :func:`.eisner.eisner`. Returns heads int32[k', n] and scores float64[k'], descending.
    """
    size = scores.shape[0]
    n = size - 1
    inner, left, right = new_lists(size, k), new_lists(size, k), new_lists(size, k)
    fill_lists(scores, 1 if single_root else 0, inner, left, right)
    totals, links, count = np.empty(k), np.empty(k, np.int64), 0
    if single_root:
        for r in range(1, size):
            count = merge(
                left.scores[1, r], left.counts[1, r], right.scores[r, n], right.counts[r, n],
                scores[0, r], r, totals, links, count,
            )  # fmt: skip
    else:
        count = right.counts[0, n]
        copy_list(right.scores[0, n, :count], totals)
    heads = np.empty((count, n), np.int32)
    stack = np.empty((2 * size + 2, 4), np.int64)
    for c in range(count):
        if single_root:
            root, x, y = links[c] // (k * k), links[c] // k % k, links[c] % k
            heads[c, root - 1] = 0
            top = push(stack, 0, 1, root, x, 0)
            top = push(stack, top, root, n, y, 1)
        else:
            top = push(stack, 0, 0, n, c, 1)
        follow_links(inner, left, right, stack, top, heads[c])
    return heads, totals[:count]
