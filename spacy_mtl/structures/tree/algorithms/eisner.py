"""Projective trees, max-product: Eisner's algorithm (1996), O(n^3), for one root or several.

Spans are *complete* (``right[i, j]``: word i with all its dependents in i..j; ``left[i, j]``: word j with all its dependents in i..j) or *incomplete*
(an arc between the ends, ``across``). A sum over split points runs along two rows of these tables, since each is stored with its mirror image.

Score matrices of all tree kernels: float64[n + 1, n + 1], ``scores[h, m]`` of the arc from head h to modifier m, words 1..n, 0 the root;
-inf where the arc is forbidden. Column 0 and the diagonal are never read.
"""

import numpy as np

from spacy_mtl.kernels import kernel, subkernel


@subkernel
def best_sum(a, b, low, high):
    """max over low <= k < high of a[k] + b[k]; -inf if the range is empty. a, b: float64[K]."""
    best = -np.inf
    for k in range(low, high):
        best = max(best, a[k] + b[k])
    return best


@subkernel
def where_best(a, b, low, high):
    """The first k that reaches :func:`best_sum`."""
    where = low
    for k in range(low + 1, high):
        if a[k] + b[k] > a[where] + b[where]:
            where = k
    return where


@subkernel
def fill_spans(scores, first, left, right, across):
    """Fill in the best scores of all spans within first..n. left, right: float64[n + 1, n + 1], symmetric.

    across: float64[n + 1, n + 1]; entry (i, j), i < j, is the best score with an arc i -> j, and entry (j, i) with an arc j -> i.
    """
    size = scores.shape[0]
    for i in range(first, size):
        left[i, i] = right[i, i] = 0
    for width in range(1, size - first):
        for i in range(first, size - width):
            j = i + width
            inner = -np.inf  # between i and j: the dependents of i up to some k, those of j from k + 1
            for k in range(i, j):
                inner = max(inner, right[i, k] + left[j, k + 1])
            across[i, j] = scores[i, j] + inner
            across[j, i] = scores[j, i] + inner if i else -np.inf
            right[i, j] = right[j, i] = best_sum(across[i], right[j], i + 1, j + 1)
            left[i, j] = left[j, i] = best_sum(left[i], across[j], i, j)


@subkernel
def best_root(scores, left, right):
    """The root word of the best tree with one root, and the score of that tree."""
    n = scores.shape[0] - 1
    root, best = 0, -np.inf
    for r in range(1, n + 1):
        score = scores[0, r] + left[1, r] + right[r, n]
        if score > best:
            root, best = r, score
    return root, best


@subkernel
def push(stack, count, i, j, kind):
    """Push a span onto the stack; return the number of spans. (Assigning a tuple to a row would take numba seconds to compile.)"""
    stack[count, 0], stack[count, 1], stack[count, 2] = i, j, kind
    return count + 1


@subkernel
def follow(left, right, across, stack, count, heads):
    """Fill in the heads of all words in the spans on the stack, int64[., 3] of (i, j, side), side 0 for complete left, 1 for complete right spans."""
    while count:
        count -= 1
        i, j, side = stack[count, 0], stack[count, 1], stack[count, 2]
        if i == j:
            continue
        if side:
            k = where_best(across[i], right[j], i + 1, j + 1)
            heads[k - 1] = i
            count = push(stack, count, k, j, 1)
            low, high = i, k
        else:
            k = where_best(left[i], across[j], i, j)
            heads[k - 1] = j
            count = push(stack, count, i, k, 0)
            low, high = k, j
        split = low
        for s in range(low + 1, high):
            if right[low, s] + left[high, s + 1] > right[low, split] + left[high, split + 1]:
                split = s
        count = push(stack, count, low, split, 1)
        count = push(stack, count, split + 1, high, 0)


@kernel
def eisner(scores, single_root, heads):
    """Find the best projective tree; return its score.

    scores: float64[n + 1, n + 1], see above. single_root: exactly one word is attached to the root, otherwise at least one. heads: int32[n],
    heads[m - 1] is set to the head of word m. If no tree is allowed, the score is -inf and all heads are -1.
    """
    size = scores.shape[0]
    left, right, across = np.empty((size, size)), np.empty((size, size)), np.empty((size, size))
    fill_spans(scores, 1 if single_root else 0, left, right, across)
    root = 0
    score = right[0, size - 1]
    if single_root:
        root, score = best_root(scores, left, right)
    heads[:] = -1
    if score == -np.inf:
        return score
    stack = np.empty((2 * size + 2, 3), np.int64)
    if single_root:
        heads[root - 1] = 0
        count = push(stack, 0, 1, root, 0)
        count = push(stack, count, root, size - 1, 1)
    else:
        count = push(stack, 0, 0, size - 1, 1)
    follow(left, right, across, stack, count, heads)
    return score


@kernel
def is_projective(heads):
    """Whether no arcs cross, including those from the root. heads: int32[n], heads[m - 1] is the head of word m."""
    n = heads.size
    for m in range(1, n + 1):
        low, high = min(heads[m - 1], m), max(heads[m - 1], m)
        for k in range(low + 1, high):
            if heads[k - 1] < low or heads[k - 1] > high:
                return False
    return True
