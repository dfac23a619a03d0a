"""The working-set subproblem of Algorithm 1 at p > 1: equations 11 to 13 of Mao and Tsang, by projected gradient.

The objective is smooth but, for p near 1 or large p, badly conditioned. So the accelerated projected gradient
(Nesterov's, with backtracking and the gradient restart of O'Donoghue and Candes, 2015) runs while its gap decreases
fast, and the interior-point method finishes.
"""

import numpy as np

from spacy_mtl.errors import Errors
from spacy_mtl.trainers.mtlstruct.norms import block_norm, dual_exponent, dual_norm_weights

from .certificate import (
    Subproblem,
    best_scale,
    certify_scaled,
    check_subproblem,
    gram_norms,
    gram_products,
    objectives,
    zero_solution,
)
from .interior_point import interior_point
from .projections import project_simplex_slack

__all__ = ["block_norm", "dual_exponent", "dual_norm_weights", "solve_pnorm"]

_CHECK_EVERY = 10  # steps between two certificates
_WORTH_IT = 0.1  # continue while the gap decreases at least to this share from one certificate to the next


class _Point:
    """alpha, its products Q_j alpha (m, s), the value 1/2 ||t||_{p*}^2 - q'alpha to minimize, and the weights mu."""

    def __init__(self, alpha: np.ndarray, products: np.ndarray, q: np.ndarray, p: float) -> None:
        self.alpha, self.products = alpha, products
        self.t = np.sqrt(np.maximum(products @ alpha, 0.0))
        self.mu = dual_norm_weights(self.t, p)
        self.value = 0.5 * block_norm(self.t, dual_exponent(p)) ** 2 - float(q @ alpha)

    def gradient(self, q: np.ndarray) -> np.ndarray:
        return self.mu @ self.products - q


def _first_point(Q: np.ndarray, q: np.ndarray, C: float, p: float, start: np.ndarray | None) -> _Point:
    """The start, projected onto the feasible set and scaled to its best length; without a start, the best single cut."""
    if start is None:
        start = np.zeros(q.size)
        start[np.argmax(q)] = C
    alpha = project_simplex_slack(start, C)
    point = _Point(alpha, gram_products(Q, alpha)[0], q, p)
    curvature, total = block_norm(point.t, dual_exponent(p)) ** 2, float(alpha.sum())
    gain = max(float(q @ alpha), 0.0)
    if total == 0 or gain == 0:
        return point
    length = min(gain / max(curvature, gain * total / C), C / total)
    return _Point(length * alpha, length * point.products, q, p)


def _combined(new: _Point, old: _Point, momentum: float, q: np.ndarray, p: float) -> _Point:
    """new + momentum (new - old), without a pass over Q, since products are linear in alpha."""
    alpha = new.alpha + momentum * (new.alpha - old.alpha)
    return _Point(alpha, new.products + momentum * (new.products - old.products), q, p)


def _descend(Q: np.ndarray, q: np.ndarray, C: float, p: float, at: _Point, lipschitz: float) -> tuple[_Point, float]:
    """Make one projected gradient step, with the first of lipschitz, 2 lipschitz, ... that bounds the curvature along it."""
    gradient = at.gradient(q)
    while True:
        alpha = project_simplex_slack(at.alpha - gradient / lipschitz, C)
        new = _Point(alpha, gram_products(Q, alpha)[0], q, p)
        move = alpha - at.alpha
        bound = at.value + float(gradient @ move) + 0.5 * lipschitz * float(move @ move)
        if new.value <= bound + 1e-14 * abs(at.value) or not np.isfinite(2.0 * lipschitz):
            return new, lipschitz
        lipschitz *= 2.0


def accelerated_gradient(
    Q: np.ndarray, q: np.ndarray, C: float, p: float, tol: float, max_iter: int, start: np.ndarray | None = None
) -> Subproblem:
    """Maximize equation 11 by accelerated projected gradient alone.

    Stops at a relative gap of tol, when the gap decreases too slowly, or after max_iter steps. Arguments as in
    solve_pnorm, already checked.
    """
    point = ahead = _first_point(Q, q, C, p, start)
    norms = gram_norms(Q)
    lipschitz = max(float((point.mu @ norms**2).max()), 1e-300)
    inertia, gap, iteration = 1.0, np.inf, 0
    for iteration in range(1, max_iter + 1):
        new, lipschitz = _descend(Q, q, C, p, ahead, lipschitz)
        if float((ahead.alpha - new.alpha) @ (new.alpha - point.alpha)) > 0:
            inertia, momentum = 1.0, 0.0  # the momentum points uphill
        else:
            grown = 0.5 + 0.5 * np.sqrt(1.0 + 4.0 * inertia**2)
            inertia, momentum = grown, (inertia - 1.0) / grown
        point, ahead = new, _combined(new, point, momentum, q, p)
        lipschitz *= 0.9
        if iteration % _CHECK_EVERY == 0:
            scale = best_scale(norms, point.products, point.t, q, C, p, point.alpha, point.mu)
            primal, dual = objectives(scale * point.products, scale * point.t, q, C, p, scale * point.alpha, point.mu)
            before, gap = gap, primal - dual
            if gap <= tol * primal or gap > _WORTH_IT * before:
                break
    return certify_scaled(Q, q, C, p, point.alpha, point.mu, iteration)


def solve_pnorm(
    Q: np.ndarray,
    q: np.ndarray,
    C: float,
    p: float,
    tol: float = 1e-9,
    max_iter: int = 200,
    start: np.ndarray | None = None,
) -> Subproblem:
    """max_{a >= 0, sum a <= C} q'a - 1/2 (sum_j t_j^p*)^(2/p*),  t_j = sqrt(a'Q_j a),  p* = p/(p - 1),  for p > 1.

    Q: (m, s, s) positive semi-definite Gram matrices of the cuts, one per template, in any scale and of any rank.
    q: (s,) losses of the cuts. tol: relative duality gap at which to stop. max_iter: largest number of gradient steps, and
    of interior-point steps. start: up to s alphas of an earlier round, the rest 0. If rounding stops progress first,
    the best pair found is returned with its true gap; for large p, templates whose t_j vanishes can limit it to about
    1e-6. Raises ValueError for wrong shapes, values that are not finite, C <= 0, or p <= 1.
    """
    Q, q = check_subproblem(Q, q, C, p)
    if p == 1:
        raise ValueError(Errors.M352.format(bound="> 1", p=p))
    if start is not None:
        start = np.asarray(start, dtype=np.float64)
        if start.size > q.size:
            raise ValueError(Errors.M353.format(got=start.size, expected=q.size))
        start = np.concatenate((start, np.zeros(q.size - start.size)))
    if q.max() <= 0:
        return zero_solution(Q, q, C, p)
    first = accelerated_gradient(Q, q, C, p, tol, max_iter, start)
    if first.gap <= tol * first.primal:
        return first
    second = interior_point(Q, q, C, p, tol, max_iter)
    best = min(first, second, key=lambda solution: solution.gap)
    return best._replace(iterations=first.iterations + second.iterations)
