"""benchmarks.paired: two checkouts take turns, and what is compared comes from the right one."""

import pytest

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
