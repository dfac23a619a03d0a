"""Non-projective trees, sum-product: log partition and arc marginals by the matrix-tree theorem (Koo et al. 2007; Smith & Smith 2007).

The determinant of the Laplacian is computed by eliminating one word after another without any subtraction (Grassmann, Taksar & Heyman 1985): the
arcs k -> j of an eliminated word k become arcs from each head i of k, A_ij += A_ik A_kj / d_k with the pivot d_k = sum_i A_ik. So sums keep their
relative precision however far apart the scores are, while an inverse of the Laplacian would lose all of it. Marginals are obtained by going back
through the same steps.

Exactly one root is the limit of vanishing weights of the root arcs: they drop out of all pivots except the last, which is a root arc alone.
Score matrices as in :mod:`.eisner`.
"""

import numpy as np

from spacy_mtl.kernels import kernel, subkernel

from .copies import copy_table
from .inside import LEAST, normalise


@subkernel
def log_add(a, b):
    """log(exp(a) + exp(b))."""
    if a < b:
        a, b = b, a
    return a + np.log1p(np.exp(b - a)) if b > -np.inf else a


@subkernel
def pivot(arcs, left, k, single_root, logs):
    """Sum of the arcs into word k from the words ``left`` (int64[c]) and, with several roots, from the root."""
    total = -np.inf if logs else 0.0
    if not single_root:
        total = arcs[0, k]
    for i in left:
        if i != k:
            total = log_add(total, arcs[i, k]) if logs else total + arcs[i, k]
    return total


@subkernel
def eliminate_word(arcs, left, k, d, logs):
    """Replace arcs through word k by arcs between the words ``left``, and from the root to them."""
    for row in range(-1, left.size):
        i = left[row] if row >= 0 else 0
        if arcs[i, k] == (-np.inf if logs else 0.0):
            continue
        share = arcs[i, k] - d if logs else arcs[i, k] / d
        for j in left:
            if j != i:
                arcs[i, j] = log_add(arcs[i, j], share + arcs[k, j]) if logs else arcs[i, j] + share * arcs[k, j]


@kernel
def eliminate(arcs, single_root, logs, order, pivots):
    """Eliminate all words, in place. Returns the partition sum of ``arcs``. With ``logs``, ``arcs`` and the result are logs.

    order: int64[n], set to the words in the order of their elimination. pivots: float64[n], in that order.
    """
    n = arcs.shape[0] - 1
    zero = -np.inf if logs else 0.0
    log_z = 0.0
    for k in range(n):
        order[k] = k + 1
    for step in range(n):
        left = order[step:]
        at, d = 0, zero
        if single_root and left.size == 1:
            d = arcs[0, left[0]]
        else:  # a word that no other word reaches must be the root, and is kept to the end
            while at < left.size and d == zero:
                d = pivot(arcs, left, left[at], single_root, logs)
                at += 1
            at -= 1
        if d == zero:
            return -np.inf
        left[0], left[at] = left[at], left[0]
        pivots[step] = d
        log_z += d if logs else np.log(d)
        eliminate_word(arcs, left[1:], left[0], d, logs)
    return log_z


@subkernel
def share_back(arcs, order, pivots, single_root, shares):
    """Set shares[i, j] to A_ij times the derivative of the log partition by A_ij, the probability that flows through an arc, original or not.

    arcs: after :func:`eliminate`, each as it was when one of its words was eliminated. shares: float64[n + 1, n + 1].
    """
    n = order.size
    if single_root:
        shares[0, order[n - 1]] = 1
    for step in range(n - 2 if single_root else n - 1, -1, -1):
        k, left, d = order[step], order[step + 1 :], pivots[step]
        through = 0.0
        for row in range(-1, left.size):
            i = left[row] if row >= 0 else 0
            total = 0.0
            if arcs[i, k] > 0:
                share = arcs[i, k] / d
                for j in left:
                    if j != i and arcs[i, j] > 0:
                        part = shares[i, j] * (share * arcs[k, j] / arcs[i, j])
                        shares[k, j] += part
                        total += part
            shares[i, k] = total
            through += total
        rest = (
            1 - through
        )  # what comes to the pivot itself; negative where flow through k to several words counts it several times
        for row in range(0 if single_root else -1, left.size):
            i = left[row] if row >= 0 else 0
            shares[i, k] += rest * arcs[i, k] / d


@subkernel
def share_back_logs(arcs, order, pivots, single_root, shares):
    """:func:`share_back` with logs of arcs and pivots."""
    n = order.size
    if single_root:
        shares[0, order[n - 1]] = 1
    for step in range(n - 2 if single_root else n - 1, -1, -1):
        k, left, d = order[step], order[step + 1 :], pivots[step]
        through = 0.0
        for row in range(-1, left.size):
            i = left[row] if row >= 0 else 0
            total = 0.0
            for j in left:
                if j != i and arcs[i, j] > -np.inf:
                    part = shares[i, j] * np.exp(arcs[i, k] - d + arcs[k, j] - arcs[i, j])
                    shares[k, j] += part
                    total += part
            shares[i, k] = total
            through += total
        rest = 1 - through
        for row in range(0 if single_root else -1, left.size):
            i = left[row] if row >= 0 else 0
            shares[i, k] += rest * np.exp(arcs[i, k] - d)


@subkernel
def is_plain(arcs):
    """Whether all numbers off the diagonal are 0 or large enough."""
    fine = True
    for h in range(arcs.shape[0]):
        for m in range(1, arcs.shape[0]):
            fine &= (h == m) | (arcs[h, m] == 0) | (arcs[h, m] > LEAST)
    return fine


@kernel
def spread(original, arcs, order, pivots, single_root, logs, marginals):
    """Compute the marginals of the original arcs from their shares in the arcs that they have become."""
    marginals[:] = 0
    size = arcs.shape[0]
    if logs:
        share_back_logs(arcs, order, pivots, single_root, marginals)
    else:
        share_back(arcs, order, pivots, single_root, marginals)
    for h in range(size):
        for m in range(1, size):
            if marginals[h, m] > 0:
                kept = np.exp(original[h, m] - arcs[h, m]) if logs else original[h, m] / arcs[h, m]
                marginals[h, m] = min(marginals[h, m] * kept, 1.0)
            else:
                marginals[h, m] = 0  # or less, by rounding


@kernel
def spanning_marginals(scores, single_root, marginals):
    """Return the log partition over all trees, projective or not, and compute the probability of every arc.

    scores: float64[n + 1, n + 1]. single_root: exactly one word is attached to the root, otherwise at least one. marginals: float64[n + 1, n + 1],
    overwritten, or of shape (0, 0) to compute only the log partition. If no tree is allowed: -inf, and marginals of 0.
    """
    n = scores.shape[0] - 1
    original = np.empty(scores.shape)
    order, pivots = np.empty(n, np.int64), np.empty(n)
    plain, scale = normalise(scores, original)
    marginals[:] = 0
    if scale == -np.inf:
        return scale
    arcs = original.copy()
    log_z = -np.inf
    if plain:
        log_z = scale + eliminate(arcs, single_root, False, order, pivots)
        plain = is_plain(arcs)
    if plain:
        if marginals.size and log_z > -np.inf:
            spread(original, arcs, order, pivots, single_root, False, marginals)
        return log_z
    copy_table(scores, arcs)
    log_z = eliminate(arcs, single_root, True, order, pivots)
    if marginals.size and log_z > -np.inf:
        spread(scores, arcs, order, pivots, single_root, True, marginals)
    return log_z
