"""Frequent words keep the labels they were seen with."""

import numpy as np
import pytest
from spacy.strings import StringStore

from spacy_mtl.learning.counted import known_words
from spacy_mtl.learning.counted.known_words import (
    added_counts,
    constrain_words,
    count_known_words,
    known_forms,
    known_words_of,
    label_counts,
)
from spacy_mtl.learning.gather import Piece
from spacy_mtl.structures.chain.build import Constraints

WORDS = ["the", "can", "the", "can", "the", "run", "can", "can"]
GOLD = [0, 1, 0, 2, 0, 2, -1, 1]


def pieces(strings):
    orths = np.array([[strings.add(word) for word in WORDS]], np.uint64)
    gold = np.array(GOLD, np.int32)
    halves = [(orths[:, :3], gold[:3]), (orths[:, 3:], gold[3:])]
    return [Piece(b"", given, np.array([0, given.shape[1]]), labels) for given, labels in halves]


def test_labels_are_counted_over_all_pieces_where_there_is_gold():
    strings = StringStore()
    assert count_known_words(pieces(strings), strings, 3, 3) == {"can": [1, 2], "the": [0]}
    assert count_known_words(pieces(strings), strings, 3, 1) == {"can": [1, 2], "run": [2], "the": [0]}
    assert count_known_words(pieces(strings), strings, 3, 4) == {}


def test_counts_of_parts_add_up_to_those_of_the_whole():
    strings = StringStore()
    parts = [label_counts([piece], strings, 3) for piece in pieces(strings)]
    for least in (1, 2, 3, 4):
        assert known_words_of(added_counts(parts, 3), least, 3) == count_known_words(pieces(strings), strings, 3, least)


def test_words_with_many_labels_take_memory_for_those_that_they_have():
    """A table of words and labels would have 10,000 million cells."""
    strings, n = StringStore(), 100_000
    orths = np.array([[strings.add(f"w{k}") for k in range(n)]], np.uint64)
    counts = label_counts([Piece(b"", orths, np.array([0, n]), np.arange(n, dtype=np.int32))], strings, n)
    assert (counts.rows.size, counts.times.sum()) == (n, n)


def test_words_become_constraints_of_their_forms():
    strings = StringStore()
    known = {"can": [1, 2], "the": [0]}
    allowed = constrain_words(Constraints.none(3), known, strings)
    rows = allowed.form_rows(np.array([strings["the"], strings["can"], strings.add("run")], np.uint64))
    assert rows[2] == -1
    assert allowed.form_labels[rows[0]].tolist() == [True, False, False]
    assert allowed.form_labels[rows[1]].tolist() == [False, True, True]
    assert (np.diff(allowed.forms.astype(object)) > 0).all()


def test_without_words_nothing_is_constrained():
    plain = Constraints.none(3)
    assert constrain_words(plain, {}, StringStore()) is plain


def test_more_words_than_a_file_can_have_are_refused_before_training(monkeypatch):
    monkeypatch.setattr(known_words, "MOST_CELLS", 7)
    strings = StringStore()
    assert len(count_known_words(pieces(strings), strings, 3, 3)) == 2
    with pytest.raises(
        ValueError, match=r"^\[M451\] 3 words are seen at least 1 times, but with 3 labels .* of 2 at most"
    ):
        count_known_words(pieces(strings), strings, 3, 1)


def test_forms_of_no_words_have_as_many_columns():
    forms, allowed = known_forms({}, 3, StringStore())
    assert (forms.dtype, forms.shape, allowed.dtype, allowed.shape) == (np.uint64, (0,), bool, (0, 3))
