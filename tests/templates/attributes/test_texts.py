"""What people are told of the values of attributes that look at the whole document."""

import spacy

from spacy_mtl.sentences import borders
from spacy_mtl.templates.attributes.reader import AttributeReader
from spacy_mtl.templates.attributes.texts import AttributeTexts


def test_codes_of_the_document_are_words():
    nlp = spacy.blank("es")
    doc = nlp("La casa de Ana García . En la Casa de Ana . ANA y 12 casas")
    for token in doc:
        token.is_sent_start = token.i in (0, 6, 12)
    attributes = ["DOC_CASE", "DOC_COUNT", "RUN_PLACE"]
    reader = AttributeReader(attributes, nlp.vocab)
    texts = AttributeTexts(reader, reader.read([doc], borders([doc])), nlp.vocab.strings, [doc])
    told = {token.i: tuple(texts.text(attr, token.i) for attr in attributes) for token in doc}
    assert told[0] == ("Xx at a start, elsewhere x", "1", "1 of 1")
    assert told[1] == ("x inside, elsewhere x and X inside", "", "")
    assert told[3] == ("Xx inside, elsewhere X inside and XX", "2", "1 of 2")
    assert told[4] == ("Xx inside", "1", "2 of 2")
    assert told[5] == ("", "", "")
    assert told[12] == ("XX at a start, elsewhere X inside", "1", "1 of 2")
    assert told[14] == ("", "", "")


def test_the_largest_codes_are_open():
    nlp = spacy.blank("en")
    doc = nlp("in " + " ".join(["Foo Bar Baz Qux Quux Foobar"] * 5))
    attributes = ["DOC_COUNT", "RUN_PLACE"]
    reader = AttributeReader(attributes, nlp.vocab)
    texts = AttributeTexts(reader, reader.read([doc], borders([doc])), nlp.vocab.strings, [doc])
    assert [texts.text(attr, 1) for attr in attributes] == ["4+", "1 of 5+"]
    assert texts.text("RUN_PLACE", 5) == "4+ of 5+"
