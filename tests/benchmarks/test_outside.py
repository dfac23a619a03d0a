"""Learning curves: what rivals choose is chosen on dev, and judged on test."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.outside import curve_rivals, curves
from benchmarks.outside.training import Settings, Task
from tests.pipelines import ASSETS

TASK = Task("es", ("train.conll", "dev.conll", "test.conll"), ("ORTH", "TAG", "ENT"), True)


@pytest.fixture
def crf(monkeypatch):
    """In place of python-crfsuite, a model that is right about every sentence but each c2-th one."""

    def train(part, c2, path):
        Path(path).write_text(str(c2))
        return 1.0

    def tag(part, path):
        every = int(float(Path(path).read_text()))
        return [tags if k % every else ["O"] * len(tags) for k, tags in enumerate(part.tags)]

    monkeypatch.setattr(curve_rivals, "train_crf", train)
    monkeypatch.setattr(curve_rivals, "tag_crf", tag)


def test_the_constant_of_crfsuite_is_the_best_on_dev(crf):
    row, counts = curve_rivals.crfsuite(str(ASSETS), TASK, 100, (2.0, 9.0, 5.0))
    assert list(row["searched"]) == ["2", "9", "5"]
    assert row["c2"] == 9.0
    assert row["f1_dev"] == row["searched"]["9"] == max(row["searched"].values())
    assert len(set(row["searched"].values())) == 3
    wrong = np.arange(counts.gold.size) % 9 == 0
    assert (counts.right == np.where(wrong, 0, counts.gold)).all()
    assert counts.score() == row["f1_test"]
    assert (row["cpu"], row["cpu_search"]) == (1.0, 3.0)


def test_spacy_stops_where_dev_gets_no_better(monkeypatch):
    monkeypatch.setattr(curve_rivals, "EVERY", 2)
    monkeypatch.setattr(curve_rivals, "PATIENCE", 4)
    scores = iter([10.0, 30.0, 20.0, 20.0, 90.0])

    class Scored(curve_rivals.Counts):
        def score(self):
            return next(scores)

    found = curve_rivals.counts
    asked = []

    def counts(nlp, examples):
        asked.append(len(examples))
        if len(examples) == dev:
            return Scored(*found(nlp, examples[:2]))
        return found(nlp, examples)

    dev, test = (len(curve_rivals.examples(curve_rivals.spacy.blank("es"), str(ASSETS), TASK, k, 1)) for k in (1, 2))
    assert dev != test
    monkeypatch.setattr(curve_rivals, "counts", counts)
    row, _ = curve_rivals.spacy_ner(str(ASSETS), TASK, 40, 1000)
    assert asked == [dev, test, dev, test, dev, dev]  # the test part only where dev is better
    assert (row["f1_dev"], row["updates"]) == (30.0, 4)


def test_ours_is_the_best_on_dev_of_what_is_searched(monkeypatch, crf):
    plain = Settings()
    monkeypatch.setitem(curves.TASKS, "tiny", TASK)
    monkeypatch.setitem(curves.CHOSEN, "tiny", (plain, replace(plain, C=0.01)))
    kept = dict(list(curves.SEARCHED.items())[1:3])
    monkeypatch.setattr(curves, "SEARCHED", kept)
    rows = curves.curve(str(ASSETS), "tiny", 100, 0, (5.0,))
    assert [row["contestant"] for row in rows] == ["ours", "ours", "crfsuite lbfgs"]
    assert {row["sentences"] for row in rows} == {100}
    for row in rows[:2]:
        assert list(row["searched"]) == list(kept) == ["a miss costs 2, biluo", "CRF, biluo"]
        assert row["f1_dev"] == row["searched"][row["chosen"]] == max(row["searched"].values())
        assert row["crf"] == row["chosen"].startswith("CRF")
        assert row["cpu_search"] > row["cpu"]
    assert rows[0]["searched"]["CRF, biluo"] == rows[1]["searched"]["CRF, biluo"]  # which has a C of its own
    assert rows[0]["searched"] != rows[1]["searched"]
    for ours, key in zip(rows, ("ahead", "ahead_with_clusters"), strict=False):
        assert rows[2][key]["difference"] == pytest.approx(ours["f1_test"] - rows[2]["f1_test"])


def test_six_settings_of_ours_are_searched():
    found = [replace(Settings(), **each) for each in curves.SEARCHED.values()]
    assert len({(each.cost, each.scheme, each.crf) for each in found}) == len(curves.C2) == 6
    assert all(each.tuned for each in found)
