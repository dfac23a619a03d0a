"""``.spacy`` files of strangers: what spaCy would believe, and read or write outside of its memory for, is refused."""

import struct
import zlib

import numpy as np
import pytest
import spacy
import srsly
from spacy.attrs import HEAD, ORTH, POS, SENT_START
from spacy.strings import hash_string
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_mtl.corpora.binary import load_docs, read_binary, stored_docs
from spacy_mtl.stored import doc_bin
from spacy_mtl.stored.doc_bin import read_doc_bin
from spacy_mtl.stored.fault import StoredValueError

VOCAB = spacy.blank("es").vocab


def doc(*words):
    heads = [max(0, i - 1) for i in range(len(words))]
    return Doc(VOCAB, words=words, heads=heads, deps=["dep"] * len(words), tags=["T"] * len(words))


DATA = DocBin(docs=[doc("Ana", "ríe"), doc("Luz")], store_user_data=True).to_bytes()
MESSAGE = srsly.msgpack_loads(zlib.decompress(DATA))
ATTRS = MESSAGE["attrs"]


def changed(**parts):
    return zlib.compress(srsly.msgpack_dumps({**MESSAGE, **parts}))


def with_value(attr, row, value):
    table = np.frombuffer(MESSAGE["tokens"], np.uint64).reshape(-1, len(ATTRS)).copy()
    table[row, ATTRS.index(attr)] = np.int64(value).astype(np.uint64)
    return {"tokens": table.tobytes()}


def lengths(*values):
    return {"lengths": np.array(values, np.int32).tobytes()}


def test_whole_files_are_read():
    assert [len(each) for each in read_doc_bin(DATA).get_docs(Vocab())] == [2, 1]
    assert [len(each) for each in read_doc_bin(changed()).get_docs(Vocab())] == [2, 1]
    assert len(read_doc_bin(DocBin().to_bytes())) == 0
    older = {name: value for name, value in MESSAGE.items() if name not in ("span_groups", "flags", "user_data")}
    assert len(read_doc_bin(zlib.compress(srsly.msgpack_dumps(older)))) == 2


@pytest.mark.parametrize(("row", "head"), [(0, 1), (1, -1), (1, 0), (2, 0)])
def test_heads_inside_of_their_document(row, head):
    read_doc_bin(changed(**with_value(HEAD, row, head)))


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ({"attrs": [HEAD if attr == POS else attr for attr in ATTRS]}, "columns"),
        ({"attrs": ["HEAD" if attr == POS else attr for attr in ATTRS]}, "columns"),
        ({"attrs": [POS + 1000 if attr == ORTH else attr for attr in ATTRS]}, "columns"),
        ({"attrs": 5}, "unpacked"),
        ({"attrs": ATTRS[:-1]}, "unpacked"),
        ({"strings": ["Ana", 5]}, "strings"),
        (lengths(2, 2), "lengths"),
        (lengths(2), "lengths"),
        (lengths(3, -3, 3), "lengths"),
        ({"spaces": MESSAGE["spaces"][:-1]}, "lengths"),
        ({"cats": [{}]}, "cats"),
        ({"cats": [{}, 5]}, "cats"),
        ({"flags": [None, {}]}, "flags"),
        ({"span_groups": [5, b""]}, "span_groups"),
        ({"user_data": [5, b""]}, "user_data"),
        (with_value(POS, 0, 5000), "parts of speech"),
        (with_value(SENT_START, 0, 7), "sentence borders"),
        (with_value(HEAD, 0, -1), "heads"),
        (with_value(HEAD, 1, 1), "heads"),
        (with_value(HEAD, 2, -1), "heads"),
        (with_value(HEAD, 0, 2**32), "heads"),
    ],
)
def test_what_does_not_fit_is_refused(parts, reason):
    with pytest.raises(StoredValueError, match=reason):
        read_doc_bin(changed(**parts))


@pytest.mark.parametrize("data", [b"", b"x" * 100, DATA[:-3], zlib.compress(b"\x91" * 10_000), zlib.compress(b"\x05")])
def test_other_bytes_are_refused(data):
    with pytest.raises(StoredValueError):
        read_doc_bin(data)


def test_what_would_fill_the_memory_is_refused(monkeypatch):
    bomb = zlib.compress(bytes(10**7))
    unpacked = []
    monkeypatch.setattr(doc_bin, "check_message", lambda message: unpacked.append(message))
    monkeypatch.setattr(doc_bin, "LEAST_BYTES", 10**6)
    with pytest.raises(StoredValueError, match="expand"):
        read_doc_bin(bomb)
    assert not unpacked
    doc_bin.check_expansion(zlib.compress(bytes(10**6)))


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ([[]] * 150, "cannot be unpacked"),
        ([[[]] * 40] * 3, "too many values"),
        ([[{}] * 40] * 3, "too many values"),
        ([[None] * 60] * 3, "too many values"),
        ({k: {} for k in map(str, range(70))}, "too many values"),
    ],
)
def test_values_that_take_more_in_memory_than_in_the_file_are_refused(monkeypatch, value, reason):
    read_doc_bin(changed(more=value))
    monkeypatch.setattr(doc_bin, "MOST_VALUES", 120)
    with pytest.raises(StoredValueError, match=reason):
        read_doc_bin(changed(more=value))
    read_doc_bin(DATA)


def span(start, stop, label="NP"):
    packed = struct.pack(">QQQllll", 0, 0, hash_string(label), start, stop, 0, 0)
    group = srsly.msgpack_dumps({"name": "g", "attrs": {}, "spans": [packed]})
    return {"span_groups": [srsly.msgpack_dumps({group: ["g"]}), b""], "strings": [*MESSAGE["strings"], "NP"]}


def write(tmp_path, data):
    path = tmp_path / "x.spacy"
    path.write_bytes(data)
    return path


def test_spans(tmp_path):
    first, _ = stored_docs(write(tmp_path, changed(**span(0, 2))), Vocab())
    assert [(each.start, each.end, each.label_) for each in first.spans["g"]] == [(0, 2, "NP")]


@pytest.mark.parametrize(
    "parts", [span(-1, 2), span(0, 3), span(2, 1), {**span(0, 2, "OTHER"), "strings": MESSAGE["strings"]}]
)
def test_spans_elsewhere_are_refused(tmp_path, parts):
    with pytest.raises(ValueError, match=r"\[M705\].*spans"):
        list(stored_docs(write(tmp_path, changed(**parts)), Vocab()))


@pytest.mark.parametrize("given", [5, "TAG", [5], [["TAG"]], {"TAG": 1}, None])
def test_a_list_of_given_columns_is_one(tmp_path, given):
    data = {"spacy_mtl.given": given}
    path = write(tmp_path, changed(user_data=[srsly.msgpack_dumps(data), None]))
    with pytest.raises(ValueError, match=r"\[M705\].*given"):
        list(read_binary(path, Vocab()))


def test_the_message_names_the_file_and_what_is_wrong(tmp_path):
    path = write(tmp_path, changed(**lengths(2, 2)))
    with pytest.raises(ValueError, match=rf"\[M705\] '{path}' .*: the lengths of its documents"):
        load_docs(path)
