"""Grandparents in trees: pairs (g, h, m) of arcs g -> h and h -> m (Koo & Collins 2010), and how they change with heads.

When word m moves from head h to head k, the pairs with the head above and with the dependents below change by *extra* (k, m) - extra (h, m), where
extra (k, m) = G(head of k, k, m) + sum over the dependents c of m of G(k, m, c). This depends only on the head of k and on the dependents of m.
"""

import numpy as np

from spacy_mtl.kernels import subkernel
from spacy_mtl.structures.tree.problem import find


@subkernel
def grandparent_pair(pairs, g, h, m):
    """G(g, h, m), -inf if the pair was left out."""
    size = pairs.first.shape[0]
    b = find(pairs.inner, pairs.last[h, m], pairs.end[h, m], size + g)
    return np.float64(pairs.scores[b]) if b >= 0 else -np.inf


@subkernel
def grandparent_score(pairs, heads):
    """The score of a tree's pairs with grandparents, 0 if there are none. heads: int32[n]."""
    total = 0.0
    if pairs.end.size:
        for m in range(1, heads.size + 1):
            h = heads[m - 1]
            if h > 0:
                total += grandparent_pair(pairs, heads[h - 1], h, m)
    return total


@subkernel
def extra_row(scores, pairs, heads, k, out):
    """Recompute out[m] = extra (k, m) for all words m to which there is an arc from k; of others the entry is never read. out: float64[n + 1]."""
    for m in range(1, heads.size + 1):
        if m != k and scores[k, m] > -np.inf:
            out[m] = grandparent_pair(pairs, heads[k - 1], k, m) if k > 0 else 0.0
    for c in range(1, heads.size + 1):
        m = heads[c - 1]
        if m > 0 and m != k and scores[k, m] > -np.inf:
            out[m] += grandparent_pair(pairs, k, m, c)


@subkernel
def extra_column(scores, pairs, heads, m, extra):
    """Recompute extra (k, m) for one word m and all heads k that it may have, after its dependents have changed. extra: float64[n + 1, n + 1]."""
    if m == 0:
        return
    for k in range(heads.size + 1):
        if k != m and scores[k, m] > -np.inf:
            extra[k, m] = grandparent_pair(pairs, heads[k - 1], k, m) if k > 0 else 0.0
    for c in range(1, heads.size + 1):
        if heads[c - 1] == m:
            for k in range(heads.size + 1):
                if k != m and scores[k, m] > -np.inf:
                    extra[k, m] += grandparent_pair(pairs, k, m, c)
