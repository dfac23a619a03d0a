"""Read and write ``.npz`` files that may come from a stranger: names, types and sizes are checked before memory is asked for.

An ``.npz`` file is a zip of ``.npy`` files, and every one of these says its type and shape in a short header.
"""

import ast
import math
import re
import struct
import zipfile
import zlib
from io import BytesIO
from typing import Any

import numpy as np

from spacy_mtl.errors import Errors
from spacy_mtl.stored.fault import StoredValueError

#: The arrays of a file may be this many times as large as the file, and this many bytes more.
EXPANSION, SPARE = 64, 1 << 24
#: Members of a zip. Each costs Python half a kilobyte, and the file 46 bytes.
MOST_MEMBERS = 1 << 16
#: The first bytes of a ``.npy`` file: magic and version; after them two bytes with the length of the header, and the header.
_MAGIC = b"\x93NUMPY\x01\x00"
_HEADER = re.compile(
    rb"\{'descr': '(<f[48]|<i[48]|\|u1|<U[1-9]\d{0,6})', 'fortran_order': (True|False), "
    rb"'shape': (\((?:\d{1,18},|\d{1,18}, \d{1,18})\)), \} *\n"
)
_LONGEST_HEADER = 512
_CHUNK = 1 << 20
#: What zipfile and zlib raise for a damaged file; RuntimeError where it is encrypted or compressed by other means.
_FAULTS = (ValueError, OSError, EOFError, LookupError, RuntimeError, zipfile.BadZipFile, zlib.error, struct.error)


class DamagedError(ValueError):
    """The file is no zip as numpy writes it; the caller says which file. What a sound zip holds is checked by :mod:`spacy_mtl.stored`."""


def most_bytes(size: int) -> int:
    """How large the arrays of a file of this size may be."""
    return EXPANSION * size + SPARE


def to_archive(arrays: dict[str, Any]) -> bytes:
    """The bytes of an ``.npz`` file: compressed, unless it would expand by more than a reader accepts."""
    expanded = sum(array.nbytes + _LONGEST_HEADER for array in arrays.values())
    for write in (np.savez_compressed, np.savez):
        file = BytesIO()
        write(file, **arrays)
        if expanded <= most_bytes(file.tell()):
            break
    return file.getvalue()


class Archive:
    """The arrays of an ``.npz`` file, none of which is read yet.

    Raises ValueError: DamagedError if it is no zip as numpy writes it, M640 if it would expand to more than :func:`most_bytes`.
    """

    def __init__(self, data: bytes, where: Any) -> None:
        if data.count(b"PK\x01\x02") > MOST_MEMBERS:
            raise DamagedError
        try:
            self._zip = zipfile.ZipFile(BytesIO(data))
        except _FAULTS:
            raise DamagedError from None
        members = self._zip.infolist()
        self._members = {member.filename: member for member in members}
        if len(self._members) < len(members) or not all(_is_plain(member) for member in members):
            raise DamagedError
        expanded = sum(member.file_size for member in members)
        if expanded > most_bytes(len(data)):
            sizes = {"size": f"{len(data) / 1e6:,.1f}", "expanded": f"{expanded / 1e6:,.1f}"}
            raise ValueError(Errors.M640.format(where=where, **sizes))

    @property
    def names(self) -> set[str]:
        """Of the arrays."""
        return {name.removesuffix(".npy") for name in self._members}

    def read(self, name: str, at_most: int | None = None) -> np.ndarray:
        """An array, C-contiguous. Its type and shape are compared with the size of its member before memory is asked for.

        Raises DamagedError, or StoredValueError for a type that no model has.

        at_most: bytes that it may have.
        """
        try:
            member = self._members[f"{name}.npy"]
            if at_most is not None and member.file_size > at_most:
                raise DamagedError
            with self._zip.open(member) as file:
                dtype, is_transposed, shape = _header(file)
                if member.file_size - file.tell() != math.prod(shape) * dtype.itemsize:
                    raise DamagedError
                array = np.empty(shape[::-1] if is_transposed else shape, dtype)
                _fill(array, file)
        except StoredValueError:
            raise
        except _FAULTS:
            raise DamagedError from None
        return np.ascontiguousarray(array.T if is_transposed else array)


def _is_plain(member: zipfile.ZipInfo) -> bool:
    """Whether numpy could have written it: stored or deflated, not encrypted, and named ``.npy``."""
    is_known = member.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
    return is_known and not member.flag_bits & 1 and member.filename.endswith(".npy")


def _header(file: Any) -> tuple[np.dtype, bool, tuple[int, ...]]:
    """The type of a ``.npy`` file, whether its columns come first, and its shape. Raises StoredValueError for those that no model has."""
    start = file.read(len(_MAGIC) + 2)
    length = int.from_bytes(start[len(_MAGIC) :], "little")
    found = _HEADER.fullmatch(file.read(length)) if start.startswith(_MAGIC) and length <= _LONGEST_HEADER else None
    if found is None:
        raise StoredValueError("an array has a type or a shape that no model has")
    return np.dtype(found[1].decode()), found[2] == b"True", ast.literal_eval(found[3].decode())


def _fill(array: np.ndarray, file: Any) -> None:
    """Read the bytes of an array, and the end of the file behind it, where zipfile compares checksums. Raises DamagedError if there are fewer."""
    rest = array.reshape(-1).view(np.uint8).data
    while rest:
        n = file.readinto(rest[:_CHUNK])
        if not n:
            raise DamagedError
        rest = rest[n:]
    if file.read(1):
        raise DamagedError
