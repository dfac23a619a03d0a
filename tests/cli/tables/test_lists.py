"""``spacy mtl lists``: lists of phrases from corpora and knowledge bases."""

import sys

import numpy as np
import pytest
import spacy
from spacy.cli import app
from spacy.kb import InMemoryLookupKB
from spacy.tokens import Doc, DocBin
from typer.testing import CliRunner

from spacy_mtl.corpora.conll import ConllCorpus
from spacy_mtl.tables.phrase_files import read_phrases
from spacy_mtl.templates.attributes.reader import AttributeReader

LINES = ["Ana B-PER", "vive O", "en O", "Santa B-LOC", "Fe I-LOC", "", "Ana B-PER", "y O", "Eva B-PER"]


def invoke(*args):
    return CliRunner().invoke(app, ["mtl", "lists", *map(str, args)])


@pytest.fixture(name="corpus")
def _corpus(tmp_path):
    path = tmp_path / "corpus.conll"
    path.write_text("\n".join(LINES) + "\n", encoding="utf8")
    return path


@pytest.fixture(name="base")
def _base(tmp_path):
    base = InMemoryLookupKB(spacy.blank("en").vocab, entity_vector_length=2)
    base.set_entities(["Q1", "Q2"], [3, 4], [[0, 1], [1, 0]])
    base.add_alias("St. John's", ["Q1"], [0.9])
    base.add_alias("Lima", ["Q1", "Q2"], [0.5, 0.5])
    base.to_disk(tmp_path / "base")
    return tmp_path / "base"


def test_entities_of_columns_by_label_frequent_ones_first(tmp_path, corpus):
    result = invoke(corpus, "--columns", "ORTH,ENT", "--output", tmp_path / "lists")
    assert result.exit_code == 0, result.stderr
    assert (tmp_path / "lists" / "PER.txt").read_text(encoding="utf8") == "Ana\nEva\n"
    assert list(read_phrases(tmp_path / "lists" / "LOC.txt")) == ["Santa Fe"]
    assert "PER.txt: 2 phrases" in result.stdout


def test_rare_entities_and_other_labels_are_left_out(tmp_path, corpus):
    invoke(corpus, "--columns", "ORTH,ENT", "--output", tmp_path, "--min-count", 2)
    assert (tmp_path / "PER.txt").read_text(encoding="utf8") == "Ana\n"
    assert not (tmp_path / "LOC.txt").exists()
    invoke(corpus, "--columns", "ORTH,ENT", "--output", tmp_path, "--label", "LOC")
    assert (tmp_path / "LOC.txt").exists()
    assert (tmp_path / "PER.txt").read_text(encoding="utf8") == "Ana\n"


def test_a_list_finds_the_entities_that_it_was_made_from_whatever_spaces_are_in_their_words(tmp_path):
    corpus = tmp_path / "corpus.conll"
    corpus.write_text("10\u00a0000 B-NUM\n", encoding="utf8")
    invoke(corpus, "--columns", "ORTH,ENT", "--output", tmp_path)
    phrases = read_phrases(tmp_path / "NUM.txt")
    nlp = spacy.blank("xx")
    reader = AttributeReader(["LIST_x"], nlp.vocab, learned={"LIST_x": phrases})
    (example,) = ConllCorpus(corpus, ["ORTH", "ENT"], given=[])(nlp)
    assert reader.read([example.reference], np.array([0, 1]))[reader.columns["LIST_x"]].tolist() == [4]


def test_entities_of_spacy_files(tmp_path):
    doc = Doc(spacy.blank("xx").vocab, ["in", "New", " ", "York"], ents=["O", "B-LOC", "I-LOC", "I-LOC"])
    DocBin(docs=[doc]).to_disk(tmp_path / "docs.spacy")
    assert invoke(tmp_path / "docs.spacy", "--output", tmp_path).exit_code == 0
    assert (tmp_path / "LOC.txt").read_text(encoding="utf8") == "New York\n"


@pytest.mark.parametrize(("lang", "phrases"), [((), "Lima\nSt. John's\n"), (("--lang", "en"), "Lima\nSt. John 's\n")])
@pytest.mark.usefixtures("tokenized_as_by_users")
def test_aliases_of_a_knowledge_base(tmp_path, base, lang, phrases):
    result = invoke(base, "--output", tmp_path, *lang)
    assert result.exit_code == 0, result.stderr
    assert (tmp_path / "aliases.txt").read_text(encoding="utf8") == phrases


