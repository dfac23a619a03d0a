"""The model file: a header that describes the contents, then compressed arrays. Written atomically, checked on load, without pickle.

Layout: magic ``SPMTL``, format number (1 byte), header length (8 bytes, little endian), header (JSON), the arrays one after another, BLAKE2
digest (16 bytes) of everything before it.
"""

import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from spacy_mtl.errors import Errors
from spacy_mtl.running import running_loop
from spacy_mtl.stored.arrays import Form, declared, most_bytes, read_array
from spacy_mtl.stored.fault import StoredValueError
from spacy_mtl.stored.json import MOST_BYTES, check_nesting, read_json
from spacy_mtl.stored.values import distinct_texts, fields, list_of, mapping, one_of

from .chain.weights import KEY_BITS, SCALE_SHIFT, ChainWeights, TemplateRow
from .grammar.weights import GrammarWeights
from .tree.weights import TreeWeights

AnyWeights = ChainWeights | TreeWeights | GrammarWeights

MAGIC = b"SPMTL"
FORMAT = 3
_DIGEST = 16
#: Levels of compression: what training saves again and again is 4% larger, in a third of the time.
QUICK, THOROUGH = 4, 6
#: Largest number of templates, and of characters in all of them, which are read one by one.
MOST_TEMPLATES, MOST_TEXT = 1 << 14, 1 << 20
#: Kinds of weights by their name in the header; a file without a name has the weights of a chain.
_KINDS: dict[str, type[ChainWeights] | type[TreeWeights] | type[GrammarWeights]] = {
    "chain": ChainWeights, "tree": TreeWeights, "grammar": GrammarWeights,
}  # fmt: skip


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
    level = QUICK if running_loop() is not None else THOROUGH
    return packed, zlib.compress(np.ascontiguousarray(packed).tobytes(), level)


def _chunk(name: str, array: np.ndarray, form: Form) -> tuple[np.ndarray, bytes]:
    """The same, less compressed if a reader would not believe how little remains."""
    packed, chunk = compressed(name, array)
    if packed.nbytes > most_bytes(len(chunk), form.ratio, form.free):
        chunk = zlib.compress(np.ascontiguousarray(packed).tobytes(), 0)
    return packed, chunk


def to_bytes(weights: AnyWeights, settings: dict[str, Any]) -> bytes:
    """Serialize weights and JSON-serializable ``settings``. Raises ValueError (M612) for what :func:`from_bytes` would refuse to read."""
    _check_writable(weights)
    described, chunks, forms = [], [], weights.forms(len(weights.labels))
    for name in written(weights):
        array, chunk = _chunk(name, getattr(weights, name), forms[name])
        described.append({"name": name, "dtype": array.dtype.str, "shape": array.shape, "bytes": len(chunk)})
        chunks.append(chunk)
    header = {
        "kind": next(name for name, kind in _KINDS.items() if isinstance(weights, kind)),
        "settings": settings,
        "labels": weights.labels,
        "templates": [asdict(row) for row in weights.templates],
        "arrays": described,
    }
    text = _header_text(header)
    body = b"".join([MAGIC, bytes([FORMAT]), len(text).to_bytes(8, "little"), text, *chunks])
    return body + blake2b(body, digest_size=_DIGEST).digest()


def written(weights: AnyWeights) -> list[str]:
    """The names of the arrays that a file has: all, but for optional ones where there is nothing in any of them."""
    optional = getattr(weights, "OPTIONAL", ())
    if any(getattr(weights, name).size for name in optional):
        optional = ()
    return [name for name in weights.ARRAYS if name not in optional]


def _check_writable(weights: AnyWeights) -> None:
    try:
        distinct_texts(list(weights.labels), "the list of labels")
        _template_rows([asdict(row) for row in weights.templates])
    except StoredValueError as fault:
        raise ValueError(Errors.M612.format(fault=fault)) from None


