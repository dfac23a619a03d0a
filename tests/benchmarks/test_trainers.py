"""The benchmark of all trainers: each is one of ours, with settings it has; what takes too long is given up, what fails is not hidden."""

import pytest

from benchmarks.common.rows import read_rows
from benchmarks.ner.data import Data, Ours
from benchmarks.trainers import memory as trainers
from spacy_mtl.registry import mtl_trainers
from spacy_mtl.trainers.base import Trainer

DATA, OURS = Data("nowhere"), Ours()


@pytest.mark.parametrize("name", trainers.TRAINERS)
def test_trainers_are_ours(name):
    kind, settings = trainers.TRAINERS[name]
    if "trainer" in settings:
        inner = {key: value for key, value in settings["trainer"].items() if key != "@mtl_trainers"}
        settings = {**settings, "trainer": mtl_trainers.get(settings["trainer"]["@mtl_trainers"])(**inner)}
    assert isinstance(mtl_trainers.get(f"spacy_mtl.{kind}.v1")(**settings), Trainer)


def test_a_trainer_without_end_is_given_up(monkeypatch):
    def child(task, **settings):
        if task.endswith("compile_kernels"):
            return
        raise RuntimeError(f"{task} failed with exit code {code}; its message is above.")

    monkeypatch.setattr(trainers, "run_child", child)
    code = -24
    assert trainers.measure(DATA, OURS, "SSVM", 2, 60) == {"note": "more than 60 CPU s"}
    code = 1
    with pytest.raises(RuntimeError, match="exit code 1"):
        trainers.measure(DATA, OURS, "SSVM", 2, 60)


def test_rows_are_found_again_and_compared_with_the_first(tmp_path, monkeypatch):
    asked = []

    def measure(data, ours, name, passes, limit):
        asked.append(name)
        return {"peak_mb": 100.0 * len(asked), "cpu": 1.0, "passes": passes}

    shown = []
    monkeypatch.setattr(trainers, "measure", measure)
    monkeypatch.setattr("benchmarks.ner.runs.corpora_of", lambda corpora, lang, quick: iter([DATA]))
    monkeypatch.setattr(trainers, "show", lambda title, columns, rows: shown.append(rows))
    for _ in range(2):
        trainers.memory(
            tmp_path, tmp_path / "rows.jsonl", False, None, "esp", "conll2002.v1", 2, ["SSVM", "EG, online"], 600
        )
    assert asked == [trainers.FIRST, "SSVM", "EG, online"]
    assert [row["times"] for row in shown[1]] == [1, 2, 3]
    assert len(read_rows(tmp_path / "rows.jsonl")) == 3
