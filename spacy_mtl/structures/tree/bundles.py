"""Feature rows of tree parts in *bundles*: rows that always fire together are stored once.

A part (an arc, or a pair of siblings) refers to a few bundles, and its score is the sum of their scores. Features of the head alone, of the modifier
alone, or of the two tags and the distance are bundles of their own: they are scored once per sentence, however many arcs share them, and stored
once per corpus, however many sentences do. The features specific to an arc are one more bundle. Features that are not in the index take no memory.
"""

from typing import NamedTuple

import numpy as np

from spacy_mtl.kernels import subkernel


class Bundles(NamedTuple):
    """B bundles with E feature rows in all, and the U uses of them in S sentences.

    first_use: int64[S + 1] and used: int32[U], sentence i uses the bundles ``used[first_use[i]:first_use[i + 1]]``; parts refer to them by their
    position in that list. first: int64[B + 1] and rows: int32[E], bundle b has the rows ``rows[first[b]:first[b + 1]]``. templates: int16[E], the
    template of each row.
    """

    first_use: np.ndarray
    used: np.ndarray
    first: np.ndarray
    rows: np.ndarray
    templates: np.ndarray


def no_bundles(n_sentences: int) -> Bundles:
    """Bundles without any feature."""
    return Bundles(
        np.zeros(n_sentences + 1, np.int64), np.empty(0, np.int32), np.zeros(1, np.int64),
        np.empty(0, np.int32), np.empty(0, np.int16),
    )  # fmt: skip


def bundles_of_rows(rows: np.ndarray, first_use: np.ndarray) -> Bundles:
    """Make a bundle of each line of ``rows`` (int32[B, T], -1 for none), a column per template. first_use: int64[S + 1], lines of each sentence."""
    known = rows >= 0
    first = np.concatenate([[0], np.cumsum(known.sum(axis=1))]).astype(np.int64)
    templates = np.broadcast_to(np.arange(rows.shape[1], dtype=np.int16), rows.shape)[known]
    sizes = np.diff(first_use)
    used = np.concatenate([[0], np.cumsum(sizes)])
    assert used[-1] == len(rows)
    return Bundles(
        first_use.astype(np.int64), np.arange(len(rows), dtype=np.int32), first, rows[known].astype(np.int32), templates
    )  # fmt: skip


@subkernel
def factors_of(live, scale, n):
    """Factors float64[n]: the scale of live templates, 0 for others. live: int64[k]; scale: float64[n]."""
    factors = np.zeros(n)
    for j in live:
        factors[j] = scale[j]
    return factors


@subkernel
def score_bundles(bundles, i, matrix, factors, plain, out):
    """Set out[u] to the sum of the rows of use u, times the factors of their templates. matrix: float32[R, K]; out: float32[., K].

    plain: whether all factors are 1.
    """
    width = matrix.shape[1]
    begin = bundles.first_use[i]
    for u in range(bundles.first_use[i + 1] - begin):
        b = bundles.used[begin + u]
        for y in range(width):
            out[u, y] = 0
        for e in range(bundles.first[b], bundles.first[b + 1]):
            row = bundles.rows[e]
            factor = np.float32(1) if plain else np.float32(factors[bundles.templates[e]])
            if factor != 0:
                for y in range(width):
                    out[u, y] += factor * matrix[row, y]


@subkernel
def score_scalar_bundles(bundles, i, matrix, factors, plain, out):
    """:func:`score_bundles` for a matrix with one column, without an inner loop. out: float32[.]."""
    weights = matrix.reshape(matrix.size)
    begin = bundles.first_use[i]
    for u in range(bundles.first_use[i + 1] - begin):
        b = bundles.used[begin + u]
        total = out.dtype.type(0)
        if plain:
            for e in range(bundles.first[b], bundles.first[b + 1]):
                total += weights[bundles.rows[e]]
        else:
            for e in range(bundles.first[b], bundles.first[b + 1]):
                total += np.float32(factors[bundles.templates[e]]) * weights[bundles.rows[e]]
        out[u] = total


