"""benchmarks.paired: two checkouts take turns, and what is compared comes from the right one."""

import os
import subprocess
import sys

import pytest

from benchmarks.common.checkout import write_metadata
from benchmarks.common.origin import ROOT
from benchmarks.paired import program
from benchmarks.paired.tasks import TASKS, described
from benchmarks.paired.worker import pipeline

ASSETS = {
    "ner": "es-entities/{}.conll",
    "tagger": "es-entities/{}.conll",
    "segmenter": "zh-words/{}.txt",
    "parser": "nl-trees/{}.conllu",
}


class Stub:
    """A checkout whose k-th round takes so many seconds."""

    def __init__(self, folder, arguments, task):
        self.is_ours = folder == ROOT
        self.rounds = 0

    def wait(self): ...

    def stop(self): ...

    def ask(self, value):
        self.rounds += 1
        seconds = self.rounds * (2.0 if self.is_ours else 1.0)
        return {"training": seconds, "prediction": 1 / seconds, "score": 0.75 if self.is_ours else 0.5}


def test_ratios_are_of_pairs(monkeypatch, tmp_path):
    monkeypatch.setattr(program, "Checkout", Stub)
    row = program.compare("ner", tmp_path, tmp_path, rounds=5)
    assert (row["training_before"], row["training_after"], row["training_ratio"]) == (3, 6, 2)
    assert row["prediction_least"] == row["prediction_most"] == 0.5
    assert (row["score_before"], row["score_after"]) == (0.5, 0.75)


@pytest.mark.parametrize("name", TASKS)
def test_every_task_reads_its_corpora(name):
    task = described(TASKS[name], ROOT / "assets", ROOT / "configs")
    columns = {"reader": {"columns": ["ORTH", "TAG", "ENT"]}} if name == "tagger" else {}
    task |= {"files": [str(ROOT / "assets" / ASSETS[name].format(part)) for part in ("train", "dev")], **columns}
    nlp, (train, dev) = pipeline(task | {"documents": 8})
    assert (len(train), len(dev)) == (8, 4)
    assert nlp.pipe_names
    assert all(nlp.get_pipe(each).trainer.inner_passes == 10 for each in nlp.pipe_names)


def test_a_checkout_has_its_own_entry_points(tmp_path):
    """Those of the version that is installed may name what an older one does not have."""
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "spacy-mtl"\n[project.entry-points.spacy_factories]\nmtl_old = "a.b:c"\n', encoding="utf8"
    )
    place = tmp_path / "metadata"
    place.mkdir()
    write_metadata(tmp_path, place)
    code = "from importlib.metadata import entry_points as e; print([p.name for p in e(group='spacy_factories') if 'mtl' in p.name])"
    environment = {**os.environ, "PYTHONPATH": str(place)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "['mtl_old']"
