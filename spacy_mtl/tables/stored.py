"""Tables as bytes, checked when they are read: a file may come from a stranger."""

import zlib
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

import numpy as np
import srsly.msgpack

from spacy_mtl.stored.arrays import inflate, most_bytes
from spacy_mtl.stored.fault import StoredValueError
from spacy_mtl.stored.msgpack import read_msgpack
from spacy_mtl.stored.ranges import check_ascending
from spacy_mtl.stored.values import boolean, fields, integer, list_of, mapping, one_of, text, texts

from .clusters import KEY_BITS, MOST_CLUSTERS, MOST_FORMS, ClusterTable, is_path
from .phrases import MOST_FOLDS, MOST_PHRASES, OfCorpus, PhraseList

AnyTable = ClusterTable | PhraseList
#: Largest number of tables of a component.
MOST_TABLES = 256
_BYTES = KEY_BITS // 8
#: How many times its compressed size the text of a list may have, and the bytes that it may have in any case.
_TEXT_RATIO, _TEXT_FREE = 64, 1 << 20


class Tables(dict[str, AnyTable]):
    """The tables of a component by name. A class of its own, so that thinc knows how to write it."""


def digest(data: bytes) -> str:
    """What tells the tables of one model from those of another."""
    return blake2b(data, digest_size=16).hexdigest()


def to_bytes(tables: Mapping[str, AnyTable]) -> bytes:
    """Serialize tables; the same tables give the same bytes."""
    return srsly.msgpack_dumps({name: _written(tables[name]) for name in sorted(tables)})


def _written(table: AnyTable) -> dict[str, Any]:
    if isinstance(table, PhraseList):
        raw = "\n".join(table).encode()
        return {
            "kind": "phrases",
            "fold_case": table.fold_case,
            "fold_accents": table.fold_accents,
            "size": len(raw),
            "phrases": zlib.compress(raw),
            **({} if table.of_corpus is None else {"of_corpus": table.of_corpus._asdict()}),
        }
    steps = np.diff(table.keys, prepend=np.uint64(0)).astype("<u8").view(np.uint8).reshape(-1, 8)[:, :_BYTES]
    return {
        "kind": "clusters",
        "n": len(table),
        "paths": list(table.paths),
        "keys": zlib.compress(np.ascontiguousarray(steps.T).tobytes()),  # differences as byte planes compress best
        "numbers": zlib.compress(table.numbers.astype("<u2").tobytes()),
    }


def from_bytes(data: Any) -> Tables:
    """Read what :func:`to_bytes` wrote. Raises StoredValueError."""
    stored = mapping(read_msgpack(data, "it"), "it")
    if len(stored) > MOST_TABLES:
        raise StoredValueError(f"it has {len(stored)} tables, more than {MOST_TABLES}")
    return Tables({text(name, "a name"): _read(value, name) for name, value in stored.items()})


def _read(value: Any, name: str) -> AnyTable:
    kind = one_of("clusters", "phrases")(mapping(value, name).get("kind"), f"the kind of {name}")
    return (_read_clusters if kind == "clusters" else _read_phrases)(value, name)


def _packed(value: Any, name: str) -> bytes:
    if type(value) is not bytes:
        raise StoredValueError(f"{name} is not compressed data")
    return value


def _read_clusters(value: Any, name: str) -> ClusterTable:
    checks = {
        "kind": text,
        "n": integer(0, MOST_FORMS),
        "paths": list_of(text, 0, MOST_CLUSTERS),
        "keys": _packed,
        "numbers": _packed,
    }
    found = fields(value, name, checks)
    n, paths = found["n"], found["paths"]
    if not all(map(is_path, texts(paths, name))):
        raise StoredValueError(f"{name} has a path that is not one")
    planes = np.frombuffer(inflate(found["keys"], n * _BYTES, name), np.uint8).reshape(_BYTES, n)
    steps = np.zeros((n, 8), np.uint8)
    steps[:, :_BYTES] = planes.T
    keys = np.cumsum(steps.reshape(-1).view("<u8"), dtype=np.uint64)
    check_ascending(keys, f"the keys of {name}")
    if n and int(keys[-1]) >> KEY_BITS:
        raise StoredValueError(f"{name} has a key of more than {KEY_BITS} bits")
    numbers = np.frombuffer(inflate(found["numbers"], 2 * n, name), "<u2").astype(np.uint16)
    if n and int(numbers.max()) >= len(paths):
        raise StoredValueError(f"{name} has a form without a path")
    return ClusterTable(keys, numbers, paths)


def _read_phrases(value: Any, name: str) -> PhraseList:
    checks = {
        "kind": text,
        "fold_case": boolean,
        "fold_accents": boolean,
        "size": integer(0, 1 << 32),
        "phrases": _packed,
        "of_corpus": _read_of_corpus,
    }
    found = fields(value, name, checks, missing={"of_corpus": None})
    if found["size"] > most_bytes(len(found["phrases"]), _TEXT_RATIO, _TEXT_FREE):
        raise StoredValueError(f"{name} is too large for its {len(found['phrases'])} bytes in the file")
    raw = inflate(found["phrases"], found["size"], name)
    if raw.count(b"\n") >= MOST_PHRASES:
        raise StoredValueError(f"{name} has more than {MOST_PHRASES} phrases")
    try:
        phrases = raw.decode().split("\n") if raw else []
        return PhraseList(phrases, found["fold_case"], found["fold_accents"], found["of_corpus"])
    except ValueError:  # of text that is not UTF-8, too
        raise StoredValueError(f"{name} has an item that cannot be a phrase") from None


def _read_of_corpus(value: Any, name: str) -> OfCorpus:
    checks = {"label": text, "least": integer(1, 1 << 62), "folds": integer(2, MOST_FOLDS), "filled": boolean}
    return OfCorpus(**fields(value, name, checks))
