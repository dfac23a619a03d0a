"""Check feature rows: kernels read and write the weights of whatever row they are given."""

import numpy as np

from spacy_mtl.errors import Errors

_MISSING = np.iinfo(np.uint32).max


def whole_rows(rows: np.ndarray, kind: str) -> np.ndarray:
    """Feature rows as int32[N, T]. kind: of what, for messages. Raises ValueError (M257) for what is no table of whole numbers from -1 on."""
    table = np.asarray(rows)
    if table.ndim != 2 or table.dtype.kind not in "iuf":
        raise ValueError(Errors.M257.format(kind=kind, got=f"they are {table.dtype} of shape {table.shape}"))
    if table.dtype != np.int32:
        bad = ~((table >= -1) & (table < 2**31) & (table == np.floor(table)))
        if bad.any():
            raise ValueError(Errors.M257.format(kind=kind, got=f"one is {table[bad][0]}"))
    return np.ascontiguousarray(table, np.int32)


def own_rows(rows: np.ndarray, borders: np.ndarray, shape: tuple[int, int], kind: str) -> np.ndarray:
    """Feature rows as int32[N, T], where template t owns the rows ``borders[t]:borders[t + 1]`` (int64[T + 1] or more).

    shape: (N, T). Raises ValueError (M257) for another shape, and for rows that are neither -1 nor the template's own.
    """
    table = whole_rows(rows, kind)
    if table.shape != shape:
        raise ValueError(Errors.M257.format(kind=kind, got=f"they have the shape {table.shape} instead of {shape}"))
    first, end = borders[: shape[1]], borders[1 : shape[1] + 1]
    lowest, highest = table.min(axis=0, initial=-1), table.max(axis=0, initial=-1)
    lowest_known = table.view(np.uint32).min(axis=0, initial=_MISSING)  # read as unsigned, -1 is above all others
    strange = np.flatnonzero((lowest < -1) | (highest >= end) | (lowest_known < first))
    if strange.size:
        t = int(strange[0])
        row = next(int(row) for row in table[:, t] if row != -1 and not first[t] <= row < end[t])
        got = f"template {t}, whose rows are {first[t]} to {end[t] - 1}, has the row {row}"
        raise ValueError(Errors.M257.format(kind=kind, got=got))
    return table


def check_within(numbers: np.ndarray, n: int, kind: str) -> None:
    """Refuse numbers (int[E]) that are not from 0 to n - 1 (M257)."""
    lowest, highest = numbers.min(initial=0), numbers.max(initial=-1)
    if lowest < 0 or highest >= n:
        got = f"one is {lowest if lowest < 0 else highest}, with {n} in all"
        raise ValueError(Errors.M257.format(kind=kind, got=got))
