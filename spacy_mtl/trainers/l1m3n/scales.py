"""Re-estimation of the scales of single weights between the rounds of an adaptive M3N: Zhu, Xing and Zhang's EM step, and that of the Laplace M3N.

Within a round, w = C b o V(M) with fixed scales b; ``metric`` is C b. Both kernels turn V(M) into the weights under the new scales in one pass.
"""

import numpy as np

from spacy_mtl.kernels import kernel


@kernel
def l1_scales(vector, metric, C):
    """b_k = |w_k| / ||w||_1: equation 6 in the variables of w, where b = beta^2 / K = lambda tau / K.

    vector: V(M), overwritten with w under the new scales. metric: overwritten. If w = 0, there is no information about the scales, and they stay.
    """
    total = 0.0
    for matrix, scales in zip(vector, metric):  # noqa: B905  numba knows no strict zip
        for r in range(matrix.shape[0]):
            for y in range(matrix.shape[1]):
                total += abs(np.float64(matrix[r, y]) * scales[r, y])
    for matrix, scales in zip(vector, metric):  # noqa: B905
        for r in range(matrix.shape[0]):
            for y in range(matrix.shape[1]):
                if total > 0:
                    scales[r, y] *= C * abs(np.float64(matrix[r, y])) / total
                matrix[r, y] *= scales[r, y]


@kernel
def prune(weights, metric, cut):
    """Set w_k = metric_k = 0 where |w_k| < cut; this is final, since a scale of 0 stays 0."""
    for matrix, scales in zip(weights, metric):  # noqa: B905
        for r in range(matrix.shape[0]):
            for y in range(matrix.shape[1]):
                if abs(matrix[r, y]) < cut:
                    matrix[r, y] = scales[r, y] = 0


@kernel
def laplace_scales(vector, metric, C, rate):
    """s_k <- sqrt((w_k^2 + s_k) / lambda), the variances of the weights' priors. rate: lambda. Others as in :func:`l1_scales`."""
    for matrix, scales in zip(vector, metric):  # noqa: B905
        for r in range(matrix.shape[0]):
            for y in range(matrix.shape[1]):
                before = np.float64(scales[r, y])
                weight = before * matrix[r, y]
                scales[r, y] = C * np.sqrt((weight * weight + before / C) / rate)
                matrix[r, y] *= scales[r, y]


@kernel
def fill_new(metric, seen, value):
    """Set metric_k to a value wherever seen_k = 0, for features that an earlier problem did not have."""
    for scales, known in zip(metric, seen):  # noqa: B905
        for r in range(scales.shape[0]):
            for y in range(scales.shape[1]):
                if known[r, y] == 0:
                    scales[r, y] = value
