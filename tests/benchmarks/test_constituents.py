"""The benchmark of constituents on a treebank of made-up files."""

from dataclasses import asdict
from pathlib import Path

import pytest

from benchmarks.constituents.contestants import Ours, by_sentence, pairs, probabilistic, scores, train
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


def test_choosing_on_dev_scores_no_test(corpora):
    (row,) = train(str(corpora), [asdict(Ours("MTLStruct", 0.3, passes=5, horizontal=1))], test=False)
    assert row["f1_dev"] > 50
    assert not any(key.endswith("_test") for key in row)


def test_ours_and_the_probabilistic_grammar(corpora):
    settings = [Ours("MTLStruct", C, passes=5) for C in (1e-6, 0.3)] + [Ours("CRF", 0.3, passes=5)]
    rows = train(str(corpora), [asdict(one) for one in settings])
    ways = [{"horizontal": h, "vertical": 1} for h in (0, 1)]
    plain = probabilistic(str(corpora), ways)
    assert [row["contestant"] for row in rows] == ["ours: MTLStruct", "ours: MTLStruct", "ours: CRF"]
    assert ["f1_test" in row for row in rows] == [rows[0]["f1_dev"] >= rows[1]["f1_dev"], True, True]
    assert "f1_test" in plain[0]
    for row in rows[1:]:
        assert row["f1_test"] > plain[0]["f1_test"] > 50
        assert row["rules"] == plain[0]["rules"]
        assert row["cpu"] > row["cpu_problem"] > 0


def test_pairs_are_judged_on_test(corpora):
    settings = [asdict(Ours(name, 0.3, passes=5)) for name in ("MTLStruct", "SSVM")]
    rows = pairs(str(corpora), settings, [{"horizontal": 0, "vertical": 1}])
    assert [row["other"] for row in rows] == ["ours: SSVM", "PCFG, h = 0, v = 1"]
    (single,) = train(str(corpora), settings[:1])
    (plain,) = probabilistic(str(corpora), [{"horizontal": 0, "vertical": 1}])
    assert rows[1]["f1_test"] == pytest.approx(single["f1_test"])
    assert rows[1]["f1_other"] == pytest.approx(plain["f1_test"])
    assert rows[1]["difference_ahead"] == pytest.approx(single["f1_test"] - plain["f1_test"])
    assert rows[1]["low_ahead"] <= rows[1]["difference_ahead"] <= rows[1]["high_ahead"]


def test_constituents_are_counted_sentence_by_sentence(corpora):
    sentences = read_part(corpora, "dev")
    gold = [constituents_of(sentence.tree) for sentence in sentences]
    counts = by_sentence(sentences, [[], *gold[1:]])
    assert counts.right[0] == counts.found[0] == 0
    assert (counts.right[1:] == counts.gold[1:]).all()
