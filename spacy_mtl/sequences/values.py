"""Bring the caller's arrays (features, integer columns, labels, lengths) into canonical form, and refuse invalid ones."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse

from spacy_mtl.errors import Errors
from spacy_mtl.settings import shown

#: Larger features are refused, since squares of their sums would overflow in single precision.
LARGEST_FEATURE = 1e12
#: Labels and categories are kept in int64.
LARGEST_INTEGER = int(np.iinfo(np.int64).max)


def as_features(value: Any, name: str) -> Any:
    """The features as a 2-D array of floats, or as scipy.sparse CSR without stored zeros and with sorted indices.

    Raises ValueError naming the block: M228 if it is not a 2-D table of numbers or some are masked, M223 for nan, inf or values beyond
    :data:`LARGEST_FEATURE`.
    """
    if has_masked(value):
        raise ValueError(Errors.M228.format(name=name, got="an array of which values are masked"))
    if sparse.issparse(value):
        table = sparse.csr_array(value, dtype=_float_type(value.dtype, name), copy=True)
        table.sum_duplicates()
        table.eliminate_zeros()
    else:
        array = as_array(value)
        if array is None:
            raise ValueError(Errors.M228.format(name=name, got="a list of rows of different lengths"))
        table = np.ascontiguousarray(array, _float_type(array.dtype, name))
    if table.ndim != 2 or table.shape[1] == 0:
        raise ValueError(Errors.M228.format(name=name, got=f"an array of shape {table.shape}"))
    _check_finite(table, name)
    return table


def _float_type(dtype: np.dtype, name: str) -> type:
    """The float type to use: float32 for float16 and float32, float64 for other numbers. Raises ValueError (M228) for anything else."""
    if dtype.kind not in "fiub":
        raise ValueError(Errors.M228.format(name=name, got=f"values of type {dtype}"))
    return np.float32 if dtype in (np.float32, np.float16) else np.float64


def _check_finite(table: Any, name: str) -> None:
    numbers = table.data if sparse.issparse(table) else table.reshape(-1)
    bad = np.flatnonzero(~(np.abs(numbers) <= LARGEST_FEATURE))
    if bad.size:
        at = int(bad[0])
        row = np.searchsorted(table.indptr, at, "right") - 1 if sparse.issparse(table) else at // table.shape[1]
        raise ValueError(Errors.M223.format(name=name, position=row, value=numbers[at]))


def as_categories(value: Any, name: str) -> np.ndarray:
    """The columns as int64[N, K], one for each block. Raises ValueError (M229) unless they are integers from -1 to 2**63 - 1, none of them masked."""
    array = as_array(value)
    if array is None:
        raise ValueError(Errors.M229.format(name=name, got="a list of rows of different lengths"))
    if has_masked(value):
        raise ValueError(Errors.M229.format(name=name, got="an array of which values are masked"))
    if array.dtype.kind not in "iu" or array.ndim not in (1, 2) or 0 in array.shape[1:]:
        raise ValueError(Errors.M229.format(name=name, got=f"{array.dtype} of shape {array.shape}"))
    if array.size and array.max() > LARGEST_INTEGER:
        raise ValueError(Errors.M229.format(name=name, got=f"{array.max()}, which is above {LARGEST_INTEGER}"))
    columns = (array if array.ndim == 2 else array[:, None]).astype(np.int64)
    if columns.size and columns.min() < -1:
        position = int(np.argmax((columns < -1).any(axis=1)))
        raise ValueError(Errors.M229.format(name=name, got=f"{columns[position].min()} at position {position}"))
    return columns


def as_array(value: Any) -> np.ndarray | None:
    """The value as an array; None where numpy cannot make one, since it has rows of different lengths."""
    try:
        return np.asarray(value)
    except ValueError:
        return None


def has_masked(value: Any) -> bool:
    """Whether an array has masked values, which :func:`np.asarray` would show as if they were not."""
    return isinstance(value, np.ma.MaskedArray) and bool(np.ma.getmaskarray(value).any())


def as_starts(lengths: Any, n: int) -> np.ndarray:
    """Borders int64[S + 1] of sequences of these lengths. Raises ValueError (M220) unless these are whole numbers above 0 that sum to n."""
    array, total = as_array(lengths), sum_of(lengths)
    if array is None or total is None:
        seen = shown(lengths) if array is None else np.array2string(array, threshold=6, edgeitems=2)
        raise ValueError(Errors.M220.format(got=f"are {seen}", n=n))
    if total != n:
        raise ValueError(Errors.M220.format(got=f"sum to {total}", n=n))
    return np.concatenate([[0], np.cumsum(array, dtype=np.int64)])


def sum_of(lengths: Any) -> int | None:
    """The sum of the lengths; None if :func:`as_starts` refuses the lengths themselves."""
    array = as_array(lengths)
    if array is None or array.ndim != 1 or not array.size or array.dtype.kind not in "iu":
        return None
    return int(array.sum(dtype=np.int64)) if array.min() >= 1 and not has_masked(lengths) else None


def as_labels(y: Any, labels: Sequence[Any] | None) -> tuple[np.ndarray, np.ndarray]:
    """Gold label numbers int32[N], -1 where y is None or masked, and the labels, int64[L] or str[L], sorted if not given.

    Raises ValueError: M230 if y or labels are not all integers of 64 bits or all strings, or end in NUL, which numpy drops, M231 for a label in y
    that ``labels`` does not have.
    """
    values = _as_given(y)
    if values.ndim != 1:
        raise ValueError(Errors.M230.format(got=f"an array of shape {values.shape}"))
    known = values != None if values.dtype == object else np.ones(values.size, bool)  # noqa: E711 (element by element)
    known = known & ~np.ma.getmaskarray(y) if isinstance(y, np.ma.MaskedArray) else known
    found = _alike(values[known])
    names = np.unique(found) if labels is None else _alike(_as_given(labels))
    if has_masked(labels):
        raise ValueError(Errors.M230.format(got=f"labels = {labels}"))
    if labels is not None and (names.ndim != 1 or np.unique(names).size != names.size or names.size == 0):
        raise ValueError(Errors.M230.format(got=f"labels = {labels}"))
    if found.size and names.dtype.kind != found.dtype.kind:
        raise ValueError(Errors.M231.format(label=found[0].item(), known=_listed(names)))
    return _numbers(found, known, names), names


def _numbers(found: np.ndarray, known: np.ndarray, names: np.ndarray) -> np.ndarray:
    gold = np.full(known.size, -1, np.int32)
    if found.size:
        order = np.argsort(names)
        place = order[np.minimum(np.searchsorted(names, found, sorter=order), names.size - 1)]
        strange = names[place] != found
        if strange.any():
            raise ValueError(Errors.M231.format(label=found[np.argmax(strange)].item(), known=_listed(names)))
        gold[known] = place
    return gold


def _as_given(values: Any) -> np.ndarray:
    """An array whose elements keep their types: numpy would turn the numbers of a mixed list into strings."""
    return np.asarray(values) if isinstance(values, np.ndarray) else np.asarray(values, dtype=object)


def _alike(values: np.ndarray) -> np.ndarray:
    """The values as int64 or str, all of one type and in this machine's order of bytes. Raises ValueError (M230)."""
    if values.dtype == object:
        kinds = {_kind(value) for value in values.ravel()}
        cut = next((value for value in values.ravel() if isinstance(value, str) and value.endswith("\0")), None)
        if cut is not None:
            raise ValueError(Errors.M230.format(got=f"{cut!r}, which ends in NUL"))
        if kinds == {int, str}:
            raise ValueError(Errors.M230.format(got="integers and strings"))
        values = np.array(values.tolist()) if kinds <= {int} or kinds <= {str} else values
    if values.dtype.kind == "u" and values.size and values.max() > LARGEST_INTEGER:
        raise ValueError(Errors.M230.format(got=f"{values.max()}, which is above {LARGEST_INTEGER}"))
    if values.dtype.kind in "iu" or not values.size:
        return values.astype(np.int64)
    if values.dtype.kind != "U":
        raise ValueError(Errors.M230.format(got=_described(values)))
    return values.astype(values.dtype.newbyteorder("="), copy=False)


def _described(values: np.ndarray) -> str:
    """What is wrong with labels that are neither integers of 64 bits nor strings."""
    if values.dtype != object:
        return f"{values.dtype} such as {shown(values.flat[0].item())}"
    odd = [value for value in values.ravel() if _kind(value) not in (int, str)]
    if odd:
        return f"{type(odd[0]).__name__} such as {shown(odd[0])}"
    return f"{shown(max(values.ravel(), key=abs))}, which does not fit into 64 bits"


def _kind(value: Any) -> type:
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return int
    return str if isinstance(value, str) else type(value)


def _listed(names: np.ndarray) -> str:
    shown = ", ".join(str(name) for name in names[:10])
    return shown + (", ..." if names.size > 10 else "")
