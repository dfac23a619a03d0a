"""Operations on the entries of weight vectors, norms (in double precision) and products, without temporaries of the vector's size."""

import numpy as np

from spacy_mtl.kernels import kernel


@kernel
def l1_norm(weights):
    """sum_k |w_k| over both matrices of a Weights."""
    total = 0.0
    for matrix in weights:
        for r in range(matrix.shape[0]):
            for y in range(matrix.shape[1]):
                total += abs(np.float64(matrix[r, y]))
    return total


@kernel
def largest(weights):
    """max_k |w_k|."""
    most = 0.0
    for matrix in weights:
        for r in range(matrix.shape[0]):
            for y in range(matrix.shape[1]):
                most = max(most, abs(np.float64(matrix[r, y])))
    return most


@kernel
def multiply(weights, metric, factor):
    """Multiply w_k by factor * metric_k, in place."""
    for matrix, factors in zip(weights, metric):  # noqa: B905  numba knows no strict zip
        for r in range(matrix.shape[0]):
            for y in range(matrix.shape[1]):
                matrix[r, y] *= np.float32(factor) * factors[r, y]


@kernel
def fill(weights, value):
    """Set every w_k to a value."""
    for matrix in weights:
        matrix[:] = np.float32(value)


@kernel
def scaled_square(weights, metric):
    """sum_k w_k^2 / metric_k over the weights with a scale above 0."""
    total = 0.0
    for matrix, scales in zip(weights, metric):  # noqa: B905  numba knows no strict zip
        for r in range(matrix.shape[0]):
            for y in range(matrix.shape[1]):
                if scales[r, y] > 0:
                    total += np.float64(matrix[r, y]) * matrix[r, y] / scales[r, y]
    return total
