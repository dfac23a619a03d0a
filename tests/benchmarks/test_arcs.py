"""The benchmark of arcs: measures by hand, every contestant on a few made-up trees, and what is selected."""

import numpy as np
import pytest

from benchmarks.arcs import plots, runs
from benchmarks.arcs.contestants import CUT, SELECTORS, TABLE_7, Contestant
from benchmarks.arcs.runs import Parser, contest, judged, patterns_of, select, train
from benchmarks.common.significance import Counts
from benchmarks.parsing.data import Sentence, Tree

from .test_parsing import data  # noqa: F401 (a fixture)


def test_the_three_measures():
    none = ["_"] * 3
    sentences = [
        Sentence(["a", "b", "."], none, none, none, Tree([2, 0, 2], none)),
        Sentence(["c"], ["_"], ["_"], ["_"], Tree([0], ["_"])),
    ]
    counts, found = judged(sentences, [np.array([0, 0, 1]), np.array([0])], "test")
    assert (counts.right.tolist(), counts.gold.tolist()) == ([1, 1], [2, 1])
    assert found == {"uas_test": pytest.approx(200 / 3), "uas_p_test": 50, "acc_test": 50}


@pytest.fixture
def parser(data):  # noqa: F811
    return Parser(data, patterns_of(data))


@pytest.mark.parametrize("contestant", [*TABLE_7, *SELECTORS, *CUT], ids=lambda one: one.name)
def test_every_contestant_learns_the_trees(parser, contestant):
    row, counts = train(parser, contestant, contestant.C[-1])
    assert row["uas_dev"] == row["uas_test"] == row["acc_test"] == 100
    assert counts.score() == 100
    assert sum(row["shares"]) == pytest.approx(1, abs=1e-2)
    assert len(row["history"]) == row["points"][-1]["passes"] <= contestant.passes


def test_test_is_scored_for_what_was_chosen(parser):
    rows = contest(parser, [Contestant("perceptron", (1.0, 2.0), 2), Contestant("MIRA", (1.0,), 2)])
    assert [row["chosen"] for row in rows] == [True, False, True]
    assert ["uas_test" in row for row in rows] == [True, False, True]
    assert rows[2]["ahead"]["difference"] == rows[0]["uas_test"] - rows[2]["uas_test"]


def test_what_is_best_of_ours_on_dev_is_compared_with_everybody(parser, monkeypatch):
    scores = {"MTLStruct, p = 1": 80, "MTLStruct, p = 4/3": 82, "MIRA": 84}

    def trained(_, contestant, C):
        right = scores[contestant.name]
        row = {"contestant": contestant.name, "uas_dev": right, "uas_test": right, "history": []}
        return row, Counts(*[np.array([value, value]) for value in (right, 100, 100)])

    monkeypatch.setattr(runs, "train", trained)
    rows = contest(parser, [Contestant(name, (1.0,), 2) for name in scores])
    assert [row["ours"] for row in rows] == ["MTLStruct, p = 4/3"] * 3
    assert [row.get("ahead", {}).get("difference") for row in rows] == [None, -2, -4]
    assert [row.get("ahead_of_ours", {}).get("difference") for row in rows] == [2, None, -2]


def test_dev_is_scored_often_at_first():
    assert [passes for passes in range(1, 22) if runs.is_scored(passes)] == [*range(1, 13), 15, 18, 21]


def test_svms_learn_from_the_groups_that_weigh_most(data, tmp_path):  # noqa: F811
    from dataclasses import asdict

    selectors = [{**asdict(one), "C": [1.0], "passes": 3} for one in SELECTORS]
    rows = select(asdict(data), selectors, [5])
    assert [(row["contestant"], row["selected_by"]) for row in rows] == [
        ("OnlineMKL", None),
        ("SVM", None),
        ("SVM", "OnlineMKL"),
        ("SVM", "SVM"),
    ]
    assert [row["groups"] for row in rows[2:]] == [5, 5]
    drawn = [{**row, "mode": "groups", "corpus": "danish", "commit": "a", "time": "1"} for row in rows]
    assert [path.name for path in plots.draw(tmp_path, drawn)] == ["onlinemkl-groups.png"]
    assert (tmp_path / "onlinemkl-groups.png").stat().st_size > 5000
