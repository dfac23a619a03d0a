"""Words cut behind a known lemma, where the training corpus says that this is right."""

import pytest

from spacy_mtl.lemmas.applicable import Applicable
from spacy_mtl.lemmas.beginnings import LEAST, SHARE, SHORTEST, Word, find_beginning, learn_beginnings
from spacy_mtl.lemmas.known import check_lemmas, key_of
from spacy_mtl.lemmas.script import script_of


def word(form, pos, lemma):
    return Word(form, pos, lemma, script_of(form, lemma).text)


def known(*lemmas, pos="VERB"):
    return {key_of(pos, lemma): lemma for lemma in lemmas}


@pytest.mark.parametrize(
    ("form", "lemma"),
    [
        ("kalabilir", "kal"),
        ("Kalabilir", "kal"),
        ("kalkabilir", "kalk"),  # the longest
        ("kal", None),  # nothing follows
        ("okal", None),
        ("", None),
        ("Ali'nin", "Ali"),  # as it stands
    ],
)
def test_the_longest_known_lemma_that_a_word_goes_on_after(form, lemma):
    assert find_beginning(known("kal", "kalk", "Ali"), form, "VERB") == lemma


def test_part_of_speech_and_length_count():
    assert find_beginning(known("kal"), "kalabilir", "NOUN") is None
    assert find_beginning(known("ka"), "kalabilir", "VERB") is None
    assert SHORTEST == 3


def forms(endings, stems):
    """Words of a language in which no two words of a lemma have the same ending."""
    return [word(stem + ending, "VERB", stem) for stem, part in zip(stems, endings, strict=True) for ending in part]


AGGLUTINATING = forms([("xa", "xbo"), ("yce", "ydi"), ("zfu", "zga")], ["kal", "gel", "oku"])


def test_where_cutting_is_right_the_lemmas_are_kept():
    found = learn_beginnings(AGGLUTINATING, Applicable([]), 2)
    assert found == known("gel", "kal", "oku")
    assert check_lemmas(found, "it") == found


def test_of_compounds_nothing_is_kept():
    compounds = [
        word(first + second, "NOUN", first + second)
        for first in ("bloem", "kool", "huis")
        for second in ("kool", "tuin")
    ]
    simple = [
        word(form, "NOUN", form.removesuffix("en")) for form in ("bloem", "bloemen", "kool", "koolen", "huis", "huisen")
    ]
    assert learn_beginnings([*compounds, *simple], Applicable([]), 2) == {}
    both = learn_beginnings([*compounds, *simple, *AGGLUTINATING], Applicable([]), 2)
    assert both == known("gel", "kal", "oku")


def test_words_whose_lemma_a_script_finds_are_not_counted():
    # all scripts are labels for other forms as well, so that nothing is left to be cut
    words = [
        word(stem + ending, "VERB", stem) for stem in ("kal", "gel", "oku", "git") for ending in ("xa", "ybo", "zce")
    ]
    scripts = Applicable(sorted({each.script for each in words}))
    assert learn_beginnings(words, scripts, 2) == {}
    assert learn_beginnings(words, Applicable([]), 2) == known("kal", "gel", "oku", "git")
    # each script has four forms: where that is the least, none is a label without the word
    assert learn_beginnings(words, scripts, 4) == known("kal", "gel", "oku", "git")


def test_a_word_does_not_tell_its_own_lemma():
    words = [word(stem + "xa", "VERB", stem) for stem in ("kal", "gel", "oku", "git", "yaz", "ver")]
    assert learn_beginnings(words, Applicable([]), 2) == {}


def test_few_words_or_a_bare_half_do_not_decide():
    assert (LEAST, SHARE) == (5, 0.5)
    assert learn_beginnings(AGGLUTINATING[:4], Applicable([]), 2) == {}
    wrong = [word(each.form + "q", "VERB", each.form + "q") for each in AGGLUTINATING]
    assert learn_beginnings([*AGGLUTINATING, *wrong], Applicable([]), 2) == {}


def test_how_often_a_word_occurs_does_not_count():
    assert learn_beginnings(AGGLUTINATING[:4] * 3, Applicable([]), 2) == {}
