"""Habits of the command line with a trained pipeline: spaCy's own commands for configs, scores, speed and texts."""

import json

import pytest
import spacy
from spacy.cli._util import app
from spacy.tokens import DocBin
from typer.testing import CliRunner

from ...configs import paths_of, recognizer

TEMPLATES = ["U0:%x[0,LOWER]", "U1:%x[-1,LOWER]/%x[0,SHAPE]", "B"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory, make_nlp, read_corpus, train):
    """A pipeline in ``trained``, its documents in ``gold.spacy`` and their texts in ``texts.jsonl``."""
    path = tmp_path_factory.mktemp("tools")
    nlp = make_nlp(TEMPLATES)
    shown = read_corpus(nlp, limit=30)
    train(nlp, shown).to_disk(path / "trained")
    golds = [example.reference for example in shown]
    DocBin(docs=golds, attrs=["ENT_IOB", "ENT_TYPE", "SPACY"]).to_disk(path / "gold.spacy")
    lines = [json.dumps({"text": doc.text}, ensure_ascii=False) for doc in golds]
    (path / "texts.jsonl").write_text("\n".join(lines), encoding="utf8")
    return path


def run(*words):
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert (result.exit_code, result.exception) == (0, None), result.output
    return result.output


def test_init_config_and_debug_config_take_our_components(tmp_path, corpus_path):
    run("init", "config", tmp_path / "new.cfg", "--lang", "es", "--pipeline", "mtl_ner,mtl_tagger")
    config = spacy.util.load_config(tmp_path / "new.cfg")
    assert config["nlp"]["pipeline"] == ["mtl_ner", "mtl_tagger"]
    assert config["components"]["mtl_ner"]["trainer"]["@mtl_trainers"] == "spacy_mtl.MTLStruct.v1"
    recognizer(paths_of(corpus_path, tmp_path / "log.jsonl")).to_disk(tmp_path / "part.cfg")
    run("init", "fill-config", tmp_path / "part.cfg", tmp_path / "ner.cfg")
    shown = run("debug", "config", tmp_path / "ner.cfg", "--show-functions", "--show-variables")
    assert "spacy_mtl.MTLStruct.v1" in shown


def test_labels_are_written_beforehand_and_read_from_there(tmp_path, corpus_path):
    """``init labels`` writes what a config then names instead of reading the corpus for it."""
    config = recognizer(paths_of(corpus_path, tmp_path / "log.jsonl"))
    config.to_disk(tmp_path / "part.cfg")
    run("init", "fill-config", tmp_path / "part.cfg", tmp_path / "ner.cfg")
    run("init", "labels", tmp_path / "ner.cfg", tmp_path / "labels")
    labels = json.loads((tmp_path / "labels" / "ner.json").read_text(encoding="utf8"))
    assert labels == ["LOC", "MISC", "ORG", "PER"]
    given = spacy.util.load_config(tmp_path / "ner.cfg")
    reader = {"@readers": "spacy.read_labels.v1", "path": str(tmp_path / "labels" / "ner.json")}
    given["initialize"]["components"] = {"ner": {"labels": reader}}
    nlp = spacy.training.initialize.init_nlp(given)
    assert list(nlp.get_pipe("ner").labels) == labels


def test_files_that_convert_has_written_are_trained_on(tmp_path):
    """spaCy's own command turns columns into documents, which the components learn from as from any."""
    rows = ["Ana|NNP|B-PER sees|VBZ|O Oslo|NNP|B-LOC .|.|O", "Oslo|NNP|B-LOC sleeps|VBZ|O .|.|O"] * 4
    (tmp_path / "train.iob").write_text("\n".join(rows) + "\n", encoding="utf8")
    run("convert", tmp_path / "train.iob", tmp_path, "--converter", "iob")
    nlp = spacy.blank("en")
    patterns = {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": TEMPLATES}
    for name in ("mtl_tagger", "mtl_ner"):
        nlp.add_pipe(name, config={"model": {"templates": patterns}})
    shown = list(spacy.training.Corpus(tmp_path / "train.spacy")(nlp))
    nlp.initialize(lambda: shown)
    for _ in range(5):
        nlp.update(shown)
    scores = nlp.evaluate(shown)
    assert (scores["ents_f"], scores["tag_acc"]) == (1.0, 1.0)


def test_evaluate_scores_as_the_pipeline_does(folder, tmp_path):
    run("evaluate", folder / "trained", folder / "gold.spacy", "--output", tmp_path / "scores.json")
    scores = json.loads((tmp_path / "scores.json").read_text(encoding="utf8"))
    nlp = spacy.load(folder / "trained")
    found = nlp.evaluate(list(spacy.training.Corpus(folder / "gold.spacy")(nlp)))
    assert scores["ents_f"] == pytest.approx(found["ents_f"])  # the file has ten digits
    assert scores["ents_f"] > 0.7
    assert set(scores["ents_per_type"]) <= set(nlp.get_pipe("mtl_ner").labels)


def test_apply_annotates_texts_as_the_pipeline_does(folder, tmp_path):
    nlp = spacy.load(folder / "trained")
    lines = (folder / "texts.jsonl").read_text(encoding="utf8").splitlines()
    wanted = [[(ent.text, ent.label_) for ent in nlp(json.loads(line)["text"]).ents] for line in lines]
    assert any(wanted)
    for processes in (1, 2):
        made = tmp_path / f"{processes}.spacy"
        run("apply", folder / "trained", folder / "texts.jsonl", made, "--n-process", processes)
        docs = DocBin().from_disk(made).get_docs(nlp.vocab)
        assert [[(ent.text, ent.label_) for ent in doc.ents] for doc in docs] == wanted


def test_speed_is_measured(folder):
    shown = run(
        "benchmark", "speed", folder / "trained", folder / "gold.spacy", "--batches", 30, "--batch-size", 10, "-w", 1
    )
    assert "Words per second" in shown or "Mean" in shown
