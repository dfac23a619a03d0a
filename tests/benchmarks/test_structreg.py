"""The core of the structure regularization benchmark on a made-up language, and its sums by hand."""

import numpy as np
import pytest

from benchmarks.structreg.data import TASKS, Data, accuracy, read_words, segmented_part, word_f1
from benchmarks.structreg.folds import CHOSEN, summarize_folds
from benchmarks.structreg.runs import (
    WHOLE,
    Setting,
    against_whole,
    make_trainer,
    measure,
    missing,
    regularized,
    run_sizes,
    summarize,
    verdict,
)
from benchmarks.structreg.sensors import LENGTH, SensorData, features, lengths_of
from spacy_mtl.trainers.base import fit
from spacy_mtl.trainers.online.perceptron import Perceptron
from spacy_mtl.trainers.structreg import StructReg


def made_up(n: int, seed: int):
    """Sentences of syllables; b begins a word, i goes on, e ends one, s stands alone."""
    rng = np.random.default_rng(seed)
    forms = {"B": "bcd", "I": "ioa", "E": "efg", "S": "stu"}
    sentences = []
    for _ in range(n):
        words = rng.choice(["S", "BE", "BIE", "BIIE"], size=rng.integers(1, 6))
        labels = list("".join(words))
        sentences.append(([str(rng.choice(list(forms[label]))) for label in labels], labels))
    return sentences


def data(task: str = "words") -> Data:
    return Data.of(TASKS[task], {"train": made_up(40, 0), "dev": made_up(10, 1), "test": made_up(10, 2)})


@pytest.mark.parametrize("task", ["words", "tags"])
def test_a_run_learns_and_is_scored(task):
    """With and without pair templates that read observations."""
    made = data(task)
    setting = Setting(C=1.0, passes=3)
    for size in (WHOLE, 2.5):
        points, counts = measure(made, regularized(make_trainer("perceptron", setting, 0), size, 0), setting.passes)
        assert [point["passes"] for point in points] == [1, 2, 3]
        assert points[-1]["dev"] > 95
        assert points[-1]["test"] > 95
        assert counts.score() == pytest.approx(max(points, key=lambda point: point["dev"])["test"])
        seconds = [point["cpu"] for point in points]
        assert 0 <= seconds[0] <= seconds[1] <= seconds[2]


def test_sizes_reach_the_trainer():
    plain = make_trainer("perceptron", Setting(1.0, 1), 7)
    assert regularized(plain, WHOLE, 7) == plain == Perceptron(seed=7)
    assert regularized(plain, 3.5, 7) == StructReg(plain, size=3.5, seed=7)


def test_other_text_has_the_features_of_the_training_text():
    sentences = made_up(20, 0)
    made = Data.of(TASKS["words"], {"train": sentences, "again": sentences})
    again, gold = made.others["again"]
    np.testing.assert_array_equal(again.arrays.rows, made.train.arrays.rows)
    np.testing.assert_array_equal(again.arrays.pair_rows, made.train.arrays.pair_rows)
    np.testing.assert_array_equal(again.arrays.first, made.train.arrays.first)
    assert gold == [labels for _, labels in sentences]
    training = fit(Perceptron(), made.train, 30)
    assert training.loss == 0
    assert made.score("again", training._state.w) == 100


def test_words_are_read_and_split(tmp_path):
    (tmp_path / "train.txt").write_text("甲  乙丙\n\n" * 20 + "丁戊己庚 辛\n", encoding="utf8")
    (tmp_path / "test.txt").write_text("甲乙丙\n", encoding="utf8")
    assert read_words(tmp_path / "test.txt") == [(["甲", "乙", "丙"], ["B", "I", "E"])]
    train, dev = segmented_part(tmp_path, "train"), segmented_part(tmp_path, "dev")
    assert train == [(["甲", "乙", "丙"], ["S", "B", "E"])] * 19
    assert dev[-1] == (["丁", "戊", "己", "庚", "辛"], ["B", "I", "I", "E", "S"])
    assert len(train) + len(dev) == 21
    assert segmented_part(tmp_path, "test") == read_words(tmp_path / "test.txt")


def test_scores():
    gold = [["B", "E", "S", "B", "I", "E"]]
    assert word_f1(gold, gold) == 100
    assert word_f1(gold, [["B", "E", "S", "S", "B", "E"]]) == pytest.approx(100 * 2 * 2 / (3 + 4))
    assert accuracy([["a", "b"], ["c"]], [["a", "x"], ["c"]]) == pytest.approx(200 / 3)


