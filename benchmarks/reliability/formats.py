"""Files taken apart and put together again, with the checksum that a reader expects: a stranger can compute it, too."""

import json
import zipfile
import zlib
from copy import deepcopy
from dataclasses import dataclass, field
from hashlib import blake2b
from io import BytesIO
from typing import Any

import numpy as np
import srsly

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
    """A file in parts. kind: "model" (of components), "npz", "json", or "tables". header: what its JSON or msgpack says, without the arrays."""

    kind: str
    header: Any
    arrays: list[Array]
    format: int = 0
    declared: int = field(default=0)

    def copy(self) -> "Stored":
        return deepcopy(self)


def take_apart(data: bytes) -> Stored:
    """The parts of a file that this package wrote."""
    if data.startswith(MAGIC):
        return _from_model(data)
    if data.startswith(b"PK"):
        return _from_npz(data)
    return Stored("json", json.loads(data), []) if data.startswith(b"{") else _from_tables(data)


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


def _from_tables(data: bytes) -> Stored:
    """Tables are msgpack with compressed data amid it: its places become names of arrays."""
    header, arrays = srsly.msgpack_loads(data), []
    for name, table in header.items():
        for key in [key for key, value in table.items() if isinstance(value, bytes)]:
            raw = zlib.decompress(table.pop(key))
            arrays.append(Array(f"{name}/{key}", "<u2" if key == "numbers" else "|u1", [len(raw)], raw))
    return Stored("tables", header, arrays)


def whole_header(stored: Stored) -> tuple[Any, list[bytes]]:
    """The header as it is written, the arrays described in it where the format does so, and the compressed arrays."""
    if stored.kind in ("npz", "json"):
        return stored.header, []
    chunks = [zlib.compress(array.data, 1) if array.packed is None else array.packed for array in stored.arrays]
    described = [
        {"name": a.name, "dtype": a.dtype, "shape": a.shape, "bytes": len(chunk)}
        for a, chunk in zip(stored.arrays, chunks, strict=True)
    ]
    if stored.kind == "tables":
        return stored.header, chunks
    return ({**stored.header, "arrays": described} if isinstance(stored.header, dict) else stored.header), chunks


def put_together(stored: Stored, header: bytes, chunks: list[bytes]) -> bytes:
    """The file, with its digest or the checksums of its members. header: JSON, which may have been changed after :func:`whole_header`."""
    if stored.kind == "npz":
        return _to_npz(stored, header)
    if stored.kind == "json":
        return header
    if stored.kind == "tables":
        return _to_tables(stored, header, chunks)
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


def _to_tables(stored: Stored, header: bytes, chunks: list[bytes]) -> bytes:
    """Msgpack of the header with the data in its places; the header itself where msgpack cannot hold it, a file that is none."""
    try:
        tables = json.loads(header)
        for array, chunk in zip(stored.arrays, chunks, strict=True):
            name, _, key = array.name.partition("/")
            if isinstance(tables, dict) and isinstance(tables.get(name), dict):
                tables[name][key] = chunk
        return srsly.msgpack_dumps(tables)
    except (RecursionError, OverflowError, ValueError, TypeError):
        return header


def _npy(array: Array) -> bytes:
    shape = f"({', '.join(map(repr, array.shape))}{',' if len(array.shape) == 1 else ''})"
    text = f"{{'descr': {array.dtype!r}, 'fortran_order': False, 'shape': {shape}, }}".encode()[:60_000]
    text += b" " * (-(len(text) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + array.data
