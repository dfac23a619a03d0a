"""Each format in and out: partitions together have what one would have, with everything that was in the input."""

import errno
import gc
import json
import time
from itertools import islice
from pathlib import Path

import pytest
import spacy
from spacy.tokens import Doc, DocBin

from spacy_mtl.annotation import formats
from spacy_mtl.annotation.columns import columns_of, row_of
from spacy_mtl.annotation.formats.binary import ID_KEY
from spacy_mtl.cli.shared.pipelines import load_pipeline
from spacy_mtl.corpora.conllu import ConlluCorpus
from spacy_mtl.corpora.conllu_kept import given_text
from spacy_mtl.treebanks.annotate import annotate as annotate_files
from spacy_mtl.treebanks.inputs import Input

from .conftest import aside, read_rows, write_rows

TREES = Path(__file__).parents[2] / "assets" / "nl-trees"


def ids(done):
    return [each.documents for each in done]


def test_json_lines(annotate, tmp_path):
    rows = [{"id": f"d{i}", "text": f"Él llegó. Nº {i}", "más": [i, None, {"a": 1.5}]} for i in range(40)]
    rows[7]["id"] = 7
    del rows[9]["id"]
    path = write_rows(tmp_path / "in.jsonl", rows)
    done = annotate([path], tmp_path / "out", size=500)
    assert len(done) > 4
    found = read_rows(tmp_path / "out")
    assert [{key: row[key] for key in old} for row, old in zip(found, rows, strict=True)] == rows
    assert found[9]["id"].startswith(f"{path}@")
    first = found[0]
    assert first["words"] == ["Él", "llegó", ".", "Nº", "0"]
    assert first["tags"] == ["É", "l", ".", "N", "0"]
    assert [
        first["text"][start:][: len(word)] for start, word in zip(first["starts"], first["words"], strict=True)
    ] == first["words"]
    assert first["sents"] == [0, 3]
    assert sum(each.sentences for each in done) == 80
    assert sum(each.words for each in done) == 40 * 5
    assert aside(tmp_path / "out") == {}


def test_kinds_that_are_named_are_believed(annotate, tmp_path):
    """JSON lines may end in .json, and texts in .jsonl, if somebody says so."""
    path = write_rows(tmp_path / "in.json", [{"text": "uno dos"}])
    (done,) = annotate([path], tmp_path / "out", kind="jsonl")
    assert done.words == 2
    nlp = load_pipeline(annotate.model, annotate.code)
    lines = write_rows(tmp_path / "in.jsonl", [])
    assert annotate_files(nlp, [path, lines], tmp_path / "one.conllu", Input(kind="text")).documents == 1


def test_lines_that_are_no_documents_are_set_aside(annotate, tmp_path):
    path = tmp_path / "in.jsonl"
    lines = [
        b'{"id": "a", "text": "uno"}', b"", b"[1]", b'{"text": ', b'{"id": "no", "texto": "x"}', b'{"id": "n", "text": null}',
        b'{"id": "s", "text": "\\ud800"}', b'{"id": "t", "text": "x", "tags": 1}', b"\xff", b"[" * 100_000, b"{}", b'{"text": "uno',
        b'{"id": "r", "text": "RAISE"}', b'{"id": "z", "text": "dos"}',
    ]  # fmt: skip
    path.write_bytes(b"\n".join(lines))
    (done,) = annotate([path], tmp_path / "out")
    assert [row["id"] for row in read_rows(tmp_path / "out")] == ["a", "z"]
    reasons = aside(tmp_path / "out")
    assert "[M920] This line is no JSON object: Unterminated string. Write one object on each line." in reasons.values()
    codes = [reason[1:5] for reason in reasons.values()]
    assert sorted(codes) == ["M796", "M920", "M920", "M920", "M920", "M921", "M921", "M921", "M925", "M928", "M930"]
    assert "RuntimeError: a bug" in reasons["r"]
    assert reasons["s"].startswith("[M796] The text has half a character")
    assert reasons["no"].startswith(
        "[M921] There is no text in 'text': the object has the fields id, texto. If another"
    )
    assert all("\n" not in reason for reason in reasons.values())
    assert done.documents + len(reasons) == 13


