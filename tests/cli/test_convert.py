import sys

import pytest
import spacy
from spacy.cli import app
from spacy.tokens import DocBin
from typer.testing import CliRunner

from spacy_mtl.cli import mtl
from spacy_mtl.corpora.convert import CONVERTERS

TEXT = "Ana\tNP\tU-PER\nríe\tV\tO\n\nLuz\tNP\tB-PER\nPaz\tNP\tL-PER\n"


def invoke(*args):
    return CliRunner().invoke(app, ["mtl", "convert", *map(str, args)])


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "in.txt"
    path.write_text(TEXT, encoding="utf8")
    return path


def load(path):
    return list(DocBin().from_disk(path).get_docs(spacy.blank("es").vocab))


def test_converts_and_counts(source, tmp_path):
    out = tmp_path / "out.spacy"
    result = invoke(source, out, "--lang", "es", "--scheme", "biluo", "--separator", "\\t", "--group", 2)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "1 document, 2 sentences, 4 tokens, 2 entities" in result.stdout
    (doc,) = load(out)
    assert [ent.text for ent in doc.ents] == ["Ana", "Luz Paz"]
    assert doc.user_data == {"spacy_mtl.given": ("TAG",)}


def test_columns_and_given(source, tmp_path):
    out = tmp_path / "out.spacy"
    assert invoke(source, out, "--lang", "es", "--columns", "ORTH, _,ENT", "--limit", 1).exit_code == 0
    (doc,) = load(out)
    assert not doc.has_annotation("TAG")
    assert doc.user_data == {"spacy_mtl.given": ()}
    assert invoke(source, out, "--lang", "es", "--given", "").exit_code == 0
    assert load(out)[0].user_data == {"spacy_mtl.given": ()}


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["--columns", "ORTH,TAG,_,ENT"], "[M503]"),
        (["--given", "POS"], "[M507]"),
        (["--scheme", "iob2"], "[M508]"),
        (["--scheme", "x"], "[M509]"),
        (["--encoding", "ascii"], "[M502]"),
        (["--lang", "qq"], "[M515]"),
        (["--group", "-1"], "[M514]"),
    ],
)
def test_bad_input_is_one_message_and_a_failure(source, tmp_path, args, code):
    result = invoke(source, tmp_path / "out.spacy", "--lang", "es", *args)
    assert result.exit_code == 1
    assert result.stderr.startswith(code)
    assert len(result.stderr.splitlines()) == 1
    assert not (tmp_path / "out.spacy").exists()


@pytest.mark.parametrize(
    ("lang", "package"), [("ja", "sudachipy"), ("th", "pythainlp"), ("vi", "pyvi"), ("ko", "natto")]
)
def test_words_that_are_given_need_no_tokenizer(source, tmp_path, monkeypatch, lang, package):
    monkeypatch.setitem(sys.modules, package, None)  # as if it were not installed
    out, back = tmp_path / "out.spacy", tmp_path / "back.conllu"
    for made in (invoke(source, out, "--lang", lang), invoke(out, back, "--lang", lang)):
        assert (made.exit_code, made.stderr) == (0, "")
    assert back.exists()
    tasks = tmp_path / "tasks.jsonl"
    tasks.write_text('{"text": "a b", "spans": []}\n', encoding="utf8")
    refused = invoke(tasks, out, "--lang", lang, "--format", "tasks")
    assert (refused.exit_code, refused.stderr[:6]) == (1, "[M767]")
    assert "Install it" in refused.stderr


def test_files_that_cannot_be_read_or_written(source, tmp_path):
    missing = invoke(tmp_path / "nowhere", tmp_path / "out.spacy", "--lang", "es")
    assert (missing.exit_code, missing.stderr[:6]) == (1, "[M501]")
    blocked = invoke(source, source / "out.spacy", "--lang", "es")
    assert (blocked.exit_code, blocked.stderr[:6]) == (1, "[M704]")


def test_commands_are_listed():
    result = CliRunner().invoke(mtl, ["--help"])
    assert result.exit_code == 0
    assert "convert" in result.stdout
    assert "templates" in result.stdout


def test_bugs_keep_their_traceback(source, tmp_path, monkeypatch):
    def broken(*_, **__):
        raise ValueError("not bad input")

    monkeypatch.setitem(CONVERTERS, "columns", broken)
    result = invoke(source, tmp_path / "out.spacy", "--lang", "es")
    assert str(result.exception) == "not bad input"


def test_segmented_text(source, tmp_path):
    source.write_bytes("今天  下雨  。\n再见\n好\n".encode("gb18030"))
    out = tmp_path / "out.spacy"
    result = invoke(
        source, out, "--lang", "zh", "--format", "segmented", "--encoding", "gb18030", "--limit", 2, "--group", 5
    )
    assert (result.exit_code, result.stderr) == (0, "")
    assert "2 documents, 2 sentences, 4 words" in result.stdout
    assert [[token.text for token in doc] for doc in load(out)] == [["今天", "下雨", "。"], ["再见"]]


