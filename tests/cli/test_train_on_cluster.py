"""``spacy mtl train --ray``: a training in shards, from the command line."""

import re
from contextlib import contextmanager
from functools import partial

import numpy as np
import pytest
import spacy
from spacy.cli import app
from typer.testing import CliRunner

from spacy_mtl.cli.cluster.train import make_worker
from spacy_mtl.sharded.actors import RayCrew, owned
from spacy_mtl.sharded.pipeline import make
from spacy_mtl.sharded.session import Session
from spacy_mtl.sharded.spec import Spec, sources
from spacy_mtl.training.safe_save import save
from tests.sharded.crews import ROOT, Watched, run, text_of

NER = {
    "corpora__train__limit": 120,
    "corpora__dev__limit": 40,
    "components__ner__model__templates": {"@mtl_templates": "spacy_mtl.tp1.v1"},
    "training__max_epochs": 1,
    "training__batcher__passes": [6],
}


@pytest.fixture
def config(tmp_path):
    path = tmp_path / "ner.cfg"
    path.write_text(text_of("ner", **NER))
    return path


@pytest.fixture
def joined(cluster, monkeypatch):
    """Commands join the cluster of the tests."""

    @contextmanager
    def connect(address, cpus):
        yield cluster

    monkeypatch.setattr("spacy_mtl.cluster.connect.connect", connect)


def invoke(*args):
    return CliRunner().invoke(app, ["mtl", "train", *map(str, args)])


def test_a_training_on_a_cluster(config, tmp_path, joined):
    output = tmp_path / "out"
    settings = ["--workers", 2, "--passes", 2, "--components.ner.trainer.C", "0.2"]
    result = invoke(config, "--output", output, "--ray", "local", *settings)
    assert (result.exit_code, result.exception) == (0, None), result.stderr
    assert re.search(r"ner +6 .*%", result.stdout)
    nlp = spacy.load(output / "model-best")
    assert nlp.config["components"]["ner"]["trainer"]["C"] == 0.2
    assert nlp.get_pipe("ner").is_trained
    assert not (output / "checkpoint").exists()
    (row,) = run(text_of("ner", **NER, components__ner__trainer__C=0.2), tmp_path / "local", workers=2, passes=2)
    assert f" {row.report.dual:,.2f} " in result.stdout


def test_a_worker_that_refuses_is_named(config, tmp_path, joined):
    result = invoke(config, "--output", tmp_path / "out", "--ray", "local", "--workers", 2, "--corpora.train.limit", 1)
    assert result.exit_code == 1
    assert re.match(r"\[M944\] Worker 2 of 2.*\[M941\]", result.stderr)


def test_more_workers_than_the_cluster_can_run_are_refused(config, tmp_path, joined):
    result = invoke(config, "--output", tmp_path / "out", "--ray", "local", "--workers", 3)
    assert result.exit_code == 1
    assert "[M948] 3 workers were asked for, but the cluster has 2 CPUs" in result.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--paths.train", "nowhere.conll"], "[M940]"),
        (["--paths.dev", "nowhere.conll"], "[M5"),
        (["--components.ner.trainer.C", "-1"], "[M"),
    ],
)
def test_bad_input_is_told_before_a_cluster_is_joined(config, tmp_path, monkeypatch, options, message):
    monkeypatch.setattr("spacy_mtl.cluster.connect.connect", None)
    result = invoke(config, "--output", tmp_path / "out", "--ray", "local", *options)
    assert result.exit_code == 1
    assert result.stderr.startswith(message), result.stderr


def test_a_process_that_is_killed_is_replaced(cluster, tmp_path):
    """Amid the rounds, with a checkpoint and without: training ends, with the certificate that it would have had."""
    text = text_of("ner", **NER | {"training__batcher__passes": [12]})
    parts = sources(make(text, None), 2, "the config")
    crew = RayCrew(cluster, [partial(make_worker, Spec(text, None, ROOT, part), k) for k, part in enumerate(parts)])

    def on_round(done):
        if done in (3, 6):
            crew.kill(done // 3 - 1)

    watched = Watched(on_round)
    session = Session(make(text, None), tmp_path, "the config", watched, save)
    session.prepare()
    session.run(crew)
    assert crew.generations == [1, 1]
    report = watched.rows[-1].report
    assert report.dual < report.primal
    assert report.gap < 1
    assert all(np.array([*crew.sent, *crew.received]) > 0)
    for k in range(2):
        crew.kill(k)


def test_what_processes_share_is_copied_before_kernels_get_it():
    fixed = np.arange(3)
    fixed.flags.writeable = False
    found = owned(([fixed, 1], {"a": fixed}))
    assert found[0][0].flags.writeable
    assert found[0][0].tolist() == [0, 1, 2]
    assert found[1]["a"] is fixed  # tables of words are no arrays that kernels get


def test_an_option_that_is_none_is_told(config, tmp_path):
    result = invoke(config, "--output", tmp_path / "out", "--nosuch", 3)
    assert result.exit_code == 1
    assert result.stderr.startswith("[M952] There is no option '--nosuch'.")


def test_outputs_that_cannot_be_made_are_told(config, tmp_path):
    (tmp_path / "file").touch()
    for output in (tmp_path / "file", tmp_path / "file" / "below"):
        result = invoke(config, "--output", output)
        assert result.exit_code == 1
        assert result.stderr.startswith(f"[M704] Cannot write '{output}': ")


def test_a_local_cluster_has_no_more_workers_than_processors(config, tmp_path):
    result = invoke(config, "--output", tmp_path / "out", "--ray", "local", "--workers", 5000)
    assert result.stderr.startswith("[M948] 5000 workers were asked for")


def test_a_training_without_a_cluster(config, tmp_path, monkeypatch):
    """One worker in this process, which needs no Ray and keeps no document."""
    monkeypatch.setattr("spacy_mtl.cluster.connect.connect", None)
    monkeypatch.setattr("spacy_mtl.sharded.worker.MOST_WORDS", 20)
    output = tmp_path / "out"
    result = invoke(config, "--output", output)
    assert (result.exit_code, result.exception) == (0, None), result.stderr
    (row,) = run(text_of("ner", **NER), tmp_path / "local", workers=1)
    assert f" {row.report.dual:,.2f} " in result.stdout
    assert spacy.load(output / "model-best").get_pipe("ner").is_trained
    result = invoke(config, "--output", output, "--workers", 2)
    assert result.stderr.startswith("[M917] --workers does not go without --ray. Leave it out, or give --ray.")
