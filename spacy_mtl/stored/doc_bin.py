"""spaCy's ``.spacy`` files (DocBin) from anyone: what spaCy itself believes is checked before it makes Docs of it.

spaCy checks heads once by the first column of that name and takes them from the last, so a file with two of them reads and writes outside of its
memory. It also takes numbers of parts of speech, sentence starts and spans as they are.
"""

import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import srsly.msgpack
from spacy.attrs import HEAD, ORTH, POS, SENT_START
from spacy.parts_of_speech import NAMES
from spacy.tokens import Doc, DocBin

from .fault import StoredValueError

#: A file may expand to this many bytes, and to so many times its own size: attributes that nobody has set are nothing but zeros.
LEAST_BYTES, MOST_TIMES = 1 << 28, 256
#: Most lists and maps and items of these in a file: documents have two maps, and an empty list of a single byte takes 56 in memory.
MOST_VALUES = 1 << 24
_STEP = 1 << 20


def read_doc_bin(data: bytes) -> DocBin:
    """Unpack a ``.spacy`` file. Raises StoredValueError where it is none, would expand too far, or what it says of its documents does not fit."""
    check_expansion(data)
    try:
        check_message(_unpacked(zlib.decompress(data)))
        return DocBin(store_user_data=True).from_bytes(data)
    except StoredValueError:
        raise
    except Exception:  # zlib, msgpack and numpy raise errors of their own
        raise StoredValueError("it cannot be unpacked") from None


def check_expansion(data: bytes) -> None:
    """Decompress without keeping anything, up to the limit."""
    unpacker, left = zlib.decompressobj(), max(LEAST_BYTES, MOST_TIMES * len(data))
    try:
        while data and left >= 0:
            left -= len(unpacker.decompress(data, _STEP))
            data = unpacker.unconsumed_tail
    except zlib.error:
        raise StoredValueError("it cannot be decompressed") from None
    if left < 0:
        raise StoredValueError("it would expand to far more than its size")


def _unpacked(message: bytes) -> Any:
    """What the message holds. Raises StoredValueError where it has too many values in lists and maps, and errors of msgpack."""
    n = 0

    def count(container: Any) -> Any:
        nonlocal n
        n += 1 + len(container)
        if n > MOST_VALUES:
            raise StoredValueError("it has too many values")
        return container

    limits = {"max_array_len": MOST_VALUES, "max_map_len": MOST_VALUES}
    return srsly.msgpack.loads(message, raw=False, object_hook=count, list_hook=count, **limits)


def check_message(message: Mapping[str, Any]) -> None:
    """Refuse columns, lengths and values that do not fit each other. Raises StoredValueError, and others where a part is missing."""
    attrs, lengths = message["attrs"], np.frombuffer(message["lengths"], np.int32).astype(np.int64)
    if not (all(type(attr) is int for attr in attrs) and len({*attrs}) == len(attrs) and ORTH in attrs):
        raise StoredValueError("its columns are no list of different attributes with the words")
    if not all(isinstance(string, str) for string in message["strings"]):
        raise StoredValueError("its strings are of other types")
    table = np.frombuffer(message["tokens"], np.uint64).reshape(-1, len(attrs))
    n = len(lengths)
    if (lengths < 0).any() or not lengths.sum() == len(table) == len(message["spaces"]):
        raise StoredValueError("the lengths of its documents are not those of its words")
    for name, kind in {"cats": dict, "flags": dict, "span_groups": bytes, "user_data": bytes | None}.items():
        values = message.get(name, ())
        if name in message and not (len(values) == n and all(isinstance(value, kind) for value in values)):
            raise StoredValueError(f"it has no {name} of each document")
    _check_columns(dict(zip(attrs, table.T, strict=True)), lengths)


def _check_columns(columns: dict[int, np.ndarray], lengths: np.ndarray) -> None:
    """The numbers that stand for no string."""
    if POS in columns and not np.isin(columns[POS], np.array([*NAMES], np.uint64)).all():
        raise StoredValueError("it has unknown parts of speech")
    if SENT_START in columns and not np.isin(columns[SENT_START].view(np.int64), (-1, 0, 1)).all():
        raise StoredValueError("it has unknown marks of sentence borders")
    if HEAD in columns:
        ends = np.cumsum(lengths)
        here, heads = np.arange(len(columns[HEAD])), np.ascontiguousarray(columns[HEAD]).view(np.int64)
        first, last = np.repeat(ends - lengths, lengths) - here, np.repeat(ends, lengths) - here
        if not ((first <= heads) & (heads < last)).all():
            raise StoredValueError("it has heads outside of their documents")


def check_spans(doc: Doc) -> None:
    """Refuse spans outside of their Doc or with a label that is no string of its vocab. Raises StoredValueError."""
    for group in doc.spans.values():
        for span in group:
            if not 0 <= span.start <= span.end <= len(doc) or span.label not in doc.vocab.strings:
                raise StoredValueError("it has spans outside of their documents, or without a known label")