def test_a_column_that_no_object_has_is_refused_before_any_work(annotate, tmp_path):
    some = write_rows(tmp_path / "some.jsonl", [{"n": 1}, {"n": 2, "text": None}])
    other = write_rows(tmp_path / "other.jsonl", [{"n": 1}, {"n": 2, "body": "x"}])
    (tmp_path / "empty.jsonl").write_text("\nno json\n")
    annotate.plan([other, some], tmp_path / "out")
    annotate.plan([tmp_path / "empty.jsonl"], tmp_path / "out")
    for column in ("texto", "n"):
        told = rf"M923. '{other}' has no column '{column}' of strings; its columns are n. Name"
        with pytest.raises(ValueError, match=told):
            annotate.plan([other, some], tmp_path / "out", text=column)
    assert not (tmp_path / "out").exists()


def test_a_text_that_is_too_long_is_set_aside(annotate, tmp_path):
    path = write_rows(tmp_path / "in.jsonl", [{"id": "long", "text": "a " * 600_000}, {"id": "short", "text": "a"}])
    annotate([path], tmp_path / "out")
    assert aside(tmp_path / "out")["long"].startswith("[M922] The document has 1,200,000 characters")
    assert [row["id"] for row in read_rows(tmp_path / "out")] == ["short"]


@pytest.mark.parametrize(("documents", "n"), [("paragraph", 30), ("line", 60), ("file", 1)])
def test_text_becomes_conllu(annotate, tmp_path, documents, n):
    path = tmp_path / "in.txt"
    path.write_text("\n\n".join(f"Él llegó  hoy. Nº {i}\nLuego." for i in range(30)), encoding="utf8")
    done = annotate([path], tmp_path / "out", size=100, documents=documents)
    text = "".join(part.read_text("utf8") for part in sorted((tmp_path / "out").glob("part-*.conllu")))
    kind = "newpar" if documents == "paragraph" else "newdoc"
    named = [line for line in text.splitlines() if line.startswith(f"# {kind} id = {path}@")]
    assert len(named) == len(set(named)) == sum(ids(done)) == n
    (tmp_path / "all.conllu").write_text(text, encoding="utf8")
    words = [
        token.text
        for example in ConlluCorpus(tmp_path / "all.conllu")(spacy.blank("es"))
        for token in example.reference
    ]
    assert "".join(words) == "".join(path.read_text("utf8").split())


@pytest.mark.parametrize("beginning", ["", "\ufeff", "\n\n", "\ufeff \n", "\n\udcff\n\n"])
def test_the_first_paragraph_of_a_file_begins_a_document(annotate, tmp_path, beginning):
    """Whether blank lines come before it, or what is set aside: otherwise it would belong to the file before."""
    path = tmp_path / "in.txt"
    path.write_bytes(f"{beginning}uno\n\ndos\n\ntres".encode("utf8", "surrogateescape"))
    annotate([path], tmp_path / "out", size=7)
    text = "".join(part.read_text("utf8") for part in sorted((tmp_path / "out").glob("part-*.conllu")))
    comments = [line.partition(" id")[0] for line in text.splitlines() if line.startswith("# new")]
    assert comments == ["# newdoc", "# newpar", "# newpar", "# newpar"]


def test_text_becomes_words(annotate, tmp_path):
    path = tmp_path / "in.txt"
    path.write_text("Él llegó.  Hoy,\nno.\n\nFin\n", encoding="utf8")
    annotate([path], tmp_path / "out", output_format="text")
    assert (tmp_path / "out" / "part-000000.txt").read_text("utf8") == "Él llegó .\nHoy , no .\n\nFin\n\n"


