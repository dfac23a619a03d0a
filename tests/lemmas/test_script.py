"""Edit scripts: exact inverses, what they apply to, and labels of strangers."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_mtl.lemmas.applicable import Applicable
from spacy_mtl.lemmas.script import CASINGS, LONGEST, EditScript, longest_common, parse_script, script_of
from spacy_mtl.stored.fault import StoredValueError

words = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12) | st.text("abAB", min_size=1, max_size=8)


@given(words, words)
def test_the_script_of_a_form_and_its_lemma_gives_the_lemma(form, lemma):
    script = script_of(form, lemma)
    assert script.applies(form)
    assert script.apply(form) == lemma
    assert parse_script(script.text) == script


@pytest.mark.parametrize(
    ("form", "lemma", "script"),
    [
        ("walking", "walk", ("lower", "", "", "ing", "")),
        ("Walking", "walk", ("lower", "", "", "ing", "")),
        ("Häuser", "Haus", ("title", "hä", "ha", "er", "")),
        ("gegangen", "gehen", ("lower", "", "", "gangen", "hen")),
        ("IESUS", "Iesus", ("title", "", "", "", "")),
        ("NATO's", "NATO", ("upper", "", "", "'s", "")),
        ("McDonalds", "McDonald", ("same", "", "", "s", "")),
        ("1990", "1990", ("lower", "", "", "", "")),
        ("was", "be", ("lower", "", "", "was", "be")),
        ("İstanbul'da", "İstanbul", ("same", "", "", "'da", "")),
    ],
)
def test_scripts_of_words(form, lemma, script):
    assert script_of(form, lemma) == EditScript(*script)


def test_of_equally_long_common_parts_the_first_counts():
    assert longest_common("abxab", "ab") == (0, 0, 2)
    assert longest_common("ab", "xabyab") == (0, 1, 2)
    assert longest_common("ab", "cd") == (0, 0, 0)


def test_empty_and_very_long_words_have_none():
    assert script_of("", "a") is None
    assert script_of("a", "") is None
    assert script_of("a" * LONGEST, "a" * LONGEST) is not None
    assert script_of("a" * (LONGEST + 1), "a") is None
    assert script_of("a", "a" * (LONGEST + 1)) is None


def test_words_that_are_very_long_in_lower_case_have_a_script_that_is_a_label():
    form, lemma = "İ" * 51 + "A" * 49, "a" * 49 + "q"
    for pair in ((form, lemma), (lemma, form)):
        script = script_of(*pair)
        assert parse_script(script.text) == script
        assert script.apply(pair[0]) == pair[1]


def test_what_is_removed_may_not_overlap():
    script = EditScript("lower", "aba", "", "ba", "")
    assert not script.applies("abab")
    assert not script.applies("aba")
    assert script.applies("ABAxba")
    assert script.apply("abaxba") == "x"


def test_something_is_left_of_every_form():
    assert not EditScript("lower", "", "", "s", "").applies("s")
    assert not EditScript("lower", "aba", "", "ba", "").applies("ABAba")
    assert EditScript("lower", "", "", "s", "").apply("as") == "a"
    assert EditScript("lower", "", "", "s", "zijn").apply("s") == "zijn"
    assert Applicable([EditScript("lower", "", "", "s", "").text]).numbers("s") == []


@given(st.lists(st.tuples(words, words), min_size=1, max_size=12), words)
def test_applicable_scripts_are_those_that_apply(pairs, form):
    scripts = list(dict.fromkeys(script_of(*pair) for pair in pairs))
    found = Applicable([script.text for script in scripts])
    for text in (form, *(form for form, _ in pairs)):
        wanted = [k for k, script in enumerate(scripts) if script.applies(text)]
        assert sorted(found.numbers(text)) == wanted
        assert found.table([text])[0].nonzero()[0].tolist() == wanted


def test_nothing_applies_to_a_very_long_form():
    found = Applicable([EditScript("lower", "", "", "", "").text])
    assert found.numbers("a" * LONGEST) == [0]
    assert found.numbers("a" * (LONGEST + 1)) == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "walk",
        "[]",
        "{}",
        "null",
        '["lower", "", "", ""]',
        '["lower", "", "", "", 1]',
        '["wrong", "", "", "", ""]',
        '["lower","","","",""]',  # another spelling of the same script would be a second label for it
        json.dumps(["lower", "a" * (LONGEST + 1), "", "", ""]),
        "[" * 5000,
    ],
)
def test_other_labels_are_refused(text):
    with pytest.raises(StoredValueError, match="not an edit script"):
        parse_script(text)


def test_casings_are_tried_in_order():
    assert CASINGS[0] == "lower"
    assert script_of("a", "a").casing == "lower"
