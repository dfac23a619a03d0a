"""The model file: a header that describes the contents, then compressed arrays. Written atomically, checked on load, without pickle.

Layout: magic ``SPMTL``, format number (1 byte), header length (8 bytes, little endian), header (JSON), the arrays one after another, BLAKE2
digest (16 bytes) of everything before it.
"""

import json
import zlib
from dataclasses import asdict
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from spacy_mtl.errors import Errors

from .chain.weights import KEY_BITS, SCALE_SHIFT, ChainWeights, TemplateRow
from .tree.weights import TreeWeights

MAGIC = b"SPMTL"
FORMAT = 3
_DIGEST = 16
#: Kinds of weights by their name in the header; a file without a name has the weights of a chain.
_KINDS: dict[str, type[ChainWeights] | type[TreeWeights]] = {"chain": ChainWeights, "tree": TreeWeights}


def _planes(keys: np.ndarray) -> np.ndarray:
    """Differences of ascending keys as byte planes uint8[KEY_BITS / 8, R]: the high planes compress to almost nothing."""
    steps = np.diff(keys, prepend=np.uint64(0))
    return np.ascontiguousarray(steps.view(np.uint8).reshape(-1, 8)[:, : KEY_BITS // 8].T)


def _from_planes(planes: np.ndarray) -> np.ndarray:
    steps = np.zeros((planes.shape[1], 8), np.uint8)
    steps[:, : planes.shape[0]] = planes.T
    return np.cumsum(steps.reshape(-1).view("<u8"), dtype=np.uint64)


def _pack(name: str, array: np.ndarray) -> np.ndarray:
    if name.endswith("keys"):
        return _planes(array)
    return (array.view(np.uint32) >> SCALE_SHIFT).astype(np.uint16) if name.endswith("scales") else array


def _unpack(name: str, array: np.ndarray) -> np.ndarray:
    if name.endswith("keys"):
        return _from_planes(array)
    if name.endswith("scales"):
        return (array.astype(np.uint32) << SCALE_SHIFT).view(np.float32)
    return array.copy()  # arrays from bytes are read-only, and numba would compile the kernels again for those


def compressed(name: str, array: np.ndarray) -> tuple[np.ndarray, bytes]:
    """An array of a model in its file format, before and after compression. name: as in ARRAYS of the weights."""
    packed = _pack(name, array)
    return packed, zlib.compress(np.ascontiguousarray(packed).tobytes(), 6)


def to_bytes(weights: ChainWeights | TreeWeights, settings: dict[str, Any]) -> bytes:
    """Serialize weights and JSON-serializable ``settings``."""
    described, chunks = [], []
    for name in weights.ARRAYS:
        array, chunk = compressed(name, getattr(weights, name))
        described.append({"name": name, "dtype": array.dtype.str, "shape": array.shape, "bytes": len(chunk)})
        chunks.append(chunk)
    header = {
        "kind": next(name for name, kind in _KINDS.items() if isinstance(weights, kind)),
        "settings": settings,
        "labels": weights.labels,
        "templates": [asdict(row) for row in weights.templates],
        "arrays": described,
    }
    text = json.dumps(header, ensure_ascii=False).encode("utf8")
    body = b"".join([MAGIC, bytes([FORMAT]), len(text).to_bytes(8, "little"), text, *chunks])
    return body + blake2b(body, digest_size=_DIGEST).digest()


def from_bytes(data: bytes, where: str) -> tuple[Any, dict[str, Any]]:
    """Read what :func:`to_bytes` wrote: :class:`.ChainWeights` or :class:`.TreeWeights`, and the settings.

    Raises ValueError naming ``where``: M601 not a model file of this package, M602 another format number, M603 damaged.
    """
    head = len(MAGIC) + 1
    if data[: len(MAGIC)] != MAGIC or len(data) < head:
        raise ValueError(Errors.M601.format(where=where))
    if data[len(MAGIC)] != FORMAT:
        raise ValueError(Errors.M602.format(where=where, found=data[len(MAGIC)], expected=FORMAT))
    body, digest = data[:-_DIGEST], data[-_DIGEST:]
    if len(data) < head + 8 + _DIGEST or blake2b(body, digest_size=_DIGEST).digest() != digest:
        raise ValueError(Errors.M603.format(where=where))
    try:
        weights, settings = _parse(body[head:])
    except (
        LookupError,
        TypeError,
        ValueError,
        zlib.error,
    ):  # damage that a correct checksum cannot show: the file may come from a stranger
        raise ValueError(Errors.M603.format(where=where)) from None
    if not weights.fits:
        raise ValueError(Errors.M603.format(where=where))
    return weights, settings


def _parse(body: bytes) -> tuple[ChainWeights | TreeWeights, dict[str, Any]]:
    """Parse the file from the header length on."""
    at = 8 + int.from_bytes(body[:8], "little")
    header = json.loads(body[8:at])
    arrays = {}
    for entry in header["arrays"]:
        raw = zlib.decompress(body[at : at + entry["bytes"]])
        array = np.frombuffer(raw, np.dtype(entry["dtype"])).reshape(entry["shape"])
        arrays[entry["name"]] = _unpack(entry["name"], array)
        at += entry["bytes"]
    rows = tuple(TemplateRow(**row) for row in header["templates"])
    kind = _KINDS[header.get("kind", "chain")]
    return kind(tuple(header["labels"]), rows, **arrays), dict(header["settings"])


def read(path: Path) -> bytes:
    """The bytes of a model file. Raises ValueError (M605) where it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise ValueError(Errors.M605.format(where=path, reason=error.strerror)) from None
