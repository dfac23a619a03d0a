"""A file's arrays with one thing changed: entries, types, shapes, lengths, names, order, compression."""

import zlib
from functools import cache
from typing import Any

import numpy as np

from .formats import Array, Stored

DTYPES = (
    "<f4", "<f8", "<f2", "<i4", "<i8", "|i1", "|u1", "<u2", "<u4", "<u8", ">f4", ">i8", "|b1", "<c8", "<M8[s]", "<U4", "|S3", "|V8", "|O", "bad",
    "", "<f4,<f4", "(4000,4000)<f8",
)  # fmt: skip
#: Bytes of zeros that are hidden behind a few compressed ones.
_BOMBS = (1 << 24, 1 << 28, 1 << 30)


def mutate_arrays(stored: Stored, others: list[Stored], rng: Any) -> str:
    """Change one array of the file, and say how. others: files whose arrays may take its place."""
    if not stored.arrays:
        return "nothing, since no array is left"
    k = int(rng.integers(len(stored.arrays)))
    array = stored.arrays[k]
    change = _CHANGES[int(rng.integers(len(_CHANGES)))]
    return f"array '{array.name}' {change(stored, k, others, rng)}"[:300]


def _values(array: Array) -> np.ndarray | None:
    """A copy of the entries; None where type and bytes do not fit."""
    try:
        return np.frombuffer(array.data, np.dtype(array.dtype)).copy()
    except (TypeError, ValueError):
        return None


def _entries(stored: Stored, k: int, others: list[Stored], rng: Any) -> str:
    """A few entries become extreme, or like others."""
    array = stored.arrays[k]
    values = _values(array)
    if values is None or not values.size or values.dtype.kind not in "fiu":
        return _bits(stored, k, others, rng)
    n = 1 if rng.random() < 0.5 else int(rng.integers(1, values.size + 1))
    places = rng.integers(0, values.size, n)
    if values.dtype.kind == "f":
        limits = np.finfo(values.dtype)
        choices = [
            0,
            -0.0,
            np.nan,
            np.inf,
            -np.inf,
            float(limits.max),
            float(limits.min),
            float(limits.tiny),
            -1,
            1e9,
            -1e9,
        ]
    else:
        info = np.iinfo(values.dtype)
        choices = [
            0,
            1,
            info.max,
            info.min,
            info.max - 1,
            max(info.min, -1),
            values.size,
            int(values.max()) + 1,
            int(values.min()) - 1,
        ]
        choices = [min(max(choice, info.min), info.max) for choice in choices]
    choice = choices[int(rng.integers(len(choices)))]
    values[places] = np.array(choice).astype(values.dtype)
    array.data = values.tobytes()
    return f"{n} entries such as {places[0]} became {choice}"


def _rearranged(stored: Stored, k: int, others: list[Stored], rng: Any) -> str:
    array = stored.arrays[k]
    values = _values(array)
    if values is None or not values.size:
        return _bits(stored, k, others, rng)
    draw = int(rng.integers(4))
    if draw == 0:
        values = rng.permutation(values)
    elif draw == 1:
        values = values[::-1]
    elif draw == 2:
        values[:] = values[int(rng.integers(values.size))]
    else:
        values = np.roll(values, int(rng.integers(1, values.size + 1)))
    array.data = np.ascontiguousarray(values).tobytes()
    return ("in another order", "backwards", "with one entry everywhere", "rolled")[draw]


def _bits(stored: Stored, k: int, others: list[Stored], rng: Any) -> str:
    array = stored.arrays[k]
    changed = bytearray(array.data or b"\0")
    places = rng.integers(0, len(changed), int(rng.integers(1, 9)))
    for place in places:
        changed[place] ^= 1 << int(rng.integers(8))
    array.data = bytes(changed)
    return f"bits of bytes {sorted(places.tolist())} flipped"


def _random(stored: Stored, k: int, others: list[Stored], rng: Any) -> str:
    stored.arrays[k].data = rng.bytes(len(stored.arrays[k].data))
    return "of random bytes"


def _type(stored: Stored, k: int, others: list[Stored], rng: Any) -> str:
    """Another type for the same bytes, or for the same numbers."""
    array = stored.arrays[k]
    dtype = DTYPES[int(rng.integers(len(DTYPES)))]
    values = _values(array)
    if rng.random() < 0.5 and values is not None:
        try:
            form = np.dtype(dtype)
            if form.subdtype is None:  # otherwise every number would become an array of its own
                with np.errstate(all="ignore"):
                    array.data = values.astype(form).tobytes()
        except (TypeError, ValueError):
            pass
    array.dtype = dtype
    return f"of type {dtype!r}"


