"""Projection onto the l1 ball, in place, for vectors that are too large to sort or copy.

P(w)_k = sign(w_k) max(|w_k| - theta, 0), where the threshold theta >= 0 solves f(theta) = sum_k max(|w_k| - theta, 0) = radius (Duchi,
Shalev-Shwartz, Singer and Chandra 2008). f is convex, decreasing and piecewise linear, so Newton's method finds its root exactly in a few
passes over the vector: from the left it never oversteps, and from the right one step leads to the left (Michelot's algorithm, started anywhere).
"""

import numpy as np

from spacy_mtl.kernels import kernel, subkernel

#: More passes than any vector takes: each drops at least one entry, and in practice most of those left.
LOOKS = 1000
#: A norm this close to the radius, relative to it, counts as on the border. This is far below the resolution of single precision, but above the
#: rounding of the sum, which would otherwise keep small thresholds from converging.
CLOSE = 1e-11


@subkernel
def excess(weights, theta):
    """f(theta) in double precision, and the number of |w_k| above theta."""
    total, count = 0.0, 0
    for matrix in weights:
        for r in range(matrix.shape[0]):
            for y in range(matrix.shape[1]):
                above = abs(np.float64(matrix[r, y])) - theta
                if above > 0:
                    total += above
                    count += 1
    return total, count


@kernel
def l1_threshold(weights, radius, guess):
    """The threshold that projects ``weights`` onto the ball, 0 if they are inside it. guess: initial threshold, such as the last one."""
    theta = max(0.0, guess)
    for _ in range(LOOKS):
        total, count = excess(weights, theta)
        if count == 0:  # beyond the largest entry: start again from the left
            if theta == 0:  # all are 0
                return 0.0
            theta = 0.0
            continue
        if abs(total - radius) <= CLOSE * radius:
            return theta
        new = max(0.0, theta + (total - radius) / count)
        if new < 1e-9 * theta:  # almost 0: check whether it is exactly 0
            new = 0.0
        if abs(new - theta) <= 1e-12 * new or (new == 0 and theta == 0):
            return new
        theta = new
    return theta


@kernel
def shrink(weights, theta):
    """w_k <- sign(w_k) max(|w_k| - theta, 0)."""
    for matrix in weights:
        for r in range(matrix.shape[0]):
            for y in range(matrix.shape[1]):
                w = matrix[r, y]
                if w != 0:
                    left = abs(np.float64(w)) - theta
                    matrix[r, y] = 0 if left <= 0 else (left if w > 0 else -left)


@kernel
def project_onto_l1_ball(weights, radius, guess):
    """Move ``weights`` (float32) to the nearest point of {w: ||w||_1 <= radius}, in place; return the threshold, a guess for the next call."""
    theta = l1_threshold(weights, radius, guess)
    if theta > 0:
        shrink(weights, theta)
    return theta
