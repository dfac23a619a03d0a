"""Second-order projective trees with grandparents, max-product: arcs, consecutive siblings and grandparents.

This is model 1 of Koo & Collins (2010), with scores of sibling pairs instead of triples. Spans know the grandparent: complete and incomplete spans
belong to an arc g -> h and extend from h outwards. The time depends on the arcs and pairs that were kept: O(n^4) with all of them, O(k^2 n^2)
with k heads per word, which takes O(k n^2) memory.
"""

from typing import NamedTuple

import numpy as np

from spacy_mtl.kernels import kernel, subkernel
from spacy_mtl.structures.tree.problem import find

from .eisner import push
from .siblings import eisner_siblings, root_pair_score


class ArcLists(NamedTuple):
    """The A arcs of a sentence of n words. number: int32[n + 1, n + 1], of each arc (h, m), -1 for arcs that were left out.

    above: int32[A], heads; those of word m are ``above[into[m]:into[m + 1]]``, ascending; the number of an arc is its position in this array.
    below: int32[A], the modifiers of word h are ``below[out[h]:out[h + 1]]``, ascending. into, out: int64[n + 2].
    """

    number: np.ndarray
    above: np.ndarray
    into: np.ndarray
    below: np.ndarray
    out: np.ndarray


class GrandSpans(NamedTuple):
    """Scores of spans and their back pointers. Line a of the first four is for arc a = (g, h); the last line is for the root, which has no head.

    complete: float64[A + 1, n + 1], from h to e; complete_by: int32, the outermost dependent.
    across: float64[A + 1, n + 1], from h to its outermost dependent m so far; across_by: int32, the dependent before that, h for none.
    between: float64[b], from a sibling to the next, by pair; between_by: int32[b], the last word of the left one's half.
    """

    complete: np.ndarray
    complete_by: np.ndarray
    across: np.ndarray
    across_by: np.ndarray
    between: np.ndarray
    between_by: np.ndarray


@subkernel
def list_arcs(scores):
    """The arcs that are not -inf. scores: float64[n + 1, n + 1]."""
    size = scores.shape[0]
    n_arcs = 0
    for h in range(size):
        for m in range(1, size):
            n_arcs += h != m and scores[h, m] > -np.inf
    number = np.full((size, size), -1, np.int32)
    above, below = np.empty(n_arcs, np.int32), np.empty(n_arcs, np.int32)
    into, out = np.zeros(size + 1, np.int64), np.zeros(size + 1, np.int64)
    a = 0
    for m in range(1, size):
        into[m] = a
        for h in range(size):
            if h != m and scores[h, m] > -np.inf:
                number[h, m], above[a] = a, h
                a += 1
    into[size] = a
    a = 0
    for h in range(size):
        for m in range(1, size):
            if number[h, m] >= 0:
                below[a] = m
                a += 1
        out[h + 1] = a
    return ArcLists(number, above, into, below, out)


@subkernel
def empty_spans(n_arcs, size, n_pairs):
    """Empty tables of spans; spans of one word are added at their start."""
    shape = (n_arcs + 1, size)
    return GrandSpans(
        np.full(shape, -np.inf), np.zeros(shape, np.int32), np.full(shape, -np.inf), np.zeros(shape, np.int32),
        np.full(n_pairs, -np.inf), np.zeros(n_pairs, np.int32),
    )  # fmt: skip


@subkernel
def sibling_pair(pairs, h, s, m):
    """The pair of arc (h, m) with the inner sibling s (h for none), -1 if it was left out."""
    return find(pairs.inner, pairs.first[h, m], pairs.last[h, m], s)


@subkernel
def fill_between(pairs, arcs, spans, h, s, m):
    """Fill in the span from sibling s to the next one m, on one side of their head h."""
    if arcs.number[h, s] < 0:
        return
    b = sibling_pair(pairs, h, s, m)
    if b < 0:
        return
    left, right = min(s, m), max(s, m)
    rising, falling = spans.complete[arcs.number[h, left]], spans.complete[arcs.number[h, right]]
    best, where = -np.inf, left
    for k in range(left, right):
        if rising[k] + falling[k + 1] > best:
            best, where = rising[k] + falling[k + 1], k
    spans.between[b], spans.between_by[b] = best, where


@subkernel
def fill_across(pairs, arcs, spans, a, h, m, score):
    """Fill in the span of arc a = (g, h) from h to its dependent m. score: of the arc (h, m) and of its pair with g."""
    best, where = -np.inf, h
    alone = spans.complete[arcs.number[h, m], h + 1 if h < m else h - 1]
    for b in range(pairs.first[h, m], pairs.last[h, m]):
        s = pairs.inner[b]
        fill = alone if s == h else spans.across[a, s] + spans.between[b]
        if fill + pairs.scores[b] > best:
            best, where = fill + pairs.scores[b], s
    spans.across[a, m], spans.across_by[a, m] = best + score, where


@subkernel
def fill_arc(scores, pairs, arcs, spans, h, m):
    """Fill in the spans of arc (h, m) for every grandparent outside it."""
    if arcs.number[h, m] < 0:
        return
    if h == 0:
        fill_across(pairs, arcs, spans, arcs.above.size, h, m, scores[h, m])
        return
    for b in range(pairs.last[h, m], pairs.end[h, m]):
        g = pairs.inner[b] - scores.shape[0]
        if arcs.number[g, h] >= 0 and not min(h, m) < g < max(h, m):
            fill_across(pairs, arcs, spans, arcs.number[g, h], h, m, scores[h, m] + pairs.scores[b])