def rows():
    """Two seeds, three passes of a second (whole), half (5) and a third (2): 5 is best on dev, 2 on test."""
    found = {WHOLE: ([78, 80, 79], 70, 1.0), 5.0: ([79, 80, 83], 72, 0.5), 2.0: ([81, 80, 80], 75, 0.25)}
    return [
        {
            "size": size,
            "seed": seed,
            "points": [
                {"passes": n, "cpu": n * cpu, "dev": score + seed, "test": test + n - 2 * seed}
                for n, score in enumerate(dev, 1)
            ],
        }
        for size, (dev, test, cpu) in found.items()
        for seed in (0, 1)
    ]


def test_size_and_passes_are_chosen_on_dev():
    summary = summarize(rows(), [WHOLE, 5.0, 2.0])
    whole, five, two = summary
    assert [row["shown"] for row in summary] == ["whole", "5", "2"]
    assert [row["passes"] for row in summary] == [2, 3, 1]
    assert (whole["dev"], whole["test"], whole["cpu"], whole["seeds"]) == (80.5, 71, 2.0, 2)
    assert (whole["dev_sd"], whole["cpu_sd"]) == (pytest.approx(np.std([80, 81], ddof=1)), 0)
    assert [row["cpu_to"] for row in (whole, five, two)] == [2.0, 1.0, 0.25]
    assert verdict(summary) == {
        "chosen": "5", "test_whole": 71, "test_cut": 74, "gain": 3, "cpu_whole": 2.0, "cpu_cut": 1.5, "cpu_to": 1.0, "ratio": 2.0,
        "p_ahead": None,
    }  # fmt: skip


def test_a_size_that_is_never_as_good_has_no_time():
    worse = [row | {"points": row["points"][:1]} if row["size"] == 5.0 else row for row in rows()]
    assert summarize(worse, [WHOLE, 5.0])[1]["cpu_to"] is None
    assert verdict(summarize(worse, [WHOLE, 5.0]))["ratio"] is None


def test_what_is_measured_already_is_not_missing():
    wanted = {"seed": 1, "task": "words"}
    known = [row | {"task": "words"} for row in rows() if row["size"] != 5.0]
    assert list(missing(known, wanted, [WHOLE, 5.0, 2.0])) == [5.0]
    assert list(missing(known, wanted | {"task": "tags"}, [2.0])) == [2.0]


def test_the_picture_is_drawn(tmp_path):
    from benchmarks.structreg.plot import draw

    summary = summarize(rows(), [WHOLE, 5.0, 2.0])
    draw(tmp_path / "curves.png", [{"task": name, "trainer": "crf", "rows": summary} for name in ("tags", "words")])
    assert (tmp_path / "curves.png").stat().st_size > 1000


# --- folds ---


def test_every_sentence_is_tested_on_once_and_never_in_two_parts_of_a_fold(tmp_path):
    (tmp_path / "sxu").mkdir()
    sentences = {"train": [f"{i} a" for i in range(20)], "test": [f"{i} b" for i in range(5)]}
    for part, lines in sentences.items():
        (tmp_path / f"sxu/{part}.txt").write_text("\n".join(lines), encoding="utf8")
    folds = [TASKS["words"].in_folds(tmp_path, k, 4) for k in range(4)]
    texts = [{part: ["".join(words) for words, _ in fold[part]] for part in fold} for fold in folds]
    everything = sorted(line.replace(" ", "") for lines in sentences.values() for line in lines)
    assert sorted(text for fold in texts for text in fold["test"]) == everything
    assert all(sorted(fold["train"] + fold["dev"] + fold["test"]) == everything for fold in texts)
    assert [fold["dev"] for fold in texts] == [fold["test"] for fold in [*texts[1:], texts[0]]]


