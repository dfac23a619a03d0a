"""Words cut behind the longest known stem that they begin with."""

import pytest
import spacy
from spacy.strings import hash_string
from spacy.tokens import Doc

from spacy_mtl.sentences import borders
from spacy_mtl.templates.attributes.reader import AttributeReader
from spacy_mtl.templates.attributes.stems import LONGEST, after_stem, find_stem, own_entry, stem_tag

STEMS = {"ev": "NOUN", "evle": "VERB", "a": "DET"}


@pytest.mark.parametrize(
    ("word", "tag", "rest"),
    [
        ("evde", "NOUN", "de"),
        ("Evlenmek", "VERB", "nmek"),  # the longest, in lower case
        ("ev", "NOUN", ""),
        ("yol", "", "\n"),
        ("araba", "", "\n"),  # too short a stem
        ("", "", "\n"),
    ],
)
def test_words_are_cut_behind_the_longest_stem(word, tag, rest):
    assert (stem_tag(STEMS, word), after_stem(STEMS, word)) == (tag, rest)


def test_training_words_have_entries_of_their_own():
    stems = STEMS | dict([own_entry("evlendi", 2, "NOUN"), own_entry("evle", 0, "")])
    assert find_stem(stems, "Evlendi") == (2, "NOUN")
    assert find_stem(stems, "evle") == (0, "")
    assert find_stem(stems, "evlen") == (4, "VERB")


@pytest.mark.parametrize("size", ["", "x", "-1", "9" * 5000, "²"])
def test_any_text_may_stand_in_a_file(size):
    assert find_stem({"\tev": f"{size}\tNOUN"}, "ev") == (0, "NOUN")


def test_long_words_take_bounded_time():
    assert find_stem({"a" * LONGEST: "X", "a" * (LONGEST + 1): "Y"}, "a" * 100_000) == (LONGEST, "X")


def test_both_attributes_are_looked_up_in_one_table():
    nlp = spacy.blank("tr")
    doc = Doc(nlp.vocab, ["evde"])
    reader = AttributeReader(["STEM_TAG", "AFTER_STEM"], nlp.vocab, learned={"STEM_TAG": STEMS})
    columns = reader.read([doc], borders([doc]))
    found = [int(columns[reader.columns[attr], 0]) for attr in ("STEM_TAG", "AFTER_STEM")]
    assert found == [hash_string("NOUN"), hash_string("de")]


def test_without_a_component_that_learns_them_they_are_refused():
    with pytest.raises(
        ValueError, match=r"M132.*AFTER_STEM.*mtl_morphologizer and mtl_lemmatizer alone.*lemma.v1: stems = false"
    ):
        AttributeReader(["AFTER_STEM"], spacy.blank("tr").vocab, learned={"USUAL_TAG": {}})
