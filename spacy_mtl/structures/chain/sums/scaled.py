"""Linear chains, sum-product with plain numbers: products of exponentials, scaled at each position by the largest.

This takes one exponential per score, where recursions in log space take six per label, and its loops vectorize. It is exact if no product can
underflow; where one might, these functions say so, and :mod:`.marginals` works in log space instead.
"""

import numpy as np

from spacy_mtl.kernels import kernel, subkernel

#: Scores below FORBIDDEN_BELOW are forbidden and are only used if there is no other way. Those between it and LOWEST are too low for plain numbers.
FORBIDDEN_BELOW = -1e8
LOWEST = -230.0
#: About exp(LOWEST). All numbers are 0 or above this, so that a product of three is far from the smallest float64.
LEAST = 1e-100
#: Scores above this are too large for plain numbers.
HIGHEST = 50.0
#: log(2) in two parts: multiples of the first are exact in float64.
LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
LOG2_E = 1.4426950408889634


@kernel
def set_exponentials(scores, tops, bits, out):
    """Set out[k] to exp(scores[k] - tops[k]), 0 if that is below exp(-708); return whether plain numbers suffice.

    scores: float32[K, W]; tops: float64[K]; bits: int64[K, W], a buffer; out: float64[K, W].
    Computed as 2^n times a polynomial in |r| <= log(2) / 2, without calls and branches, so that the loops vectorize.
    """
    wrong = 0
    for k in range(scores.shape[0]):
        top = tops[k]
        for i in range(scores.shape[1]):
            score = np.float64(scores[k, i]) - top
            wrong += (not (score > LOWEST or score < FORBIDDEN_BELOW)) | (not score <= HIGHEST)
            x = score if score > -708.0 else -708.0
            n = np.floor(x * LOG2_E + 0.5)
            r = (x - n * LN2_HIGH) - n * LN2_LOW
            p = 1.6059043836821613e-10  # 1 / 13!, and so on
            p = p * r + 2.08767569878681e-09
            p = p * r + 2.505210838544172e-08
            p = p * r + 2.755731922398589e-07
            p = p * r + 2.7557319223985893e-06
            p = p * r + 2.48015873015873e-05
            p = p * r + 0.0001984126984126984
            p = p * r + 0.001388888888888889
            p = p * r + 0.008333333333333333
            p = p * r + 0.041666666666666664
            p = p * r + 0.16666666666666666
            p = p * r + 0.5
            out[k, i] = (p * r + 1.0) * r + 1.0 if score > -708.0 else 0.0
            bits[k, i] = (np.int64(np.int32(n)) + np.int64(1023)) << np.int64(52)
    powers = bits.view(np.float64)
    for k in range(scores.shape[0]):
        for i in range(scores.shape[1]):
            out[k, i] *= powers[k, i]
    return wrong == 0


@subkernel
def greatest(nodes):
    """The largest score of each position, float64[n], and their sum."""
    tops = np.empty(nodes.shape[0])
    total = 0.0
    for t in range(nodes.shape[0]):
        top = nodes[t, 0]
        for y in range(1, nodes.shape[1]):
            top = nodes[t, y] if nodes[t, y] > top else top
        tops[t] = top
        total += top
    return tops, total


@subkernel
def set_factors(nodes, pairs, emit, factors):
    """Set emit to exp(nodes - largest of each position), factors to exp(pairs); return whether plain numbers suffice, and the sum of the largest.

    nodes: float32[n, L]; pairs: float32[n or 1, L, L]; emit and factors: the same in float64.
    """
    n_pairs, n_labels, _ = pairs.shape
    tops, total = greatest(nodes)
    fine = set_exponentials(nodes, tops, np.empty(nodes.shape, np.int64), emit)
    shape = (n_pairs, n_labels * n_labels)
    bits = np.empty(shape, np.int64)
    fine &= set_exponentials(pairs.reshape(shape), np.zeros(n_pairs), bits, factors[:n_pairs].reshape(shape))
    return fine, total