def _header_text(header: dict[str, Any]) -> bytes:
    try:
        text = json.dumps(header, ensure_ascii=False, allow_nan=False).encode("utf8")
        check_nesting(text, "its header")
    except ValueError as fault:
        raise ValueError(Errors.M612.format(fault=fault)) from None
    if len(text) > MOST_BYTES:
        raise ValueError(Errors.M612.format(fault=f"its settings would take more than {MOST_BYTES >> 20} megabytes"))
    return text


def from_bytes(data: bytes, where: str) -> tuple[Any, dict[str, Any]]:
    """Read what :func:`to_bytes` wrote: the weights (:class:`.ChainWeights` and others), checked, and the settings, which are not.

    Raises ValueError naming ``where``: M601 not a model file of this package, M602 another format number, M603 damaged, M610 not a valid model.
    """
    head = len(MAGIC) + 1
    if not isinstance(data, bytes) or data[: len(MAGIC)] != MAGIC or len(data) < head:
        raise ValueError(Errors.M601.format(where=where))
    if data[len(MAGIC)] != FORMAT:
        raise ValueError(Errors.M602.format(where=where, found=data[len(MAGIC)], expected=FORMAT))
    end = len(data) - _DIGEST
    if end < head + 8 or blake2b(memoryview(data)[:end], digest_size=_DIGEST).digest() != data[end:]:
        raise ValueError(Errors.M603.format(where=where))
    with faults_in(where):
        return _parse(data, head, end)


@contextmanager
def faults_in(where: str) -> Iterator[None]:
    """Raise ValueError (M610), naming ``where``, for a stored value that is not allowed: the file may come from a stranger."""
    try:
        yield
    except StoredValueError as fault:
        raise ValueError(Errors.M610.format(where=where, fault=fault)) from None


_HEADER = {
    "kind": one_of(*_KINDS),
    "settings": mapping,
    "labels": distinct_texts,
    "templates": list_of(lambda row, _: row),
    "arrays": list_of(lambda entry, _: entry),
}


def _parse(data: bytes, head: int, end: int) -> tuple[AnyWeights, dict[str, Any]]:
    """Parse the file between ``head``, where the length of the header stands, and ``end``."""
    begin = head + 8
    at = begin + int.from_bytes(data[head:begin], "little")
    if at > end:
        raise StoredValueError("the header is longer than the file")
    header = fields(read_json(data[begin:at]), "the header", _HEADER, missing={"kind": "chain"})
    kind, labels = _KINDS[header["kind"]], tuple(header["labels"])
    templates = _template_rows(header["templates"])
    entries = declared(header["arrays"], kind.forms(len(labels)), at, end, getattr(kind, "OPTIONAL", ()))
    arrays = {entry.name: _unpack(entry.name, read_array(data, entry)) for entry in entries}
    weights = kind(labels, templates, **arrays)
    weights.check()
    return weights, header["settings"]


def _template_rows(rows: list[Any]) -> tuple[TemplateRow, ...]:
    """The report of the templates, checked column by column, since there may be hundreds."""
    names = TemplateRow.CHECKS
    try:
        columns = [[row[name] for row in rows] for name in names]
        exact = all(len(row) == len(names) for row in rows)
    except (TypeError, LookupError):
        exact = False
    if exact and (len(rows) > MOST_TEMPLATES or sum(map(len, map(str, columns[0]))) > MOST_TEXT):
        raise StoredValueError(f"it has more than {MOST_TEMPLATES} templates, or {MOST_TEXT >> 20} megabytes of them")
    if not exact:
        raise StoredValueError(f"a template does not have exactly the entries {', '.join(names)}")
    for column, (name, check) in zip(columns, names.items(), strict=True):
        check(column, f"{name} of a template")
    return tuple(map(TemplateRow, *columns))


def read(path: Path) -> bytes:
    """The bytes of a model file. Raises ValueError (M605) where it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise ValueError(Errors.M605.format(where=path, reason=error.strerror)) from None