def test_labels_of_one_file_are_refused(tmp_path):
    corpus = tmp_path / "corpus.conll"
    corpus.write_text("a B-x/y\nb B-x:y\n", encoding="utf8")
    result = invoke(corpus, "--columns", "ORTH,ENT", "--output", tmp_path / "lists")
    assert result.exit_code == 1
    assert "M750" in result.stderr
    assert not (tmp_path / "lists").exists()


@pytest.mark.parametrize(
    ("label", "code"), [("z" * 300, "M704"), ("z" * 245, "M704"), ("zin", "M741"), ("zfolder", "M704"), ("ZIN", None)]
)
def test_no_list_is_written_where_one_of_them_cannot_be(tmp_path, label, code):
    (tmp_path / "zfolder.txt").mkdir()
    (tmp_path / "AAA.txt").write_text("as it was\n", encoding="utf8")
    corpus = tmp_path / "zin.txt"
    corpus.write_text(f"a B-AAA\nb B-{label}\n", encoding="utf8")
    result = invoke(corpus, "--columns", "ORTH,ENT", "--output", tmp_path)
    assert (result.exit_code, code is None or code in result.stderr) == (int(code is not None), True), result.output
    assert (tmp_path / "AAA.txt").read_text(encoding="utf8") == ("as it was\n" if code else "a\n")


def test_a_folder_of_lists_that_cannot_be_is_refused_first(tmp_path, corpus):
    assert "M704" in invoke(tmp_path / "none.conll", "--output", corpus / "lists").stderr


def test_a_folder_may_have_a_long_name(tmp_path, corpus):
    """Nothing is written beside it under a longer one."""
    assert invoke(corpus, "--columns", "ORTH,ENT", "--output", tmp_path / (250 * "x")).exit_code == 0


def test_what_is_too_long_for_a_list_is_told(tmp_path):
    corpus = tmp_path / "corpus.conll"
    long = ["y" * 1001 + " B-X", "", *["y B-X", *["y I-X"] * 64], ""]
    corpus.write_text("\n".join([*long, "a B-X", ""]), encoding="utf8")
    result = invoke(corpus, "--columns", "ORTH,ENT", "--output", tmp_path)
    assert (result.exit_code, (tmp_path / "X.txt").read_text(encoding="utf8")) == (0, "a\n")
    assert "[M961] 2 entities or aliases are left out" in result.stderr
    corpus.write_text("\n".join([*long, "b B-Y", ""]), encoding="utf8")
    result = invoke(corpus, "--columns", "ORTH,ENT", "--output", tmp_path, "--label", "X")
    assert (result.exit_code, "[M962]" in result.stderr, "M748" in result.stderr) == (1, True, False)
    result = invoke(corpus, "--columns", "ORTH,ENT", "--output", tmp_path, "--min-count", 2)
    assert "M748" in result.stderr


def test_faults_are_one_sentence(tmp_path, corpus, base, monkeypatch):
    monkeypatch.setitem(sys.modules, "pythainlp", None)  # as if it were not installed
    for args, code in [
        ((corpus, "--columns", "ORTH,ENT", "--label", "ORG"), "M748"),
        ((corpus, "--columns", "ORTH,ENT", "--min-count", 9), "M748"),
        ((tmp_path / "none.conll",), "M501"),
        ((corpus, "--lang", "??"), "M515"),
        ((corpus, "--lang", "th"), "M767"),
        ((tmp_path,), "M749"),
    ]:
        result = invoke(*args, "--output", tmp_path / "lists")
        assert (result.exit_code, code in result.stderr) == (1, True), (args, result.output)
    contents = base / "contents"
    good = contents.read_bytes()
    many = (1 << 40).to_bytes(8, "little")
    for bad in (b"", good[:30], many + good[8:], good[:64] + many + good[72:], b"\xff" * len(good)):
        contents.write_bytes(bad)
        result = invoke(base, "--output", tmp_path / "lists")
        assert (result.exit_code, "M749" in result.stderr) == (1, True), result.output
    assert not (tmp_path / "lists").exists()
