"""The solution of a working-set subproblem of Algorithm 1 (Mao and Tsang), with a certificate of its quality.

The cuts only enter through their Gram matrices. Weights w_j = -mu_j sum_r a_r p_j^r (equations 7 and 13) give
<w_j, p_j^r> = -mu_j (Q_j a)_r and ||w_j|| = mu_j t_j with t_j = sqrt(a'Q_j a), so both objectives are exact for *any*
feasible a and any mu >= 0: their difference bounds the error of both, whatever the solver.
"""

from typing import NamedTuple

import numpy as np

from spacy_mtl.errors import Errors
from spacy_mtl.trainers.mtlstruct.norms import block_norm, dual_exponent


class Subproblem(NamedTuple):
    """A solution of the subproblem over s cuts and m templates.

    alpha: (s,) >= 0 with sum <= C. mu: (m,) >= 0 template weights; they sum to 1 at p = 1. primal: 1/2 ||w||_{2,p}^2 +
    C max(0, max_r (q_r + <w, p^r>)) for the w of alpha and mu. dual: q'alpha - 1/2 ||t||_{p*}^2. gap: primal - dual,
    never negative. iterations: of the solver.
    """

    alpha: np.ndarray
    mu: np.ndarray
    primal: float
    dual: float
    gap: float
    iterations: int

    @property
    def relative_gap(self) -> float:
        """gap / primal; 0 if the gap is 0, infinite if only the primal is 0."""
        if self.gap == 0:
            return 0.0
        return self.gap / self.primal if self.primal > 0 else np.inf


def check_subproblem(Q: np.ndarray, q: np.ndarray, C: float, p: float) -> tuple[np.ndarray, np.ndarray]:
    """Check the arguments of every solver, and return Q and q as C-contiguous float64.

    Q: (m, s, s) with m, s >= 1. q: (s,). Raises ValueError for other shapes, values that are not finite, C <= 0, p < 1.
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


def gram_norms(Q: np.ndarray) -> np.ndarray:
    """||p_j^r|| as (m, s). Q: (m, s, s)."""
    return np.sqrt(np.maximum(np.einsum("jrr->jr", Q), 0.0))


def gram_products(Q: np.ndarray, alpha: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(Q_j a for every j, t_j = sqrt(a'Q_j a)). Q: (m, s, s). alpha: (s,). Returns (m, s) and (m,)."""
    m, s, _ = Q.shape
    products = (Q.reshape(m * s, s) @ alpha).reshape(m, s)
    return products, np.sqrt(np.maximum(products @ alpha, 0.0))


def objectives(
    products: np.ndarray, t: np.ndarray, q: np.ndarray, C: float, p: float, alpha: np.ndarray, mu: np.ndarray
) -> tuple[float, float]:
    """(primal, dual) of alpha and mu, given gram_products of alpha. Only rounding can put primal below dual."""
    hinge = max(0.0, float(np.max(q - mu @ products)))
    primal = 0.5 * block_norm(mu * t, p) ** 2 + C * hinge
    return primal, float(q @ alpha) - 0.5 * block_norm(t, dual_exponent(p)) ** 2


def safe_dual(Q: np.ndarray, q: np.ndarray, C: float, p: float, alpha: np.ndarray) -> float:
    """A lower bound of the dual at alpha: (s,) >= 0 that holds in spite of rounding, even if it puts the sum of alpha above C."""
    alpha = alpha * min(1.0, C / max(float(alpha.sum()), 1e-300))
    eps = 4.0 * (q.size + 1) * np.finfo(np.float64).eps
    t = gram_products(Q, alpha)[1]
    t = np.sqrt(t**2 + eps * (gram_norms(Q) @ alpha) ** 2)
    gain, bend = float(q @ alpha), 0.5 * block_norm(t, dual_exponent(p)) ** 2
    return float(gain - bend - eps * (abs(gain) + bend))


def natural_lengths(norms: np.ndarray, q: np.ndarray, C: float, p: float) -> tuple[np.ndarray, float]:
    """The alpha that each cut would take alone, (s,) within (0, C], and that of the cut with the largest dual.

    norms: gram_norms(Q). q: (s,) with a positive maximum; a cut with q <= 0 is given the largest q.
    """
    curvature = np.array([block_norm(column, dual_exponent(p)) ** 2 for column in norms.T])
    gain = np.where(q > 0, q, q.max())
    alone = gain / np.maximum(curvature, gain / C)
    return alone, float(alone[np.argmax(np.where(q > 0, alone * gain - 0.5 * alone**2 * curvature, -np.inf))])


def best_scale(
    norms: np.ndarray,
    products: np.ndarray,
    t: np.ndarray,
    q: np.ndarray,
    C: float,
    p: float,
    alpha: np.ndarray,
    mu: np.ndarray,
) -> float:
    """The factor near 1 for alpha with the smallest gap: either 1, or the one that just closes all margins, including rounding.

    A margin missed by rounding costs C times the rounding error in the primal, while a slightly longer alpha costs almost
    nothing. norms: gram_norms(Q). products and t: gram_products(Q, alpha).
    """
    rounding = 4.0 * np.finfo(np.float64).eps * ((mu * (norms @ alpha)) @ norms + np.abs(q))
    room = C / max(float(alpha.sum()), 1e-300)
    reach, wanted = mu @ products, q > 0
    scales = [min(1.0, room)]
    if wanted.any() and (reach[wanted] > 0).all():
        closing = [np.max((q + share * rounding)[wanted] / reach[wanted]) for share in (0.0, 0.1, 1.0, 2.0)]
        scales += [min(float(scale), room) for scale in closing]
    norm_w, norm_v, gain = block_norm(mu * t, p), block_norm(t, dual_exponent(p)), float(q @ alpha)
    gaps = []
    for scale in scales:
        hinge = max(0.0, float(np.max(q + rounding - scale * reach)))
        gaps.append(0.5 * scale**2 * (norm_w**2 + norm_v**2) + C * hinge - scale * gain)
    return scales[int(np.argmin(gaps))]


def certify(
    Q: np.ndarray, q: np.ndarray, C: float, p: float, alpha: np.ndarray, mu: np.ndarray, iterations: int = 0
) -> Subproblem:
    """The Subproblem of a feasible alpha: (s,) and weights mu: (m,), with its two objectives. Q: (m, s, s). q: (s,)."""
    primal, dual = objectives(*gram_products(Q, alpha), q, C, p, alpha, mu)
    primal = max(primal, dual)  # by weak duality, less can only be rounding
    return Subproblem(alpha, mu, primal, dual, primal - dual, iterations)


def certify_scaled(
    Q: np.ndarray, q: np.ndarray, C: float, p: float, alpha: np.ndarray, mu: np.ndarray, iterations: int = 0
) -> Subproblem:
    """Certify after best_scale, for solvers whose alpha is correct up to rounding of its length."""
    scale = best_scale(gram_norms(Q), *gram_products(Q, alpha), q, C, p, alpha, mu)
    return certify(Q, q, C, p, scale * alpha, mu, iterations)


def zero_solution(Q: np.ndarray, q: np.ndarray, C: float, p: float) -> Subproblem:
    """The solution if no cut has a positive loss: alpha = 0, hence w = 0, with equal template weights."""
    m = len(Q)
    return certify(Q, q, C, p, np.zeros(q.size), np.full(m, 1.0 / m if p == 1 else 1.0))
