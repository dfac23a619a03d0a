"""Attributes that a corpus tells: what words usually are, groups of characters."""

import pytest
import spacy
from spacy.strings import hash_string
from spacy.tokens import Doc

from spacy_mtl.sentences import borders
from spacy_mtl.templates.attributes.learned import LEARNED, by_form, by_value
from spacy_mtl.templates.attributes.reader import AttributeReader, last_part
from spacy_mtl.templates.presets import pos

NLP = spacy.blank("en")
DOC = Doc(NLP.vocab, ["the", "can", "jumps"])


def column(reader):
    return reader.read([DOC], borders([DOC]))[reader.columns["USUAL_TAG"]].tolist()


def test_frequent_words_have_their_tag_and_others_their_ending():
    reader = AttributeReader(["USUAL_TAG"], NLP.vocab, learned={"USUAL_TAG": {"the": "DET", "can": "AUX"}})
    assert column(reader) == [hash_string("DET"), hash_string("AUX"), hash_string("\nps")]


def test_what_is_learnt_later_replaces_what_was_read():
    reader = AttributeReader(["USUAL_TAG"], NLP.vocab, learned={"USUAL_TAG": {}})
    before = column(reader)
    generation = reader.lexicon.generation
    reader.lexicon.learn({"USUAL_TAG": {"can": "NOUN"}})
    assert reader.lexicon.generation > generation
    assert column(reader) == [before[0], hash_string("NOUN"), before[2]]


def test_without_a_tagger_it_is_refused():
    with pytest.raises(ValueError, match=r"M132.*USUAL_TAG.*mtl_tagger"):
        AttributeReader(["LOWER", "USUAL_TAG"], NLP.vocab)


def test_tagging_templates_can_do_without():
    assert "USUAL_TAG" in pos().attributes
    assert "USUAL_TAG" not in pos(usual_tags=False).attributes
    assert "LAST_PART" in pos(usual_tags=False).attributes


@pytest.mark.parametrize(
    ("text", "part"),
    [("T-Cell", "cell"), ("and/or", "or"), ("1990–1995", "1995"), ("cell", ""), ("anti-", ""), ("", "")],
)
def test_last_parts(text, part):
    assert last_part(text) == part


def test_characters_have_the_group_of_their_normalised_form():
    nlp = spacy.blank("zh")
    doc = Doc(nlp.vocab, words=["Ａ", "A", "北", "京"])
    reader = AttributeReader(["CHAR_GROUP"], nlp.vocab, learned={"CHAR_GROUP": {"A": "7", "北": "3"}})
    found = reader.read([doc], borders([doc]))[reader.columns["CHAR_GROUP"]].tolist()
    assert found == [hash_string("7"), hash_string("7"), hash_string("3"), hash_string("")]


def test_without_a_segmenter_groups_are_refused():
    with pytest.raises(ValueError, match=r"M132.*CHAR_GROUP.*mtl_segmenter.*dictionary = false"):
        AttributeReader(["CHAR_GROUP"], NLP.vocab, learned={"USUAL_TAG": {}})
    assert set(LEARNED) == {"USUAL_TAG", "CHAR_GROUP", "STEM_TAG", "AFTER_STEM"}


def test_tables_are_written_by_value_and_read_by_form():
    table = {"can": "AUX", "may": "AUX", "the": "DET"}
    assert by_value(table) == {"AUX": ["can", "may"], "DET": ["the"]}
    assert by_form(by_value(table)) == table
