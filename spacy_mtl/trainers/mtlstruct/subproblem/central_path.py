"""The central path of Algorithm 1's subproblem (Mao and Tsang) at any p >= 1, and Newton steps along it.

With shares c on the simplex and template weights mu_j = c_j^gamma, gamma = (2 - p)/p, the norm is, variationally,

    1/2 ||t||_{p*}^2 = extremum over c of  1/2 sum_j c_j^gamma t_j^2,    t_j = sqrt(a'Q_j a),

a maximum for p < 2 and a minimum, jointly convex in a and c, for p > 2; both lie at c_j proportional to t_j^p*.
At p = 1 the shares are the multipliers of the QCQP (equation 6); elsewhere c^gamma is equation 12. With multipliers
lam of a >= 0, the slack of sum a <= C and its multiplier nu, and z_j of c_j >= 0, the same conditions serve every p:

    sum_j mu_j Q_j a - q - lam + nu = 0,    1/2 c_j^(-gamma-1) ||w_j||^2 + z_j = theta,    sum_j c_j = 1,
    c_j^(-gamma) w_j = v_j,  v_j = sum_r a_r p_j^r,    a lam = slack nu = c z = tau,  tau -> 0.

Blocks are represented only by their inner products. For p <= 2, w_j = mu_j v_j holds exactly. For p > 2 this is 0/0
where v_j vanishes, so w_j is an unknown of its own, represented by <w_j, p_j^r>, ||w_j||^2 and <w_j, v_j>. The
sign of the paper's w_j = -mu_j v_j is dropped here.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from .certificate import gram_norms, natural_lengths


class Scaled(NamedTuple):
    """The subproblem in units in which the largest q and a typical sum of alpha are 1: x = alpha / unit, kappa Q for Q."""

    Q: np.ndarray  # (m, s, s), not scaled
    kappa: float  # multiplies Q
    norms: np.ndarray  # (m, s), the square roots of the scaled diagonals
    q: np.ndarray  # (s,), maximum 1
    radius: float  # bound on the sum of x
    p: float
    lengths: np.ndarray  # (s,) the expected size of each x

    @property
    def gamma(self) -> float:
        """(2 - p)/p."""
        return 2.0 / self.p - 1.0

    def products(self, x: np.ndarray) -> np.ndarray:
        """kappa Q_j x, (m, s)."""
        m, s, _ = self.Q.shape
        return self.kappa * (self.Q.reshape(m * s, s) @ x).reshape(m, s)

    def mixture(self, mu: np.ndarray) -> np.ndarray:
        """kappa sum_j mu_j Q_j, (s, s)."""
        m, s, _ = self.Q.shape
        return self.kappa * (mu @ self.Q.reshape(m, s * s)).reshape(s, s)


@dataclass
class Iterate:
    """The unknowns, and the inner products that represent the blocks."""

    x: np.ndarray  # (s,) > 0, alpha in the problem's unit
    lam: np.ndarray  # (s,) > 0
    slack: float  # radius - sum x > 0
    nu: float
    c: np.ndarray  # (m,) > 0
    z: np.ndarray  # (m,) > 0
    theta: float
    Pv: np.ndarray  # (m, s) <v_j, p_j^r>
    Pw: np.ndarray  # (m, s) <w_j, p_j^r>
    ww: np.ndarray  # (m,) ||w_j||^2
    wv: np.ndarray  # (m,) <w_j, v_j>

    @property
    def vv(self) -> np.ndarray:
        """||v_j||^2, (m,)."""
        return np.maximum(self.Pv @ self.x, 0.0)

    @property
    def tau(self) -> float:
        """The mean product of the complementary pairs."""
        products = self.x @ self.lam + self.slack * self.nu + self.c @ self.z
        return float(products) / (self.x.size + self.c.size + 1)

    def follow(self, gamma: float) -> None:
        """Set w_j = mu_j v_j."""
        mu, vv = self.c**gamma, self.vv
        self.Pw, self.ww, self.wv = mu[:, None] * self.Pv, mu**2 * vv, mu * vv


class Direction(NamedTuple):
    """Changes of the unknowns of an Iterate."""

    x: np.ndarray
    lam: np.ndarray
    slack: float
    nu: float
    c: np.ndarray
    z: np.ndarray
    theta: float


def scale_problem(
    Q: np.ndarray, q: np.ndarray, C: float, p: float, guess: np.ndarray | None = None
) -> tuple[Scaled, float]:
    """The problem in its own units, and the unit of alpha: the alpha of the best single cut, or the length of a guess."""
    norms = gram_norms(Q)
    lengths, unit = natural_lengths(norms, q, C, p)
    if guess is not None and guess.any():
        unit = float(guess.sum())
        lengths = np.maximum(guess, np.minimum(lengths, 1e-3 * unit))
    kappa = unit / float(q.max())
    return Scaled(Q, kappa, np.sqrt(kappa) * norms, q / q.max(), C / unit, p, lengths / unit), unit


def first_iterate(problem: Scaled) -> Iterate:
    """A start inside all bounds, with each cut at a share of the alpha that it would take alone."""
    m, s, _ = problem.Q.shape
    x = problem.lengths / s
    x = x * min(1.0, 0.5 * problem.radius / float(x.sum()))
    slack = problem.radius - float(x.sum())
    c, lam = np.full(m, 1.0 / m), np.ones(s)
    Pv = problem.products(x)
    empty = np.zeros(m)
    it = Iterate(x, lam, slack, float(x.mean()) / slack, c, empty, 0.0, Pv, Pv, empty, empty)
    it.follow(problem.gamma)
    level = 0.5 * it.ww * c ** (-problem.gamma - 1.0)
    it.theta = max(1.5 * float(level.max()), 0.01)
    it.z = np.maximum(it.theta - level, 0.1 * it.theta)
    return it


class Newton:
    """The linearized conditions at an iterate, reduced to one symmetric positive definite s x s system.

    Eliminating dw, dz, dlam, then dc = (pull dx - dtheta + b) / D and dtheta leaves for dx, bordered by the sum
    constraint, the matrix K = sum_j mu_j Q_j + gamma sum_j (pull_j - mean)(pull_j - mean)' / D_j + diag(lam/x).
    For gamma < 0 it stays definite: D_j >= (1 + |gamma|)/2 c_j^(-gamma-2) ||w_j||^2 keeps the subtracted terms below
    mu_j Q_j.
    """

    def __init__(self, problem: Scaled, it: Iterate) -> None:
        gamma, c = problem.gamma, it.c
        self.it, self.gamma, self.mu = it, gamma, c**gamma
        level = it.ww * c ** (-gamma - 1.0)
        self.dual = self.mu @ it.Pv - problem.q - it.lam + it.nu
        self.stationarity = 0.5 * level + it.z - it.theta
        self.bilinear = it.wv / c - level  # change of ||w_j||^2 when w_j = mu_j v_j is restored
        self.total = float(c.sum()) - 1.0
        self.D = 0.5 * (1.0 - gamma) * level / c + it.z / c
        self.pull = it.Pw / c[:, None]
        self.sum_inverse = float(np.sum(1.0 / self.D))
        self.mean_pull = (1.0 / self.D) @ self.pull / self.sum_inverse
        self._factor(problem)
        self.border = self._solve(np.ones_like(it.x))
        self.border_sum = float(self.border.sum())

    def _factor(self, problem: Scaled) -> None:
        it = self.it
        spread = (self.pull - self.mean_pull) / np.sqrt(self.D)[:, None]
        K = problem.mixture(self.mu) + self.gamma * (spread.T @ spread)
        K[np.diag_indices_from(K)] += it.lam / it.x
        self.K = 0.5 * (K + K.T)
        diagonal = np.diag(self.K)
        if not (np.isfinite(self.K).all() and (diagonal > 0).all()):
            raise LinAlgError
        self.jacobi = 1.0 / np.sqrt(diagonal)
        scaled = self.K * self.jacobi * self.jacobi[:, None]
        for ridge in (0.0, 1e-15, 1e-13, 1e-11, 1e-9):  # near the end rounding alone can make it indefinite
            try:
                self.factor = cho_factor(scaled + ridge * np.eye(diagonal.size))
                return
            except LinAlgError:
                continue
        raise LinAlgError

    def _solve(self, rhs: np.ndarray) -> np.ndarray:
        return self.jacobi * cho_solve(self.factor, self.jacobi * rhs)

    def _solve_bordered(self, rhs: np.ndarray, for_slack: float) -> tuple[np.ndarray, float]:
        """(dx, dnu) with K dx + dnu 1 = rhs and slack dnu - nu 1'dx = for_slack, refined once."""
        it = self.it
        x, nu = np.zeros_like(rhs), 0.0
        for _ in range(2):
            part = self._solve(rhs - self.K @ x - nu)
            left = for_slack - it.slack * nu + it.nu * float(x.sum())
            change = (left + it.nu * float(part.sum())) / (it.slack + it.nu * self.border_sum)
            x, nu = x + part - change * self.border, nu + change
        return x, nu

    def infeasibility(self, problem: Scaled) -> float:
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

    def direction(self, tau: float, second_order: Direction | None = None) -> Direction:
        """Newton's step to complementarity tau, corrected by the products of an earlier step's parts."""
        it = self.it
        for_x, for_slack, for_c = tau - it.x * it.lam, tau - it.slack * it.nu, tau - it.c * it.z
        if second_order is not None:
            for_x = for_x - second_order.x * second_order.lam
            for_slack -= second_order.slack * second_order.nu
            for_c = for_c - second_order.c * second_order.z
        b = self.stationarity + self.bilinear + for_c / it.c
        shift = (float(np.sum(b / self.D)) + self.total) / self.sum_inverse
        rhs = -self.dual + for_x / it.x + self.gamma * ((shift - b) / self.D) @ self.pull
        x, nu = self._solve_bordered(rhs, for_slack)
        theta = float(self.mean_pull @ x) + shift
        c = (self.pull @ x - theta + b) / self.D
        lam, z = (for_x - it.lam * x) / it.x, (for_c - it.z * c) / it.c
        return Direction(x, lam, -float(x.sum()), nu, c, z, theta)


