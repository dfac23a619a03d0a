"""The helpers of the benchmarks that everything they claim rests on."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.training import biluo_tags_to_offsets, iob_to_biluo
from spacy.vocab import Vocab

from benchmarks.common.measure import Clock, median, run_child
from benchmarks.common.rows import best_point, cell, has_peaked, ratio
from benchmarks.common.spans import entity_f1, spans

TAGS = st.lists(st.sampled_from(["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]), max_size=8)


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ([], set()),
        (["O", "O"], set()),
        (["B-PER", "I-PER", "O"], {(0, 2, "PER")}),
        (["B-PER", "B-PER"], {(0, 1, "PER"), (1, 2, "PER")}),
        (["I-PER", "I-PER"], {(0, 2, "PER")}),
        (["B-PER", "I-LOC"], {(0, 1, "PER"), (1, 2, "LOC")}),
        (["U-PER", "B-LOC", "L-LOC", "I-LOC"], {(0, 1, "PER"), (1, 3, "LOC"), (3, 4, "LOC")}),
        (["B-PER", "U-PER", "L-PER"], {(0, 1, "PER"), (1, 2, "PER"), (2, 3, "PER")}),
        (["B-MISC-X", "I-MISC-X"], {(0, 2, "MISC-X")}),
    ],
)
def test_spans(tags, expected):
    assert spans(tags) == expected


def from_spacy(tags):
    """The entities that spaCy reads from valid BILUO tags, as token spans (every token is one character)."""
    from spacy.tokens import Doc

    doc = Doc(Vocab(), ["x"] * len(tags), spaces=[False] * len(tags))
    return {(a, b, kind) for a, b, kind in biluo_tags_to_offsets(doc, tags)}


@given(TAGS)
def test_schemes_agree_and_with_spacy(tags):
    valid = [
        f"B{tag[1:]}" if tag[0] == "I" and (i == 0 or tags[i - 1][1:] != tag[1:]) else tag for i, tag in enumerate(tags)
    ]
    biluo = iob_to_biluo(valid)
    assert spans(tags) == spans(valid) == spans(biluo) == from_spacy(biluo)


@given(st.lists(TAGS, max_size=4))
def test_f1_is_100_against_itself(sentences):
    assert entity_f1(sentences, sentences) == (100.0 if any(map(spans, sentences)) else 0.0)


def test_f1():
    gold = [["B-PER", "I-PER", "O"], ["B-LOC"]]
    assert entity_f1(gold, [["B-PER", "O", "O"], ["B-LOC"]]) == pytest.approx(50)
    assert entity_f1(gold, [["O", "O", "O"], ["B-LOC"]]) == pytest.approx(100 * 2 / 3)
    with pytest.raises(ValueError, match="zip"):
        entity_f1(gold, gold[:1])


def test_best_point_is_the_earliest_of_the_best():
    points = [{"n": 1, "f": 70.0}, {"n": 2, "f": 71.0}, {"n": 3, "f": 71.0}]
    assert best_point(points, "f")["n"] == 2
    with pytest.raises(ValueError, match="no point"):
        best_point([], "f")


@pytest.mark.parametrize(
    ("scores", "peaked"),
    [([], False), ([5, 4, 3], False), ([5, 4, 3, 2], True), ([5, 4, 3, 6], False), ([1, 5, 4, 5, 5], True)],
)
def test_has_peaked(scores, peaked):
    assert has_peaked(scores, patience=3) is peaked


def test_cells_and_ratios():
    assert [cell(value) for value in (None, 0.012345, 3.14159, 314.159, 31415.9, 12345, "x", True)] == [
        "-", "0.012", "3.14", "314.2", "31,416", "12,345", "x", "True",
    ]  # fmt: skip
    assert ratio(2.0, 3.0) == 1.5
    assert ratio(0.0, 3.0) is ratio(2.0, None) is None
    assert median([3, 1, 2]) == 2


def test_clock_counts_a_method_and_puts_it_back():
    class Worker:
        def work(self, n):
            return sum(range(n))

    original, clock = Worker.work, Clock()
    with clock.method(Worker, "work", "working"):
        assert Worker().work(100_000) == sum(range(100_000))
    assert clock.seconds["working"] > 0
    assert Worker.work is original


def test_child_processes():
    assert run_child("json:dumps", obj={"a": None}) == json.dumps({"a": None})
    with pytest.raises(RuntimeError, match="json:loads failed"):
        run_child("json:loads", s="{")
