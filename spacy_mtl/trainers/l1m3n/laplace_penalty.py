"""The regularizer of the Laplace M3N, a smooth relative of the l1 norm, and its conjugate.

A weight's prior variance converges to the s with lambda s^2 = w^2 + s, and then the gradient of the penalty is w / s = R'(w):
R(w) = 1/2 (r - 1 - log((r + 1) / 2)),  r = sqrt(1 + 4 lambda w^2),   R*(v) = -1/2 log(1 - v^2 / lambda).
R grows like lambda w^2 / 2 near 0 and like sqrt(lambda) |w| for large |w|.
"""

import numpy as np

from spacy_mtl.kernels import kernel

#: Newton steps towards the best scaling; each takes a pass over the vector, and any of them gives a valid bound.
STEPS = 30


@kernel
def laplace_penalty(weights, rate):
    """sum_k R(w_k). rate: lambda."""
    total = 0.0
    for matrix in weights:
        for r in range(matrix.shape[0]):
            for y in range(matrix.shape[1]):
                w = np.float64(matrix[r, y])
                if w != 0:
                    bend = 4 * rate * w * w
                    above = bend / (np.sqrt(1 + bend) + 1)  # r - 1, accurate even if it is tiny
                    total += 0.5 * (above - np.log1p(0.5 * above))
    return total


@kernel
def laplace_conjugate(vector, factor):
    """sum_k R*(sqrt(lambda) factor v_k), and its first and second derivatives in the factor. Infinite if any factor |v_k| >= 1."""
    total, slope, bend = 0.0, 0.0, 0.0
    for matrix in vector:
        for r in range(matrix.shape[0]):
            for y in range(matrix.shape[1]):
                square = np.float64(matrix[r, y]) * matrix[r, y]
                if square != 0:
                    left = 1 - factor * factor * square
                    if left <= 0:
                        return np.inf, np.inf, np.inf
                    total -= 0.5 * np.log1p(-factor * factor * square)  # accurate even if it is tiny
                    slope += factor * square / left
                    bend += square * (1 + factor * factor * square) / (left * left)
    return total, slope, bend


def best_laplace_scaling(vector, loss: float, largest: float, C: float, rate: float) -> float:
    """max over 0 <= s <= 1 of D(s M) = C s E_M[loss] - sum_k R*(C s V_k). vector: V(M); loss: E_M[loss]; largest: max_k |V_k|."""
    unit = C / np.sqrt(rate)
    low, high = 0.0, min(1.0, (1 - 1e-9) / (unit * largest)) if largest > 0 else 1.0
    s, best = high if high == 1 else 0.5 * high, 0.0
    for _ in range(STEPS):
        total, slope, bend = laplace_conjugate(vector, s * unit)
        best = max(best, C * s * loss - total)
        rise = C * loss - unit * slope
        if abs(rise) * (high - low) <= 1e-9 * max(best, 1e-300) or (rise >= 0 and s == 1):
            break
        low, high = (s, high) if rise > 0 else (low, s)
        step = s + rise / (unit * unit * bend) if bend > 0 else high
        s = step if low < step < high else (high if step >= high == 1 else 0.5 * (low + high))
    return float(best)
