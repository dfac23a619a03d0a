"""Ids and names of files that are no valid Unicode, and documents that cannot be written: they take no other document along."""

import json
import os
import sys
from io import BytesIO

import pytest
import spacy
from spacy.tokens import DocBin

from spacy_mtl.annotation import collection
from spacy_mtl.annotation.documents import Document, SetAside
from spacy_mtl.annotation.formats import binary
from spacy_mtl.annotation.formats.binary import ID_KEY
from spacy_mtl.annotation.work import annotated

from .conftest import aside, read_rows

ROWS = [{"id": "a", "text": "uno"}, {"id": "\ud800", "text": "dos"}, {"id": "c", "text": "tres"}]
ODD = "\ud800é\udce9"


def write_escaped(path, rows):
    """Half characters are written as JSON writes them, since no file can hold them."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf8")
    return path


@pytest.mark.parametrize("output_format", ["jsonl", "spacy", "parquet"])
def test_an_id_of_half_a_character_sets_its_document_aside_alone(annotate, tmp_path, output_format):
    if output_format == "parquet":
        pytest.importorskip("pyarrow")
    path = write_escaped(tmp_path / "in.jsonl", ROWS)
    (done,) = annotate([path], tmp_path / "out", output_format=output_format)
    assert done.documents == 2
    (reason,) = aside(tmp_path / "out").values()
    assert reason.startswith(("[M796] The id has half a character", "[M796] The row has half a character"))
    assert list(aside(tmp_path / "out")) == ["\ud800"]
    if output_format == "spacy":
        docs = list(DocBin().from_disk(tmp_path / "out" / "part-000000.spacy").get_docs(spacy.blank("es").vocab))
        assert [(doc.text, doc.user_data[ID_KEY]) for doc in docs] == [("uno", "a"), ("tres", "c")]


def test_what_is_set_aside_may_have_any_id(annotate, tmp_path):
    path = write_escaped(tmp_path / "in.jsonl", [{"id": ODD, "text": 5}, ROWS[0]])
    (done,) = annotate([path], tmp_path / "out")
    assert done.documents == 1
    assert list(aside(tmp_path / "out")) == [ODD]
    assert [each.id for each in annotate([path], tmp_path / "out")[0].set_aside] == [ODD]  # read again


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are Unicode")
@pytest.mark.parametrize("output_format", ["jsonl", "spacy", "parquet", "conllu"])
def test_a_file_whose_name_is_no_utf8(annotate, tmp_path, monkeypatch, output_format):
    if output_format == "parquet":
        pytest.importorskip("pyarrow")
    monkeypatch.setattr(collection, "_PATIENCE", 0.0)
    path = tmp_path / os.fsdecode(b"caf\xe9.jsonl")
    write_escaped(path, [{"text": "uno"}, {"text": 5}])
    (done,) = annotate([path], tmp_path / "out", output_format=output_format)
    assert (done.documents, done.path) == (1, str(path))
    assert list(aside(tmp_path / "out")) == [f"{tmp_path / 'caf?.jsonl'}@16"]
    assert annotate([path], tmp_path / "out", None, output_format=output_format) == [done]
    if output_format == "jsonl":
        assert [row["id"] for row in read_rows(tmp_path / "out")] == [f"{tmp_path / 'caf?.jsonl'}@0"]


def test_an_id_of_null_is_made_like_one_that_is_not_there(annotate, tmp_path):
    path = write_escaped(tmp_path / "in.jsonl", [{"n": 1, "id": None, "text": "uno"}])
    annotate([path], tmp_path / "out")
    (row,) = read_rows(tmp_path / "out")
    assert list(row)[:3] == ["id", "n", "text"]
    assert row["id"] == f"{path}@0"


@pytest.mark.parametrize(("place", "value"), [("user_data", object()), ("user_data", 2**70), ("cats", object())])
def test_a_doc_that_cannot_be_written_leaves_nothing_behind(place, value):
    """Its words would have the user data of the next one."""
    nlp, file = spacy.blank("es"), BytesIO()
    writer = binary.Writer(file, nlp, None, None)
    for number, text in enumerate(("uno", "dos", "tres")):
        doc = nlp.make_doc(text)
        doc.user_data["mine"] = text
        if text == "dos":
            getattr(doc, place)["mine"] = value
            with pytest.raises(ValueError, match="cannot be written"):
                writer.add(Document(str(number), lambda: None), doc)
        else:
            writer.add(Document(str(number), lambda: None), doc)
    writer.close()
    docs = DocBin().from_bytes(file.getvalue()).get_docs(nlp.vocab)
    found = [(doc.text, doc.user_data["mine"], doc.user_data[ID_KEY]) for doc in docs]
    assert found == [("uno", "uno", "0"), ("tres", "tres", "2")]


def test_a_tokenizer_may_raise_anything():
    nlp = spacy.blank("es")

    def fail():
        raise KeyError("a bug")

    documents = [Document("a", fail), Document("b", lambda: nlp.make_doc("uno"))]
    failed, (document, doc) = annotated(nlp, iter(documents))
    assert isinstance(failed, SetAside)
    assert (failed.id, failed.reason) == ("a", "[M928] The pipeline fails on this document: KeyError: 'a bug'")
    assert (document.id, doc.text) == ("b", "uno")