def longest_step(it: Iterate, d: Direction) -> float:
    """The largest step <= 1 that keeps every bounded unknown non-negative."""
    values = np.concatenate((it.x, it.lam, it.c, it.z, (it.slack, it.nu)))
    changes = np.concatenate((d.x, d.lam, d.c, d.z, (d.slack, d.nu)))
    falling = changes < 0
    return min(1.0, float(np.min(-values[falling] / changes[falling], initial=np.inf)))


def tau_after(it: Iterate, d: Direction, step: float) -> float:
    """tau after a step."""
    products = (it.x + step * d.x) @ (it.lam + step * d.lam) + (it.c + step * d.c) @ (it.z + step * d.z)
    products += (it.slack + step * d.slack) * (it.nu + step * d.nu)
    return float(products) / (it.x.size + it.c.size + 1)


def _move_blocks(it: Iterate, d: Direction, step: float, dPv: np.ndarray, gamma: float) -> None:
    """Move w_j by the linearized c_j^(-gamma) w_j = v_j: dw = mu (v + dv - k w), where k is c^(-gamma) plus its change."""
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


def advance(problem: Scaled, it: Iterate, d: Direction, step: float) -> None:
    """Take a step, in place."""
    if problem.gamma < 0:
        _move_blocks(it, d, step, problem.products(d.x), problem.gamma)
    it.x, it.lam = it.x + step * d.x, it.lam + step * d.lam
    it.c, it.z = it.c + step * d.c, it.z + step * d.z
    it.slack, it.nu = it.slack + step * d.slack, it.nu + step * d.nu
    it.theta += step * d.theta
    it.Pv = problem.products(it.x)
    if problem.gamma >= 0:
        it.follow(problem.gamma)
