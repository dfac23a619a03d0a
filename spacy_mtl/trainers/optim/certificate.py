"""What a working-set subproblem of Algorithm 1 (Mao and Tsang) returns, with the proof of how good it is.

The cuts enter through their Gram matrices alone. Weights w_j = -mu_j sum_r a_r p_j^r (equations 7 and 13) give
<w_j, p_j^r> = -mu_j (Q_j a)_r and ||w_j|| = mu_j t_j with t_j = sqrt(a'Q_j a), so both objectives are exact for *any*
feasible a and any mu >= 0: their difference bounds the error of either, whatever solver made them.
"""

from typing import NamedTuple

import numpy as np

from ...errors import Errors
from .norms import block_norm, dual_exponent


class Subproblem(NamedTuple):
    """A solution of the subproblem over s cuts and m templates.

    alpha: (s,) >= 0 with sum <= C. mu: (m,) >= 0 template weights; they sum to 1 at p = 1. primal: 1/2 ||w||_{2,p}^2 +
    C max(0, max_r (q_r + <w, p^r>)) of the w of alpha and mu. dual: q'alpha - 1/2 ||t||_{p*}^2. gap: primal - dual, never
    negative. iterations: of the solver.
    """

    alpha: np.ndarray
    mu: np.ndarray
    primal: float
    dual: float
    gap: float
    iterations: int

    @property
    def relative_gap(self) -> float:
        """gap / primal, and 0 where the gap is 0."""
        return self.gap / self.primal if self.gap > 0 else 0.0


def check_subproblem(Q: np.ndarray, q: np.ndarray, C: float, p: float) -> tuple[np.ndarray, np.ndarray]:
    """Q and q as float64, C-contiguous, after the checks every solver needs.

    Q: (m, s, s) with m, s >= 1. q: (s,). Raises ValueError for other shapes, values that are not finite, C <= 0 or p < 1.
    """
    Q, q = np.ascontiguousarray(Q, dtype=np.float64), np.ascontiguousarray(q, dtype=np.float64)
    if Q.ndim != 3 or Q.size == 0 or Q.shape[1:] != (q.size, q.size) or q.ndim != 1:
        raise ValueError(Errors.M354.format(Q=Q.shape, q=q.shape))
    if not (np.isfinite(Q).all() and np.isfinite(q).all()):
        raise ValueError(Errors.M355)
    if not (np.isfinite(C) and C > 0):
        raise ValueError(Errors.M356.format(C=C))
    dual_exponent(p)
    return Q, q


def gram_products(Q: np.ndarray, alpha: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(Q_j a for every j, t_j = sqrt(a'Q_j a)). Q: (m, s, s). alpha: (s,). Returns (m, s) and (m,)."""
    m, s, _ = Q.shape
    products = (Q.reshape(m * s, s) @ alpha).reshape(m, s)
    return products, np.sqrt(np.maximum(products @ alpha, 0.0))


def objectives(
    products: np.ndarray, t: np.ndarray, q: np.ndarray, C: float, p: float, alpha: np.ndarray, mu: np.ndarray
) -> tuple[float, float]:
    """(primal, dual) of alpha and mu, given gram_products of alpha. Rounding alone can put primal under dual."""
    hinge = max(0.0, float(np.max(q - mu @ products)))
    primal = 0.5 * block_norm(mu * t, p) ** 2 + C * hinge
    return primal, float(q @ alpha) - 0.5 * block_norm(t, dual_exponent(p)) ** 2


def best_scale(
    products: np.ndarray, t: np.ndarray, q: np.ndarray, C: float, p: float, alpha: np.ndarray, mu: np.ndarray
) -> float:
    """The factor near 1 for alpha that leaves the smallest gap, chosen between 1 and those that just close every margin.

    A margin missed by rounding costs C times that rounding in the primal, while a longer alpha costs both objectives next
    to nothing. The products stay those of alpha before scaling.
    """
    room = C / max(float(alpha.sum()), 1e-300)
    reach, wanted = mu @ products, q > 0
    scales = [min(1.0, room)]
    if wanted.any() and (reach[wanted] > 0).all():
        closing = float(np.max(q[wanted] / reach[wanted]))
        scales += [min(closing * (1.0 + excess), room) for excess in (0.0, 1e-14, 1e-12, 1e-10)]
    gaps = []
    for scale in scales:
        primal, dual = objectives(scale * products, scale * t, q, C, p, scale * alpha, mu)
        gaps.append(primal - dual)
    return scales[int(np.argmin(gaps))]


def certify(
    Q: np.ndarray, q: np.ndarray, C: float, p: float, alpha: np.ndarray, mu: np.ndarray, iterations: int = 0
) -> Subproblem:
    """The Subproblem of a feasible alpha: (s,) and weights mu: (m,), with its two objectives. Q: (m, s, s). q: (s,)."""
    primal, dual = objectives(*gram_products(Q, alpha), q, C, p, alpha, mu)
    primal = max(primal, dual)  # weak duality: less is rounding
    return Subproblem(alpha, mu, primal, dual, primal - dual, iterations)