@kernel
def forward(nodes, pairs, emit, alpha, factors):
    """Write the relative weights of the prefixes that end in each label to alpha, float64[n, L], with 1 as the largest at each position.

    Returns whether plain numbers sufficed, and the log partition. emit, factors: from :func:`set_factors`.
    """
    n, n_labels = nodes.shape
    fine, log_z = set_factors(nodes, pairs, emit, factors)
    if not fine:
        return False, 0.0
    alpha[0] = emit[0]
    for t in range(1, n):
        k = 0 if pairs.shape[0] == 1 else t
        for y in range(n_labels):
            alpha[t, y] = 0
        for x in range(n_labels):
            before = alpha[t - 1, x]
            for y in range(n_labels):
                alpha[t, y] += before * factors[k, x, y]
        top = 0.0
        for y in range(n_labels):
            alpha[t, y] *= emit[t, y]
            top = max(top, alpha[t, y])
        if not scale(alpha, t, top):
            return False, 0.0
        log_z += np.log(top)
    total = 0.0
    for y in range(n_labels):
        total += alpha[n - 1, y]
    return True, log_z + np.log(total)


@subkernel
def scale(values, t, top):
    """Divide values[t] by top; return whether each is now 0 or large enough."""
    if not top >= LEAST:
        return False
    factor, fine = 1 / top, True
    for y in range(values.shape[1]):
        values[t, y] *= factor
        fine &= (values[t, y] >= LEAST) | (values[t, y] == 0)
    return fine


@kernel
def backward(emit, alpha, factors, node_out, pair_out):
    """Compute the probabilities of labels and label pairs after :func:`forward`; return whether plain numbers sufficed.

    node_out, pair_out: as in :func:`.marginals.marginals`.
    """
    n, n_labels = emit.shape
    shared = pair_out.shape[0] == 1
    beta, ahead = np.ones((1, n_labels)), np.empty(n_labels)
    joint = np.zeros((n_labels, n_labels))
    for t in range(n - 1, -1, -1):
        share = share_of(alpha, beta, t)
        for y in range(n_labels):
            node_out[t, y] = alpha[t, y] * beta[0, y] * share
            ahead[y] = emit[t, y] * beta[0, y]
        if t == 0:
            break
        k = 0 if shared else t
        top = step_backward(factors, k, ahead, beta)
        share = share_of(alpha, beta, t - 1)
        for x in range(n_labels):
            left = alpha[t - 1, x] * share
            for y in range(n_labels):
                joint[x, y] += left * ahead[y]
        if not shared:
            multiply(joint, factors, k, pair_out)
            joint[:] = 0
        if not scale(beta, 0, top):
            return False
    multiply(joint, factors, 0, pair_out)
    return True


@subkernel
def share_of(alpha, beta, t):
    """1 / sum_y alpha[t, y] beta[0, y]."""
    total = 0.0
    for y in range(alpha.shape[1]):
        total += alpha[t, y] * beta[0, y]
    return 1 / total if total > 0 else 0.0


@subkernel
def step_backward(factors, k, ahead, beta):
    """Set beta[0, x] to sum_y factors[k, x, y] * ahead[y], with four sums in parallel; return the largest."""
    n_labels = ahead.size
    whole = n_labels - n_labels % 4
    top = 0.0
    for x in range(n_labels):
        first, second, third, fourth = 0.0, 0.0, 0.0, 0.0
        for y in range(0, whole, 4):
            first += factors[k, x, y] * ahead[y]
            second += factors[k, x, y + 1] * ahead[y + 1]
            third += factors[k, x, y + 2] * ahead[y + 2]
            fourth += factors[k, x, y + 3] * ahead[y + 3]
        for y in range(whole, n_labels):
            first += factors[k, x, y] * ahead[y]
        beta[0, x] = (first + second) + (third + fourth)
        top = max(top, beta[0, x])
    return top


@kernel
def multiply(joint, factors, k, out):
    """Set out[k] to joint * factors[k], entry by entry. joint: float64[L, L]; out: float[K, L * L]."""
    n_labels = joint.shape[0]
    for x in range(n_labels):
        for y in range(n_labels):
            out[k, x * n_labels + y] = joint[x, y] * factors[k, x, y]
