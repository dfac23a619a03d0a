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

from .certificate import best_scale, gram_products, objectives
from .norms import block_norm, dual_exponent, dual_norm_weights

_TO_BOUNDARY = 0.99  # share of the way to the nearest bound that a step may take
_STALLED = 12  # iterations without a better certificate before rounding is taken to have won


class _Problem(NamedTuple):
    """The subproblem in units where the largest q and a typical sum of a are 1: a = unit x, Q_j a = q_unit/kappa ..."""

    Q: np.ndarray  # (m, s, s), not scaled
    kappa: float  # multiplies Q
    q: np.ndarray  # (s,), maximum 1
    radius: float  # bound on the sum of x
    p: float

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


def _scaled(Q: np.ndarray, q: np.ndarray, C: float, p: float) -> tuple[_Problem, float]:
    """The problem in its own units, and the unit of alpha: where the best single cut would put its alpha."""
    useful = np.flatnonzero(q > 0)
    diagonal = np.sqrt(np.maximum(np.einsum("jrr->rj", Q)[useful], 0.0))
    curvature = np.array([block_norm(norms, dual_exponent(p)) ** 2 for norms in diagonal])
    alone = q[useful] / np.maximum(curvature, q[useful] / C)
    unit = float(alone[np.argmax(alone * q[useful] - 0.5 * alone**2 * curvature)])
    return _Problem(Q, unit / float(q.max()), q / q.max(), C / unit, p), unit


def _first_iterate(problem: _Problem) -> _Iterate:
    m, s, _ = problem.Q.shape
    x = np.full(s, min(1.0, 0.5 * problem.radius) / s)
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

    def direction(self, tau: float, second_order: _Direction | None = None, block=None) -> _Direction:
        """Newton's step to complementarity tau, corrected by the products of an earlier step's parts."""
        it = self.it
        for_x, for_slack, for_c = tau - it.x * it.lam, tau - it.slack * it.nu, tau - it.c * it.z
        if second_order is not None:
            for_x = for_x - second_order.x * second_order.lam
            for_slack -= second_order.slack * second_order.nu
            for_c = for_c - second_order.c * second_order.z
        b = self.stationarity + self.bilinear + for_c / it.c
        if block is not None: b = b + block[0]
        shift = (float(np.sum(b / self.D)) + self.total) / self.sum_inverse
        rhs = -self.dual + for_x / it.x - for_slack / it.slack
        if block is not None: rhs = rhs - block[1]
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


def block_second(it,d,dPv,gamma):
    mu = it.c**gamma
    c=it.c
    deta=-gamma*c**(-gamma-1)*d.c
    k = c**-gamma + deta
    vv, vdv, dvdv, wdv = it.vv, it.Pv @ d.x, dPv @ d.x, it.Pw @ d.x
    wdw = mu * (it.wv + wdv - k * it.ww)
    dwdw = mu**2 * (vv + dvdv + k**2 * it.ww + 2.0 * (vdv - k * it.wv - k * wdv))
    dU=mu[:, None] * (it.Pv + dPv - k[:, None] * it.Pw)
    h2=.5*gamma*(gamma+1)*c**(-gamma-2)*d.c**2
    dual2=-(mu*deta)@dU-(mu*h2)@it.Pw
    sta=.5*c**(-gamma-1)*dwdw-(gamma+1)*c**(-gamma-2)*d.c*wdw+.25*it.ww*(gamma+1)*(gamma+2)*c**(-gamma-3)*d.c**2
    bil=c**(-gamma-1)*mu*(-deta*wdw-h2*it.ww)
    return sta+bil,dual2

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
    """The best certified pair so far, in the problem's units."""

    gap: float
    x: np.ndarray
    mu: np.ndarray
    iteration: int


def _weight_candidates(c: np.ndarray, t: np.ndarray, p: float) -> list[np.ndarray]:
    """Template weights to certify: those of the shares, and for p > 1 those of equation 12."""
    shares = (c / c.sum()) ** (2.0 / p - 1.0)
    return [shares] if p == 1 else [shares, dual_norm_weights(t, p)]


def _improved(problem: _Problem, it: _Iterate, best: _Best, iteration: int) -> _Best:
    """The better of best and what the iterate certifies, as it is and without the cuts and templates it gives up."""
    keep = it.x > it.lam * it.x.max()
    for x, Pv in ((it.x, it.Pv), (np.where(keep, it.x, 0.0), None)):
        Pv = problem.products(x) if Pv is None else Pv
        t = np.sqrt(np.maximum(Pv @ x, 0.0))
        for mu in _weight_candidates(it.c, t, problem.p):
            scale = best_scale(Pv, t, problem.q, problem.radius, problem.p, x, mu)
            primal, dual = objectives(scale * Pv, scale * t, problem.q, problem.radius, problem.p, scale * x, mu)
            gap = (primal - dual) / primal if primal > 0 else 0.0
            if gap < best.gap:
                best = _Best(gap, scale * x, mu, iteration)
    return best


def interior_point(
    Q: np.ndarray, q: np.ndarray, C: float, p: float, tol: float, max_iter: int
) -> tuple[np.ndarray, np.ndarray, int]:
    """(alpha, mu, iterations) of the subproblem, as near to the relative gap tol as rounding allows.

    Q: (m, s, s) positive semi-definite. q: (s,) with a positive maximum. C > 0, p >= 1.
    """
    problem, unit = _scaled(Q, q, C, p)
    it = _first_iterate(problem)
    best = _Best(np.inf, it.x, it.c, 0)
    for iteration in range(max_iter + 1):
        best = _improved(problem, it, best, iteration)
        if best.gap <= tol or iteration - best.iteration > _STALLED or iteration == max_iter:
            break
        try:
            newton = _Newton(problem, it)
        except LinAlgError:
            break
        d = newton.direction(0.0)
        sigma = (_after(it, d, _longest_step(it, d)) / it.tau) ** 3
        target = max(sigma * it.tau, min(it.tau, GUARD*newton.infeasibility(problem)))
        block = None
        if problem.gamma<0 and BLOCK: block = block_second(it,d,problem.products(d.x),problem.gamma)
        d = newton.direction(target, d, block)
        _advance(problem, it, d, min(1.0, _TO_BOUNDARY * _longest_step(it, d)))
        if VERBOSE: print(iteration, '%.1e'%best.gap, 'tau %.1e'%it.tau, 'inf %.1e'%newton.infeasibility(problem), 'sig %.1e'%sigma)
    return unit * best.x, best.mu, iteration
import os
VERBOSE=0; BLOCK=0; GUARD=float(os.environ.get("GUARD","0.01"))
