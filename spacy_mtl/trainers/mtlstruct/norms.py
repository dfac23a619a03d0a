"""The (2, p) block norm, its dual exponent, and the template weights that follow from the dual norm."""

import numpy as np

from spacy_mtl.errors import Errors


def dual_exponent(p: float) -> float:
    """p* with 1/p + 1/p* = 1; infinity at p = 1 and 1 at p = infinity. Raises ValueError where p < 1."""
    if not p >= 1:
        raise ValueError(Errors.M352.format(bound=">= 1", p=p))
    if p == 1:
        return np.inf
    return 1.0 if np.isinf(p) else float(p / (p - 1))


def block_norm(norms: np.ndarray, p: float) -> float:
    """(sum_j norms_j^p)^(1/p) for p in [1, inf], without overflow. norms: (m,) >= 0; inf gives inf and nan nan."""
    dual_exponent(p)
    norms = np.asarray(norms, dtype=np.float64)
    largest = float(norms.max(initial=0.0))
    if largest == 0.0 or not np.isfinite(largest) or np.isinf(p):
        return largest
    return largest * float(np.sum((norms / largest) ** p)) ** (1.0 / p)


def dual_norm_weights(t: np.ndarray, p: float) -> np.ndarray:
    """Template weights mu_j = (sum_k t_k^p*)^((p-2)/p) t_j^((2-p)/(p-1)), equation 12 of Mao and Tsang, for p > 1.

    t: (m,) the norms sqrt(a'Q_j a) >= 0. Returns (m,). Equation 12 depends on ratios of t alone, so t is divided by its
    maximum before any power. If t_j = 0, the block w_j is 0 whatever mu_j: for p > 2, where the formula then has no finite
    value, mu_j is 0. If all t are 0, all mu are 1. Raises ValueError where p <= 1.
    """
    if not p > 1:
        raise ValueError(Errors.M352.format(bound="> 1", p=p))
    t = np.asarray(t, dtype=np.float64)
    largest = float(t.max(initial=0.0))
    if p == 2 or largest == 0.0:
        return np.ones_like(t)
    dual = dual_exponent(p)
    ratio = t / largest
    total = np.sum(ratio**dual)
    live = ratio > 1e-300  # below, a negative power could overflow
    weights = np.zeros_like(t)
    # (2 - p)/(p - 1) = p* - 2 and (p - 2)/p = (2 - p*)/p*
    weights[live] = total ** ((2.0 - dual) / dual) * ratio[live] ** (dual - 2.0)
    return weights
