"""Offsets of part scores, whatever the structure: constant scores that do not come from the weights.

Only differences to gold matter, so structures move offsets until those of gold are exactly 0. For sums to be exact in any order, offsets are whole
multiples of a power of 2, as fine as single precision allows.
"""

from collections.abc import Sequence

import numpy as np

from spacy_mtl.errors import Errors

#: Bits of an offset, besides its sign: those of single precision.
BITS = 23
#: The largest offset.
MOST = 1e6


def checked(tables: Sequence[np.ndarray], shapes: Sequence[tuple[int, ...]]) -> Sequence[np.ndarray]:
    """The tables of an offset. Raises ValueError (M260) for another shape, or values that are not finite or too large."""
    fits = all(table.shape == shape for table, shape in zip(tables, shapes, strict=True))
    if not fits or not all(np.isfinite(table).all() and np.abs(table).max(initial=0) <= MOST for table in tables):
        raise ValueError(Errors.M260.format(expected=" and ".join(map(str, shapes)), most=f"{MOST:g}"))
    return tables


def on_grid(terms: int, *tables: np.ndarray) -> list[np.ndarray]:
    """Tables (float) rounded to whole multiples of a power of 2, so that sums of ``terms`` entries are exact in single precision; float32."""
    most = terms * max((float(np.abs(table).max(initial=0)) for table in tables), default=0.0)
    step = 2.0 ** (np.ceil(np.log2(max(most, 1e-30))) - BITS)
    return [np.ascontiguousarray(np.rint(table / step) * step, np.float32) for table in tables]
