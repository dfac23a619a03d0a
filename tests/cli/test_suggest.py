"""``spacy mtl suggest``: which texts to annotate next."""

import errno
import json

import pytest
import spacy
from spacy.cli import app
from spacy.tokens import DocBin
from spacy.training import Corpus
from typer.testing import CliRunner

from spacy_mtl.corpora.conll import ConllCorpus

from ..pipelines import ASSETS

TEXTS = [
    "Marta Restrepo vive en Bogotá.",
    "Hoy llueve.",
    "",
    "La Universidad de los Andes abrirá una sede en Santa Marta, anunció ayer el Gobierno.",
    "No.",
]


def invoke(*args):
    return CliRunner().invoke(app, ["mtl", "suggest", *map(str, args)])


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    nlp = spacy.blank("es")
    templates = {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": ["U0:%x[0,LOWER]", "U1:%x[0,SHAPE]", "B"]}
    nlp.add_pipe("mtl_ner", name="ner", config={"model": {"templates": templates}})
    examples = list(ConllCorpus(ASSETS / "train.conll", limit=100, given=[])(nlp))
    nlp.initialize(lambda: examples)
    for _ in range(4):
        nlp.update(examples)
    nlp.to_disk(path := tmp_path_factory.mktemp("trained") / "model")
    return path


@pytest.fixture
def raw(tmp_path):
    path = tmp_path / "raw.txt"
    path.write_text("\n".join(TEXTS), encoding="utf8")
    return path


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf8").splitlines()]


def test_tasks_for_prodigy(model, raw, tmp_path):
    result = invoke(model, raw, tmp_path / "next.jsonl", "--n", 2)
    assert result.exit_code == 0, result.stderr
    tasks = lines(tmp_path / "next.jsonl")
    assert len(tasks) == 2
    assert tasks[0]["meta"]["score"] >= tasks[1]["meta"]["score"] > 0
    for task in tasks:
        assert task["text"] in TEXTS
        assert "".join(t["text"] + " " * t["ws"] for t in task["tokens"]) == task["text"]
        for token in task["tokens"]:
            assert task["text"][token["start"] : token["end"]] == token["text"]
        for span in task["spans"]:
            assert span["label"] in ("LOC", "MISC", "ORG", "PER")
            assert task["tokens"][span["token_start"]]["start"] == span["start"]
            assert task["tokens"][span["token_end"]]["end"] == span["end"]
    doc = spacy.load(model)(tasks[0]["text"])
    assert [(e.start_char, e.end_char, e.label_) for e in doc.ents] == [
        (s["start"], s["end"], s["label"]) for s in tasks[0]["spans"]
    ]


def test_tasks_for_label_studio(model, raw, tmp_path):
    result = invoke(model, raw, tmp_path / "next.json", "--format", "label-studio", "--per-text")
    assert result.exit_code == 0
    tasks = json.loads((tmp_path / "next.json").read_text(encoding="utf8"))
    assert sorted(task["data"]["text"] for task in tasks) == sorted(filter(None, TEXTS))
    assert any(task["predictions"][0]["result"] for task in tasks)
    for task in tasks:
        for found in task["predictions"][0]["result"]:
            value = found["value"]
            assert (found["from_name"], found["to_name"], found["type"]) == ("label", "text", "labels")
            assert task["data"]["text"][value["start"] : value["end"]] == value["text"]


def test_texts_in_other_formats_are_the_same(model, raw, tmp_path):
    as_json = tmp_path / "raw.jsonl"
    as_json.write_text("".join(json.dumps({"text": text}) + "\n" for text in TEXTS))
    nlp = spacy.load(model)
    DocBin(docs=[nlp.make_doc(text) for text in TEXTS]).to_disk(tmp_path / "raw.spacy")
    found = []
    for number, path in enumerate((raw, as_json, tmp_path / "raw.spacy")):
        assert invoke(model, path, tmp_path / f"{number}.jsonl").exit_code == 0
        found.append([task["text"] for task in lines(tmp_path / f"{number}.jsonl")])
    assert found[0] == found[1] == found[2]
    assert len(found[0]) == 4


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--by", "chance"], "M742"),
        (["--format", "brat"], "M742"),
        (["--component", "tagger"], "M761"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(model, raw, tmp_path, options, code):
    result = invoke(model, raw, tmp_path / "next.jsonl", *options)
    assert result.exit_code == 1
    assert result.stderr.startswith(f"[{code}]")
    assert not (tmp_path / "next.jsonl").exists()


def test_texts_without_words_are_told(model, tmp_path):
    (tmp_path / "raw.txt").write_text("\n \n")
    result = invoke(model, tmp_path / "raw.txt", tmp_path / "next.jsonl")
    assert result.stderr.startswith("[M777]")


@pytest.mark.parametrize(
    ("text", "options", "code"),
    [("half \ud800 a character", [], "M796"), ("a" * 1_000_001, [], "M797"), ("two words", ["--tokens", 1], "M798")],
)
def test_texts_that_cannot_be_suggested_are_told(model, tmp_path, text, options, code):
    raw, output = tmp_path / "raw.jsonl", tmp_path / "next.jsonl"
    raw.write_text(json.dumps({"text": text}) + "\n")
    output.write_text("what was there")
    result = invoke(model, raw, output, *options)
    assert (result.exit_code, f"[{code}]" in result.stderr) == (1, True), result.stderr
    assert output.read_text() == "what was there"


def test_equal_texts_are_suggested_once(model, tmp_path):
    (tmp_path / "raw.txt").write_text("\n".join([TEXTS[0]] * 4 + [TEXTS[1]]), encoding="utf8")
    assert invoke(model, tmp_path / "raw.txt", tmp_path / "next.jsonl").exit_code == 0
    tasks = lines(tmp_path / "next.jsonl")
    assert {task["text"]: task["meta"]["number"] for task in tasks} == {TEXTS[0]: 0, TEXTS[1]: 4}
    assert len(tasks) == 2


def test_an_interrupt_leaves_the_tasks_that_were_there(model, raw, tmp_path, monkeypatch):
    (tmp_path / "next.jsonl").write_text("what was there")
    monkeypatch.setattr("spacy_mtl.choosing.suggesting.choose", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    result = invoke(model, raw, tmp_path / "next.jsonl")
    assert (result.exit_code, result.stderr.splitlines()[-1]) == (130, "Interrupted.")
    assert (tmp_path / "next.jsonl").read_text() == "what was there"


def test_the_texts_are_not_written_over(model, raw):
    before = raw.read_text(encoding="utf8")
    assert invoke(model, raw, raw).stderr.startswith("[M741]")
    assert raw.read_text(encoding="utf8") == before


def annotated(path, gold):
    """The tasks of a file as somebody has corrected them, in the format of the tool. gold: spans by text."""
    tasks = lines(path)
    for task in tasks:
        task |= {"spans": gold[task["text"]], "answer": "accept"}
    path.write_text("\n".join(map(json.dumps, tasks)), encoding="utf8")


def converted(tasks):
    """The examples of annotated tasks, by way of ``spacy mtl convert``."""
    path = tasks.with_suffix(".spacy")
    result = CliRunner().invoke(app, ["mtl", "convert", str(tasks), str(path), "--lang", "es", "--format", "tasks"])
    assert result.exit_code == 0
    assert "40 documents" in result.stdout
    return Corpus(path)


def test_suggest_annotate_and_learn_on(model, tmp_path):
    nlp = spacy.load(model)
    pool = [example.reference for example in ConllCorpus(ASSETS / "train.conll", given=[])(nlp)][100:]
    gold = {doc.text: [{"start": e.start_char, "end": e.end_char, "label": e.label_} for e in doc.ents] for doc in pool}
    DocBin(docs=[nlp.make_doc(doc.text) for doc in pool]).to_disk(tmp_path / "raw.spacy")
    dev = list(ConllCorpus(ASSETS / "dev.conll", given=[])(nlp))
    scores, suggestions = [nlp.evaluate(dev)["ents_f"]], []
    for turn in range(2):
        nlp.to_disk(tmp_path / "now")
        tasks = tmp_path / f"{turn}.jsonl"
        assert invoke(tmp_path / "now", tmp_path / "raw.spacy", tasks, "--n", 40).exit_code == 0
        suggestions.append({task["text"] for task in lines(tasks)})
        annotated(tasks, gold)
        nlp = spacy.load(tmp_path / "now")
        examples = list(converted(tasks)(nlp))
        assert sum(len(example.reference.ents) for example in examples) > 20
        nlp.resume_training()
        for _ in range(4):
            nlp.update(examples)
        scores.append(nlp.evaluate(dev)["ents_f"])
    assert suggestions[0] != suggestions[1]
    assert scores[2] > scores[0] + 0.02, scores


def test_a_full_disk_leaves_the_tasks_that_were_there(model, raw, tmp_path, monkeypatch):
    output = tmp_path / "next.jsonl"
    assert invoke(model, raw, output, "--n", 1).exit_code == 0
    before = output.read_bytes()

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    result = invoke(model, raw, output, "--n", 2)
    assert result.exit_code == 1
    assert "[M704]" in result.stderr
    assert output.read_bytes() == before
    assert sorted(each.name for each in tmp_path.iterdir()) == ["next.jsonl", "raw.txt"]
