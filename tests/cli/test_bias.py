"""``spacy mtl bias``: the best bias of a recognizer on development data."""

import json
from functools import partial

import pytest
import spacy
from spacy.cli import app
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from typer.testing import CliRunner

from spacy_mtl.cli.choosing.bias import annotated_before

#: Names are in training what other words are, too, so that the model is not sure of them.
TRAIN = [("a", True), ("a", False), ("a", False), ("b", False), ("c", True)]


def invoke(*args):
    return CliRunner().invoke(app, ["mtl", "bias", *map(str, args)])


@pytest.fixture(name="folder", scope="module")
def _folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bias")
    nlp = spacy.blank("xx")
    templates = {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": ["U0:%x[0,LOWER]", "B"]}
    nlp.add_pipe("mtl_ner", name="people", config={"model": {"templates": templates}})
    examples = [
        Example(Doc(nlp.vocab, [word, "x"]), Doc(nlp.vocab, [word, "x"], ents=["B-PER" if name else "O", "O"]))
        for word, name in TRAIN * 4
    ]
    nlp.initialize(lambda: examples)
    for _ in range(5):
        nlp.update(examples)
    nlp.to_disk(folder / "model")
    (folder / "dev.conll").write_text("a B-PER\nx O\n\nb O\nx O\n", encoding="utf8")
    return folder


def test_the_best_bias_is_saved_and_used(folder):
    assert [ent.text for ent in spacy.load(folder / "model")("a x").ents] == []
    result = invoke(folder / "model", folder / "dev.conll", "--columns", "ORTH,ENT", "--output", folder / "tuned")
    assert result.exit_code == 0, result.stderr
    tuned = spacy.load(folder / "tuned")
    bias = tuned.get_pipe("people").bias
    assert bias > 0
    assert [ent.text for ent in tuned("a x").ents] == ["a"]
    assert [ent.text for ent in tuned("b x").ents] == []
    assert f"people: the best bias is {bias:g}; saved to" in result.stdout
    (line,) = (line for line in result.stdout.splitlines() if line.rstrip().endswith("best"))
    assert line.split()[:4] == [f"{bias:.1f}", "100.00", "100.00", "100.00"]


def test_components_behind_the_recognizer_and_itself_do_not_annotate(folder):
    """What it finds is for scoring, and must not be what the documents already have."""
    nlp = spacy.load(folder / "model")
    for name, place in (("before", {"first": True}), ("behind", {"last": True})):
        Language.component(f"bias_{name}", func=partial(_note, name))
        nlp.add_pipe(f"bias_{name}", **place)
    nlp.get_pipe("people").bias = 5.0
    doc = Doc(nlp.vocab, ["a", "x"])
    (found,) = annotated_before(nlp, "people", [Example(doc, doc.copy())])
    assert found.predicted.user_data["notes"] == ["before"]
    assert not found.predicted.ents


def _note(name, doc):
    doc.user_data.setdefault("notes", []).append(name)
    return doc


def test_sentences_of_a_treebank(folder, tmp_path):
    """The pipeline may be saved in place of itself, and is as it was where nothing is surely better."""
    nlp = spacy.blank("xx")
    templates = {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": ["U0:%x[-1,LOWER]", "B"]}
    nlp.add_pipe("mtl_senter", config={"model": {"templates": templates}})
    marks = [True, False, True, False, False, False]
    words = ["a", ".", "b", "x", "c", "d"]
    examples = [Example(Doc(nlp.vocab, words), Doc(nlp.vocab, words, sent_starts=marks))]
    nlp.initialize(lambda: examples)
    for _ in range(5):
        nlp.update(examples)
    nlp.to_disk(tmp_path / "model")
    rows = (["a", "."], ["b", "x"], ["c", "d"])
    trees = "".join(
        "".join(f"{k}\t{word}\t_\tX\t_\t_\t{k - 1}\tdep\t_\t_\n" for k, word in enumerate(row, 1)) + "\n"
        for row in rows
    )
    (tmp_path / "dev.conllu").write_text(trees * 4, encoding="utf8")
    files = (tmp_path / "model", tmp_path / "dev.conllu", "--format", "conllu", "--group", 3)
    result = invoke(*files, "--sure", "--output", tmp_path / "model")
    assert result.exit_code == 0, result.stderr
    bias = spacy.load(tmp_path / "model").get_pipe("mtl_senter").bias
    assert bias > 0
    assert f"mtl_senter: the bias is now {bias:g}; saved to" in result.stdout
    again = invoke(*files, "--sure", "--output", tmp_path / "again")
    assert f"mtl_senter: the bias stays {bias:g}; saved to" in again.stdout


def test_annotated_tasks_as_development_data(folder, tmp_path):
    tasks = [{"text": "a x", "spans": [{"start": 0, "end": 1, "label": "PER"}]}, {"text": "b x", "spans": []}]
    (tmp_path / "dev.jsonl").write_text("\n".join(map(json.dumps, tasks)), encoding="utf8")
    result = invoke(folder / "model", tmp_path / "dev.jsonl", "--format", "tasks")
    assert result.exit_code == 0, result.stderr
    columns = invoke(folder / "model", folder / "dev.conll", "--columns", "ORTH,ENT")
    assert result.stdout.splitlines()[-3:] == columns.stdout.splitlines()[-3:]


def test_trees_with_brackets_are_refused(folder):
    result = invoke(folder / "model", folder / "dev.conll", "--format", "bracketed")
    assert result.exit_code == 2
    assert "reads columns, segmented texts, trees and annotated tasks" in " ".join(result.stderr.split())


def test_without_output_nothing_is_saved(folder):
    result = invoke(folder / "model", folder / "dev.conll", "--columns", "ORTH,ENT")
    assert result.exit_code == 0, result.stderr
    assert "as it was" in result.stdout
    assert spacy.load(folder / "model").get_pipe("people").bias == 0


def test_a_pipeline_without_a_recognizer_is_refused(folder):
    spacy.blank("xx").to_disk(folder / "blank")
    result = invoke(folder / "blank", folder / "dev.conll")
    assert (result.exit_code, "M751" in result.stderr) == (1, True)
    result = invoke(folder / "model", folder / "dev.conll", "--component", "places")
    assert (result.exit_code, "M751" in result.stderr) == (1, True)
