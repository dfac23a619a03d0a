"""What words usually are, as an attribute of the word form."""

import pytest
import spacy
from spacy.strings import hash_string
from spacy.tokens import Doc

from spacy_mtl.components.sentences import borders
from spacy_mtl.templates.attributes import AttributeReader, last_part
from spacy_mtl.templates.presets import pos

NLP = spacy.blank("en")
DOC = Doc(NLP.vocab, ["the", "can", "jumps"])


def column(reader):
    return reader.read([DOC], borders([DOC]))[reader.columns["USUAL_TAG"]].tolist()


def test_frequent_words_have_their_tag_and_others_their_ending():
    reader = AttributeReader(["USUAL_TAG"], NLP.vocab, usual_tags={"the": "DET", "can": "AUX"})
    assert column(reader) == [hash_string("DET"), hash_string("AUX"), hash_string("\nps")]


def test_what_is_learnt_later_replaces_what_was_read():
    reader = AttributeReader(["USUAL_TAG"], NLP.vocab, usual_tags={})
    before = column(reader)
    generation = reader.lexicon.generation
    reader.lexicon.learn({"can": "NOUN"})
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
