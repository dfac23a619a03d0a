"""``.spacy`` files with something changed inside: read with all that they give, looked at, and written as CoNLL-U."""

import random
import struct
import warnings
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import spacy
import srsly
from spacy.strings import hash_string  # type: ignore[attr-defined]
from spacy.tokens import DocBin
from spacy.vocab import Vocab

from spacy_mtl.corpora.binary import read_binary, stored_docs
from spacy_mtl.corpora.conllu import ConlluCorpus
from spacy_mtl.corpora.conllu_write import write_conllu
from spacy_mtl.survey.binary import survey_binary

from .training import ASSETS

_ANY: list[Any] = [
    None,
    0,
    -1,
    2**31,
    2**63,
    "x",
    b"x",
    [],
    {},
    [[]],
    {"a": 1},
    1.5,
    True,
    ["TAG", "POS"],
    ["ENT"],
    [{}],
]
_NUMBERS = (0, 1, 2, 4, 100, 103, 200, 2**31, 2**32 - 1, 2**63, 2**64 - 5, 2**64 - 1)


def binary(r: random.Random) -> tuple[str, Callable[[], Any]]:
    """A case for the settings' worker."""
    message = {**_message()}
    change = r.choice((_columns, _values, _values, _lengths, _part, _of_a_document, _user_data, _spans))
    message |= change(r, message)
    if r.random() < 0.1:
        del message[r.choice([*message])]
    return f".spacy: {change.__name__[1:]} changed", lambda: _use(zlib.compress(srsly.msgpack_dumps(message)))


@cache
def _message() -> dict[str, Any]:
    corpus = ConlluCorpus(ASSETS / "nl-trees/dev.conllu", limit=4, keep=True)
    docs = [example.reference for example in corpus(spacy.blank("nl"))]
    return srsly.msgpack_loads(zlib.decompress(DocBin(docs=docs, store_user_data=True).to_bytes()))


def _columns(r: random.Random, message: dict[str, Any]) -> dict[str, Any]:
    attrs = [*message["attrs"]]
    for _ in range(r.randrange(1, 4)):
        attrs[r.randrange(len(attrs))] = r.choice((*attrs, 0, 1, 66, 74, -1, 2**30, "HEAD", r.randrange(500)))
    return {"attrs": r.sample(attrs, len(attrs)) if r.random() < 0.3 else attrs}


def _values(r: random.Random, message: dict[str, Any]) -> dict[str, Any]:
    table = np.frombuffer(message["tokens"], np.uint64).copy()
    for _ in range(r.randrange(1, 8)):
        table[r.randrange(table.size)] = r.choice((r.choice(_NUMBERS), int(r.choice(table))))
    return {"tokens": table.tobytes()}


def _lengths(r: random.Random, message: dict[str, Any]) -> dict[str, Any]:
    lengths = np.frombuffer(message["lengths"], np.int32).copy()
    for sign in (1, -1)[: r.randrange(1, 3)]:
        lengths[r.randrange(lengths.size)] += sign * r.choice((1, 5, 10**6))
    return {"lengths": lengths.tobytes()}


def _part(r: random.Random, message: dict[str, Any]) -> dict[str, Any]:
    return {r.choice([*message]): r.choice((*_ANY, r.choice([*message.values()])))}


def _of_a_document(r: random.Random, message: dict[str, Any]) -> dict[str, Any]:
    name = r.choice(("cats", "flags", "span_groups", "user_data", "strings"))
    values = [*message[name]]
    values[r.randrange(len(values))] = r.choice((*_ANY, b"\x91" * 3000))
    return {name: values}


def _user_data(r: random.Random, message: dict[str, Any]) -> dict[str, Any]:
    data = srsly.msgpack_loads(message["user_data"][0], use_list=False)
    data[r.choice([*data, "spacy_mtl.given"])] = r.choice(_ANY)
    return {"user_data": [srsly.msgpack_dumps(data), *message["user_data"][1:]]}


def _spans(r: random.Random, message: dict[str, Any]) -> dict[str, Any]:
    label = hash_string(r.choice((*message["strings"], "none")))
    places = [r.choice((0, 1, 2, 5, -1, -(10**6), 10**9)) for _ in range(4)]
    group = {"name": r.choice(("g", 5, None)), "attrs": {}, "spans": [struct.pack(">QQQllll", 0, 0, label, *places)]}
    packed = srsly.msgpack_dumps({srsly.msgpack_dumps(group): ["constituents"]})
    return {"span_groups": [packed, *message["span_groups"][1:]]}


def _use(data: bytes) -> None:
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder, "in.spacy")
        path.write_bytes(data)
        for example in read_binary(path, Vocab()):
            assert all(isinstance(t.tag_ + t.pos_ + t.dep_ + t.lemma_ + str(t.morph), str) for t in example.reference)
            assert [token.text for token in example.predicted] == [token.text for token in example.reference]
            assert all(span.label_ for group in example.reference.spans.values() for span in group if span.label)
        survey_binary(path)
        write_conllu(stored_docs(path, Vocab()), Path(folder, "out.conllu"))
