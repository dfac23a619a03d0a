"""``spacy train`` from a config: reader, logger, batcher and trainer by name."""

import json

import pytest
import spacy
from spacy.cli.train import train
from spacy.util import load_config

from spacy_mtl.corpora.conll import ConllCorpus

from ..configs import paths_of, recognizer

#: The whole corpora, since scores are compared.
CHANGES = {
    "components.ner.trainer.C": 0.5,
    "corpora.train.limit": 0,
    "corpora.dev.limit": 0,
    "training.max_epochs": 4,
    "training.eval_frequency": 2,
}


@pytest.fixture
def run(tmp_path, corpus_path):
    """Train into a directory of that name; returns the rows of the log, if it is ours."""
    recognizer(CHANGES).to_disk(tmp_path / "ner.cfg")

    def run_training(name="out", **overrides) -> list[dict]:
        log = tmp_path / f"{name}.jsonl"
        train(tmp_path / "ner.cfg", tmp_path / name, overrides=paths_of(corpus_path, log) | overrides)
        return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []

    return run_training


def dev_score(path, corpus_path) -> float:
    nlp = spacy.load(path)
    return nlp.evaluate(list(ConllCorpus(corpus_path / "dev.conll")(nlp)))["ents_f"]


@pytest.mark.parametrize(("solver", "least"), [("dual_ascent", 0.45), ("cutting_plane", 0.05)])
def test_training_writes_the_best_model(run, tmp_path, corpus_path, solver, least):
    templates = {"components.ner.model.templates.@mtl_templates": "spacy_mtl.conll2002.v1"}
    rows = run(**{"components.ner.trainer.solver": solver}, **templates)
    assert len(rows) > 1
    best = max(row["score"] for row in rows)
    assert best >= least
    assert dev_score(tmp_path / "out/model-best", corpus_path) == pytest.approx(best)
    report = rows[-1]["reports"]["ner"]
    assert report["primal"] >= report["dual"] > 0
    assert report["n_templates"] == 134
    assert rows[0]["reports"]["ner"]["dual"] < report["dual"]  # the primal of cutting planes goes up and down


def test_batches_by_words_give_the_same_model(run, tmp_path):
    config = load_config(tmp_path / "ner.cfg")
    config["training"] |= {"eval_frequency": 1000, "logger": {"@loggers": "spacy.ConsoleLogger.v1"}}
    config.to_disk(tmp_path / "ner.cfg")
    run("whole")
    words = {"@batchers": "spacy.batch_by_words.v1", "size": 500, "discard_oversize": False, "tolerance": 0.2}
    config["training"]["batcher"] = words
    config.to_disk(tmp_path / "ner.cfg")
    run("words")
    models = [(tmp_path / name / "model-last/ner/model").read_bytes() for name in ("whole", "words")]
    assert models[0] == models[1]


def test_frozen_component_stays_as_it_was(run, tmp_path, corpus_path):
    run()
    source = str(tmp_path / "out/model-last")
    config = load_config(tmp_path / "ner.cfg")
    config["components"] = {"ner": {"source": source}, "other": config["components"]["ner"]}
    config["nlp"]["pipeline"] = ["ner", "other"]
    config["training"] |= {"frozen_components": ["ner"], "max_epochs": 2}
    config.to_disk(tmp_path / "ner.cfg")
    rows = run("second")
    assert set(rows[-1]["losses"]) == {"other"}
    saved = [tmp_path / path / "ner/model" for path in ("out/model-last", "second/model-last")]
    assert saved[0].read_bytes() == saved[1].read_bytes()
    assert spacy.load(tmp_path / "second/model-last").pipe_names == ["ner", "other"]


def test_sourced_component_that_is_not_frozen_learns_on(run, tmp_path):
    before = run()
    config = load_config(tmp_path / "ner.cfg")
    config["components"]["ner"] = {"source": str(tmp_path / "out/model-last")}
    config["training"]["max_epochs"] = 1
    config.to_disk(tmp_path / "ner.cfg")
    rows = run("second")
    assert rows[-1]["score"] >= before[-1]["score"] - 0.02
    saved = [tmp_path / path / "ner/model" for path in ("out/model-last", "second/model-last")]
    assert saved[0].read_bytes() != saved[1].read_bytes()


def test_stream_is_one_clear_error(run):
    with pytest.raises(ValueError, match=r"^\[M406\] 'ner' indexes features over the whole corpus, which is read"):
        run(**{"training.max_epochs": -1})
