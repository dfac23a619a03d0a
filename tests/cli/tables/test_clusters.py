"""``spacy mtl clusters``: clusters of words from raw text, in a file that components read."""

import json
import signal
import sys

import pytest
from spacy.cli import app
from typer.testing import CliRunner

from spacy_mtl.cli.tables.content import has_columns
from spacy_mtl.clustering import learn
from spacy_mtl.clustering.sentences import sentences_of
from spacy_mtl.tables.brown import read_brown

SENTENCES = ["Ann sees the cat .", "Bob sees the dog .", "Ann hears the dog .", "Bob hears the cat ."] * 5


def invoke(*args):
    return CliRunner().invoke(app, ["mtl", "clusters", *map(str, args)])


def learned(tmp_path, *args):
    output = tmp_path / "clusters.tsv"
    result = invoke(*args, "--output", output, "--classes", 5)
    assert result.exit_code == 0, result.stderr
    return read_brown(output), result.stdout


def check(table):
    assert table.path("Ann") == table.path("Bob")
    assert table.path("cat") == table.path("dog")
    assert table.path("Ann") != table.path("cat")


def test_plain_text(tmp_path):
    text = tmp_path / "text.txt"
    text.write_text("\n".join(SENTENCES), encoding="utf8")
    table, said = learned(tmp_path, text)
    check(table)
    assert "8 words in 5 clusters, of 100 tokens" in said


def test_text_is_divided_as_spacy_does(tmp_path):
    text = tmp_path / "text.txt"
    text.write_text("\n".join(line.replace(" .", ".") for line in SENTENCES), encoding="utf8")
    table, _ = learned(tmp_path, text, "--lang", "en")
    check(table)
    assert table.path(".")


def test_other_formats_have_the_same_words(tmp_path):
    (tmp_path / "a.jsonl").write_text("\n".join(json.dumps({"text": line}) for line in SENTENCES), encoding="utf8")
    columns = "\n\n".join("\n".join(f"{word} O" for word in line.split()) for line in SENTENCES)
    (tmp_path / "b.conll").write_text("-DOCSTART- O\n\n" + columns, encoding="utf8")
    trees = "\n\n".join(
        "# text\n" + "\n".join(f"{k}\t{word}" for k, word in enumerate(line.split(), 1)) for line in SENTENCES
    )
    (tmp_path / "c.conllu").write_text(trees, encoding="utf8")
    for name in ("a.jsonl", "b.conll", "c.conllu"):
        table, said = learned(tmp_path, tmp_path / name)
        check(table)
        assert "8 words in 5 clusters, of 100 tokens" in said


def rows(line):
    return "\n".join("\t".join([str(k), word, *"________"]) for k, word in enumerate(line.split(), 1))


@pytest.mark.parametrize("name", ["a.conll", "a.CONLL", "a.tsv", "a.CONLLU", "a.conllx"])
def test_the_words_of_a_treebank_are_not_their_numbers_whatever_the_ending(tmp_path, name):
    (tmp_path / name).write_text("\n\n".join(map(rows, SENTENCES)), encoding="utf8")
    table, said = learned(tmp_path, tmp_path / name)
    check(table)
    assert "8 words in 5 clusters, of 100 tokens" in said


@pytest.mark.parametrize("name", ["my.train", "my.txt", "my"])
@pytest.mark.parametrize("width", [1, 2, 10])
def test_the_content_tells_column_files_whatever_the_ending(tmp_path, name, width):
    shown = {1: "{1}", 2: "{1} O", 10: "{0}\t{1}" + 8 * "\t_"}[width]
    texts = ("\n".join(shown.format(*each) for each in enumerate(line.split(), 1)) for line in SENTENCES)
    (tmp_path / name).write_text("\n\n".join(texts), encoding="utf8")
    for lang in ((), ("--lang", "en")):
        result = invoke(tmp_path / name, "--output", tmp_path / "clusters.tsv", "--classes", 5, *lang)
        check(read_brown(tmp_path / "clusters.tsv"))
        assert "8 words in 5 clusters, of 100 tokens" in result.stdout
        assert "my" in result.stderr
        assert "is read as a column file" in result.stderr


