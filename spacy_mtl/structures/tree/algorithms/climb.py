"""Second-order trees that need not be projective, max-product by hill climbing (McDonald & Pereira 2006, figure 2): approximate.

Pairs are siblings, and also grandparents if there are any (:mod:`.grandparents`).

Finding the best tree is NP-hard. Starting from the best projective tree and from the best tree by arcs alone, the change of one head that gains most
is repeated until no change gains. The result is at least as good as both, and often, but not always, the best.

If a single root is required, changes keep it, so the root word is that of one of the two starting trees.
"""

import numpy as np

from spacy_mtl.kernels import kernel, subkernel
from spacy_mtl.structures.tree.problem import find, inner_sibling

from .chu_liu import chu_liu_edmonds
from .grand_eisner import eisner_pairs
from .grandparents import extra_column, extra_row, grandparent_score

#: A change must gain more than this share of the score, so that rounding errors do not count.
LEAST_GAIN = 1e-10


@subkernel
def pair_score(pairs, h, s, m):
    """Score of arc (h, m) with the inner sibling s, -inf if the pair was left out."""
    b = find(pairs.inner, pairs.first[h, m], pairs.last[h, m], s)
    return np.float64(pairs.scores[b]) if b >= 0 else -np.inf


@subkernel
def next_dependent(heads, h, m, step):
    """The first dependent of h after m in the direction ``step``; -1 for none."""
    k = m + step
    while 0 < k <= heads.size:
        if heads[k - 1] == h:
            return k
        k += step
    return -1


@kernel
def sibling_score(scores, pairs, heads):
    """Score of a tree by arcs and sibling pairs, -inf if one of them was left out. heads: int32[n]."""
    total = 0.0
    for m in range(1, heads.size + 1):
        h = heads[m - 1]
        total += scores[h, m] + pair_score(pairs, h, inner_sibling(heads, m), m)
    return total


@kernel
def pairs_score(scores, pairs, heads):
    """Score of a tree by arcs and all pairs, including those with grandparents if there are any."""
    return sibling_score(scores, pairs, heads) + grandparent_score(pairs, heads)


@subkernel
def gain_of_joining(pairs, h, inside, m, outside):
    """Change of the pair scores of h when m comes between two adjacent dependents. inside: h itself for none; outside: -1 for none."""
    gain = pair_score(pairs, h, inside, m)
    if outside > 0:
        gain += pair_score(pairs, h, m, outside) - pair_score(pairs, h, inside, outside)
    return gain


@subkernel
def gain_of_leaving(scores, pairs, heads, m):
    """The gain when word m leaves its head, -inf if its neighbours cannot become a pair."""
    h, inside = heads[m - 1], inner_sibling(heads, m)
    outside = next_dependent(heads, h, m, 1 if h < m else -1)
    gain = -scores[h, m] - pair_score(pairs, h, inside, m)
    if outside > 0:
        gain += pair_score(pairs, h, inside, outside) - pair_score(pairs, h, m, outside)
    return gain


@subkernel
def gains_of_joining(scores, pairs, heads, h, out):
    """Set out[m] to the gain when word m joins the dependents of h, -inf if it is one already or cannot be. out: float64[n + 1]."""
    for step in (-1, 1):
        inside, outside = h, next_dependent(heads, h, h, step)
        m = h + step
        while 0 < m <= heads.size:
            out[m] = -np.inf
            if heads[m - 1] == h:
                inside, outside = m, next_dependent(heads, h, m, step)
            elif scores[h, m] > -np.inf:
                out[m] = scores[h, m] + gain_of_joining(pairs, h, inside, m, outside)
            m += step


@subkernel
def gains_around(scores, pairs, heads, h, leaving, joining):
    """Recompute all gains that depend on the dependents of h."""
    gains_of_joining(scores, pairs, heads, h, joining[h])
    for m in range(1, heads.size + 1):
        if heads[m - 1] == h:
            leaving[m] = gain_of_leaving(scores, pairs, heads, m)


@subkernel
def mark_above(heads, h, above):
    """Set above[k] to whether word k is h or above it. above: bool[n + 1]."""
    above[:] = False
    while h:
        above[h] = True
        h = heads[h - 1]


