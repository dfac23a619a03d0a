"""Projective trees, sum-product: log partition and arc marginals by the inside-outside algorithm on Eisner's spans.

Both passes use plain numbers if possible. Each word has one head, so the exponentials of its scores can be divided by their sum: all sums over
partial trees are then at most 1, and only underflow can occur. If a number falls below LEAST, everything is computed again in logs.

The outside pass distributes probability from the top: that of a span is split among the derivations of the span, in proportion.
Score matrices as in :mod:`.eisner`.
"""

import numpy as np

from spacy_mtl.kernels import kernel, subkernel

#: All numbers are 0 (forbidden) or above this, so that a product of two is far from the smallest float64.
LEAST = 1e-140


@subkernel
def log_sum(a, b, low, high):
    """log sum over low <= k < high of exp(a[k] + b[k]); -inf if the range is empty."""
    top = -np.inf
    for k in range(low, high):
        top = max(top, a[k] + b[k])
    if top == -np.inf:
        return top
    total = 0.0
    for k in range(low, high):
        total += np.exp(a[k] + b[k] - top)
    return top + np.log(total)


@subkernel
def normalise(scores, arcs):
    """Set arcs[h, m] to exp(scores[h, m]) / sum over heads; return whether plain numbers suffice, and the sum of the logs of the divisors.

    The sum is -inf if a word has no head.
    """
    size = scores.shape[0]
    total, fine = 0.0, True
    for m in range(1, size):
        top, mass = -np.inf, 0.0
        for h in range(size):
            if h != m:
                top = max(top, scores[h, m])
        if top == -np.inf:
            return True, top
        for h in range(size):
            arcs[h, m] = np.exp(scores[h, m] - top) if h != m else 0.0
            fine &= (h == m) | (scores[h, m] == -np.inf) | (arcs[h, m] > LEAST)
            mass += arcs[h, m]
        for h in range(size):
            arcs[h, m] /= mass
        total += top + np.log(mass)
    return fine, total


@kernel
def dot(a, b, low, high):
    """sum over low <= k < high of a[k] * b[k]."""
    total = 0.0
    for k in range(low, high):
        total += a[k] * b[k]
    return total


@subkernel
def plain_inside(arcs, first, left, right, across, inner):
    """Compute sums over all spans within first..n, stored as in :func:`.eisner.fill_spans`; return whether plain numbers sufficed.

    inner: float64[n + 1, n + 1], entry (i, j) is the sum over the ways to fill the span below an arc between i and j.
    """
    size = arcs.shape[0]
    fine = True
    for i in range(first, size):
        left[i, i] = right[i, i] = 1
    for width in range(1, size - first):
        for i in range(first, size - width):
            j = i + width
            inner[i, j] = dot(right[i], left[j, 1:], i, j)
            across[i, j] = arcs[i, j] * inner[i, j]
            across[j, i] = arcs[j, i] * inner[i, j] if i else 0.0
            right[i, j] = right[j, i] = dot(across[i], right[j], i + 1, j + 1)
            left[i, j] = left[j, i] = dot(left[i], across[j], i, j)
            for value in (inner[i, j], across[i, j], across[j, i], right[i, j], left[i, j]):
                fine &= (value == 0) | (value > LEAST)
    return fine


@subkernel
def log_inside(scores, first, left, right, across, inner):
    """:func:`plain_inside` in logs."""
    size = scores.shape[0]
    for i in range(first, size):
        left[i, i] = right[i, i] = 0
    for width in range(1, size - first):
        for i in range(first, size - width):
            j = i + width
            inner[i, j] = log_sum(right[i], left[j, 1:], i, j)
            across[i, j] = scores[i, j] + inner[i, j]
            across[j, i] = scores[j, i] + inner[i, j] if i else -np.inf
            right[i, j] = right[j, i] = log_sum(across[i], right[j], i + 1, j + 1)
            left[i, j] = left[j, i] = log_sum(left[i], across[j], i, j)


@subkernel
def share_out(mass, total, a, b, low, high, to_a, to_b, logs):
    """Split the probability ``mass`` of a sum among its terms: add mass * a[k] * b[k] / total to to_a[k] and to_b[k]."""
    if mass <= 0:
        return
    factor = mass if logs else mass / total
    for k in range(low, high):
        part = factor * (np.exp(a[k] + b[k] - total) if logs else a[k] * b[k])
        to_a[k] += part
        to_b[k] += part