@pytest.mark.parametrize(
    "text",
    [
        "Ann sees the cat .\nBob sees it .\n\nAnn hears the dog .\nAnn runs .\n",  # running text in paragraphs
        "Ann sees the cat .\n\nBob sees the dog .\n\n",  # an empty line after each sentence
        "Ann sees the cat .\nBob sees the dog .\n",  # all of the same number of words
        "1\tAnn sees the cat .\n2\tBob sees her .\n\n3\tAnn hears the dog .\n",
        "Ann\nBob\ncat\n",  # a list of words
    ],
)
def test_text_stays_text(tmp_path, text):
    path = tmp_path / "a.txt"
    path.write_text(text, encoding="utf8")
    result = invoke(path, "--output", tmp_path / "clusters.tsv", "--classes", 2, "--min-count", 1)
    assert f"of {len(text.split())} tokens" in result.stdout
    assert "column file" not in result.stderr


def test_text_without_white_space_between_words_stays_text(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("我爱北京\n我爱上海\n\n我爱天安门\n", encoding="utf8")
    result = invoke(path, "--output", tmp_path / "clusters.tsv", "--classes", 2, "--min-count", 1, "--lang", "zh")
    assert "of 13 tokens" in result.stdout
    assert "column file" not in result.stderr


def test_endings_of_json_lines_may_have_capitals(tmp_path):
    (tmp_path / "a.JSONL").write_text("\n".join(json.dumps({"text": line}) for line in SENTENCES), encoding="utf8")
    check(learned(tmp_path, tmp_path / "a.JSONL")[0])


def test_words_of_a_treebank_are_those_of_a_doc(tmp_path):
    ranges = "# text = vámonos al\n1-2\tvámonos\n1\tvamos\n2\tnos\n3-4\tal\n3\ta\n4\tel\n4.1\tx\n\n"
    for name in ("a.conllu", "a.conll"):
        (tmp_path / name).write_text(ranges, encoding="utf8")
        assert list(sentences_of(tmp_path / name, str.split)) == [["vamos", "nos", "a", "el"]]


@pytest.mark.parametrize("line", ["1 O", "1\u00a0000 O", "2 O", "1-2 O"])
def test_numbers_that_are_words_of_columns_stay_words(tmp_path, line):
    (tmp_path / "a.conll").write_text(f"{line}\nmil O\n\n{line}\n", encoding="utf8")
    word = line.removesuffix(" O")
    assert list(sentences_of(tmp_path / "a.conll", str.split)) == [[word, "mil"], [word]]


def test_bad_input_is_one_message(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pythainlp", None)  # as if it were not installed
    text, broken, latin = tmp_path / "text.txt", tmp_path / "a.jsonl", tmp_path / "latin.txt"
    text.write_text("once\n", encoding="utf8")
    broken.write_text('{"text": "a"}\n{"words": []}\n', encoding="utf8")
    latin.write_bytes(b"a\xff\n")
    output = tmp_path / "out.tsv"
    for args, code in [
        ((tmp_path / "none.txt",), "M501"),
        ((text,), "M747"),
        ((broken,), "M746"),
        ((latin,), "M502"),
        ((text, "--lang", "nothing"), "M515"),
        ((text, "--lang", "th"), "M767"),
    ]:
        result = invoke(*args, "--output", output)
        assert result.exit_code == 1
        assert code in result.stderr
        assert not output.exists()
    assert "M741" in invoke(text, "--output", text).stderr


@pytest.mark.parametrize("when", ["exchange", "paths_of", "_fits"])
def test_after_an_interrupt_at_any_time_of_the_search_the_clusters_are_written(tmp_path, monkeypatch, when):
    (tmp_path / "text.txt").write_text("\n".join(SENTENCES), encoding="utf8")
    whole, output = getattr(learn, when), tmp_path / "clusters.tsv"

    def interrupted(*args, **kwargs):
        signal.raise_signal(signal.SIGINT)
        return whole(*args, **kwargs)

    monkeypatch.setattr(learn, when, interrupted)
    before = signal.getsignal(signal.SIGINT)
    result = invoke(tmp_path / "text.txt", "--output", output, "--classes", 5)
    assert result.exit_code == 0
    assert len(output.read_text(encoding="utf8").splitlines()) == 8
    assert ("Interrupted" in result.stderr) == (when == "exchange")
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize("option", [("--classes", 1), ("--min-count", 0), ("--passes", 0)])
def test_numbers_have_limits(tmp_path, option):
    assert invoke("text.txt", "--output", tmp_path / "out", *option).exit_code == 2


def test_numbered_lines_and_an_empty_line_at_the_end_are_text(tmp_path):
    numbered = [f"{k}\t{line}" for k, line in enumerate(SENTENCES)]
    for text in (
        "\n".join([*numbered[:3], "", *numbered[3:]]),
        "\n".join(line.split()[0] for line in SENTENCES) + "\n\n",
    ):
        (tmp_path / "text.txt").write_text(text, encoding="utf8")
        assert not has_columns(tmp_path / "text.txt", str.split)
