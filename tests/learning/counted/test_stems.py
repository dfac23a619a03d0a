"""Stems of a training corpus, each known to a word by the other words alone."""

from spacy_mtl.learning.counted.stems import count_stems
from spacy_mtl.templates.attributes.stems import find_stem

WORDS = [
    ("evde", "ev", "NOUN"), ("Evler", "ev", "NOUN"), ("evli", "ev", "ADJ"),
    ("geldim", "gel", "VERB"),
    ("went", "go", "VERB"), ("gone", "go", "VERB"),
]  # fmt: skip


def test_new_words_begin_with_what_form_and_lemma_share():
    stems = count_stems(WORDS)
    assert find_stem(stems, "evden") == (2, "NOUN")  # two words against one
    assert find_stem(stems, "gelmek") == (3, "VERB")
    assert find_stem(stems, "wentworth") == (0, "")  # nothing in common
    assert find_stem(stems, "gong") == (2, "VERB")


def test_a_word_of_the_corpus_knows_the_stems_of_others_alone():
    stems = count_stems(WORDS)
    assert find_stem(stems, "GELDIM") == (0, "")
    assert find_stem(stems, "gone") == (0, "")
    assert find_stem(stems, "evde") == (2, "NOUN")
    one_each = count_stems([("evde", "ev", "NOUN"), ("evli", "ev", "ADJ")])
    assert find_stem(one_each, "evli") == (2, "NOUN")
    assert find_stem(one_each, "evde") == (2, "ADJ")
    assert find_stem(one_each, "evim") == (2, "NOUN")


def test_a_shorter_stem_of_others_is_found():
    stems = count_stems([("evlen", "evle", "VERB"), ("evde", "ev", "NOUN")])
    assert find_stem(stems, "evlen") == (2, "NOUN")
    assert find_stem(stems, "evlendi") == (4, "VERB")


def test_without_lemmas_forms_are_stems():
    stems = count_stems([("ev", "", "NOUN"), ("evde", "", "NOUN")])
    assert find_stem(stems, "evde") == (2, "NOUN")
    assert find_stem(stems, "evdeki") == (4, "NOUN")
    assert find_stem(stems, "ev") == (0, "")


def test_nothing_is_nothing():
    assert count_stems([]) == {}
    assert find_stem(count_stems([("a", "a", "DET"), ("", "", "X")]), "a") == (0, "")


def test_stems_much_shorter_than_the_lemma_are_not_taken():
    assert count_stems([("bodily", "bodhisattva", "ADJ"), ("bodies", "bodhi", "NOUN")]).get("bod") == "NOUN"


def test_order_does_not_matter():
    assert list(count_stems(WORDS).items()) == list(count_stems(WORDS[::-1]).items())
