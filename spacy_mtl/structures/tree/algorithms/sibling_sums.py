"""Second-order projective trees, sum-product: log partition and marginals of arcs and sibling pairs, in logs.

The outside pass distributes probability from the top, as in :mod:`.inside`.
"""

import numpy as np

from spacy_mtl.kernels import kernel, subkernel

from .inside import log_sum, share_out
from .siblings import root_pair_score


@subkernel
def fill_term(pairs, b, h, m, left, right, across, between):
    """Log weight of the span between head h and modifier m with pair b."""
    s = pairs.inner[b]
    score = np.float64(pairs.scores[b])
    if s != h:
        return score + across[h, s] + between[min(s, m), max(s, m)]
    return score + (left[h + 1, m] if h < m else right[m, h - 1])


@subkernel
def sum_inner(pairs, h, m, left, right, across, between):
    """Log sum over the pairs of arc (h, m) of the ways to fill the span below it."""
    top = -np.inf
    for b in range(pairs.first[h, m], pairs.last[h, m]):
        top = max(top, fill_term(pairs, b, h, m, left, right, across, between))
    if top == -np.inf:
        return top
    total = 0.0
    for b in range(pairs.first[h, m], pairs.last[h, m]):
        total += np.exp(fill_term(pairs, b, h, m, left, right, across, between) - top)
    return top + np.log(total)


@subkernel
def sibling_inside(scores, pairs, first, left, right, across, between):
    """Compute log sums over all spans, stored as in :func:`.siblings.fill_sibling_spans`."""
    size = scores.shape[0]
    for i in range(first, size):
        left[i, i] = right[i, i] = 0
    for width in range(1, size - first):
        for i in range(first, size - width):
            j = i + width
            between[i, j] = log_sum(right[i], left[j, 1:], i, j)
            across[i, j] = scores[i, j] + sum_inner(pairs, i, j, left, right, across, between)
            across[j, i] = -np.inf
            if i:
                across[j, i] = scores[j, i] + sum_inner(pairs, j, i, left, right, across, between)
            right[i, j] = right[j, i] = log_sum(across[i], right[j], i + 1, j + 1)
            left[i, j] = left[j, i] = log_sum(left[i], across[j], i, j)


@subkernel
def share_inner(scores, pairs, h, m, left, right, across, between, to_left, to_right, to_across, to_between, out):
    """Split the probability of arc (h, m) among its pairs and their spans. out: float64[b], marginals of the pairs."""
    mass = to_across[h, m]
    if mass <= 0:
        return
    total = across[h, m] - scores[h, m]
    for b in range(pairs.first[h, m], pairs.last[h, m]):
        part = mass * np.exp(fill_term(pairs, b, h, m, left, right, across, between) - total)
        s = pairs.inner[b]
        out[b] = part
        if s != h:
            to_across[h, s] += part
            to_between[min(s, m), max(s, m)] += part
        elif h < m:
            to_left[h + 1, m] += part
        else:
            to_right[m, h - 1] += part


@subkernel
def sibling_outside(scores, pairs, first, left, right, across, between, to_left, to_right, to_across, out):
    """As :func:`.inside.outside`. out: float64[b], set to the marginals of the pairs."""
    size = left.shape[0]
    to_between = np.zeros((size, size))
    for width in range(size - first - 1, 0, -1):
        for i in range(first, size - width):
            j = i + width
            mass = to_right[i, j] + to_right[j, i]
            share_out(mass, right[i, j], across[i], right[j], i + 1, j + 1, to_across[i], to_right[j], True)
            mass = to_left[i, j] + to_left[j, i]
            share_out(mass, left[i, j], left[i], across[j], i, j, to_left[i], to_across[j], True)
            for h, m in ((i, j), (j, i)):
                share_inner(
                    scores, pairs, h, m, left, right, across, between, to_left, to_right, to_across, to_between, out
                )  # fmt: skip
            mass = to_between[i, j]
            share_out(mass, between[i, j], right[i], left[j, 1:], i, j, to_right[i], to_left[j, 1:], True)


@subkernel
def sibling_roots(scores, pairs, left, right, to_left, to_right, marginals, out):
    """Return the log partition of the trees with one root; set the probabilities of the two spans of each root word, its arc and its pair."""
    size = scores.shape[0]
    roots = np.full(size, -np.inf)
    for r in range(1, size):
        roots[r] = scores[0, r] + root_pair_score(pairs, r) + left[1, r] + right[r, size - 1]
    log_z = log_sum(roots, np.zeros(size), 0, size)
    if log_z == -np.inf or marginals.size == 0:
        return log_z
    for r in range(1, size):
        mass = np.exp(roots[r] - log_z)
        to_left[1, r] += mass
        to_right[r, size - 1] += mass
        marginals[0, r] = mass
        for b in range(pairs.first[0, r], pairs.last[0, r]):
            if pairs.inner[b] == 0:
                out[b] = mass
    return log_z


@kernel
def sibling_marginals(scores, pairs, single_root, marginals, out):
    """Return the log partition over projective trees, and compute the probability of every arc and every sibling pair.

    Arguments as in :func:`.inside.projective_marginals` and :func:`.siblings.eisner_siblings`; out: float64[b], overwritten.
    """
    size = scores.shape[0]
    shape = (size, size)
    left, right, across, between = np.empty(shape), np.empty(shape), np.empty(shape), np.empty(shape)
    first = 1 if single_root else 0
    sibling_inside(scores, pairs, first, left, right, across, between)
    marginals[:] = 0
    out[:] = 0
    to_left, to_right = np.zeros(shape), np.zeros(shape)
    if single_root:
        log_z = sibling_roots(scores, pairs, left, right, to_left, to_right, marginals, out)
    else:
        log_z = right[0, size - 1]
        to_right[0, size - 1] = 1
    if log_z > -np.inf and marginals.size:
        sibling_outside(scores, pairs, first, left, right, across, between, to_left, to_right, marginals, out)
    return log_z