@pytest.mark.parametrize(("text", "code"), [("\n", "[M520]"), ("\xff", "[M502]")])
def test_bad_segmented_text_is_one_message_and_a_failure(source, tmp_path, text, code):
    source.write_bytes(text.encode("latin-1"))
    result = invoke(source, tmp_path / "out.spacy", "--lang", "zh", "--format", "segmented")
    assert (result.exit_code, result.stderr[:6]) == (1, code)
    assert not (tmp_path / "out.spacy").exists()


TREE = (
    "1\tAna\tAna\tPROPN\tNP\tNumber=Sing\t2\tnsubj\t_\t_\n"
    "2\tríe\treír\tVERB\tV\t_\t0\troot\t_\tSpaceAfter=No\n"
    "3\t.\t.\tPUNCT\tF\t_\t2\tpunct\t_\t_\n"
)


def test_trees_there_and_back(tmp_path):
    source, out, back = tmp_path / "in.conllu", tmp_path / "out.spacy", tmp_path / "back.conllu"
    source.write_text(TREE + "\n" + TREE.replace("\t0\t", "\t1\t"), encoding="utf8")
    result = invoke(source, out, "--lang", "es", "--format", "conllu")
    assert result.exit_code == 1
    assert "[M554]" in result.stderr
    with pytest.warns(UserWarning, match="M560"):
        result = invoke(source, out, "--lang", "es", "--format", "conllu", "--broken", "skip", "--tag", "upos")
    assert result.exit_code == 0
    assert "1 document, 1 sentence, 3 tokens\n" in result.stdout
    (doc,) = load(out)
    assert [(t.dep_, t.head.i, t.tag_) for t in doc] == [
        ("nsubj", 1, "PROPN"),
        ("ROOT", 1, "VERB"),
        ("punct", 1, "PUNCT"),
    ]
    assert doc.user_data == {"spacy_mtl.given": ("TAG", "POS", "MORPH", "LEMMA")}
    result = invoke(out, back, "--lang", "es")
    assert (result.exit_code, result.stdout.split(": ")[1]) == (0, "1 document, 1 sentence, 3 tokens\n")
    assert (
        back.read_text(encoding="utf8").splitlines()[2:5]
        == TREE.replace("NP", "PROPN").replace("V\t_", "VERB\t_").replace("F\t", "PUNCT\t").splitlines()
    )


def test_bracketed_trees(tmp_path):
    source, out = tmp_path / "in.mrg", tmp_path / "out.spacy"
    source.write_text("(S (NP (PRP It)) (VP (VBZ rains)) (. .))\n(NP (NN rain))\n", encoding="utf8")
    result = invoke(source, out, "--lang", "en", "--format", "bracketed", "--group", 2, "--given", "TAG")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "1 document, 2 sentences, 4 tokens\n" in result.stdout
    (doc,) = load(out)
    spans = [(span.start, span.end, span.label_) for span in doc.spans["constituents"]]
    assert spans == [(0, 3, "S"), (0, 1, "NP"), (1, 2, "VP"), (3, 4, "NP")]
    assert doc.user_data["spacy_mtl.given"] == ("TAG",)
    source.write_text("(S (NP It)", encoding="utf8")
    result = invoke(source, tmp_path / "other.spacy", "--lang", "en", "--format", "bracketed")
    assert (result.exit_code, result.stderr[:6]) == (1, "[M570]")


@pytest.mark.parametrize("group", [1, 2])
def test_a_treebank_comes_back_byte_for_byte(tmp_path, group):
    text = (
        "# newpar\n# text = al mar\n1-2\tal\t_\t_\t_\t_\t_\t_\t_\t_\n1\ta\ta\tADP\t_\t_\t3\tcase\t3:case\tGloss=to\n"
        "2\tel\tel\tDET\t_\t_\t3\tdet\t3:det\t_\n3\tmar\tmar\tNOUN\t_\tNumber=Sing|Gender=Masc\t0\troot\t0:root\t_\n\n"
        "# sent_id = 2\n1\tYa\tya\tADV\t_\t_\t0\troot\t_\tSpaceAfter=No\n\n"
    )
    source = tmp_path / "in.conllu"
    source.write_text(text, encoding="utf8")
    for settings, same in (([], False), (["--keep"], True)):
        made = invoke(source, tmp_path / "a.spacy", "--lang", "es", "--format", "conllu", "--group", group, *settings)
        assert (made.exit_code, made.stderr) == (0, "")
        back = invoke(tmp_path / "a.spacy", tmp_path / "out.conllu", "--lang", "es")
        assert f"{'2 documents' if group == 1 else '1 document'}, 2 sentences, 4 tokens" in back.stdout
        assert ((tmp_path / "out.conllu").read_text(encoding="utf8") == text) == same
