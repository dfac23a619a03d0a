"""The benchmark of MTLStruct's tables: labels, scores and choices by hand, and every contestant on a few made-up sentences."""

import numpy as np
import pytest

from benchmarks.mtlstruct import program
from benchmarks.mtlstruct.contestants import CONTESTANTS, CRFSUITE, crfsuite_parameters, make, outputs_of
from benchmarks.mtlstruct.data import Data, Subject, TaggedExtractor, begun, scores, words_of
from benchmarks.mtlstruct.runs import is_scored, judge, keep, kept, train
from benchmarks.structreg.data import Task, accuracy
from spacy_mtl.trainers.online.perceptron import Perceptron


def test_an_entity_begins_where_it_continues_nothing():
    assert begun(["I-LOC", "I-LOC", "O", "B-PER", "I-LOC"]) == ["B-LOC", "I-LOC", "O", "B-PER", "B-LOC"]
    assert begun(["B-PER", "I-PER", "B-PER"]) == ["B-PER", "I-PER", "B-PER"]
    assert begun([]) == []


def test_words_of_three_labels():
    assert words_of(list("BBEBIE")) == {(0, 1), (1, 3), (3, 6)}
    assert words_of(list("IEIB")) == {(0, 2), (2, 3), (3, 4)}


@pytest.fixture
def corpora(tmp_path):
    """Names begin with a capital and follow 'in' (a place) or 'by' (a person)."""
    rng = np.random.default_rng(0)
    folder = tmp_path / "conll2002"
    folder.mkdir()
    for part, n in (("train", 60), ("testa", 20), ("testb", 20)):
        lines = []
        for _ in range(n):
            kind, word = ("LOC", "in") if rng.random() < 0.5 else ("PER", "by")
            name = f"N{rng.integers(5)}"
            lines += ["was VB O", f"{word} IN O", f"{name} NP B-{kind}", f"{name}x NP I-{kind}", ". Z O", ""]
        (folder / f"esp.{part}").write_text("\n".join(lines) + "\n", encoding="utf8")
    return tmp_path


@pytest.mark.parametrize("name", ["MTLStruct", "CRF l2", "crfsuite l2"])
def test_a_contestant_learns_and_its_outputs_are_judged(corpora, name):
    if name in CRFSUITE:
        pytest.importorskip("pycrfsuite")
    subject = {"corpora": str(corpora), "corpus": "esp", "scheme": "biluo", "templates": "conll2002.v1", "only": []}
    path = str(corpora / "out" / "labels.npz")
    row = train(subject, name, 1.0, 1.0, 0 if name in CRFSUITE else 5, 60.0, path)
    assert row["f1_dev"] == 100
    assert row["n_templates"] == 134
    assert [file.name for file in (corpora / "out").iterdir()] == ["labels.npz"]
    assert 0 < row["cpu"] <= row["cpu_all"]
    found = judge(subject, {"one": path, "other": path}, "one")
    assert found["one"]["f1_test"] == 100
    assert (found["other"]["p_ahead"], found["other"]["difference_ahead"]) == (1, 0)


def test_templates_can_be_selected(corpora):
    all_of_them = Subject(str(corpora)).template_set().texts()
    data = Data.load(Subject(str(corpora), only=(all_of_them[3], "B")))
    assert data.train.blocks.names == (all_of_them[3].partition(":")[0], "B")


def test_outputs_come_back_sentence_by_sentence(tmp_path):
    path = str(tmp_path / "labels.npz")
    keep(path, {"test": [["O"], ["B-X", "O"]]})
    assert kept(path, "test", [["O"], ["O", "O"]]) == [["O"], ["B-X", "O"]]
    with pytest.raises(ValueError, match="other sentences"):
        kept(path, "test", [["O"]])


def test_later_passes_are_scored_less_often():
    assert [n for n in range(1, 60) if is_scored(n)] == [
        1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56,
    ]  # fmt: skip


def test_every_contestant_has_a_trainer_or_parameters(tmp_path):
    for name in CONTESTANTS:
        assert name in CRFSUITE or make(name, 0.1, 1.0)
    assert crfsuite_parameters("crfsuite l2", 0.1) == {"c1": 0.0, "c2": 5.0}
    assert crfsuite_parameters("crfsuite l1", 10.0) == {"c1": 0.05, "c2": 0.0}
    assert outputs_of(tmp_path, name="CRF l2", C=0.1).name == "CRF_l2-0.1.npz"


def row(contestant, p, C, dev, **more):
    about = {
        "corpus": "esp",
        "scheme": "iob2",
        "templates": "conll2002.v1",
        "selected": 0,
        "selected_C": None,
        "limit": 0,
    }
    return {
        "benchmark": "mtlstruct",
        **about,
        "mode": "search",
        "contestant": contestant,
        "p": p,
        "C": C,
        "f1_dev": dev,
    } | more