@subkernel
def outside(first, left, right, across, inner, to_left, to_right, to_across, logs):
    """Compute the probability of every span from those of the outermost spans, which are given in to_left and to_right, float64[n + 1, n + 1].

    The probability of a complete span is the sum of its two mirrored entries. to_across, initially 0, is set to that of arcs, (h, m) for h -> m.
    """
    size = left.shape[0]
    to_inner = 0.0
    for width in range(size - first - 1, 0, -1):
        for i in range(first, size - width):
            j = i + width
            mass = to_right[i, j] + to_right[j, i]
            share_out(mass, right[i, j], across[i], right[j], i + 1, j + 1, to_across[i], to_right[j], logs)
            mass = to_left[i, j] + to_left[j, i]
            share_out(mass, left[i, j], left[i], across[j], i, j, to_left[i], to_across[j], logs)
            to_inner = to_across[i, j] + to_across[j, i]
            share_out(to_inner, inner[i, j], right[i], left[j, 1:], i, j, to_right[i], to_left[j, 1:], logs)


@subkernel
def root_masses(arcs, left, right, logs, roots):
    """Set roots[r] (float64[n + 1]) to the probability that word r is the only root. Returns the partition sum, or its log."""
    n = arcs.shape[0] - 1
    roots[0] = -np.inf if logs else 0.0
    for r in range(1, n + 1):
        roots[r] = arcs[0, r] + left[1, r] + right[r, n] if logs else arcs[0, r] * left[1, r] * right[r, n]
    top, total = 0.0, 0.0
    if logs:
        top = -np.inf
        for r in range(1, n + 1):
            top = max(top, roots[r])
    for r in range(n + 1):
        roots[r] = roots[r] if not logs else np.exp(roots[r] - top) if top > -np.inf else 0.0
        total += roots[r]
    if total > 0:
        for r in range(n + 1):
            roots[r] /= total
    return top + np.log(total) if logs and total > 0 else -np.inf if logs else total


@kernel
def sum_trees(arcs, single_root, logs, marginals):
    """Whether plain numbers sufficed and the partition sum of ``arcs``, a log if arcs are logs. Fills marginals (float64[n + 1, n + 1] or [0, 0])."""
    size = arcs.shape[0]
    first = 1 if single_root else 0
    shape = (size, size)
    left, right, across, inner = np.empty(shape), np.empty(shape), np.empty(shape), np.empty(shape)
    fine = True
    if logs:
        log_inside(arcs, first, left, right, across, inner)
    else:
        fine = plain_inside(arcs, first, left, right, across, inner)
    roots = np.zeros(size)
    total = root_masses(arcs, left, right, logs, roots) if single_root else right[0, size - 1]
    fine &= total > LEAST
    if marginals.size == 0 or not (fine or logs):
        return fine, total
    marginals[:] = 0
    if total == (-np.inf if logs else 0.0):
        return fine, total
    to_left, to_right = np.zeros(shape), np.zeros(shape)
    if single_root:
        for r in range(1, size):
            to_left[1, r] += roots[r]
            to_right[r, size - 1] += roots[r]
            marginals[0, r] = roots[r]
    else:
        to_right[0, size - 1] = 1
    outside(first, left, right, across, inner, to_left, to_right, marginals, logs)
    return fine, total


@kernel
def projective_marginals(scores, single_root, marginals):
    """Return the log partition over projective trees, and compute the probability of every arc.

    scores: float64[n + 1, n + 1]. single_root: exactly one word is attached to the root, otherwise at least one. marginals: float64[n + 1, n + 1],
    overwritten, or of shape (0, 0) to compute only the log partition. If no tree is allowed: -inf, and marginals of 0.
    """
    arcs = np.empty(scores.shape)
    fine, log_z = normalise(scores, arcs)
    if log_z == -np.inf:
        marginals[:] = 0
        return log_z
    if fine:
        fine, total = sum_trees(arcs, single_root, False, marginals)
        if fine:
            return log_z + np.log(total)
    _, total = sum_trees(scores, single_root, True, marginals)
    return total