@subkernel
def fill_complete(arcs, spans, a, h, e, low, high):
    """Fill in the complete span of arc a = (g, h) from h to e. The dependents between h and e, or e itself: ``below[low:high]``."""
    best, where = -np.inf, h
    for k in range(low, high):
        m = arcs.below[k]
        score = spans.across[a, m] + spans.complete[arcs.number[h, m], e]
        if score > best:
            best, where = score, m
    spans.complete[a, e], spans.complete_by[a, e] = best, where


@subkernel
def fill_from(arcs, spans, h, e):
    """Fill in the complete spans from h to e for every head of h outside them. Without dependents there they stay at -inf."""
    low, high = arcs.out[h], arcs.out[h + 1]
    least, most = min(h, e), max(h, e)
    while low < high and arcs.below[low] < least:
        low += 1
    while low < high and arcs.below[high - 1] > most:
        high -= 1
    if low == high:
        return
    if h == 0:
        fill_complete(arcs, spans, arcs.above.size, h, e, low, high)
        return
    for a in range(arcs.into[h], arcs.into[h + 1]):
        if not least <= arcs.above[a] <= most:
            fill_complete(arcs, spans, a, h, e, low, high)


@subkernel
def fill_grand_spans(scores, pairs, arcs, spans, first):
    """Fill in all spans that begin at position ``first`` or later, shorter ones first. first: 1 leaves out the spans of the root itself."""
    size = scores.shape[0]
    spans.complete[arcs.above.size, 0] = 0
    for h in range(1, size):
        for a in range(arcs.into[h], arcs.into[h + 1]):
            spans.complete[a, h] = 0
    for width in range(1, size):
        for i in range(first, size - width):
            j = i + width
            for a in range(arcs.into[j], arcs.into[j + 1]):
                if first <= arcs.above[a] < i:
                    fill_between(pairs, arcs, spans, arcs.above[a], i, j)
            for a in range(arcs.into[i], arcs.into[i + 1]):
                if arcs.above[a] > j:
                    fill_between(pairs, arcs, spans, arcs.above[a], j, i)
            fill_arc(scores, pairs, arcs, spans, i, j)
            fill_from(arcs, spans, i, j)
            if i:
                fill_arc(scores, pairs, arcs, spans, j, i)
                fill_from(arcs, spans, j, i)


@subkernel
def follow_grand(pairs, arcs, spans, stack, count, heads):
    """Fill in the heads of all words in the spans on the stack, int64[., 3] of (arc, end, kind), kind 0 complete, 1 to a dependent."""
    root = arcs.above.size
    word = np.zeros(root + 1, np.int64)
    for m in range(1, heads.size + 1):
        word[arcs.into[m] : arcs.into[m + 1]] = m
    while count:
        count -= 1
        a, e, kind = stack[count, 0], stack[count, 1], stack[count, 2]
        h = word[a]
        if kind == 0 and e != h:
            m = np.int64(spans.complete_by[a, e])
            count = push(stack, count, a, m, 1)
            count = push(stack, count, np.int64(arcs.number[h, m]), e, 0)
        elif kind == 1:
            s, arc = np.int64(spans.across_by[a, e]), np.int64(arcs.number[h, e])
            heads[e - 1] = h
            if s == h:
                count = push(stack, count, arc, h + 1 if h < e else h - 1, 0)
            else:
                k = np.int64(spans.between_by[sibling_pair(pairs, h, s, e)])
                count = push(stack, count, a, s, 1)
                count = push(stack, count, np.int64(arcs.number[h, s]), k if s < e else k + 1, 0)
                count = push(stack, count, arc, k + 1 if s < e else k, 0)


@kernel
def eisner_grandparents(scores, pairs, single_root, heads):
    """Find the best projective tree under the scores of arcs, pairs of siblings and pairs with grandparents; return its score.

    Arguments as in :func:`.eisner.eisner`; an arc without the pairs it needs is forbidden.
    """
    size = scores.shape[0]
    arcs = list_arcs(scores)
    spans = empty_spans(arcs.above.size, size, pairs.inner.size)
    fill_grand_spans(scores, pairs, arcs, spans, 1 if single_root else 0)
    root, best = 0, spans.complete[arcs.above.size, size - 1]
    if single_root:
        best = -np.inf
        for k in range(arcs.out[0], arcs.out[1]):
            r = arcs.below[k]
            half = spans.complete[arcs.number[0, r]]
            score = scores[0, r] + root_pair_score(pairs, r) + half[1] + half[size - 1]
            if score > best:
                root, best = np.int64(r), score
    heads[:] = -1
    if best == -np.inf:
        return best
    stack = np.empty((3 * size + 3, 3), np.int64)
    if single_root:
        heads[root - 1], top = 0, np.int64(arcs.number[0, root])
        count = push(stack, 0, top, 1, 0)
        count = push(stack, count, top, size - 1, 0)
    else:
        count = push(stack, 0, arcs.above.size, size - 1, 0)
    follow_grand(pairs, arcs, spans, stack, count, heads)
    return best


@subkernel
def eisner_pairs(scores, pairs, single_root, heads):
    """Find the best second-order projective tree, with grandparents if there are pairs with them; return its score."""
    if pairs.end.size:
        return eisner_grandparents(scores, pairs, single_root, heads)
    return eisner_siblings(scores, pairs, single_root, heads)