def test_the_best_on_dev_is_chosen_and_its_heaviest_templates():
    about = program.identity("esp", "iob2", "conll2002.v1", selected=None)
    names = {"names": ["U000", "U001", "U002"]}
    rows = [
        row("MTLStruct", 1.0, 0.1, 70, shares=[0.9, 0.1, 0], **names),
        row("MTLStruct", 1.0, 1.0, 71, shares=[0.2, 0.3, 0.5], **names),
        row("MTLStruct", 2.0, 1.0, 72),
        row("MTLStruct", 1.0, 1.0, 99, limit=500),
    ]
    assert program.chosen(rows, about, "MTLStruct")["p"] == 2.0
    assert program.chosen(rows, about, "MTLStruct", 1.0)["C"] == 1.0
    assert program.chosen(rows, about, "MIRA") is None
    again = [*rows, row("MTLStruct", 1.0, 1.0, 69.5)]  # trained again: its labels are those that are kept
    assert program.chosen(again, about, "MTLStruct", 1.0)["C"] == 0.1
    assert program.heaviest(rows, about | {"selected": 2, "selected_C": 1.0}, 2) == ["U002", "U001"]
    assert program.heaviest(rows, about | {"selected": 2, "selected_C": 0.1}, 1) == ["U000"]
    with pytest.raises(SystemExit, match="--p 1"):
        program.heaviest(rows, about | {"selected_C": 10.0}, 2)


def test_a_picture_by_constant_has_the_newest_row_of_each():
    from benchmarks.mtlstruct.plots import by_constant, of_subject

    own = {"time": "2"}
    rows = [
        row("MTLStruct", 1.0, 10.0, 70, **own),
        row("MTLStruct", 1.0, 1.0, 71, **own),
        row("MTLStruct", 1.0, 1.0, 60, **own | {"time": "1"}),
        row("MTLStruct", 4.0, 1.0, 50, **own),
        row("MTLStruct", 4.0, 10.0, 50, **own),  # not in the picture
        row("OnlineMKL last", None, 1.0, 50, **own),
        row("OnlineMKL last", None, 10.0, 50, **own | {"limit": 3000}),
    ]
    found = by_constant(of_subject(rows, {"corpus": "esp"}))
    assert {name: [(one["C"], one["f1_dev"]) for one in own] for name, own in found.items()} == {
        "MTLStruct, p = 1": [(1.0, 71), (10.0, 70)]
    }


def test_seconds_until_a_score_is_reached():
    points = [{"cpu": 1.0, "f1_dev": 50.0}, {"cpu": 2.0, "f1_dev": 60.0}, {"cpu": 3.0, "f1_dev": 55.0}]
    assert [program.seconds_to(points, f1) for f1 in (10, 50, 51, 60, 61)] == [1.0, 1.0, 2.0, 2.0, None]


def test_scores_are_named_after_their_part():
    from benchmarks.common.significance import Counts

    counts = Counts(*(np.array([value]) for value in (1, 2, 4)))
    assert scores(counts, "dev") == {"precision_dev": 50, "recall_dev": 25, "f1_dev": pytest.approx(100 / 3)}


def test_figures_of_the_paper_stand_beside_the_same_method():
    from benchmarks.tables.mtlstruct import Published, by_p

    of_crf = {"selected": 0, "corpus": "ned", "shown": "CRF l2"}
    assert (Published(0)(of_crf), Published(1)(of_crf)) == (51.96, 57.20)
    assert Published(1)(of_crf | {"shown": "crfsuite l2"}) == 57.20
    assert Published(1)(of_crf | {"shown": "MIRA"}) is None
    assert by_p({"selected": 20, "shown": "MTLStruct p=1.333"}) == 74.81


@pytest.fixture
def characters(tmp_path):
    folder = tmp_path / "pku2005"
    folder.mkdir()
    (folder / "train.utf8").write_text("\n".join(f"a{i}  bc" for i in range(10, 50)) + "\n", encoding="utf8")
    (folder / "pku_test_gold.utf8").write_text("a10  x\nnew  bc\n" * 5, encoding="utf8")
    return Subject(str(tmp_path), "pku", "bie", "tp1.v1")


def test_a_draw_takes_every_sentence_once(characters):
    from dataclasses import replace

    drawn = {split: replace(characters, split=split) for split in (0, 1)}
    parts = {part: ["".join(words) for words, _, _ in drawn[0].sentences(part)] for part in ("train", "dev", "test")}
    assert [len(part) for part in parts.values()] == [36, 4, 10]
    everything = [f"a{i}bc" for i in range(10, 50)] + ["a10x", "newbc"] * 5
    assert sorted(text for part in parts.values() for text in part) == sorted(everything)
    assert parts["test"] != ["".join(words) for words, _, _ in drawn[1].sentences("test")]


def test_recall_of_known_words_leaves_out_new_ones(characters):
    data = Data.load(characters)
    gold = data.gold["test"]
    assert data.recall_of_known("test", gold) == {"recall_known_test": 100}
    wrong = [["B"] * len(line) for line in gold]  # "x" is right but unknown, "bc" known but wrong
    known = sum(len(words) for words in data.known["test"])
    assert known < sum(len(words_of(line)) for line in gold)
    assert data.recall_of_known("test", wrong) == {"recall_known_test": 0}


@pytest.mark.parametrize(("templates", "same"), [("tp2.v1", False), ("tp2-any-width", True)])
def test_a_wide_digit_is_a_narrow_one_only_where_the_set_says_so(characters, templates, same):
    from dataclasses import replace

    subject = replace(characters, templates=templates)
    task = Task(subject.corpus, "F1", subject.template_set(), lambda *_: [], accuracy, subject.constraints)
    extractor = TaggedExtractor(task, Perceptron(), ("B", "E"))
    train = extractor.problem([(["a", "\uff11"], ["B", "E"], None)])
    rows = [extractor.other(train, [(["a", digit], ["B", "E"], None)]).arrays.rows for digit in ("\uff11", "1")]
    assert np.array_equal(*rows) is same
