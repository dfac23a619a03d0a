"""A primal-dual interior-point method for the working-set subproblem of Algorithm 1 (Mao and Tsang) at any p >= 1.

With shares c on the simplex and template weights mu_j = c_j^gamma, gamma = (2 - p)/p, the variational form of the norm is

    1/2 ||t||_{p*}^2 = extremum over c of  1/2 sum_j c_j^gamma t_j^2,    t_j = sqrt(a'Q_j a),

a maximum for p < 2, a minimum (jointly convex in a and c) for p > 2, reached at c_j proportional to t_j^p*. At p = 1 the
shares are the multipliers of the QCQP (equation 6); elsewhere c^gamma is equation 12. With multipliers lam of a >= 0,
slack and nu of sum a <= C, and z_j of c_j >= 0, one set of conditions serves every p:

    sum_j mu_j Q_j a - q - lam + nu = 0,    1/2 c_j^(-gamma-1) ||w_j||^2 + z_j = theta,    sum_j c_j = 1,
    w_j = mu_j v_j  (v_j: the block sum_r a_r p_j^r, known by its products only),
    a lam = slack nu = c z = tau -> 0.

For p > 2 a template whose t_j vanishes makes w_j = mu_j v_j a quotient of zeros; there w_j is carried as an unknown of its
own, c_j^(-gamma) w_j = v_j, through <w_j, p_j^r>, ||w_j||^2 and <w_j, v_j>. Steps are Mehrotra's predictor and corrector.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from .certificate import Subproblem, best_scale, certify_scaled, gram_norms, natural_lengths, objectives
from .norms import dual_norm_weights

_TO_BOUNDARY = 0.99  # share of the way to the nearest bound that a step may take
_STALLED = 12  # iterations without a better certificate before rounding is taken to have won, once the gap is small
_LOST = 40  # the same while it is not
_GOOD = 1e-8  # relative gap above which a run is not good enough to be the only one


class _Problem(NamedTuple):
    """The subproblem in units where the largest q and a typical sum of a are 1: a = unit x, Q_j a = q_unit/kappa ..."""

    Q: np.ndarray  # (m, s, s), not scaled
    kappa: float  # multiplies Q
    norms: np.ndarray  # (m, s), the square roots of the scaled diagonals
    q: np.ndarray  # (s,), maximum 1
    radius: float  # bound on the sum of x
    p: float
    lengths: np.ndarray  # (s,) what each x would be alone

    @property
    def gamma(self) -> float:
        return 2.0 / self.p - 1.0

    def products(self, x: np.ndarray) -> np.ndarray:
        m, s, _ = self.Q.shape
        return self.kappa * (self.Q.reshape(m * s, s) @ x).reshape(m, s)

    def mixture(self, mu: np.ndarray) -> np.ndarray:
        m, s, _ = self.Q.shape
        return self.kappa * (mu @ self.Q.reshape(m, s * s)).reshape(s, s)


@dataclass
class _Iterate:
    """Unknowns and what is kept of the blocks: v through Pv = <v_j, p_j^r> (m, s); w through Pw, ww = ||w_j||^2, wv = <w_j, v_j>."""

    x: np.ndarray
    lam: np.ndarray
    slack: float
    nu: float
    c: np.ndarray
    z: np.ndarray
    theta: float
    Pv: np.ndarray
    Pw: np.ndarray
    ww: np.ndarray
    wv: np.ndarray

    @property
    def vv(self) -> np.ndarray:
        return np.maximum(self.Pv @ self.x, 0.0)

    @property
    def tau(self) -> float:
        products = self.x @ self.lam + self.slack * self.nu + self.c @ self.z
        return float(products) / (self.x.size + self.c.size + 1)

    def follow(self, gamma: float) -> None:
        """Set w_j = mu_j v_j."""
        mu, vv = self.c**gamma, self.vv
        self.Pw, self.ww, self.wv = mu[:, None] * self.Pv, mu**2 * vv, mu * vv


class _Direction(NamedTuple):
    x: np.ndarray
    lam: np.ndarray
    slack: float
    nu: float
    c: np.ndarray
    z: np.ndarray
    theta: float


def _scaled(
    Q: np.ndarray, q: np.ndarray, C: float, p: float, guess: np.ndarray | None = None
) -> tuple[_Problem, float]:
    """The problem in its own units, and the unit of alpha: what the best cut takes alone, or the length of a guess."""
    norms = gram_norms(Q)
    lengths, unit = natural_lengths(norms, q, C, p)
    if guess is not None and guess.any():
        unit = float(guess.sum())
        lengths = np.maximum(guess, np.minimum(lengths, 1e-3 * unit))
    kappa = unit / float(q.max())
    return _Problem(Q, kappa, np.sqrt(kappa) * norms, q / q.max(), C / unit, p, lengths / unit), unit


def _first_iterate(problem: _Problem) -> _Iterate:
    m, s, _ = problem.Q.shape
    x = problem.lengths / s
    x = x * min(1.0, 0.5 * problem.radius / float(x.sum()))
    slack = problem.radius - float(x.sum())
    c, lam = np.full(m, 1.0 / m), np.ones(s)
    Pv = problem.products(x)
    empty = np.zeros(m)
    it = _Iterate(x, lam, slack, float(x.mean()) / slack, c, empty, 0.0, Pv, Pv, empty, empty)
    it.follow(problem.gamma)
    level = 0.5 * it.ww * c ** (-problem.gamma - 1.0)
    it.theta = max(1.5 * float(level.max()), 0.01)
    it.z = np.maximum(it.theta - level, 0.1 * it.theta)
    return it


class _Newton:
    """The linearized conditions at an iterate, reduced to one symmetric positive definite s x s system."""

    def __init__(self, problem: _Problem, it: _Iterate) -> None:
        gamma, c = problem.gamma, it.c
        self.it, self.gamma, self.mu = it, gamma, c**gamma
        level = it.ww * c ** (-gamma - 1.0)
        self.dual = self.mu @ it.Pv - problem.q - it.lam + it.nu
        self.stationarity = 0.5 * level + it.z - it.theta
        self.bilinear = it.wv / c - level  # what ||w_j||^2 gains when w_j = mu_j v_j is restored
        self.total = float(c.sum()) - 1.0
        self.D = 0.5 * (1.0 - gamma) * level / c + it.z / c
        self.pull = it.Pw / c[:, None]
        self.sum_inverse = float(np.sum(1.0 / self.D))
        self.mean_pull = (1.0 / self.D) @ self.pull / self.sum_inverse
        self._factor(problem)

    def _factor(self, problem: _Problem) -> None:
        it = self.it
        spread = (self.pull - self.mean_pull) / np.sqrt(self.D)[:, None]
        K = problem.mixture(self.mu) + self.gamma * (spread.T @ spread) + it.nu / it.slack
        K[np.diag_indices_from(K)] += it.lam / it.x
        self.K = 0.5 * (K + K.T)
        diagonal = np.diag(self.K)
        if not (np.isfinite(self.K).all() and (diagonal > 0).all()):
            raise LinAlgError
        self.jacobi = 1.0 / np.sqrt(diagonal)
        scaled = self.K * self.jacobi * self.jacobi[:, None]
        for ridge in (0.0, 1e-15, 1e-13, 1e-11, 1e-9):
            try:
                self.factor = cho_factor(scaled + ridge * np.eye(diagonal.size))
                return
            except LinAlgError:
                continue
        raise LinAlgError

    def _solve(self, rhs: np.ndarray) -> np.ndarray:
        first = self.jacobi * cho_solve(self.factor, self.jacobi * rhs)
        return first + self.jacobi * cho_solve(self.factor, self.jacobi * (rhs - self.K @ first))

    def infeasibility(self, problem: _Problem) -> float:
        """The largest relative violation of the conditions other than complementarity."""
        it = self.it
        dual = it.Pw.sum(axis=0) - problem.q - it.lam + it.nu
        blocks = self.mu[:, None] * it.Pv - it.Pw
        return max(
            float(np.abs(self.stationarity).max()) / it.theta,
            abs(self.total),
            float(np.abs(dual).max()),
            float(np.abs(blocks).max()),
        )

    def direction(self, tau: float, second_order: _Direction | None = None) -> _Direction:
        """Newton's step to complementarity tau, corrected by the products of an earlier step's parts."""
        it = self.it
        for_x, for_slack, for_c = tau - it.x * it.lam, tau - it.slack * it.nu, tau - it.c * it.z
        if second_order is not None:
            for_x = for_x - second_order.x * second_order.lam
            for_slack -= second_order.slack * second_order.nu
            for_c = for_c - second_order.c * second_order.z
        b = self.stationarity + self.bilinear + for_c / it.c
        shift = (float(np.sum(b / self.D)) + self.total) / self.sum_inverse
        rhs = -self.dual + for_x / it.x - for_slack / it.slack
        rhs += self.gamma * ((shift - b) / self.D) @ self.pull
        x = self._solve(rhs)
        theta = float(self.mean_pull @ x) + shift
        c = (self.pull @ x - theta + b) / self.D
        slack = -float(x.sum())
        return _Direction(
            x,
            (for_x - it.lam * x) / it.x,
            slack,
            (for_slack - it.nu * slack) / it.slack,
            c,
            (for_c - it.z * c) / it.c,
            theta,
        )


def _longest_step(it: _Iterate, d: _Direction) -> float:
    """The largest step <= 1 that keeps every bounded unknown non-negative."""
    values = np.concatenate((it.x, it.lam, it.c, it.z, (it.slack, it.nu)))
    changes = np.concatenate((d.x, d.lam, d.c, d.z, (d.slack, d.nu)))
    falling = changes < 0
    return min(1.0, float(np.min(-values[falling] / changes[falling], initial=np.inf)))


def _after(it: _Iterate, d: _Direction, step: float) -> float:
    """tau after a step."""
    products = (it.x + step * d.x) @ (it.lam + step * d.lam) + (it.c + step * d.c) @ (it.z + step * d.z)
    products += (it.slack + step * d.slack) * (it.nu + step * d.nu)
    return float(products) / (it.x.size + it.c.size + 1)


def _move_blocks(it: _Iterate, d: _Direction, step: float, dPv: np.ndarray, gamma: float) -> None:
    """Move w_j by the linearization of c_j^(-gamma) w_j = v_j: dw = mu (v + dv - k w), k the value and change of c^(-gamma)."""
    mu = it.c**gamma
    k = it.c**-gamma - gamma * it.c ** (-gamma - 1.0) * d.c
    vv, vdv, dvdv, wdv = it.vv, it.Pv @ d.x, dPv @ d.x, it.Pw @ d.x
    wdw = mu * (it.wv + wdv - k * it.ww)
    vdw = mu * (vv + vdv - k * it.wv)
    dvdw = mu * (vdv + dvdv - k * wdv)
    dwdw = mu**2 * (vv + dvdv + k**2 * it.ww + 2.0 * (vdv - k * it.wv - k * wdv))
    it.Pw = it.Pw + step * mu[:, None] * (it.Pv + dPv - k[:, None] * it.Pw)
    it.ww = np.maximum(it.ww + 2.0 * step * wdw + step**2 * dwdw, 0.0)
    it.wv = it.wv + step * (wdv + vdw) + step**2 * dvdw


def _advance(problem: _Problem, it: _Iterate, d: _Direction, step: float) -> None:
    if problem.gamma < 0:
        _move_blocks(it, d, step, problem.products(d.x), problem.gamma)
    it.x, it.lam = it.x + step * d.x, it.lam + step * d.lam
    it.c, it.z = it.c + step * d.c, it.z + step * d.z
    it.slack, it.nu = it.slack + step * d.slack, it.nu + step * d.nu
    it.theta += step * d.theta
    it.Pv = problem.products(it.x)
    if problem.gamma >= 0:
        it.follow(problem.gamma)


class _Best(NamedTuple):
    """The best certified pair so far, in the problem's units, and how far each part of it is from being given up."""

    gap: float
    x: np.ndarray
    mu: np.ndarray
    iteration: int
    held: np.ndarray  # (s,) x over its multiplier: large where the cut is active, tiny where it is not
    live: np.ndarray  # (m,) the same for c


