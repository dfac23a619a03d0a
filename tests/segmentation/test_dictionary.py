import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spacy_mtl.segmentation.user_words import dictionary
from spacy_mtl.segmentation.user_words.dictionary import Dictionary
from spacy_mtl.segmentation.user_words.enforced import find_words
from spacy_mtl.segmentation.user_words.words import UserWords
from spacy_mtl.templates.attributes.characters import LONGEST_WORD, ONE_PART, characters_of, match_words, word_table

#: Tables do not tell the full-width letter from the other one.
WORDS = st.text("甲丙AＡ", min_size=2, max_size=4)
TEXT = "甲A丙甲甲ＡA丙丙甲丙A甲ＡA甲丙"


def matched(table, text=TEXT):
    """WORD_BEGIN, WORD_END and WORD_INSIDE of the characters of a text."""
    chars, _ = characters_of([text])
    columns = np.empty((3, chars.size), np.uint64)
    match_words(chars, np.array([0, chars.size], np.int64), ONE_PART, table, *columns, None)
    return columns.tolist()


@given(
    lexicon=st.lists(WORDS, max_size=5),
    first=st.lists(WORDS, max_size=5),
    changes=st.lists(st.lists(st.tuples(st.booleans(), WORDS), max_size=5), max_size=5),
)
def test_after_any_changes_it_is_the_dictionary_made_anew(lexicon, first, changes):
    words = UserWords(first)
    followed = Dictionary(lexicon, words)
    for group in changes:
        for added, word in group:
            (words.add if added else words.discard)(word)
        assert matched(followed.follow(words)) == matched(word_table([*lexicon, *words]))


@given(
    lexicon=st.lists(WORDS, max_size=5),
    first=st.lists(WORDS, max_size=5),
    changes=st.lists(st.tuples(st.booleans(), WORDS), max_size=8),
)
@example(lexicon=["AＡ"], first=["AA"], changes=[(True, "AA")])  # the corpus has the other form of a word of the user
def test_the_words_of_the_user_are_told_from_those_of_the_corpus(lexicon, first, changes):
    words = UserWords(first)
    followed = Dictionary(lexicon, words)
    for added, word in changes:
        (words.add if added else words.discard)(word)
        chars, _ = characters_of([TEXT])
        found = zip(*find_words(chars, np.array([0, chars.size], np.int64), followed.follow(words)), strict=True)
        normal = {word.replace("Ａ", "A") for word in words}
        plain, n = TEXT.replace("Ａ", "A"), len(TEXT)
        places = [(a, b - a) for a in range(n) for b in range(a + 1, n + 1) if plain[a:b] in normal]
        assert list(found) == places


@pytest.fixture
def made(monkeypatch):
    """How many words have been entered at each making of a whole table."""
    counts = []
    insert = dictionary.insert_words
    monkeypatch.setattr(dictionary, "insert_words", lambda c, b, s, r: counts.append(b.size - 1) or insert(c, b, s, r))
    return counts


def test_a_change_takes_work_for_its_own_words_only(made):
    words = UserWords(f"甲{i}乙" for i in range(10_000))
    followed = Dictionary(["甲丙"], words)
    table = followed.follow(words)
    for i in range(500):
        words.add(f"丙{i}丁")
        words.discard(f"甲{i}乙")
        assert followed.follow(words) is table
    assert made == [10_001]
    assert matched(table, "丙7丁甲7乙甲丙")[0] == [3, 0, 0, 0, 0, 0, 2, 0]


def test_a_table_that_is_full_is_made_anew_with_room(made):
    words = UserWords()
    followed = Dictionary([], words)
    for i in range(3000):
        words.add(f"甲{i}")
        followed.follow(words)
    assert 3 < len(made) < 40
    assert matched(followed.table, "甲2999甲1") == matched(word_table(words), "甲2999甲1")


def test_another_user_dictionary_of_the_same_version(made):
    words, other = UserWords(["甲乙"]), UserWords(["乙丙"])
    followed = Dictionary([], words)
    assert matched(followed.follow(other), "甲乙丙")[0] == [0, 2, 0]
    other.add("甲乙")
    assert matched(followed.follow(other), "甲乙丙")[0] == [2, 2, 0]
    assert len(made) == 2


def test_words_of_the_corpus_stay():
    words = UserWords(["甲乙"])
    followed = Dictionary(["甲乙"], words)
    words.discard("甲乙")
    assert matched(followed.follow(words), "甲乙")[0] == [2, 0]


def test_long_words_are_left_out():
    most = "甲" * LONGEST_WORD
    assert matched(Dictionary([most, most + "甲"], UserWords()).table, most + "甲")[0][:3] == [5, 5, 0]
    assert matched(word_table([most + "甲"]), most + "甲")[0] == [0] * (LONGEST_WORD + 1)


def test_a_word_stays_while_there_is_another_that_looks_the_same():
    words = UserWords(["AB公司"])
    followed = Dictionary([], words)
    words.add("ＡＢ公司")
    followed.follow(words)
    words.discard("ＡＢ公司")
    assert matched(followed.follow(words), "AB公司")[0] == [4, 0, 0, 0]
    words.discard("AB公司")
    assert matched(followed.follow(words), "AB公司")[0] == [0, 0, 0, 0]
