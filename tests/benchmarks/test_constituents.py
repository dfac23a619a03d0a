"""The benchmark of constituents on a treebank of made-up files."""

from dataclasses import asdict
from pathlib import Path

import pytest

from benchmarks.constituents.contestants import Ours, probabilistic, scores, train
from benchmarks.constituents.data import FOLDER, read_part
from spacy_mtl.constituents.tree import constituents_of

ASSETS = Path(__file__).parents[2] / "assets" / "en-constituents"


@pytest.fixture
def corpora(tmp_path):
    (tmp_path / FOLDER).mkdir()
    for part in ("train", "dev", "test"):
        (tmp_path / FOLDER / f"{part}.mrg").write_bytes((ASSETS / f"{part}.mrg").read_bytes())
    return tmp_path


def test_long_sentences_are_left_out(corpora):
    every = read_part(corpora, "train")
    assert [len(s.words) for s in read_part(corpora, "train", longest=8)] == [
        n for s in every if (n := len(s.words)) <= 8
    ]
    assert read_part(corpora, "train", limit=3) == every[:3]


def test_scores_are_percentages(corpora):
    sentences = read_part(corpora, "dev")
    gold = [constituents_of(sentence.tree) for sentence in sentences]
    found = scores(sentences, [[], *gold[1:]], "dev")
    missed = len(gold[0]) / sum(map(len, gold))
    assert found["recall_dev"] == pytest.approx(100 * (1 - missed))
    assert (found["precision_dev"], found["exact_dev"], found["without_tree_dev"]) == (100, 90, 1)


def test_ours_and_the_probabilistic_grammar(corpora):
    settings = [Ours(name, C=0.3, passes=5) for name in ("MTLStruct", "CRF")]
    rows = train(str(corpora), [asdict(one) for one in settings], ["dev", "test"])
    plain = probabilistic(str(corpora), {"horizontal": 0, "vertical": 1}, ["test"])
    assert [row["contestant"] for row in rows] == ["ours: MTLStruct", "ours: CRF"]
    for row in rows:
        assert row["f1_test"] > plain["f1_test"] > 50
        assert row["rules"] == plain["rules"]
        assert row["cpu"] > row["cpu_problem"] > 0