@subkernel
def all_gains(scores, pairs, heads):
    """The gains of changing single heads: leaving, joining and extra, see :func:`gain_of`."""
    size = heads.size + 1
    leaving, joining = np.empty(size), np.empty((size, size))
    extra = np.zeros((size, size) if pairs.end.size else (0, 0))
    for h in range(size):
        gains_around(scores, pairs, heads, h, leaving, joining)
        if extra.size:
            extra_row(scores, pairs, heads, h, extra[h])
    return leaving, joining, extra


@subkernel
def gain_of(heads, h, m, leaving, joining, extra):
    """The gain when word m gets a new head h, which is not below m.

    leaving: float64[n + 1]. joining: float64[n + 1, n + 1]; extra: the same shape, or without entries if there are no grandparents.
    """
    gain = leaving[m] + joining[h, m]
    return gain + extra[h, m] - extra[heads[m - 1], m] if extra.size else gain


@subkernel
def change_head(scores, pairs, heads, word, head, leaving, joining, extra):
    """Give a word another head, and recompute gains where dependents have changed and, below the word, where grandparents have."""
    before, heads[word - 1] = heads[word - 1], head
    gains_around(scores, pairs, heads, before, leaving, joining)
    gains_around(scores, pairs, heads, head, leaving, joining)
    if extra.size:
        extra_row(scores, pairs, heads, word, extra[word])
        extra_column(scores, pairs, heads, before, extra)
        extra_column(scores, pairs, heads, head, extra)


@subkernel
def best_change(leaving, joining, extra, single_root, heads, above, least):
    """The change of a head that gains most, and more than ``least``, among O(n^2): word, new head and gain; word 0 for none.

    leaving, joining, extra: see :func:`gain_of`. above: bool[n + 1], a buffer.
    """
    word, head, most = 0, 0, least
    for h in range(1 if single_root else 0, heads.size + 1):
        marked = False
        for m in range(1, heads.size + 1):
            if m == h or (single_root and heads[m - 1] == 0):
                continue
            gain = gain_of(heads, h, m, leaving, joining, extra)
            if gain > most:
                if not marked:
                    mark_above(heads, h, above)
                    marked = True
                if not above[m]:
                    word, head, most = m, h, gain
    return word, head, most


@subkernel
def climb(scores, pairs, single_root, heads):
    """Change heads in place as long as the score increases; return the score."""
    total = pairs_score(scores, pairs, heads)
    if total == -np.inf:
        return total
    above = np.empty(heads.size + 1, np.bool_)
    leaving, joining, extra = all_gains(scores, pairs, heads)
    while True:
        least = LEAST_GAIN * (1 + abs(total))
        word, head, gain = best_change(leaving, joining, extra, single_root, heads, above, least)
        if not word:
            break
        change_head(scores, pairs, heads, word, head, leaving, joining, extra)
        total += gain
    return pairs_score(scores, pairs, heads)


@kernel
def climb_siblings(scores, pairs, single_root, heads):
    """Find a good tree, projective or not, under the scores of arcs and pairs; return its score.

    Arguments as in :func:`.grand_eisner.eisner_pairs`. The tree is at least as good as the best projective tree and the best tree by arcs alone.
    If neither of these is allowed, because pairs were left out, no tree is found: the score is -inf and all heads are -1.
    """
    return climb_from(eisner_pairs(scores, pairs, single_root, heads), scores, pairs, single_root, heads)


@subkernel
def climb_from(best, scores, pairs, single_root, heads):
    """:func:`climb_siblings` where ``heads`` is the best projective tree. best: its score."""
    other = np.empty(heads.size, np.int32)
    second = chu_liu_edmonds(scores, single_root, other)
    is_other = np.any(heads != other)
    if best > -np.inf:
        best = climb(scores, pairs, single_root, heads)
    if second > -np.inf and is_other:
        second = climb(scores, pairs, single_root, other)
    if is_other and second > best:
        for m in range(heads.size):
            heads[m] = other[m]
        best = second
    if best == -np.inf:
        heads[:] = -1
    return best
