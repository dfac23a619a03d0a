"""Text to characters and back, against spaCy's own way with white space and against plain Python."""

import numpy as np
import pytest
import spacy
from hypothesis import example, given
from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_mtl.segmentation.characters import CharacterTable, doc_text, split_words, word_offsets

TABLE = CharacterTable(Vocab())
NLP = spacy.blank("zh")
#: text in which white space, marks, numbers and Latin words meet often
TEXT = st.text(st.sampled_from("的一a1B.． \n\t　\u0301\u200d😀🏽é") | st.characters(codec="utf-8"), max_size=30)


def cut(texts, begins=None):
    chars = TABLE.read(texts)
    begins = np.ones(chars.at.size, bool) if begins is None else begins
    return list(split_words(texts, TABLE.tokens(chars, begins)))


@given(st.lists(TEXT, max_size=4), st.randoms())
def test_tokens_concatenate_to_the_text(texts, random):
    n = TABLE.read(texts).at.size
    begins = np.array([random.random() < 0.5 for _ in range(n)], bool)
    found = cut(texts, begins)
    assert len(found) == len(texts)
    for text, (words, spaces) in zip(texts, found, strict=True):
        assert "".join(w + " " * s for w, s in zip(words, spaces, strict=True)) == text
        assert all(words)
        assert not any(char.isspace() for word in words if not word.isspace() for char in word)


@given(TEXT)
def test_white_space_is_kept_as_spacy_keeps_it(text):
    """Every character is a word in both."""
    ours = cut([text])[0]
    theirs = spacy.blank("xx").tokenizer
    theirs.prefix_search = theirs.suffix_search = theirs.infix_finditer = None
    runs = [(token.text, bool(token.whitespace_)) for token in theirs(text) if token.is_space]
    assert [(w, s) for w, s in zip(*ours, strict=True) if w.isspace()] == runs
    assert Doc(NLP.vocab, words=ours[0], spaces=ours[1]).text == text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("我用iPhone15", "我 用 iPhone 15"),
        ("3.14和１．５", "3.14 和 １．５"),
        ("1.2.3", "1.2.3"),
        ("完.好", "完 . 好"),
        ("5.", "5 ."),
        (".5", ". 5"),
        ("a..b", "a . . b"),
        ("www.example.com", "www.example.com"),
        ("v1.x", "v 1 . x"),
        ("ＤＶＤ机", "ＤＶＤ 机"),
        ("e\u0301te\u0301", "e\u0301te\u0301"),
        ("👍🏽好", "👍🏽 好"),
        ("👩\u200d💻在", "👩\u200d💻 在"),
        ("１２月", "１２ 月"),
    ],
)
def test_runs_stay_whole(text, words):
    chars = TABLE.read([text])
    assert cut([text], ~TABLE.joined(chars))[0][0] == words.split()


def test_a_run_ends_with_its_text_and_at_white_space():
    chars = TABLE.read(["ab", "cd e"])
    assert TABLE.joined(chars).tolist() == [False, True, False, True, False]


@given(TEXT)
@example("\u0301a \u0301")
def test_the_first_character_always_begins_a_word(text):
    chars = TABLE.read([text])
    assert not TABLE.joined(chars)[chars.starts[:-1]].any()


@given(st.lists(TEXT, max_size=4))
def test_characters_are_those_of_python(texts):
    chars = TABLE.read(texts)
    assert "".join(map(chr, chars.codes[chars.at])) == "".join("".join(text.split()) for text in texts)
    pieces = [piece for text in texts for piece in text.split()]
    assert np.diff(chars.starts).tolist() == [len(piece) for piece in pieces]
    orths = TABLE.given(chars)[0].tolist()
    assert [TABLE.vocab.strings[orth] for orth in orths] == list("".join(pieces))


def test_text_of_a_doc_without_known_spaces_has_none():
    known = Doc(NLP.vocab, words=["我们", "好", "!"], spaces=[True, False, False])
    unknown = Doc(NLP.vocab, words=["我们", "好", "!"])
    assert (doc_text(known), doc_text(unknown)) == ("我们 好!", "我们好!")
    assert word_offsets(known).tolist() == [0, 3, 4, 5]
    assert word_offsets(unknown).tolist() == [0, 2, 3, 4]
    assert word_offsets(Doc(NLP.vocab, words=["我们", "好"], spaces=[True, True])).tolist() == [0, 3, 5]