def test_sizes_are_chosen_fold_by_fold():
    def row(seed, fold, size, *points):
        points = [{"passes": n, "cpu": n * 1.0, "dev": dev, "test": test} for n, (dev, test) in enumerate(points, 1)]
        return {"seed": seed, "fold": fold, "size": size, "points": points}

    rows = [
        row(0, 0, WHOLE, (80, 70), (82, 71)), row(0, 0, 5.0, (83, 72), (82, 99)), row(0, 0, 2.0, (81, 50), (82, 60)),
        row(0, 1, WHOLE, (90, 80), (89, 99)), row(0, 1, 5.0, (88, 78), (89, 79)), row(0, 1, 2.0, (90, 84), (91, 85)),
    ]  # fmt: skip
    table = {line["shown"]: line for line in summarize_folds(rows)}
    assert [table[size]["test"] for size in ("whole", "5", "2", CHOSEN)] == [75.5, 75.5, 72.5, 78.5]
    assert table["whole"]["cpu"] == 1.5
    assert [table[size]["cpu_to"] for size in ("whole", "5", "2", CHOSEN)] == [2.0, 1.0, 1.0, None]
    again = [{**line, "seed": 1, "points": [{**p, "test": p["test"] + 2} for p in line["points"]]} for line in rows]
    assert {line["shown"]: line["test"] for line in summarize_folds(rows + again)}[CHOSEN] == 79.5
    assert summarize_folds(rows + again)[0]["test_sd"] == pytest.approx(2**0.5)


def test_sizes_are_compared_with_whole_sentences():
    """Medians over seeds; a size's own labels against those of whole sentences."""
    rows = [{"ahead": {"difference": d, "p": p, "low": 0, "high": 0}} for d, p in ((1.0, 0.5), (3.0, 0.01), (2.0, 0.2))]
    assert against_whole([*rows, {}]) == {"difference_ahead": 2.0, "p_ahead": 0.2}
    assert against_whole([{}]) == {}
    found = run_sizes(data(), {"trainer": "perceptron", "seed": 0}, [WHOLE, 2.0], Setting(1.0, 2))
    assert [row["size"] for row in found] == [WHOLE, 2.0]
    assert "ahead" not in found[0]
    assert 0 < found[1]["ahead"]["p"] <= 1


def sensors(folder):
    """Light above 400 while somebody is in, other sensors at random."""
    rng = np.random.default_rng(0)
    (folder / "occupancy").mkdir()
    for name in ("datatraining", "datatest", "datatest2"):
        lines = ['"Date","Temperature","Humidity","Light","CO2","HumidityRatio","Occupancy"']
        for k in range(150):
            here = (k // 40) % 2
            readings = [*rng.normal(size=2), 400 * here + rng.normal(), *rng.normal(size=2)]
            lines.append(f'"{k + 1}","2015-02-04 17:51:00",{",".join(f"{x:.3f}" for x in readings)},{here}')
        (folder / "occupancy" / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf8")
    return SensorData.load(folder)


def test_sensors_are_read_and_learned(tmp_path):
    made = sensors(tmp_path)
    assert made.train.n == 3
    points, counts = measure(made, regularized(make_trainer("crf", Setting(10.0, 5), 0), 5.5, 0), 5)
    assert points[-1]["dev"] > 95
    assert counts.gold.tolist() == [LENGTH, LENGTH, 30]
    assert lengths_of(120) == [60, 60]


def test_features_of_sensors_look_back():
    readings = np.arange(30.0)[:, None] * np.ones((1, 5))
    blocks = features(readings, np.zeros(5), np.ones(5))
    assert blocks["means"][20, 0] == pytest.approx(np.mean(range(11, 21)))
    assert blocks["means"][2, 0] == pytest.approx((0 * 8 + 1 + 2) / 10)
    assert blocks["deviations"][20, 0] == pytest.approx(np.std(range(11, 21)))


def test_the_newest_measurement_of_each_task_is_drawn(tmp_path):
    from benchmarks.structreg.plot import draw
    from benchmarks.structreg.runs import curves_of

    def row(size, test, commit="b", time="2", trainer="crf"):
        points = [{"passes": 1, "cpu": 1.0, "dev": test, "test": test}]
        return {"task": "tags", "trainer": trainer, "size": size, "points": points, "commit": commit, "time": time}

    rows = [row(0.0, 90), row(5.5, 91), row(2.0, 99, commit="a", time="1"), row(0.0, 80, trainer="perceptron")]
    found = curves_of(rows)
    assert [(one["trainer"], [(size["shown"], size["test"]) for size in one["rows"]]) for one in found] == [
        ("crf", [("whole", 90), ("5.5", 91)]),
        ("perceptron", [("whole", 80)]),
    ]
    draw(tmp_path / "a.png", found)
    assert (tmp_path / "a.png").stat().st_size > 5000
