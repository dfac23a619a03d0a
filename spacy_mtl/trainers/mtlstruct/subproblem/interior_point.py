"""A primal-dual interior-point method for the working-set subproblem of Algorithm 1 (Mao and Tsang) at any p >= 1.

Mehrotra's predictor-corrector method along the central path. Every iterate is certified, and the best certificate decides
when to stop and what to return, so that neither rounding nor a bad last step can spoil the result.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError

from spacy_mtl.trainers.mtlstruct.norms import dual_norm_weights

from .central_path import Iterate, Newton, Scaled, advance, first_iterate, longest_step, scale_problem, tau_after
from .certificate import Subproblem, best_scale, certify_scaled, objectives

_TO_BOUNDARY = 0.99  # share of the way to the nearest bound that a step may go
_STALLED = 12  # once the gap is small, stop after this many iterations without a better certificate
_LOST = 40  # the same while the gap is not small
_WORTH_MORE = (
    0.3  # below tol, steps continue while each reduces the gap to this share: the error of w is the root of the gap
)
_ROUNDING = 1e-13  # smaller relative gaps are meaningless


class _Attempt(NamedTuple):
    """The settings of one run."""

    caution: float  # keeps tau above this share of the infeasibility
    restart: bool  # whether to start in the units of the best pair so far
    enough: float  # the relative gap below which no further run is made


_ATTEMPTS = (_Attempt(0.0, False, 1e-8), _Attempt(0.0, True, 1e-6), _Attempt(1e-3, True, np.inf))
_ATTEMPTS_BEYOND_2 = (_Attempt(0.0, False, 1e-8), _Attempt(1e-4, False, 1e-6), _Attempt(1e-3, True, np.inf))


class _Best(NamedTuple):
    """The best certified pair so far, in the problem's units, and how active each of its parts is."""

    gap: float
    x: np.ndarray
    mu: np.ndarray
    iteration: int
    held: np.ndarray  # (s,) x over its multiplier: large where the cut is active, tiny where it is not
    live: np.ndarray  # (m,) the same for c


def _certified(problem: Scaled, x: np.ndarray, Pv: np.ndarray, mu: np.ndarray) -> tuple[float, float]:
    """(relative gap, scale) of the best scaling of x under the weights mu."""
    t = np.sqrt(np.maximum(Pv @ x, 0.0))
    scale = best_scale(problem.norms, Pv, t, problem.q, problem.radius, problem.p, x, mu)
    primal, dual = objectives(scale * Pv, scale * t, problem.q, problem.radius, problem.p, scale * x, mu)
    return ((primal - dual) / primal if primal > 0 else 0.0), scale


def _improved(problem: Scaled, it: Iterate, best: _Best, iteration: int) -> _Best:
    """The better of best and the iterate, with the weights of its shares and, for p > 1, those of equation 12."""
    candidates = [(it.c / it.c.sum()) ** problem.gamma]
    if problem.p > 1:
        candidates.append(dual_norm_weights(np.sqrt(it.vv), problem.p))
    for mu in candidates:
        gap, scale = _certified(problem, it.x, it.Pv, mu)
        if gap < best.gap:
            held, live = it.x / (it.x.max() * it.lam), it.c * it.theta / it.z
            best = _Best(gap, scale * it.x, mu, iteration, held, live)
    return best


def _trimmed(problem: Scaled, best: _Best, tol: float) -> _Best:
    """best with exact zeros for inactive cuts, and at p = 1 for inactive templates, if its certificate stays good."""
    allowed = max(0.1 * tol, best.gap)
    for level in (1.0, 1e-2, 1e-4, 1e-6):
        x = np.where(best.held > level, best.x, 0.0)
        mu = best.mu
        if problem.p == 1:
            mu = np.where(best.live > level, mu, 0.0)
            mu = mu / mu.sum() if mu.any() else best.mu
        gap, scale = _certified(problem, x, problem.products(x), mu)
        if gap <= allowed:
            return best._replace(gap=gap, x=scale * x, mu=mu)
    return best


def _step(problem: Scaled, it: Iterate, caution: float) -> None:
    """Make one predictor-corrector step, in place."""
    newton = Newton(problem, it)
    predictor = newton.direction(0.0)
    sigma = (tau_after(it, predictor, longest_step(it, predictor)) / it.tau) ** 3
    target = max(sigma * it.tau, min(it.tau, caution * newton.infeasibility(problem)))
    corrected = newton.direction(target, predictor)
    advance(problem, it, corrected, min(1.0, _TO_BOUNDARY * longest_step(it, corrected)))


def _run(problem: Scaled, tol: float, max_iter: int, caution: float) -> _Best:
    """Run from a fresh start. caution > 0 keeps tau from decreasing much faster than the other violations."""
    it = first_iterate(problem)
    best = _Best(np.inf, it.x, it.c, 0, it.x, it.c)
    for iteration in range(max_iter + 1):
        before, best = best.gap, _improved(problem, it, best, iteration)
        patience = _STALLED if best.gap < 1e-4 else _LOST
        enough = (best.gap <= tol and best.gap > _WORTH_MORE * before) or best.gap <= _ROUNDING
        if enough or iteration - best.iteration > patience or iteration == max_iter:
            break
        try:
            _step(problem, it, caution)
        except LinAlgError:
            break
    return _trimmed(problem, best, tol)


def interior_point(Q: np.ndarray, q: np.ndarray, C: float, p: float, tol: float, max_iter: int) -> Subproblem:
    """Solve the subproblem to the relative gap tol or better, or as closely as rounding allows.

    Q: (m, s, s) positive semi-definite. q: (s,) with a positive maximum. C > 0, p >= 1. Nothing is checked.
    """
    best: Subproblem | None = None
    iterations = 0
    with np.errstate(all="ignore"):  # at the limit of rounding, a last step may overflow: its certificate shows it
        for caution, restart, enough in _ATTEMPTS if p <= 2 else _ATTEMPTS_BEYOND_2:
            guess = best.alpha if best is not None and restart else None
            problem, unit = scale_problem(Q, q, C, p, guess)
            run = _run(problem, tol, max_iter, caution)
            iterations += run.iteration
            found = certify_scaled(Q, q, C, p, unit * run.x, run.mu, iterations)
            best = found if best is None or found.gap < best.gap else best._replace(iterations=iterations)
            if best.gap <= max(tol, enough) * best.primal:
                break
    assert best is not None
    return best
