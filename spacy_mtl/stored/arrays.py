"""Arrays that a file declares: names, types, shapes and places are checked before any of them is read."""

import zlib
from collections.abc import Collection, Mapping
from math import prod
from typing import Any, NamedTuple

import numpy as np

from .fault import StoredValueError, shown
from .values import fields, integer, list_of, text

#: How many times its compressed size an array may have. Keys are close to random, so even sorted ones hardly compress; but rows of hundreds of labels
#: with a weight for one of them compress almost as far as zlib can, about a thousandfold.
RATIO = 256
#: Bytes that an array may have in any case.
FREE = 1 << 25
#: No length, and no number of bytes, can be larger.
_MOST = 1 << 48


class Form(NamedTuple):
    """What a format says of one array. dtype: as in ``np.dtype(...).str``. shape: the length of each axis, None for any.

    ratio, free: it may have as many bytes as ``free`` plus ``ratio`` times its compressed size.
    """

    dtype: str
    shape: tuple[int | None, ...]
    ratio: int = RATIO
    free: int = FREE

    def fault(self, dtype: str, shape: tuple[int, ...]) -> str:
        """What is wrong with an array of this type and shape; empty if nothing is."""
        if dtype != self.dtype:
            return f"has the type {shown(dtype)}, not {shown(self.dtype)}"
        if len(shape) != len(self.shape):
            return f"has {len(shape)} dimensions, not {len(self.shape)}"
        wrong = [(n, own) for n, own in zip(shape, self.shape, strict=True) if own is not None and n != own]
        return f"has {wrong[0][0]} entries on an axis of {wrong[0][1]}" if wrong else ""


class Declared(NamedTuple):
    """An array as a file declares it: its compressed bytes are ``data[begin:end]``."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    begin: int
    end: int

    @property
    def size(self) -> int:
        """Bytes after decompression."""
        return prod(self.shape) * np.dtype(self.dtype).itemsize


_ENTRY = {
    "name": text,
    "dtype": text,
    "shape": list_of(integer(0, _MOST), most=4),
    "bytes": integer(0, _MOST),
}


def declared(
    entries: Any, forms: Mapping[str, Form], begin: int, end: int, optional: Collection[str] = ()
) -> list[Declared]:
    """Check the list of a file's arrays, which lie one after another between ``begin`` and ``end``.

    entries: objects with name, dtype, shape and bytes (compressed). optional: arrays that may all be missing. Raises StoredValueError unless there is
    exactly one of each, of its form and not too large for its compressed bytes, and together they fill the place exactly.
    """
    found: list[Declared] = []
    listed = [value.get("name") for value in entries if isinstance(value, dict)] if isinstance(entries, list) else []
    if not any(name in listed for name in optional):
        forms = {name: form for name, form in forms.items() if name not in optional}
    for value in list_of(lambda item, _: item, most=len(forms))(entries, "the list of arrays"):
        entry = fields(value, "an array", _ENTRY)
        name, at = entry["name"], found[-1].end if found else begin
        array = Declared(name, entry["dtype"], tuple(entry["shape"]), at, at + entry["bytes"])
        if name not in forms or any(other.name == name for other in found):
            raise StoredValueError(f"there is an array {shown(name)}, unknown or for the second time")
        check_form(array, forms[name])
        found.append(array)
    if len(found) != len(forms):
        raise StoredValueError(f"the array {shown(min(forms.keys() - {array.name for array in found}))} is missing")
    if (found[-1].end if found else begin) != end:
        raise StoredValueError("the arrays do not fill the file exactly")
    return found


def check_form(array: Declared, form: Form) -> None:
    """Refuse an array of another form, or one that is too large for its compressed bytes. Raises StoredValueError."""
    fault = form.fault(array.dtype, array.shape)
    if fault:
        raise StoredValueError(f"the array '{array.name}' {fault}")
    if array.size > most_bytes(array.end - array.begin, form.ratio, form.free):
        raise StoredValueError(
            f"the array '{array.name}' is too large for its {array.end - array.begin} bytes in the file"
        )


def most_bytes(compressed: int, ratio: int = RATIO, free: int = FREE) -> int:
    """The largest size that data may have after decompression. compressed: its bytes in the file."""
    return free + ratio * compressed


def inflate(data: bytes, size: int, name: str) -> bytes:
    """Decompress zlib ``data`` to exactly ``size`` bytes; never makes more than one byte too many. Raises StoredValueError."""
    stream = zlib.decompressobj()
    try:
        raw = stream.decompress(data, size + 1)
    except zlib.error:
        raise StoredValueError(f"the array '{name}' cannot be decompressed") from None
    if len(raw) != size or not stream.eof or stream.unused_data:
        raise StoredValueError(f"the array '{name}' does not have the {size} bytes of its shape")
    return raw


def read_array(data: bytes, array: Declared) -> np.ndarray:
    """The declared array, read-only. Raises StoredValueError if its bytes are not those of its shape."""
    raw = inflate(data[array.begin : array.end], array.size, array.name)
    return np.frombuffer(raw, np.dtype(array.dtype)).reshape(array.shape)
