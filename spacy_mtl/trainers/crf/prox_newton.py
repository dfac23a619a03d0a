"""Proximal quasi-Newton steps for an l1 penalty on a working set of weights (Scheinberg & Tang 2016, here with an initial diagonal).

The smooth part f of the objective is modelled at w by  g'd + 1/2 d'Bd,  B = b diag(h) - W N^-1 W',  the compact form of L-BFGS (Byrd, Nocedal &
Schnabel 1994, Theorem 2.3) with W = [b diag(h) S, Y]; the step d minimizes the model plus penalty ||w + d||_1 by coordinate descent.
"""

import numpy as np

from spacy_mtl.kernels import kernel
from spacy_mtl.structures.contract import Weights


@kernel
def exceeding(values, limit):
    """The positions int64[k] where |values| > limit, and the excess float32[k]. values: float32[D]."""
    count = 0
    for k in range(values.size):
        count += abs(values[k]) > limit
    at, excess = np.empty(count, np.int64), np.empty(count, np.float32)
    count = 0
    for k in range(values.size):
        if abs(values[k]) > limit:
            at[count], excess[count] = k, abs(values[k]) - limit
            count += 1
    return at, excess


@kernel
def descend_coordinates(g, w, diagonal, W, Q, penalty, sweeps, tol):
    """Minimize  g'd + 1/2 d'Bd + penalty ||w + d||_1,  B = diag(diagonal) - W Q', by coordinate descent; return d.

    g, w, diagonal: float64[A]. W, Q: float64[A, K]. Ends after ``sweeps`` sweeps, or after one that changes at most ``tol`` times what the first did.
    """
    d, product = np.zeros(g.size), np.zeros(W.shape[1])
    first = 0.0
    for _ in range(sweeps):
        changed = 0.0
        for k in range(d.size):
            slope, bend = g[k] + diagonal[k] * d[k], diagonal[k]
            for z in range(product.size):
                slope -= W[k, z] * product[z]
                bend -= W[k, z] * Q[k, z]
            bend = max(bend, 1e-3 * diagonal[k])
            target = w[k] + d[k] - slope / bend
            size = max(abs(target) - penalty / bend, 0.0)
            change = (size if target > 0 else -size) - (w[k] + d[k])
            if change != 0:
                d[k] = (size if target > 0 else -size) - w[k]
                changed += bend * change * change
                for z in range(product.size):
                    product[z] += Q[k, z] * change
        first = max(first, changed)
        if changed <= tol * tol * first:
            break
    return d


class Curvature:
    """The last ``m`` differences s of iterates and y of gradients, on the working set."""

    def __init__(self, m: int):
        self._m = m
        self.clear()

    def clear(self) -> None:
        """Drop all pairs."""
        self._s, self._y = np.empty((0, 0)), np.empty((0, 0))

    def __len__(self) -> int:
        return len(self._s)

    def move(self, places: np.ndarray) -> None:
        """Change the working set: entry k was entry ``places[k]`` (int64[A]); new entries (-1) are 0 in the stored pairs."""
        if len(self):
            self._s, self._y = (np.where(places >= 0, x[:, places], 0.0) for x in (self._s, self._y))
            bent = [_is_bent(s, y) for s, y in zip(self._s, self._y, strict=True)]
            self._s, self._y = self._s[bent], self._y[bent]

    def push(self, s: np.ndarray, y: np.ndarray) -> None:
        """Store a pair (float64[A] both), unless it carries no curvature information."""
        if _is_bent(s, y):
            kept = slice(max(0, len(self) - self._m + 1), None) if len(self) else slice(0)
            self._s = np.vstack([self._s[kept].reshape(-1, s.size), s])
            self._y = np.vstack([self._y[kept].reshape(-1, s.size), y])

    def model(self, h: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """B = diag(diagonal) - W Q': diagonal float64[A], W and Q float64[A, K]. h: float64[A], above 0."""
        if not len(self):
            return h, np.zeros((h.size, 0)), np.zeros((h.size, 0))
        s, y = self._s, self._y
        diagonal = float(np.sum(y[-1] ** 2 / h) / (s[-1] @ y[-1])) * h
        both = s @ y.T
        lower = np.tril(both, -1)
        W = np.concatenate([diagonal * s, y]).T
        N = np.block([[(s * diagonal) @ s.T, lower], [lower.T, -np.diag(both.diagonal())]])
        return diagonal, np.ascontiguousarray(W), np.ascontiguousarray(np.linalg.solve(N, W.T).T)


def _is_bent(s: np.ndarray, y: np.ndarray) -> bool:
    """Whether the objective is curved along s beyond rounding."""
    return bool(s @ y > 1e-8 * np.sqrt((s @ s) * (y @ y)))


def read(weights: Weights, at: np.ndarray) -> np.ndarray:
    """Read single entries of a weight vector, float64[A]. at: int64[A], ascending, entries of the node matrix first."""
    n = np.searchsorted(at, weights.node.size)
    node, pair = weights.node.ravel(), weights.pair.ravel()
    return np.concatenate([node[at[:n]], pair[at[n:] - node.size]]).astype(float)


def write(weights: Weights, at: np.ndarray, values: np.ndarray) -> None:
    """Set these entries of a weight vector, and all others to 0. at: int64[A], ascending, as in :func:`read`. values: float64[A]."""
    n = np.searchsorted(at, weights.node.size)
    for matrix in weights:
        matrix[:] = 0
    node, pair = weights.node.ravel(), weights.pair.ravel()
    node[at[:n]] = values[:n]
    pair[at[n:] - node.size] = values[n:]