@pytest.mark.parametrize("size", [300, 2000, 1 << 20])
def test_conllu_is_what_the_command_writes_without_a_cluster(annotate, tmp_path, size):
    source = TREES / "dev.conllu"
    annotate([source], tmp_path / "out", size=size)
    text = "".join(part.read_text("utf8") for part in sorted((tmp_path / "out").glob("part-*.conllu")))
    nlp = load_pipeline(annotate.model, annotate.code)
    annotate_files(nlp, [source], tmp_path / "one.conllu", Input(trees=True))
    assert text == (tmp_path / "one.conllu").read_text("utf8")
    assert "# sent_id" in text


def test_words_of_multiword_tokens_begin_where_these_do(annotate, tmp_path):
    """Of a treebank, and of text that a tokenizer splits into words: starts would count in a text that nobody has."""
    path = tmp_path / "in.conllu"
    rows = ["1\tVa", "2-3\tal", "2\ta", "3\tel", "4\tmar"]
    path.write_text("".join(row + 8 * "\t_" + "\n" for row in rows) + "\n", encoding="utf8")
    annotate([path], tmp_path / "out", output_format="jsonl")
    (row,) = read_rows(tmp_path / "out")
    assert (row["text"], row["words"], row["starts"]) == ("Va al mar", ["Va", "a", "el", "mar"], [0, 3, 3, 6])
    tokenizer = {"@tokenizers": "spacy_mtl.Multiword.v1", "tokenizer": {"@tokenizers": "spacy.Tokenizer.v1"}}
    nlp = spacy.blank("es", config={"nlp": {"tokenizer": tokenizer}})
    nlp.initialize(lambda: ConlluCorpus(path, keep=True)(nlp))
    for text in ("Va  al\nmar al ", "", " ", "mar "):
        doc = nlp(text)
        starts = row_of(doc, columns_of(nlp))["starts"]
        assert given_text(doc) == text
        assert [text[start] for start in starts] == ["a" if token.text == "el" else token.text[0] for token in doc]


def test_tags_of_conllu_are_those_of_the_pipeline(annotate, tmp_path):
    path = tmp_path / "in.conllu"
    path.write_text("1\tAna\t_\tX\tY\t_\t_\t_\t_\t_\n\n", encoding="utf8")
    annotate([path], tmp_path / "out")
    assert (tmp_path / "out" / "part-000000.conllu").read_text("utf8").split("\t")[3:5] == ["X", "A"]


def test_a_bad_sentence_is_set_aside_with_its_line(annotate, tmp_path):
    blocks = (TREES / "dev.conllu").read_text("utf8").strip("\n").split("\n\n")
    lines = sum(block.count("\n") + 2 for block in blocks[:5])
    blocks[5] = blocks[5] + "\nx"
    path = tmp_path / "in.conllu"
    path.write_text("\n\n".join(blocks) + "\n\n", encoding="utf8")
    done = annotate([path], tmp_path / "out", size=1000)
    assert sum(ids(done)) == len(blocks) - 1
    (reason,) = aside(tmp_path / "out").values()
    assert reason.startswith("[M550]")
    assert f"Line {lines + blocks[5].count(chr(10)) + 1}" in reason


