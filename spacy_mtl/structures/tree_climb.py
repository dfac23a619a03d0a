"""Trees of the second order that need not be projective, max-product by hill climbing (McDonald & Pereira 2006, figure 2): approximate.

To find the best is NP-hard. From the best projective tree and from the best tree by arcs alone, the one change of a head that gains most is made
again and again until none gains. What comes out is a tree no worse than either, and often, not always, the best.

Changes keep the number of roots at one where one is asked for, so the root word is that of one of the two beginnings.
"""

import numpy as np

from ..kernels import kernel, subkernel
from .tree_chu_liu import chu_liu_edmonds
from .tree_problem import find, inner_sibling
from .tree_siblings import eisner_siblings

#: A change must gain more than this share of the score: rounding is no gain.
LEAST_GAIN = 1e-10


@subkernel
def pair_score(pairs, h, s, m):
    """Score of arc (h, m) with the inner sibling s, -inf where the pair was left out."""
    b = find(pairs.inner, pairs.first[h, m], pairs.last[h, m], s)
    return np.float64(pairs.scores[b]) if b >= 0 else -np.inf


@subkernel
def next_dependent(heads, h, m, step):
    """The dependent of h that comes first after m in the direction ``step``; -1 for none."""
    k = m + step
    while 0 < k <= heads.size:
        if heads[k - 1] == h:
            return k
        k += step
    return -1


@kernel
def sibling_score(scores, pairs, heads):
    """Score of a tree, -inf where one of its arcs or pairs was left out. heads: int32[n]."""
    total = 0.0
    for m in range(1, heads.size + 1):
        h = heads[m - 1]
        total += scores[h, m] + pair_score(pairs, h, inner_sibling(heads, m), m)
    return total


@subkernel
def gain_of_joining(pairs, h, inside, m, outside):
    """Change of the pairs of h when m comes between two neighbouring dependents. inside: h itself for none; outside: -1 for none."""
    gain = pair_score(pairs, h, inside, m)
    if outside > 0:
        gain += pair_score(pairs, h, m, outside) - pair_score(pairs, h, inside, outside)
    return gain


@subkernel
def gains_of_leaving(scores, pairs, heads, out):
    """out[m - 1] = what is gained when word m leaves its head, -inf where its neighbours may not come together. out: float64[n]."""
    for m in range(1, heads.size + 1):
        h, inside = heads[m - 1], inner_sibling(heads, m)
        outside = next_dependent(heads, h, m, 1 if h < m else -1)
        out[m - 1] = -scores[h, m] - pair_score(pairs, h, inside, m)
        if outside > 0:
            out[m - 1] += pair_score(pairs, h, inside, outside) - pair_score(pairs, h, m, outside)


@subkernel
def mark_above(heads, h, above):
    """above[k]: whether word k is h or above it. above: bool[n + 1]."""
    above[:] = False
    while h:
        above[h] = True
        h = heads[h - 1]


@subkernel
def best_change(scores, pairs, single_root, heads, least):
    """The change of a head that gains most, and more than ``least``: word and new head, 0 and -1 for none. O(n^2) changes are looked at."""
    n = heads.size
    leaving, above = np.empty(n), np.empty(n + 1, np.bool_)
    gains_of_leaving(scores, pairs, heads, leaving)
    word, head, most = 0, -1, least
    for h in range(1 if single_root else 0, n + 1):
        mark_above(heads, h, above)
        for step in (-1, 1):
            inside, outside = h, next_dependent(heads, h, h, step)
            m = h + step
            while 0 < m <= n:
                if heads[m - 1] == h:
                    inside, outside = m, next_dependent(heads, h, m, step)
                elif not above[m] and scores[h, m] > -np.inf and not (single_root and heads[m - 1] == 0):
                    gain = leaving[m - 1] + scores[h, m] + gain_of_joining(pairs, h, inside, m, outside)
                    if gain > most:
                        word, head, most = m, h, gain
                m += step
    return word, head


@subkernel
def climb(scores, pairs, single_root, heads):
    """Change heads in place as long as the score rises; returns it."""
    total = sibling_score(scores, pairs, heads)
    while total > -np.inf:
        word, head = best_change(scores, pairs, single_root, heads, LEAST_GAIN * (1 + abs(total)))
        if not word:
            break
        heads[word - 1] = head
        total = sibling_score(scores, pairs, heads)
    return total


@kernel
def climb_siblings(scores, pairs, single_root, heads):
    """A good tree, projective or not, under the scores of arcs and pairs of siblings; returns its score.

    Arguments as in :func:`.tree_siblings.eisner_siblings`. The tree is no worse than the best projective one, and than the best by arcs alone.
    Where neither of the two is allowed (pairs that were left out), none is found: the score is -inf and all heads are -1.
    """
    other = np.empty(heads.size, np.int32)
    best, second = eisner_siblings(scores, pairs, single_root, heads), chu_liu_edmonds(scores, single_root, other)
    if best > -np.inf:
        best = climb(scores, pairs, single_root, heads)
    if second > -np.inf:
        second = climb(scores, pairs, single_root, other)
    if second > best:
        for m in range(heads.size):
            heads[m] = other[m]
        best = second
    return best
