"""``spacy mtl prune``: a smaller pipeline, and its config."""

import errno
import json
import os
from pathlib import Path

import pytest
import spacy
from spacy.cli import app
from spacy.training.initialize import init_nlp
from spacy.training.loop import train as spacy_train
from spacy.util import load_config, load_model_from_config
from typer.testing import CliRunner

from ..configs import recognizer

ASSETS = Path(__file__).parents[2] / "assets" / "es-entities"


def invoke(*args):
    return CliRunner().invoke(app, ["mtl", "prune", *map(str, args)])


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A pipeline with the config of its training."""
    path = tmp_path_factory.mktemp("trained")
    config = recognizer({"paths.train": str(ASSETS / "train.conll"), "paths.dev": str(ASSETS / "dev.conll")})
    spacy_train(init_nlp(config), path)
    return path / "model-best"


def test_a_smaller_pipeline_and_all_that_was_tried(trained, tmp_path):
    result = invoke(trained, tmp_path / "small", "--templates", 3, "--json", tmp_path / "tried.json")
    assert (result.exit_code, result.exception) == (0, None), result.stderr
    small = spacy.load(tmp_path / "small")
    rows = small.get_pipe("ner").template_weights()
    tried = json.loads((tmp_path / "tried.json").read_text())
    assert len(rows) == 3
    assert [f"{row['name']}:{row['pattern']}".rstrip(":") for row in rows] == tried["kept"]
    assert tried["full"]["templates"] == 11
    assert [row["templates"] for row in tried["tried"]][-1] == 3
    assert all(row["words_per_second"] > 0 for row in [tried["full"], *tried["tried"]])
    doc = small("La Universidad de los Andes está en Bogotá.")
    assert len(doc) == 9


def test_its_config_trains_the_same_again(trained, tmp_path):
    assert invoke(trained, tmp_path / "small", "--templates", 4).exit_code == 0
    small = spacy.load(tmp_path / "small")
    nlp = load_model_from_config(load_config(tmp_path / "small" / "config.cfg"), auto_fill=True)
    assert nlp.get_pipe("ner").templates.texts() == small.get_pipe("ner").templates.texts()
    (tmp_path / "again").mkdir()
    spacy_train(init_nlp(load_config(tmp_path / "small" / "config.cfg")), tmp_path / "again")
    best = spacy.load(tmp_path / "again" / "model-best")
    assert best.get_pipe("ner").template_weights() == small.get_pipe("ner").template_weights()


def test_other_corpora_than_those_of_the_config(trained, tmp_path):
    result = invoke(trained, tmp_path / "small", "--loss", 100, "--train", tmp_path / "none.conll")
    assert result.exit_code == 1
    assert result.stderr.startswith("[M")
    assert "none.conll" in result.stderr
    assert not (tmp_path / "small").exists()


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ([], "M770"),
        (["--templates", 11], "M774"),
        (["--speed", "fast"], "M776"),
        (["--speed", "2,5x"], "M776"),
        (["--speed", ""], "M776"),
        (["--speed", "1000x"], "M775"),
        (["--megabytes", "0.0001"], "M775"),
        (["--templates", 3, "--component", "tagger"], "M761"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(trained, tmp_path, options, code):
    result = invoke(trained, tmp_path / "small", *options)
    assert result.exit_code == 1
    assert [line[:6] for line in result.stderr.splitlines() if line.startswith("[")] == [f"[{code}]"]
    assert not (tmp_path / "small").exists()


def test_outputs_that_cannot_be_written_are_refused_before_any_training(trained, tmp_path, monkeypatch):
    monkeypatch.setattr("spacy_mtl.choosing.pruning.Pruning.run", None)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").touch()
    corpus = tmp_path / "dev.conll"
    corpus.write_bytes((ASSETS / "dev.conll").read_bytes())
    for output, options, code in (
        (tmp_path / "full", [], "M654"),
        (corpus, [], "M704"),
        (tmp_path / "small", ["--json", tmp_path / "full"], "M704"),
        (tmp_path / "small", ["--json", corpus, "--dev", corpus], "M741"),
        (tmp_path / "small", ["--json", tmp_path / "small"], "M795"),
    ):
        result = invoke(trained, output, "--templates", 3, *options)
        assert result.exit_code == 1
        assert result.stderr.startswith(f"[{code}]"), result.stderr
    assert corpus.read_bytes() == (ASSETS / "dev.conll").read_bytes()
    assert not (tmp_path / "small").exists()


def test_a_pipeline_that_was_not_trained_by_a_config(tmp_path):
    nlp = spacy.blank("es")
    nlp.add_pipe("mtl_ner")
    with pytest.warns(UserWarning, match="M459"):
        nlp.to_disk(tmp_path / "blank")
    result = invoke(tmp_path / "blank", tmp_path / "small", "--templates", 3)
    assert result.exit_code == 1
    assert "[M771]" in result.stderr


def test_a_full_disk_leaves_what_was_there(trained, tmp_path, monkeypatch):
    assert invoke(trained, tmp_path / "small", "--templates", 3).exit_code == 0
    before = (tmp_path / "small" / "ner" / "model").read_bytes()

    def full(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("spacy_mtl.training.safe_save.write_folder", full)
    result = invoke(trained, tmp_path / "small", "--templates", 2)
    assert result.exit_code == 1
    assert "[M704]" in result.stderr
    assert (tmp_path / "small" / "ner" / "model").read_bytes() == before
