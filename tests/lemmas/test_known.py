"""Lemmas of known words: counts, look-ups, and tables of strangers."""

import pytest

from spacy_mtl.lemmas import known
from spacy_mtl.lemmas.known import add_lemmas, check_lemmas, count_lemmas, key_of, known_lemma
from spacy_mtl.stored.fault import StoredValueError

WORDS = [
    ("saw", "VERB", "see"),
    ("saw", "VERB", "see"),
    ("saw", "NOUN", "saw"),
    ("saw", "NOUN", "Saw"),
    ("saw", "VERB", "saw"),
    ("go", "", "go"),
]


def test_the_most_frequent_lemma_by_part_of_speech():
    table = count_lemmas(WORDS)
    assert known_lemma(table, "saw", "VERB") == "see"
    assert known_lemma(table, "saw", "NOUN") == "Saw"  # of two that occur once, the first in sorted order
    assert (
        known_lemma(table, "saw", "ADJ") == "saw"
    )  # whatever the part of speech: two of five, as "see", and before it
    assert known_lemma(table, "go", "VERB") == "go"
    assert known_lemma(table, "Saw", "VERB") is None


def test_entries_that_say_nothing_more_are_left_out():
    table = count_lemmas([("house", "NOUN", "house"), ("house", "VERB", "house")])
    assert table == {key_of("", "house"): "house"}


def test_keys_of_forms_and_parts_of_speech_are_distinct():
    assert key_of("A", "B") != key_of("", "AB")


def test_words_that_are_added_say_what_they_say_and_nothing_of_others():
    before = count_lemmas(WORDS)
    table = add_lemmas(before, [("saw", "ADJ", "sawn", 1), ("saw", "VERB", "saw", 2), ("saw", "VERB", "see", 1)])
    expected = {"VERB": "saw", "ADJ": "sawn", "NOUN": "Saw", "ADV": "saw"}
    assert {pos: known_lemma(table, "saw", pos) for pos in expected} == expected
    assert known_lemma(table, "go", "VERB") == "go"
    assert before == count_lemmas(WORDS)


def test_a_word_without_part_of_speech_speaks_for_the_form():
    before = count_lemmas([("house", "NOUN", "house"), ("mice", "NOUN", "mouse")])
    table = add_lemmas(before, [("mice", "", "mice", 1), ("oxen", "NOUN", "ox", 1)])
    assert table == {key_of("", "house"): "house", key_of("", "mice"): "mice", key_of("", "oxen"): "ox"}


@pytest.mark.parametrize(
    ("table", "fault"),
    [
        ([], "not an object"),
        ({"\tform": 1}, "no text of 1 to 100"),
        ({"\tform": ""}, "no text of 1 to 100"),
        ({"\tform": "a" * 101}, "no text of 1 to 100"),
        ({"form": "a"}, "not of a form"),
        ({"NOUN\t": "a"}, "not of a form"),
        ({"\t" + "a" * 101: "a"}, "not of a form"),
        ({"a" * 101 + "\ta": "a"}, "not of a form"),
    ],
)
def test_other_tables_are_refused(table, fault):
    with pytest.raises(StoredValueError, match=fault):
        check_lemmas(table, "lemmas")


def test_a_table_has_a_limit(monkeypatch):
    monkeypatch.setattr(known, "MOST", 1)
    assert check_lemmas({"\ta": "a"}, "lemmas")
    with pytest.raises(StoredValueError, match="more than 1 entries"):
        check_lemmas({"\ta": "a", "\tb": "b"}, "lemmas")