@subkernel
def add_bundles(bundles, i, touched, change, factors, amount, matrix):
    """Add amount * factor of the template * change of the use to matrix[row], for rows of the uses ``touched`` (int64[k]). change: float[., K]."""
    width = matrix.shape[1]
    for u in touched:
        b = bundles.used[bundles.first_use[i] + u]
        for e in range(bundles.first[b], bundles.first[b + 1]):
            row, factor = bundles.rows[e], matrix.dtype.type(amount * factors[bundles.templates[e]])
            if factor != 0:
                for y in range(width):
                    matrix[row, y] += factor * matrix.dtype.type(change[u, y])


@subkernel
def add_metric_bundles(bundles, i, touched, change, factors, metric, amount, matrix):
    """:func:`add_bundles` with an additional factor for each single weight. metric: float32[R, K]."""
    width = matrix.shape[1]
    for u in touched:
        b = bundles.used[bundles.first_use[i] + u]
        for e in range(bundles.first[b], bundles.first[b + 1]):
            row = bundles.rows[e]
            if factors[bundles.templates[e]] != 0:
                for y in range(width):
                    matrix[row, y] += np.float32(amount * change[u, y]) * metric[row, y]


@subkernel
def bundle_products(bundles, i, touched, change, matrix, out):
    """Add to out[j] the sum of <change, matrix[row]> over the rows of template j. out: float64[T]."""
    for u in touched:
        b = bundles.used[bundles.first_use[i] + u]
        for e in range(bundles.first[b], bundles.first[b + 1]):
            row, total = bundles.rows[e], 0.0
            for y in range(matrix.shape[1]):
                total += np.float64(change[u, y]) * matrix[row, y]
            out[bundles.templates[e]] += total


@subkernel
def count_rows(bundles, i, touched):
    """The number of rows of these uses, repeated rows counted each time."""
    total = 0
    for u in touched:
        b = bundles.used[bundles.first_use[i] + u]
        total += bundles.first[b + 1] - bundles.first[b]
    return total


@subkernel
def sum_rows(bundles, i, touched, change, factors):
    """The direction as a sparse vector without repeated rows or templates with factor 0: rows and their templates int64[k], values float64[k, K].

    Repeated rows are found with an open-addressing table.
    """
    most = count_rows(bundles, i, touched)
    size = 4
    while size < 2 * most:
        size *= 2
    table = np.full(size, -1, np.int32)
    rows, templates = np.empty(most, np.int64), np.empty(most, np.int64)
    width = change.shape[1]
    values = np.empty((most, width))
    count = 0
    for u in touched:
        b = bundles.used[bundles.first_use[i] + u]
        for e in range(bundles.first[b], bundles.first[b + 1]):
            row = np.int64(bundles.rows[e])
            if factors[bundles.templates[e]] == 0:
                continue
            at = (row * 2654435761) & (size - 1)
            while table[at] >= 0 and rows[table[at]] != row:
                at = (at + 1) & (size - 1)
            if table[at] < 0:
                table[at] = count
                rows[count], templates[count] = row, bundles.templates[e]
                for y in range(width):
                    values[count, y] = 0
                count += 1
            for y in range(width):
                values[table[at], y] += change[u, y]
    return rows[:count], templates[:count], values[:count]


@subkernel
def list_entries(bundles, i, touched, change):
    """The direction as entries ``row * K + column`` (int64[k]) and their values (float64[k]); entries may be repeated."""
    width = change.shape[1]
    most = count_rows(bundles, i, touched) * width
    keys, values = np.empty(most, np.int64), np.empty(most)
    count = 0
    for u in touched:
        b = bundles.used[bundles.first_use[i] + u]
        for e in range(bundles.first[b], bundles.first[b + 1]):
            for y in range(width):
                if change[u, y] != 0:
                    keys[count], values[count] = np.int64(bundles.rows[e]) * width + y, change[u, y]
                    count += 1
    return keys[:count], values[:count]
