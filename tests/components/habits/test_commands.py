"""Habits of the command line: neural components in the same training, ``debug data``, ``--gpu-id`` and ``assemble``."""

import os
import re
import subprocess
import sys

import pytest
import spacy
from spacy.cli._util import app
from spacy.cli.debug_data import debug_data
from spacy.cli.init_config import fill_config
from spacy.cli.train import train
from spacy.tokens import DocBin
from typer.testing import CliRunner

from spacy_mtl.corpora.conll import ConllCorpus

from ...configs import paths_of, recognizer

WIDTH = 8
TOK2VEC = {"factory": "tok2vec", "model": {
    "@architectures": "spacy.HashEmbedCNN.v2", "width": WIDTH, "depth": 1, "embed_size": 100, "window_size": 1, "maxout_pieces": 2,
    "subword_features": False, "pretrained_vectors": None,
}}  # fmt: skip
TEXTCAT = {"factory": "textcat", "model": {
    "@architectures": "spacy.TextCatReduce.v1", "exclusive_classes": True, "nO": None, "use_reduce_first": False, "use_reduce_last": False,
    "use_reduce_max": True, "use_reduce_mean": True, "tok2vec": {"@architectures": "spacy.Tok2VecListener.v1", "width": WIDTH, "upstream": "*"},
}}  # fmt: skip


def write_corpus(source, path, limit):
    """A ``.spacy`` file whose sentences have a category that a word tells."""
    docs = [example.reference for example in ConllCorpus(source, limit=limit)(spacy.blank("es"))]
    for doc in docs:
        there = any(token.lower_ == "de" for token in doc)
        doc.cats = {"there": float(there), "not there": float(not there)}
    DocBin(docs=docs, attrs=["ENT_IOB", "ENT_TYPE", "TAG", "SPACY"]).to_disk(path)


@pytest.mark.parametrize("averages", [False, True])
def test_a_classifier_and_its_vectors_are_trained_beside(averages, tmp_path, corpus_path):
    """Ours is shown batches among those of the classifier, and the averages of the optimizer leave its model alone."""
    for name, limit in (("train", 60), ("dev", 30)):
        write_corpus(corpus_path / f"{name}.conll", tmp_path / f"{name}.spacy", limit)
    config = recognizer({"training.max_epochs": 12, "training.score_weights": {"ents_f": 0.5, "cats_score": 0.5}})
    config["components"] |= {"tok2vec": TOK2VEC, "textcat": TEXTCAT}
    config["nlp"]["pipeline"] = ["tok2vec", "ner", "textcat"]
    for name in ("train", "dev"):
        config["corpora"][name] = {"@readers": "spacy.Corpus.v1", "path": str(tmp_path / f"{name}.spacy")}
    config["training"]["batcher"] = {"@batchers": "spacy.batch_by_sequence.v1", "size": 15}
    config["training"]["eval_frequency"] = 8
    config["training"]["optimizer"] = {"@optimizers": "Adam.v1", "use_averages": averages, "learn_rate": 0.03}
    config["training"]["logger"] = {"@loggers": "spacy.ConsoleLogger.v3", "output_file": str(tmp_path / "log.jsonl")}
    config.to_disk(tmp_path / "all.cfg")
    train(tmp_path / "all.cfg", tmp_path / "out", overrides={})
    nlp = spacy.load(tmp_path / "out" / "model-last")
    shown = list(spacy.training.Corpus(tmp_path / "train.spacy")(nlp))
    scores = nlp.evaluate(shown)
    assert scores["ents_f"] > 0.7
    assert scores["cats_score"] > 0.6
    alone = spacy.load(tmp_path / "out" / "model-last", exclude=["tok2vec", "textcat"])
    texts = [example.reference.text for example in shown]
    found = [[(ent.start, ent.end, ent.label_) for ent in doc.ents] for doc in alone.pipe(texts)]
    assert found == [[(ent.start, ent.end, ent.label_) for ent in doc.ents] for doc in nlp.pipe(texts)]


def test_debug_data_reads_the_corpora_and_knows_the_pipeline(tmp_path, corpus_path, capsys):
    """It says nothing of entities, which it looks for where the factory is ``ner``; ``spacy mtl validate`` does."""
    recognizer({"corpora.train.limit": 120}).to_disk(tmp_path / "part.cfg")
    fill_config(tmp_path / "ner.cfg", tmp_path / "part.cfg")
    capsys.readouterr()
    debug_data(tmp_path / "ner.cfg", config_overrides=paths_of(corpus_path, tmp_path / "log.jsonl"), silent=False)
    shown = capsys.readouterr().out
    assert "Pipeline can be initialized with data" in shown
    assert "Corpus is loadable" in shown
    assert "Training pipeline: ner" in shown
    assert "120 training docs" in shown
    assert "20 evaluation docs" in shown
    assert "No overlap between training and evaluation data" in shown


def test_a_gpu_that_is_not_there_is_told_by_spacy_before_anything_is_read(tmp_path):
    """In a process that is shown none, whatever the machine has."""
    recognizer().to_disk(tmp_path / "ner.cfg")
    command = [sys.executable, "-m", "spacy", "train", str(tmp_path / "ner.cfg"), "--gpu-id", "0"]
    told = subprocess.run(command, env={**os.environ, "CUDA_VISIBLE_DEVICES": ""}, capture_output=True, text=True)
    assert told.returncode == 1
    assert re.search(r"ValueError.*GPU", told.stderr)


def test_no_gpu_is_asked_for_by_minus_one(tmp_path, corpus_path):
    recognizer({"training.max_epochs": 1}).to_disk(tmp_path / "ner.cfg")
    paths = [
        part for name, path in paths_of(corpus_path, tmp_path / "log.jsonl").items() for part in (f"--{name}", path)
    ]
    args = ["train", str(tmp_path / "ner.cfg"), "--output", str(tmp_path / "out"), "--gpu-id", "-1", *paths]
    result = CliRunner().invoke(app, args)
    assert (result.exit_code, result.exception) == (0, None)
    assert spacy.load(tmp_path / "out" / "model-last").pipe_names == ["ner"]


def test_assemble_puts_trained_components_together(tmp_path, make_nlp, read_corpus, train):
    nlp = make_nlp(["U0:%x[0,LOWER]", "B"], name="ner")
    shown = read_corpus(nlp, limit=30)
    train(nlp, shown).to_disk(tmp_path / "trained")
    config = spacy.blank("es").config.copy()
    config["nlp"]["pipeline"] = ["sentencizer", "ner"]
    config["components"] = {
        "sentencizer": {"factory": "sentencizer"},
        "ner": {"source": str(tmp_path / "trained")},
    }
    config.to_disk(tmp_path / "assembled.cfg")
    result = CliRunner().invoke(app, ["assemble", str(tmp_path / "assembled.cfg"), str(tmp_path / "out")])
    assert (result.exit_code, result.exception) == (0, None)
    made = spacy.load(tmp_path / "out")
    assert made.pipe_names == ["sentencizer", "ner"]
    assert (tmp_path / "out/ner/model").read_bytes() == (tmp_path / "trained/ner/model").read_bytes()
    assert any(made(example.reference.text).ents for example in shown)


def test_assemble_of_a_config_that_would_have_to_be_trained_says_so(tmp_path):
    recognizer().to_disk(tmp_path / "ner.cfg")
    result = CliRunner().invoke(app, ["assemble", str(tmp_path / "ner.cfg"), str(tmp_path / "out")])
    assert isinstance(result.exception, ValueError)
    assert str(result.exception).startswith("[M403] 'ner' cannot be trained")