def _certified(problem: _Problem, x: np.ndarray, Pv: np.ndarray, mu: np.ndarray) -> tuple[float, float]:
    """(relative gap, scale) of the best scaling of x under the weights mu."""
    t = np.sqrt(np.maximum(Pv @ x, 0.0))
    scale = best_scale(problem.norms, Pv, t, problem.q, problem.radius, problem.p, x, mu)
    primal, dual = objectives(scale * Pv, scale * t, problem.q, problem.radius, problem.p, scale * x, mu)
    return ((primal - dual) / primal if primal > 0 else 0.0), scale


def _improved(problem: _Problem, it: _Iterate, best: _Best, iteration: int) -> _Best:
    """The better of best and the iterate, under the weights of its shares and, for p > 1, those of equation 12."""
    candidates = [(it.c / it.c.sum()) ** problem.gamma]
    if problem.p > 1:
        candidates.append(dual_norm_weights(np.sqrt(it.vv), problem.p))
    for mu in candidates:
        gap, scale = _certified(problem, it.x, it.Pv, mu)
        if gap < best.gap:
            held, live = it.x / (it.x.max() * it.lam), it.c * it.theta / it.z
            best = _Best(gap, scale * it.x, mu, iteration, held, live)
    return best


def _trimmed(problem: _Problem, best: _Best, tol: float) -> _Best:
    """best with exact zeros for the cuts, and at p = 1 the templates, that are not active, where that keeps its certificate."""
    allowed = max(tol, best.gap)
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


