"""Ranges of the entries of arrays: finite numbers, indices inside what they index, ascending keys, offsets."""

from collections.abc import Collection

import numpy as np

from .fault import StoredValueError

#: The exponent of a float16 that is infinite or no number.
_HALF_EXPONENT = np.uint16(0x7C00)


def check_finite(array: np.ndarray, name: str, most: float | None = None, least: float | None = None) -> None:
    """Refuse floats that are not finite, above ``most`` in absolute value, or below ``least``. Raises StoredValueError."""
    if not array.size:
        return
    if array.dtype == np.float16:  # which numpy compares slowly
        exponents = array.view(np.uint16) & _HALF_EXPONENT
        is_finite = not bool((exponents == _HALF_EXPONENT).any())
    else:
        is_finite = bool(np.isfinite(array.min()) and np.isfinite(array.max()))  # nan if there is one
    if not is_finite:
        raise StoredValueError(f"{name} has a number that is not finite")
    if most is not None and max(-float(array.min()), float(array.max())) > most:
        raise StoredValueError(f"{name} has a number above {most:g} in absolute value")
    if least is not None and float(array.min()) < least:
        raise StoredValueError(f"{name} has a number below {least:g}")


def check_among(array: np.ndarray, allowed: Collection[float], name: str) -> None:
    """Refuse numbers other than those allowed. Raises StoredValueError."""
    if not bool(np.isin(array, list(allowed)).all()):
        raise StoredValueError(f"{name} has a number that is none of {', '.join(f'{value:g}' for value in allowed)}")


def check_range(array: np.ndarray, least: int, most: int, name: str) -> None:
    """Refuse integers outside ``least`` to ``most``, both included. Raises StoredValueError."""
    if array.size and (int(array.min()) < least or int(array.max()) > most):
        raise StoredValueError(f"{name} has a number outside {least} to {most}")


def check_ascending(array: np.ndarray, name: str) -> None:
    """Refuse integers that are not strictly ascending, and so distinct. Raises StoredValueError."""
    if not bool(np.all(array[1:] > array[:-1])):
        raise StoredValueError(f"{name} is not in ascending order")


def check_offsets(array: np.ndarray, last: int, name: str) -> None:
    """Refuse borders of consecutive blocks that do not begin at 0, descend, or do not end at ``last``. Raises StoredValueError."""
    if not array.size or int(array[0]) != 0 or int(array[-1]) != last or not bool(np.all(array[1:] >= array[:-1])):
        raise StoredValueError(f"{name} does not lead from 0 to {last}")


def check_rows_ascend(columns: np.ndarray, starts: np.ndarray, name: str) -> None:
    """Refuse columns that are not strictly ascending inside each row. starts: borders of the rows, checked. Raises StoredValueError."""
    follows = np.ones(columns.size, bool)
    follows[starts[:-1][np.diff(starts) > 0]] = False  # the first of a row
    if not bool((columns[1:] > columns[:-1])[follows[1:]].all()):
        raise StoredValueError(f"{name} is not in ascending order inside a row")


def check_shape(array: np.ndarray, shape: tuple[int, ...], name: str) -> None:
    """Refuse an array of another shape. Raises StoredValueError."""
    if array.shape != shape:
        raise StoredValueError(f"{name} has the shape {array.shape}, not {shape}")
