"""Model files taken apart and put together again, with the checksum that a reader expects: a stranger can compute it, too."""

import json
import zipfile
import zlib
from copy import deepcopy
from dataclasses import dataclass, field
from hashlib import blake2b
from io import BytesIO
from typing import Any

import numpy as np

MAGIC = b"SPMTL"
_DIGEST = 16


@dataclass
class Array:
    """An array as a file declares it. data: its bytes, whatever type and shape say. packed: its compressed bytes where they are not those of data."""

    name: str
    dtype: str
    shape: list[Any]
    data: bytes
    packed: bytes | None = None

    @property
    def declared(self) -> int:
        """Bytes that type and shape promise; 0 where they promise nothing."""
        try:
            return int(np.dtype(self.dtype).itemsize * np.prod([*map(float, self.shape)]))
        except (TypeError, ValueError, OverflowError):
            return 0


@dataclass
class Stored:
    """A model file in parts. kind: "model" (of components) or "npz". header: what its JSON says, without the arrays."""

    kind: str
    header: Any
    arrays: list[Array]
    format: int = 0
    declared: int = field(default=0)

    def copy(self) -> "Stored":
        return deepcopy(self)


def take_apart(data: bytes) -> Stored:
    """The parts of a file that this package wrote."""
    return _from_model(data) if data.startswith(MAGIC) else _from_npz(data)


def _from_model(data: bytes) -> Stored:
    at = len(MAGIC) + 9
    length = int.from_bytes(data[at - 8 : at], "little")
    header = json.loads(data[at : at + length])
    at += length
    arrays = []
    for entry in header.pop("arrays"):
        raw = zlib.decompress(data[at : at + entry["bytes"]])
        arrays.append(Array(entry["name"], entry["dtype"], entry["shape"], raw))
        at += entry["bytes"]
    return Stored("model", header, arrays, data[len(MAGIC)])


def _from_npz(data: bytes) -> Stored:
    with np.load(BytesIO(data)) as file:
        arrays = {name: np.ascontiguousarray(file[name]) for name in file.files}
    header = json.loads(arrays.pop("header").tobytes())
    return Stored("npz", header, [Array(k, a.dtype.str, [*a.shape], a.tobytes()) for k, a in arrays.items()])


def whole_header(stored: Stored) -> tuple[Any, list[bytes]]:
    """The header as it is written, the arrays described in it where the format does so, and the compressed arrays."""
    if stored.kind == "npz":
        return stored.header, []
    chunks = [zlib.compress(array.data, 1) if array.packed is None else array.packed for array in stored.arrays]
    described = [
        {"name": a.name, "dtype": a.dtype, "shape": a.shape, "bytes": len(chunk)}
        for a, chunk in zip(stored.arrays, chunks, strict=True)
    ]
    return ({**stored.header, "arrays": described} if isinstance(stored.header, dict) else stored.header), chunks


def put_together(stored: Stored, header: bytes, chunks: list[bytes]) -> bytes:
    """The file, with its digest or the checksums of its members. header: JSON, which may have been changed after :func:`whole_header`."""
    if stored.kind == "npz":
        return _to_npz(stored, header)
    return signed(b"".join([MAGIC, bytes([stored.format]), len(header).to_bytes(8, "little"), header, *chunks]))


def signed(body: bytes) -> bytes:
    """A body with its digest."""
    return body + blake2b(body, digest_size=_DIGEST).digest()


def unsigned(data: bytes) -> bytes:
    return data[:-_DIGEST]


def _to_npz(stored: Stored, header: bytes) -> bytes:
    file = BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as members:
        for array in [*stored.arrays, Array("header", "|u1", [len(header)], header)]:
            member = zipfile.ZipInfo(
                f"{array.name}.npy"
            )  # always of the same time, so that a mutant has always the same bytes
            member.compress_type = zipfile.ZIP_DEFLATED
            members.writestr(member, _npy(array))
    return file.getvalue()


def _npy(array: Array) -> bytes:
    shape = f"({', '.join(map(repr, array.shape))}{',' if len(array.shape) == 1 else ''})"
    text = f"{{'descr': {array.dtype!r}, 'fortran_order': False, 'shape': {shape}, }}".encode()[:60_000]
    text += b" " * (-(len(text) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + array.data