def _shape(stored: Stored, k: int, others: list[Stored], rng: Any) -> str:
    array = stored.arrays[k]
    shape: list[Any] = list(array.shape)
    size = int(np.prod(shape)) if all(type(n) is int for n in shape) else 1
    at = int(rng.integers(len(shape))) if shape else 0
    one = shape[at] if shape else 1
    forms: list[list[Any]] = [
        shape[::-1], [*shape, 1], [1, *shape], shape[:-1], [size], [1, size], [size, 1], [], [-1], [0], [0, 2**60], [2**62, 4],
        *([*shape[:at], n, *shape[at + 1 :]] for n in (0, 1, -1, 2**31, 2**40, 2**63, 2**64, 1e9, 2.0, True, None, "3", [3])),
        *([*shape[:at], one + step, *shape[at + 1 :]] for step in (1, -1) if type(one) is int),
    ]  # fmt: skip
    array.shape = forms[int(rng.integers(len(forms)))]
    return f"of shape {array.shape}"


def _length(stored: Stored, k: int, others: list[Stored], rng: Any) -> str:
    """Rows fewer or more, with the shape that fits."""
    array = stored.arrays[k]
    values = _values(array)
    if values is None or not array.shape or not all(type(n) is int and n > 0 for n in array.shape):
        return _shape(stored, k, others, rng)
    try:
        table = values.reshape(array.shape)
    except ValueError:
        return _shape(stored, k, others, rng)
    draw = int(rng.integers(4))
    axis = int(rng.integers(table.ndim))
    if draw == 0:
        table = np.delete(table, int(rng.integers(table.shape[axis])), axis)
    elif draw == 1:
        table = np.concatenate([table, table.take([0], axis)], axis)
    elif draw == 2:
        table = table[:0]
    else:
        table = np.concatenate([table] * int(rng.choice([2, 3, 9])), axis)
    array.shape, array.data = [*table.shape], np.ascontiguousarray(table).tobytes()
    return f"now of shape {array.shape}"


def _bytes(stored: Stored, k: int, others: list[Stored], rng: Any) -> str:
    """More or fewer bytes than the shape says."""
    array = stored.arrays[k]
    cut = int(rng.integers(0, len(array.data) + 1))
    array.data = array.data[:cut] if rng.random() < 0.5 else array.data + bytes(int(rng.integers(1, 100)))
    return f"with {len(array.data)} bytes"


def _list(stored: Stored, k: int, others: list[Stored], rng: Any) -> str:
    """Deleted, doubled, moved, renamed."""
    arrays, draw = stored.arrays, int(rng.integers(5))
    if draw == 0:
        del arrays[k]
    elif draw == 1:
        a = arrays[k]
        arrays.insert(k, Array(a.name, a.dtype, list(a.shape), a.data))
    elif draw == 2:
        a = arrays[k]
        arrays.append(Array("more", a.dtype, list(a.shape), a.data))
    elif draw == 3:
        arrays.insert(int(rng.integers(len(arrays))), arrays.pop(k))
    else:
        arrays[k].name = str(rng.choice(["", "x", "labels", "../x", "weights", "\0", "é" * 300]))
    return ("deleted", "twice", "also as 'more'", "at another place", "renamed")[draw]


def _exchange(stored: Stored, k: int, others: list[Stored], rng: Any) -> str:
    """The content of another array, of this file or of another."""
    source = others[int(rng.integers(len(others)))] if rng.random() < 0.5 else stored
    if not source.arrays:
        return _bits(stored, k, others, rng)
    other = source.arrays[int(rng.integers(len(source.arrays)))]
    array = stored.arrays[k]
    array.data = other.data
    if rng.random() < 0.7:
        array.dtype, array.shape = other.dtype, list(other.shape)
    return f"with the content of '{other.name}'"


def _bomb(stored: Stored, k: int, others: list[Stored], rng: Any) -> str:
    """Zeros that compress to almost nothing: as many as the shape says, or hidden behind a small shape."""
    array = stored.arrays[k]
    size = int(rng.choice(_BOMBS[: 1 if stored.kind == "npz" else None]))
    if stored.kind == "npz":
        array.data = bytes(size)
    else:
        array.packed = _zeros(size)
    if rng.random() < 0.5:
        array.dtype, array.shape = "|u1", [size]
        return f"of {size} zeros"
    return f"with {size} zeros behind its {len(array.data)} bytes"


@cache
def _zeros(size: int) -> bytes:
    """So many zeros, compressed."""
    packer = zlib.compressobj(1)
    return b"".join([*(packer.compress(bytes(1 << 20)) for _ in range(size >> 20)), packer.flush()])


def _garbage(stored: Stored, k: int, others: list[Stored], rng: Any) -> str:
    stored.arrays[k].packed = rng.bytes(int(rng.integers(0, 200)))
    return "compressed to random bytes"


_CHANGES = [
    _entries, _entries, _entries, _rearranged, _bits, _bits, _random, _type, _shape, _length, _length, _bytes, _list, _exchange, _bomb, _garbage
]  # fmt: skip
