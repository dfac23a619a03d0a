"""Docs from characters and borders of tokens, against Docs from strings."""

from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_mtl.segmentation import word_orths
from spacy_mtl.segmentation.characters import CharacterTable, split_words
from spacy_mtl.segmentation.word_orths import WordOrths
from spacy_mtl.templates.attributes.breaks import SEED

TABLE = CharacterTable(Vocab())
TEXTS = st.lists(st.text(st.sampled_from("的一a1．\n 😀\u0301"), max_size=12), max_size=4)


def docs_of(orths, texts, begins_at=2):
    chars = TABLE.read(texts)
    begins = chars.codes[chars.at] % begins_at == 0
    tokens = TABLE.tokens(chars, begins)
    return list(orths.docs(texts, chars.codes, tokens)), list(split_words(texts, tokens))


@given(TEXTS)
def test_docs_are_those_of_their_words(texts):
    orths = WordOrths(Vocab())
    for _ in range(2):  # first met, then known
        docs, expected = docs_of(orths, texts)
        assert [doc.text for doc in docs] == texts
        for doc, (words, spaces) in zip(docs, expected, strict=True):
            assert doc.to_json() == Doc(orths.vocab, words=words, spaces=spaces).to_json()
            assert not doc.has_unknown_spaces


def test_words_that_were_met_are_known():
    orths, text = WordOrths(Vocab()), "".join(map(chr, range(0x4E00, 0x5200)))
    chars = TABLE.read([text])
    tokens = TABLE.tokens(chars, np.ones(len(text), bool))
    met = orths.orths(text, chars.codes, tokens)
    _, known, missing = orths._find(chars.codes, tokens)
    assert missing == 0
    assert known.tolist() == met.tolist() == [orths.vocab.strings[char] for char in text]


def find(orths, word):
    """Key, ORTH and whether it is missing."""
    chars = TABLE.read([word])
    keys, found, missing = orths._find(chars.codes, TABLE.tokens(chars, np.zeros(chars.at.size, bool)))
    return keys[0], found[0], missing


@given(st.lists(st.text(st.sampled_from("\x01\x02\x03在圩"), min_size=1, max_size=4), max_size=6))
@example(["\x02圩", "在"])
@example(["\x02皅", "的"])
@example(["\x02－", "，"])
@example(["\x03\x02圩", "\x02圩", "在"])
def test_a_word_is_told_by_all_of_its_characters(words):
    orths = WordOrths(Vocab())
    for word in words:
        chars = TABLE.read([word])
        tokens = TABLE.tokens(chars, np.zeros(chars.at.size, bool))
        assert [orths.vocab.strings[orth] for orth in orths.orths(word, chars.codes, tokens).tolist()] == [word]


def test_short_words_have_keys_of_their_own():
    words = ["".join(chars) for n in range(1, 5) for chars in product("\0\x01\x02\x04学\U0010ffff", repeat=n)]
    chars, lengths = TABLE.read(words), np.array(list(map(len, words)))
    first = np.cumsum(lengths) - lengths
    keys = np.empty(len(words), np.uint64)
    word_orths.word_keys(chars.codes, first, first + lengths, np.uint64(5), keys)
    assert len(set(keys.tolist())) == len(words)


@pytest.mark.parametrize("word", ["abc", "学校里面"])
def test_where_words_go_depends_on_the_seed(word):
    """So that no text can have thousands of words that crowd in the table."""
    chars, places = TABLE.read([word]), set()
    n, keys = np.array([len(word)]), np.empty(1, np.uint64)
    slots, rows = word_orths.empty_table(1 << 12)
    for seed in np.arange(8, dtype=np.uint64):
        word_orths.word_keys(chars.codes, n - n, n, seed, keys)
        words, letters = np.zeros((1, 2), np.uint64), np.zeros(0, np.uint32)
        places.add(int(word_orths.find_word(keys[0], chars.codes, 0, len(word), slots, rows, words, letters, seed)))
    assert len(places) == 8
    assert WordOrths(Vocab())._met()[-1] == SEED


@pytest.mark.parametrize("other", ["北京大学", "学校里面的", "学校里", "学校里x", "面里校学"])
def test_words_of_one_key_are_not_taken_for_each_other(other):
    orths, word = WordOrths(Vocab()), "学校里面"
    keys = np.array([find(orths, word)[0]])
    orths._enter([other], keys, np.array([7], np.uint64))
    assert find(orths, word)[1:] == (0, 1)
    orths._enter([word], keys, np.array([8], np.uint64))
    assert find(orths, word)[1:] == (8, 0)
    assert orths._size == 2


def test_words_are_told_apart_after_the_memory_has_grown():
    orths, word = WordOrths(Vocab()), "学校里面"
    keys = np.array([find(orths, word)[0]])
    for number, entered in enumerate(["北京大学", word, "大学里面"], 7):
        orths._enter([entered], keys, np.array([number], np.uint64))
    orths._grow(2 * len(orths._words))
    assert find(orths, word)[1:] == (8, 0)
    assert orths._size == 3


def test_long_words_are_not_kept():
    orths, long = WordOrths(Vocab()), "长" * (word_orths.LONGEST + 1)
    for text in [long, long[1:], long]:
        chars = TABLE.read([text])
        found = orths.orths(text, chars.codes, TABLE.tokens(chars, np.zeros(chars.at.size, bool)))
        assert [orths.vocab.strings[orth] for orth in found.tolist()] == [text]
    assert orths._size == 1


def test_the_memory_grows_and_begins_afresh(monkeypatch):
    monkeypatch.setattr(word_orths, "LIMIT", 1 << 13)
    orths = WordOrths(Vocab())
    for a in range(0x4E00, 0x9E00, 700):
        texts = [chr(a + i) for i in range(700)] + [chr(a)]
        docs, _ = docs_of(orths, texts)
        assert [doc.text for doc in docs] == texts
        assert orths._table.rows.size <= 1 << 14


def test_words_of_a_memory_zone_are_not_kept():
    orths = WordOrths(Vocab())
    with orths.vocab.memory_zone():
        docs, _ = docs_of(orths, ["一的"])
        assert docs[0].text == "一的"
    docs, _ = docs_of(orths, ["一的"])
    assert docs[0].text == "一的"
    assert docs[0][0].text in orths.vocab.strings


def test_a_vocabulary_with_other_strings_is_met_anew():
    """A word that was met is put into the new store, too, or its text would be lost."""
    orths = WordOrths(Vocab())
    words = [chr(0x4E00 + 2 * i) + "一" for i in range(50)]
    docs_of(orths, words)
    before = len(orths.vocab.strings)
    orths.vocab.strings._reset_and_load(["一"])
    assert len(orths.vocab.strings) < before
    docs, _ = docs_of(orths, words)
    assert [doc.text for doc in docs] == words


@pytest.mark.parametrize("texts", [[], [""], ["", "的", ""]])
def test_empty_texts(texts):
    docs, _ = docs_of(WordOrths(Vocab()), texts)
    assert [doc.text for doc in docs] == texts
