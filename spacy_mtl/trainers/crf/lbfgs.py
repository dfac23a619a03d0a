"""L-BFGS that works with inner products alone, never with vectors, and a search along a line on which the objective is convex.

The two-loop recursion (Nocedal 1980) needs inner products of the last m differences s_k = w_{k+1} - w_k, y_k = g_{k+1} - g_k and the gradient
alone; its result is a linear combination of them (VL-BFGS: Chen, Wang & Zhou 2014, Algorithm 3).
"""

from collections.abc import Callable, Sequence

import numpy as np

from .part_space import Vector, dots

#: A pair with s'y below this share of ||s|| ||y|| carries no curvature information in single precision.
LEAST_CURVATURE = 1e-6


def two_loop(gram: np.ndarray, pairs: Sequence[tuple[int, int]]) -> np.ndarray:
    """Coefficients (float64[K]) of the direction -H g in K vectors, given their inner products ``gram`` (float64[K, K]); the last vector is g.

    pairs: the numbers of each (s_k, y_k) among the vectors, oldest first. H starts from (s'y / y'y) I of the newest pair, or from I.
    """
    q = np.zeros(len(gram))
    q[-1] = 1
    alphas = []
    for s, y in reversed(pairs):
        alphas.append(float(gram[s] @ q / gram[s, y]))
        q[y] -= alphas[-1]
    if pairs:
        s, y = pairs[-1]
        q *= gram[s, y] / gram[y, y]
    for s, y in pairs:
        q[s] += alphas.pop() - float(gram[y] @ q / gram[s, y])
    return -q


class Memory:
    """The last ``m`` pairs of differences of vectors of D parts, and their inner products."""

    def __init__(self, m: int, size: int):
        self._room = m
        self._parts, self._scores = np.empty((2 * m, size), np.float32), np.empty((2 * m, size), np.float32)
        self._scalars = np.zeros((2 * m, 2))
        self._gram = np.zeros((2 * m + 1, 2 * m + 1))
        self.clear()

    def clear(self) -> None:
        """Forget all pairs."""
        self._order: list[int] = []

    def __len__(self) -> int:
        return len(self._order)

    @property
    def _filled(self) -> int:
        """Number of rows in use; slots are filled from the first on."""
        return 2 * (max(self._order, default=-1) + 1)

    def push(self, s: Vector, y: Vector) -> None:
        """Store a pair in place of the oldest one, unless it carries no curvature information."""
        size = s.dot(s) * y.dot(y)  # may be negative for differences that are only rounding errors
        if not (size > 0 and s.dot(y) > LEAST_CURVATURE * np.sqrt(size)):
            return
        slot = self._order.pop(0) if len(self._order) == self._room else len(self._order)
        for row, vector in ((2 * slot, s), (2 * slot + 1, y)):
            self._parts[row], self._scores[row] = vector.parts, vector.scores
            self._scalars[row] = vector.offset, vector.along
        self._order.append(slot)
        for row, vector in ((2 * slot, s), (2 * slot + 1, y)):
            self._set_products(row, vector)

    def _set_products(self, row: int, vector: Vector) -> None:
        """Write the inner products of ``vector`` with all stored vectors to row and column ``row``."""
        n = self._filled
        products = dots(self._parts[:n], vector.scores) + self._scalars[:n, 0] * vector.along
        self._gram[row, :n] = self._gram[:n, row] = products

    def direction(self, gradient: Vector) -> Vector:
        """The direction -H g, computed from the stored inner products."""
        n = self._filled
        self._set_products(-1, gradient)
        self._gram[-1, -1] = gradient.dot(gradient)
        inside = [*range(n), len(self._gram) - 1]
        pairs = [(2 * slot, 2 * slot + 1) for slot in self._order]
        *past, own = two_loop(self._gram[np.ix_(inside, inside)], pairs)
        factors = np.array(past)
        single = factors.astype(np.float32)
        offset, along = factors @ self._scalars[:n]
        stored = Vector(single @ self._parts[:n], single @ self._scores[:n], float(offset), float(along))
        return stored.plus(gradient, float(own))


def search(
    evaluate: Callable[[float], tuple[float, float]], value: float, slope: float, step: float, most: int = 25
) -> float | None:
    """Find a step along a line on which the objective is convex; None if ``most`` trials find none.

    evaluate: step -> (objective, slope); its last call is for the returned step. value, slope: at 0, slope < 0. step: the first to try.
    A step is accepted if it leaves at most 0.9 of the slope (Wolfe's curvature condition) and does not end above the start. Since the slope of a
    convex function rises along the line, a slope that is still negative proves a decrease, which no rounding of the objective can hide (the idea of
    the approximate conditions of Hager & Zhang 2005). The next trial is at the zero of the secant of the slope.
    """
    noise = 1e-7 * abs(value)
    low, low_slope, high, high_slope = 0.0, slope, np.inf, np.nan
    for _ in range(most):
        found, rise = evaluate(step)
        if not (np.isfinite(found) and np.isfinite(rise)):
            high, high_slope = step, np.nan
        elif rise > 0 and (rise > -0.9 * slope or found > value + noise):
            high, high_slope = step, rise
        elif rise < 0.9 * slope:
            low, low_slope = step, rise
        else:
            return step
        if np.isinf(high):
            step = low * float(np.clip(slope / (slope - low_slope) if low_slope > slope else np.inf, 2, 10))
        else:
            step = _inside(low, low_slope, high, high_slope)
    return None


def _inside(low: float, low_slope: float, high: float, high_slope: float) -> float:
    """The zero of the secant through both ends of a bracket, kept away from the ends; near the lower end if the upper one is unknown."""
    width = high - low
    if np.isnan(high_slope):
        return low + 0.1 * width
    root = low - low_slope * width / (high_slope - low_slope)
    return float(np.clip(root, low + 0.1 * width, high - 0.1 * width))