def _run(problem: _Problem, tol: float, max_iter: int, caution: float) -> _Best:
    """Predictor-corrector steps. caution > 0 keeps tau from falling far ahead of the other conditions."""
    it = _first_iterate(problem)
    best = _Best(np.inf, it.x, it.c, 0, it.x, it.c)
    for iteration in range(max_iter + 1):
        best = _improved(problem, it, best, iteration)
        patience = _STALLED if best.gap < 1e-4 else _LOST
        if best.gap <= tol or iteration - best.iteration > patience or iteration == max_iter:
            break
        try:
            newton = _Newton(problem, it)
        except LinAlgError:
            break
        d = newton.direction(0.0)
        sigma = (_after(it, d, _longest_step(it, d)) / it.tau) ** 3
        target = max(sigma * it.tau, min(it.tau, caution * newton.infeasibility(problem)))
        d = newton.direction(target, d)
        _advance(problem, it, d, min(1.0, _TO_BOUNDARY * _longest_step(it, d)))
    return _trimmed(problem, best, tol)


def interior_point(Q: np.ndarray, q: np.ndarray, C: float, p: float, tol: float, max_iter: int) -> Subproblem:
    """The subproblem's solution, as near to the relative gap tol as rounding allows.

    Q: (m, s, s) positive semi-definite. q: (s,) with a positive maximum. C > 0, p >= 1.
    """
    best: Subproblem | None = None
    iterations = 0
    for caution in (0.0, 0.0, 1e-3):  # again from the units of the best pair found, and again with small steps in tau
        problem, unit = _scaled(Q, q, C, p, best.alpha if best is not None else None)
        run = _run(problem, tol, max_iter, caution)
        found = certify_scaled(Q, q, C, p, unit * run.x, run.mu, run.iteration)
        iterations += found.iterations
        best = found if best is None or found.gap < best.gap else best
        if best.gap <= max(tol, _GOOD) * best.primal:
            break
    return best._replace(iterations=iterations)
