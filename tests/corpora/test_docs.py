import pytest
from spacy.vocab import Vocab

from spacy_mtl.corpora.columns import Sentence
from spacy_mtl.corpora.docs import DocMaker, sentence_starts, spaces_between


def text_of(words):
    return "".join(word + " " * space for word, space in zip(words, spaces_between(words), strict=True))


@pytest.mark.parametrize(
    "text",
    ["¿Qué? ¡Sí!", "En Lima (Perú), hoy.", "« Hola » , dijo", "Sube 5% ...", "uno: [dos]; tres", "-", "a.b .c"],
)
def test_spaces_are_guessed(text):
    glued = text.replace("« ", "«").replace(" »", "»").replace(" ,", ",").replace(" ...", "...")
    words = text
    for mark in "¿¡?!(),;:[]%":
        words = words.replace(mark, f" {mark} ")
    words = words.replace("hoy.", "hoy .").split()
    assert text_of(words) == glued


def test_no_words_no_spaces_beyond_the_last():
    assert spaces_between(["a", "b"]) == [True, False]


def sentence(words, line=1, **fields):
    return Sentence(words.split(), {name: values.split() for name, values in fields.items()}, line, 0)


def made(column, *sentences):
    maker = DocMaker(Vocab())
    words, spaces = maker.words(sentences)
    return maker.make(words, spaces, maker.attributes(sentences, "f", column))


def test_tags_and_lemmas_are_set_and_underscore_leaves_them_unset():
    assert [t.tag_ for t in made("TAG", sentence("a b", TAG="X _"))] == ["X", ""]
    assert [t.lemma_ for t in made("LEMMA", sentence("a b", LEMMA="_ y"))] == ["", "y"]


def test_universal_parts_of_speech():
    assert [t.pos_ for t in made("POS", sentence("a b c", POS="NOUN _ VERB"))] == ["NOUN", "", "VERB"]
    with pytest.raises(ValueError, match=r"M510.*Line 6 of 'f': 'NC'"):
        made("POS", sentence("a", POS="X"), sentence("a b", line=5, POS="X NC"))


def test_entities_are_read_sentence_by_sentence():
    doc = made("ENT", sentence("a b", ENT="B-X I-X"), sentence("c", ENT="I-X"))
    assert [(ent.text, ent.label_) for ent in doc.ents] == [("a b", "X"), ("c", "X")]


def test_missing_entity_tags_stay_missing():
    assert [t.ent_iob for t in made("ENT", sentence("a b c d", ENT="O - B-X I-X"))] == [2, 0, 3, 1]


def test_sentence_starts_are_set_for_every_token():
    sentences = [sentence("a b"), sentence("c"), sentence("d e")]
    maker = DocMaker(Vocab())
    doc = maker.make(*maker.words(sentences), sentence_starts(sentences))
    assert [t.is_sent_start for t in doc] == [True, False, True, True, False]
