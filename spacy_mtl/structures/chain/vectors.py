"""Real-valued features of chain positions: blocks of explicit vectors, and kernelised blocks, which are given by inner products.

A kernelised block is stored in dual coordinates: its weights are one row alpha_u per training position u, f(x, y) = sum_u k(x_u, x) alpha_{u,y}.
The score of position t then reads the kernel values k(x_u, x_t) like features, while adding phi(x_t) only changes row t.
"""

from typing import NamedTuple

import numpy as np

from spacy_mtl.kernels import kernel, subkernel


class Vectors(NamedTuple):
    """V blocks for N positions, with E entries in all.

    starts, ends: int64[N * V] (starts may go on), the entries of position t in block v are ``starts[t * V + v]:ends[t * V + v]``; positions may share
    theirs.
    rows: int32[E], rows of the node weights, ascending within a position and block. values: float32[E], features or kernel values.
    own: int32[N, V], the row of the position itself in a kernelised block, -1 in a block of explicit features.
    """

    starts: np.ndarray
    rows: np.ndarray
    values: np.ndarray
    own: np.ndarray
    ends: np.ndarray


def side_by_side(starts: np.ndarray, rows: np.ndarray, values: np.ndarray, own: np.ndarray) -> Vectors:
    """Vectors whose entries stand one after another. starts: int64[N * V + 1]."""
    return Vectors(starts, rows, values, own, starts[1:])


@subkernel
def n_vectors(vectors):
    """The number of blocks. Here and below, ``vectors`` is None if there are none, and kernels are compiled without."""
    if vectors is None:
        return 0
    return vectors.own.shape[1]


@kernel
def entries(vectors, t, v):
    """Begin and end of the entries of position t in block v."""
    if vectors is None:
        return 0, 0
    at = t * vectors.own.shape[1] + v
    return vectors.starts[at], vectors.ends[at]


@subkernel
def add_vector_scores(vectors, t, v, matrix, factor, out):
    """Add factor * the scores of position t in block v to out. matrix: float32[R, L]; out: float32[L]."""
    if vectors is None:
        return
    e, end = entries(vectors, t, v)
    rows, values, scale = vectors.rows, vectors.values, out.dtype.type(factor)
    while (
        e + 4 <= end
    ):  # four entries at a time: kernelised blocks have thousands, and out is read and written once per four
        a, b, c, d = scale * values[e], scale * values[e + 1], scale * values[e + 2], scale * values[e + 3]
        of_a, of_b, of_c, of_d = matrix[rows[e]], matrix[rows[e + 1]], matrix[rows[e + 2]], matrix[rows[e + 3]]
        for y in range(out.size):
            out[y] += (a * of_a[y] + b * of_b[y]) + (c * of_c[y] + d * of_d[y])
        e += 4
    while e < end:
        value, row = scale * values[e], matrix[rows[e]]
        for y in range(out.size):
            out[y] += value * row[y]
        e += 1


@subkernel
def vector_product(vectors, t, v, matrix, change):
    """<matrix block v, phi(x_t) (x) change>. change: float[L]."""
    if vectors is None:
        return 0.0
    begin, end = entries(vectors, t, v)
    labels = np.flatnonzero(change)  # few are non-zero: two for the difference of two outputs
    total = 0.0
    for e in range(begin, end):
        row = vectors.rows[e]
        inside = 0.0
        for y in labels:
            inside += np.float64(matrix[row, y]) * change[y]
        total += vectors.values[e] * inside
    return total


@subkernel
def add_vector(vectors, t, v, change, amount, matrix):
    """Add amount * phi(x_t) (x) change to matrix block v."""
    if vectors is None:
        return
    own = vectors.own[t, v]
    if own >= 0:
        for y in range(change.size):
            matrix[own, y] += matrix.dtype.type(amount) * change[y]
        return
    begin, end = entries(vectors, t, v)
    for e in range(begin, end):
        row, value = vectors.rows[e], matrix.dtype.type(amount * vectors.values[e])
        for y in range(change.size):
            matrix[row, y] += value * change[y]


@subkernel
def inner_product(vectors, t, u, v):
    """<phi(x_t), phi(x_u)> in block v, of two training positions."""
    begin, end = entries(vectors, t, v)
    own = vectors.own[u, v]
    if own >= 0:
        at = begin + np.searchsorted(vectors.rows[begin:end], own)
        return np.float64(vectors.values[at]) if at < end and vectors.rows[at] == own else 0.0
    other, other_end = entries(vectors, u, v)
    total = 0.0
    while begin < end and other < other_end:
        if vectors.rows[begin] < vectors.rows[other]:
            begin += 1
        elif vectors.rows[begin] > vectors.rows[other]:
            other += 1
        else:
            total += np.float64(vectors.values[begin]) * vectors.values[other]
            begin += 1
            other += 1
    return total


@subkernel
def vector_norm2(vectors, first, v, active, change):
    """||sum_k phi(x_t) (x) change[k]||^2 in block v, t = first + active[k]. active: int64[A]; change: float32[A, L]."""
    total = 0.0
    if vectors is None:
        return total
    for k in range(active.size):
        for m in range(k + 1):
            alike = 0.0
            for y in range(change.shape[1]):
                alike += np.float64(change[k, y]) * change[m, y]
            if alike != 0:
                both = alike * inner_product(vectors, first + active[k], first + active[m], v)
                total += both if m == k else 2 * both
    return total
