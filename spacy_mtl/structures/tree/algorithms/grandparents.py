"""Grandparents in trees: pairs (g, h, m) of arcs g -> h and h -> m (Koo & Collins 2010), and what changes of heads do to them.

When word m moves from head h to head k, pairs come and go by the head above and by the dependents below: *extra* (k, m) less extra (h, m), where
extra (k, m) = G(head of k, k, m) + sum over the dependents c of m of G(k, m, c). It depends on the head of k and on the dependents of m alone.
"""

import numpy as np

from spacy_mtl.kernels import subkernel
from spacy_mtl.structures.tree.problem import find


@subkernel
def grandparent_pair(pairs, g, h, m):
    """G(g, h, m), -inf where the pair was left out."""
    size = pairs.first.shape[0]
    b = find(pairs.inner, pairs.last[h, m], pairs.end[h, m], size + g)
    return np.float64(pairs.scores[b]) if b >= 0 else -np.inf


@subkernel
def grandparent_score(pairs, heads):
    """What the pairs with grandparents of a tree score, 0 where there are none. heads: int32[n]."""
    total = 0.0
    if pairs.end.size:
        for m in range(1, heads.size + 1):
            h = heads[m - 1]
            if h > 0:
                total += grandparent_pair(pairs, heads[h - 1], h, m)
    return total


@subkernel
def extra_row(pairs, heads, k, out):
    """out[m] = extra (k, m) of all words m, anew. out: float64[n + 1]."""
    for m in range(1, heads.size + 1):
        out[m] = grandparent_pair(pairs, heads[k - 1], k, m) if k > 0 and m != k else 0.0
    for c in range(1, heads.size + 1):
        m = heads[c - 1]
        if m > 0:
            out[m] += grandparent_pair(pairs, k, m, c)


@subkernel
def extra_column(pairs, heads, m, extra):
    """The same for one word m and all heads: what its dependents change. extra: float64[n + 1, n + 1]."""
    if m == 0:
        return
    for k in range(heads.size + 1):
        extra[k, m] = grandparent_pair(pairs, heads[k - 1], k, m) if k > 0 and m != k else 0.0
    for c in range(1, heads.size + 1):
        if heads[c - 1] == m:
            for k in range(heads.size + 1):
                extra[k, m] += grandparent_pair(pairs, k, m, c)