def test_of_many_bad_sentences_each_has_its_place_in_the_file(annotate, tmp_path):
    """The file was read from its beginning for each of them: time grew with the square of their number."""

    def seconds(n):
        path, out = tmp_path / f"{n}.conllu", tmp_path / str(n)
        path.write_text(("1 Ana" + 500 * " _" + "\n\n") * n, encoding="utf8")
        begin = time.process_time()
        done = annotate([path], out, size=path.stat().st_size // 3)
        assert len(done) >= 3
        told = [(name.partition("@")[2], reason) for name, reason in aside(out).items()]
        assert [place for place, _ in told] == [str(1007 * k) for k in range(n)]
        assert all(
            f"Line {2 * k + 1} of '{path}' (sentence @{place})" in told[k][1] for k, (place, _) in enumerate(told)
        )
        return time.process_time() - begin

    seconds(10)
    assert seconds(8000) < 8 * seconds(2000)


def test_spacy_files(annotate, tmp_path):
    nlp = spacy.blank("es")
    docs = [Doc(nlp.vocab, words=["Ana", f"v{i}"], ents=["B-PER", "O"], lemmas=["x", "y"]) for i in range(5)]
    for i, doc in enumerate(docs):
        doc.user_data["mine"], doc.cats = i, {"a": 0.5}
    DocBin(docs=docs, store_user_data=True).to_disk(tmp_path / "in.spacy")
    annotate([tmp_path / "in.spacy"], tmp_path / "out")
    found = list(DocBin().from_disk(tmp_path / "out" / "part-000000.spacy").get_docs(nlp.vocab))
    assert [doc.text for doc in found] == [doc.text for doc in docs]
    assert [doc.user_data["mine"] for doc in found] == [0, 1, 2, 3, 4]
    assert found[0].user_data[ID_KEY] == f"{tmp_path / 'in.spacy'}#0"
    assert [token.tag_ for token in found[1]] == ["A", "v"]
    assert [token.lemma_ for token in found[1]] == ["x", "y"]
    assert found[1].cats == {"a": 0.5}
    assert [(ent.text, ent.label_) for ent in found[1].ents] == [("Ana", "PER")]


def test_a_spacy_file_that_is_none_is_set_aside(annotate, tmp_path):
    (tmp_path / "a.spacy").write_bytes(b"no")
    (done,) = annotate([tmp_path / "a.spacy"], tmp_path / "out")
    assert done.documents == 0
    (reason,) = aside(tmp_path / "out").values()
    assert reason.startswith("[M705]")


@pytest.fixture
def parquet(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = pa.table(
        {
            "key": pa.array(range(100), pa.int16()),
            "when": pa.array([i * 10**9 for i in range(100)], pa.timestamp("ns")),
            "text": [f"Él llegó {i}" if i != 33 else "RAISE" for i in range(99)] + [None],
            "kind": pa.array(["a", "b"] * 50).dictionary_encode(),
        }
    )
    pq.write_table(table, tmp_path / "in.parquet", row_group_size=10)
    return tmp_path / "in.parquet"


def test_parquet(annotate, tmp_path, parquet):
    import pyarrow.parquet as pq

    done = annotate([parquet], tmp_path / "out", size=500)
    assert len(done) > 2
    parts = [pq.read_table(path) for path in sorted((tmp_path / "out").glob("*.parquet"))]
    before = pq.read_table(parquet)
    rows = [row for part in parts for row in part.to_pylist()]
    assert [row["key"] for row in rows] == [i for i in range(99) if i != 33]
    assert parts[0].schema.names == ["id", *before.schema.names, "words", "starts", "sents", "tags"]
    assert {parts[0].schema.field(name).type for name in ("key", "when")} == {
        before.schema.field(name).type for name in ("key", "when")
    }
    assert rows[40]["id"] == f"{parquet}#41"
    assert rows[40]["words"] == ["Él", "llegó", "41"]
    assert {name[-3:]: reason[1:5] for name, reason in aside(tmp_path / "out").items()} == {
        "#33": "M928",
        "#99": "M921",
    }


@pytest.mark.parametrize("kind", ["string", "large_string", "dictionary", "null"])
def test_an_id_of_null_is_made_in_parquet_too(annotate, tmp_path, kind):
    """As in JSON lines: otherwise nothing would say which document it is. Columns of other types have no place for one."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    type_of = {"dictionary": lambda: pa.dictionary(pa.int8(), pa.string())}.get(kind) or getattr(pa, kind)
    ids = pa.array([None if kind == "null" or i % 2 else "d" for i in range(3000)], type_of())
    table = pa.table({"n": range(3000), "id": ids, "text": ["uno"] * 3000})
    path = tmp_path / "in.parquet"
    pq.write_table(table, path)
    annotate([path], tmp_path / "out")
    found = pq.read_table(tmp_path / "out" / "part-000000.parquet")
    assert found.column_names[:3] == ["n", "id", "text"]
    wanted = [f"{path}#{i}" if each is None else each for i, each in enumerate(ids.to_pylist())]
    assert found.column("id").to_pylist() == wanted
    pq.write_table(table.set_column(1, "id", pa.array([None] * 3000, pa.int32())), path)
    annotate([path], tmp_path / "numbers")
    assert pq.read_table(tmp_path / "numbers" / "part-000000.parquet").column("id").null_count == 3000


def test_parquet_and_json_lines_into_each_other(annotate, tmp_path, parquet):
    import pyarrow.parquet as pq

    annotate([parquet], tmp_path / "a", output_format="jsonl")
    rows = read_rows(tmp_path / "a")
    assert rows[2]["kind"] == "a"
    assert rows[2]["when"].startswith("1970-01-01 00:00:02")
    path = write_rows(tmp_path / "in.jsonl", [{"text": "uno dos", "n": 1}, {"text": "RAISE"}])
    annotate([path], tmp_path / "b", output_format="parquet")
    (row,) = pq.read_table(tmp_path / "b" / "part-000000.parquet").to_pylist()
    assert (row["id"], row["text"], row["words"]) == (f"{path}@0", "uno dos", ["uno", "dos"])


@pytest.mark.parametrize("output", ["parquet", "conllu", "spacy", "text"])
def test_columns_that_need_not_be_looked_at_may_be_anything(annotate, tmp_path, output):
    """Two of one name are not read, and nor are large ones."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = pa.table([["a"], ["uno dos"], [1], [2]], names=["id", "text", "n", "n"])
    pq.write_table(table, tmp_path / "in.parquet")
    (done,) = annotate([tmp_path / "in.parquet"], tmp_path / "out", output_format=output)
    assert (done.documents, done.words, done.set_aside) == (1, 2, [])


@pytest.mark.parametrize(
    ("output", "names"),
    [("jsonl", ["n", "text", "n"]), ("jsonl", ["id", "text", "id"]), ("parquet", ["id", "text", "id"])],
)
def test_columns_of_one_name_that_cannot_be_told_apart_are_refused(annotate, tmp_path, output, names):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.table([["a"], ["uno"], ["b"]], names=names), tmp_path / "in.parquet")
    told = rf"\[M970\] '{tmp_path / 'in.parquet'}' has 2 columns '{names[0]}'"
    with pytest.raises(ValueError, match=told):
        annotate.plan([tmp_path / "in.parquet"], tmp_path / "out", output_format=output)


def test_values_that_json_has_no_type_for(annotate, tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = pa.table(
        {
            "id": ["a", "b", "c"],
            "text": ["uno", "dos", "tres"],
            "raw": [b"\xff\x00", None, b""],
            "n": [[1.5], [float("nan")], []],
        }
    )
    pq.write_table(table, tmp_path / "in.parquet")
    annotate([tmp_path / "in.parquet"], tmp_path / "a", output_format="jsonl")
    assert [row["raw"] for row in read_rows(tmp_path / "a")] == ["/wA=", ""]
    assert list(aside(tmp_path / "a")) == ["b"]
    (tmp_path / "in.jsonl").write_text(
        '{"id": "x", "text": "uno", "much": 1e400}\n{"id": "y", "text": "dos", "n": {"m": NaN}}'
    )
    (done,) = annotate([tmp_path / "in.jsonl"], tmp_path / "b")
    assert done.documents == 0
    told = {name: reason[:24] for name, reason in aside(tmp_path / "b").items()}
    assert told == {"x": "[M933] The field 'much' ", "y": "[M933] The field 'n' has"}


@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
def test_a_disk_that_fails_amid_parquet_leaves_no_traceback(annotate, tmp_path, monkeypatch):
    """The sentence is all that is said: a writer that is left open tries to end its file when it is collected."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.table({"text": ["uno"] * 3000}), tmp_path / "in.parquet")
    rows = formats.parquet.read

    def failing(*arguments):
        yield from islice(rows(*arguments), 2500)
        raise OSError(errno.EIO, "no")

    monkeypatch.setattr(formats.parquet, "read", failing)
    with pytest.raises(ValueError, match=r"M910.*M501.*Input/output error"):
        annotate([tmp_path / "in.parquet"], tmp_path / "out")
    gc.collect()
    assert list((tmp_path / "out").glob("part-*")) == []


def test_shards_of_other_columns_are_refused_before_any_work(annotate, tmp_path, parquet):
    import pyarrow as pa
    import pyarrow.parquet as pq

    def refused(table, code):
        pq.write_table(table, tmp_path / "other.parquet")
        with pytest.raises(ValueError, match=rf"{code}. '{tmp_path / 'other.parquet'}'"):
            annotate.plan([parquet, tmp_path / "other.parquet"], tmp_path / "out")

    refused(pa.table({"texto": ["a"]}), "M923")
    refused(pa.table({"text": [1]}), "M923")
    refused(pa.table([["a"], ["b"]], names=["text", "text"]), "M923")
    refused(pa.table({"text": ["a"]}), "M924")
    refused(pa.table({"text": ["a"], "tags": ["b"]}), "M925")
    (tmp_path / "other.parquet").write_bytes(b"PAR1 no")
    with pytest.raises(ValueError, match=r"M926"):
        annotate.plan([tmp_path / "other.parquet"], tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("ending", ["jsonl", "txt", "conllu", "spacy", "parquet"])
def test_an_empty_shard_has_an_empty_part(annotate, tmp_path, ending):
    path = tmp_path / f"in.{ending}"
    path.write_bytes(b"")
    if ending == "parquet":
        pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        pq.write_table(pa.table({"text": pa.array([], pa.string()), "n": pa.array([], pa.int8())}), path)
    (done,) = annotate([path], tmp_path / "out")
    assert (done.documents, done.words, done.set_aside) == (0, 0, [])
    (part,) = (tmp_path / "out").glob("part-*")
    if ending == "parquet":
        assert pq.read_table(part).schema.names == ["id", "text", "n", "words", "starts", "sents", "tags"]


@pytest.mark.parametrize("output_format", ["spacy", "jsonl", "conllu"])
def test_a_document_without_words_counts_as_well(annotate, tmp_path, output_format):
    nlp = spacy.blank("es")
    path = tmp_path / "in.spacy"
    DocBin(docs=[nlp.make_doc(text) for text in ("uno", "", "dos tres")], store_user_data=True).to_disk(path)
    (done,) = annotate([path], tmp_path / "out", output_format=output_format)
    assert (done.documents, done.words, done.set_aside) == (3, 3, [])
    if output_format == "spacy":
        docs = list(DocBin().from_disk(tmp_path / "out" / "part-000000.spacy").get_docs(nlp.vocab))
        assert [doc.text.strip() for doc in docs] == ["uno", "", "dos tres"]


def test_columns_are_those_that_components_set():
    nlp = spacy.blank("es")
    assert list(columns_of(nlp)) == ["words", "starts"]
    nlp.add_pipe("mtl_ner")
    nlp.add_pipe("mtl_parser")
    assert list(columns_of(nlp)) == ["words", "starts", "deps", "heads", "ents"]


def test_strings_of_a_partition_do_not_stay(annotate, tmp_path):
    from spacy_mtl.annotation.model import loaded

    path = write_rows(tmp_path / "in.jsonl", [{"text": f"unheard{i}"} for i in range(50)])
    collection = annotate.plan([path], tmp_path / "out")
    annotate([path], tmp_path / "out")
    assert json.loads((tmp_path / "out" / "summary.json").read_text())["words"] == 50
    assert "unheard7" not in loaded(collection.task).vocab.strings
