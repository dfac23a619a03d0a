"""Proximal operators of block-norm regularizers (Martins et al., section 3).

A regularizer Omega(theta) = omega(||theta_1||, ..., ||theta_M||) has a proximal operator that scales whole blocks, so it can be computed
from the block norms alone (their Proposition 1):  prox_tau(b) = argmin_x 1/2 ||x - b||^2 + tau omega(x),  x >= 0.
"""

from typing import NamedTuple

import numpy as np

from spacy_mtl.errors import Errors
from spacy_mtl.kernels import kernel, subkernel

#: More Newton steps than a root ever takes: convergence is monotone, and quadratic near the root.
NEWTON_STEPS = 100


class Regularizer(NamedTuple):
    """omega(b) = l2 / 2 sum_m b_m^2 + l21 / 2 (sum_m b_m)^2 + lq / q sum_m b_m^q, three summands with weights >= 0.

    l2: the plain support vector machine. l21: sparse multiple kernel learning. lq: any q >= 1; non-sparse for 1 < q <= 2, and q = 2 equals l2.
    """

    l2: float
    l21: float
    lq: float
    q: float


@subkernel
def shrink_l2(norms, tau):
    """The prox of tau/2 sum b^2, in place: a scaling. norms: float64[M] >= 0."""
    norms /= 1 + tau


@subkernel
def shrink_l21(norms, tau):
    """The prox of tau/2 (sum b)^2, in place: soft-thresholding with one threshold. norms: float64[M] >= 0. O(M log M).

    The threshold is tau/(1 + rho tau) sum_{k <= rho} b_k over the rho largest b, which are those that exceed it.
    """
    if not tau > 0 or norms.size == 0:
        return
    falling = np.sort(norms)[::-1]
    total, threshold = 0.0, falling[0]
    for k in range(falling.size):
        total += falling[k]
        level = total / (1 / tau + (k + 1))
        if not falling[k] > level:
            break
        threshold = level
    for m in range(norms.size):
        norms[m] = max(norms[m] - threshold, 0.0)


@subkernel
def power_root(a, c, p):
    """The z in (0, 1] with a z^p + c z = 1, where p > 1, 0 <= a, c <= 1, and a or c is 1.

    The left side is convex and increasing, so Newton's method descends to the root from z = 1 without overshooting.
    """
    z = 1.0
    for _ in range(NEWTON_STEPS):
        power = a * z ** (p - 1)
        step = (power * z + c * z - 1) / (p * power + c)
        if not step > 1e-16 * z:
            break
        z -= step
    return z


@subkernel
def shrink_lq(norms, tau, q):
    """The prox of tau/q sum b^q, in place and block by block: the root of x + tau x^(q-1) = b. norms: float64[M] >= 0; q >= 1.

    q = 1 is soft-thresholding at tau. Otherwise the equation is solved for x (q > 2) or x^(q-1) (q < 2), whichever makes it convex, and with
    logarithms, so that no power overflows.
    """
    if not tau > 0:
        return
    if q == 1:
        for m in range(norms.size):
            norms[m] = max(norms[m] - tau, 0.0)
    elif q == 2:
        shrink_l2(norms, tau)
    else:
        p = q - 1 if q > 2 else 1 / (q - 1)
        log_a, log_c = (np.log(tau), 0.0) if q > 2 else (0.0, np.log(tau))
        for m in range(norms.size):
            if norms[m] > 0:
                log_b = np.log(norms[m])
                log_u = min((log_b - log_a) / p, log_b - log_c)
                z = power_root(np.exp(log_a + p * log_u - log_b), np.exp(log_c + log_u - log_b), p)
                # if b itself bounds the root, its logarithm is not needed
                factor = z if q > 2 else z**p
                bound = log_u if q > 2 else p * log_u
                norms[m] = (norms[m] if bound == log_b else np.exp(bound)) * factor


@kernel
def shrink(norms, regularizer, tau):
    """Apply the proximal operators of tau times each summand (l21, lq, l2) one after another, in place. norms: float64[M] >= 0."""
    if regularizer.l21 > 0:
        shrink_l21(norms, tau * regularizer.l21)
    if regularizer.lq > 0:
        shrink_lq(norms, tau * regularizer.lq, regularizer.q)
    if regularizer.l2 > 0:
        shrink_l2(norms, tau * regularizer.l2)


def prox(norms: np.ndarray, regularizer: Regularizer, tau: float) -> np.ndarray:
    """:func:`shrink` with checks, and not in place. For a single summand, this is its proximal operator.

    norms: float64[M], finite and >= 0. Returns float64[M]. Raises ValueError: M360 invalid norms, M361 tau not finite or below 0, M362 weights
    below 0, or q below 1.
    """
    norms = np.array(norms, np.float64)
    if norms.ndim != 1 or not np.isfinite(norms).all() or (norms < 0).any():
        raise ValueError(Errors.M360.format(shape=norms.shape))
    if not (np.isfinite(tau) and tau >= 0):
        raise ValueError(Errors.M361.format(tau=tau))
    if not (np.isfinite(regularizer).all() and min(regularizer[:3]) >= 0 and regularizer.q >= 1):
        raise ValueError(Errors.M362.format(regularizer=regularizer))
    shrink(norms, Regularizer(*map(float, regularizer)), float(tau))
    return norms


def omega(norms: np.ndarray, regularizer: Regularizer) -> float:
    """The value of a regularizer at block norms float64[M] >= 0."""
    l2, l21, lq, q = regularizer
    powers = lq / q * np.sum(norms**q) if lq else 0.0
    return float(l2 / 2 * np.sum(norms**2) + l21 / 2 * np.sum(norms) ** 2 + powers)
