"""Attributes of characters against plain Python."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.strings import hash_string
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_mtl.templates.attributes import AttributeReader, breaks, check_attributes
from spacy_mtl.templates.attributes.breaks import FIRST, break_table, mark_breaks, value_of
from spacy_mtl.templates.attributes.characters import (
    CHARACTER_CONTEXT,
    ONE_PART,
    WordTable,
    all_places,
    character,
    character_class,
    insert_words,
    match_words,
    place_numbers,
    word_table,
)
from spacy_mtl.templates.extract import mix

VOCAB = Vocab()


@pytest.mark.parametrize(
    ("char", "normal", "kind"),
    [
        ("Ａ", "A", "latin"), ("é", "é", "latin"), ("３", "3", "digit"), ("٣", "٣", "digit"), ("三", "三", "numeral"), ("○", "○", "numeral"),
        ("年", "年", "date"), ("北", "北", "han"), ("𠀀", "𠀀", "han"), ("，", ",", "punct"), ("。", "。", "punct"), ("｡", "。", "punct"),
        ("あ", "あ", "kana"), ("ｱ", "ア", "kana"), ("　", " ", "space"), ("😀", "😀", "So"), ("\u0301", "\u0301", "Mn"), ("Ж", "Ж", "Lu"),
        ("㍿", "㍿", "So"), ("\x00", "\x00", "Cc"), ("", "", ""),
    ],
)  # fmt: skip
def test_characters_by_hand(char, normal, kind):
    assert character(char) == normal
    assert character_class(char) == kind


#: BREAK of some pairs
PARTED = {"北京": 1, "京大": 5, "大大": 3}


def hashes_of(pairs):
    return np.array([[hash_string(char) for char in pair] for pair in pairs], np.uint64)


def breaks_of(values):
    return break_table(hashes_of(values), np.array(list(values.values()), np.uint8))


def columns_of(text, starts, words=(), attributes=CHARACTER_CONTEXT):
    reader = AttributeReader(attributes, VOCAB, word_table(words))
    if reader.characters is not None:
        reader.characters.breaks = breaks_of(PARTED)
    doc = Doc(VOCAB, words=list(text), spaces=[False] * len(text))
    columns = reader.read([doc], np.array(starts, np.int64))
    return {attr: columns[reader.columns[attr]].tolist() for attr in attributes}


def by_hand(text, starts, words):
    """The same, every word tried at every place."""
    found = {attr: [0] * len(text) for attr in CHARACTER_CONTEXT}
    for a, b in pairwise(starts):
        for t in range(a, b):
            found["BREAK"][t] = FIRST if t == a else PARTED.get(text[t - 1 : t + 1], 0)
            for distance in (1, 2):
                found[f"SAME_{distance}"][t] = int(t - distance >= a and text[t] == text[t - distance])
            for end in range(t + 2, b + 1):
                if text[t:end] in words:
                    told = min(end - t, 5)
                    found["WORD_BEGIN"][t] = max(found["WORD_BEGIN"][t], told)
                    found["WORD_END"][end - 1] = max(found["WORD_END"][end - 1], told)
                    for u in range(t + 1, end - 1):
                        found["WORD_INSIDE"][u] = max(found["WORD_INSIDE"][u], told)
    return found


@given(
    st.text("北京大", min_size=1, max_size=14),
    st.sets(st.text("北京大", min_size=1, max_size=7), max_size=8),
    st.integers(0, 14),
)
def test_context_of_characters_is_that_of_plain_python(text, words, cut):
    starts = sorted({0, min(cut, len(text)), len(text)})
    assert columns_of(text, starts, words) == by_hand(text, starts, words)


def test_a_word_told_by_hand():
    found = columns_of("在北京大学好", [0, 6], ["北京", "北京大学", "大学"])
    assert found["WORD_BEGIN"] == [0, 4, 0, 2, 0, 0]
    assert found["WORD_END"] == [0, 0, 2, 0, 4, 0]
    assert found["WORD_INSIDE"] == [0, 0, 4, 4, 0, 0]


def test_each_part_has_a_dictionary_of_its_own():
    """In training, a sentence is matched with the words of the other parts."""
    text, words = "北京大学北京大学", ["北京", "大学", "北京大学"]
    table = word_table(words, np.array([[True, True], [True, False], [False, True]]))
    chars = np.array([hash_string(char) for char in text], np.uint64)
    begin, end, inside = np.empty((3, len(text)), np.uint64)
    match_words(chars, np.array([0, 4, 8]), np.array([0, 1]), table, begin, end, inside, None)
    assert begin.tolist() == [2, 0, 2, 0, 4, 0, 0, 0]
    assert end.tolist() == [0, 2, 0, 2, 0, 2, 0, 4]
    assert inside.tolist() == [0, 0, 0, 0, 0, 4, 4, 0]


def test_words_are_found_whatever_their_width():
    assert columns_of("ＡＢ型", [0, 3], ["AB型"])["WORD_BEGIN"] == [3, 0, 0]
    assert columns_of("AB型", [0, 3], ["ＡＢ型"])["WORD_BEGIN"] == [3, 0, 0]


def test_lexical_attributes_are_hashed_as_strings():
    found = columns_of("Ａ北", [0, 2], attributes=("CHAR", "CHAR_CLASS"))
    assert found["CHAR"] == [hash_string("A"), hash_string("北")]
    assert found["CHAR_CLASS"] == [hash_string("latin"), hash_string("han")]


def test_dictionary_attributes_need_a_dictionary():
    with pytest.raises(ValueError, match=r"^\[M127\].*WORD_INSIDE"):
        AttributeReader(["WORD_INSIDE"], VOCAB)
    AttributeReader(["SAME_1"], VOCAB)
    check_attributes(CHARACTER_CONTEXT, lambda attr: attr)


def test_places_are_numbered_and_back():
    row_of = {"SAME_2": 3, "WORD_BEGIN": 1, "WORD_INSIDE": 0, "CHAR": 2}
    columns = all_places(row_of)
    seen = {tuple(column) for column in columns.T.tolist()}
    assert seen == set(product(range(8), range(8), [0], range(2)))
    again = columns[:, place_numbers(columns, row_of)]
    assert np.array_equal(again, columns)
    assert columns.shape[1] == 8 * 8 * 2  # no bits for what is not read


@pytest.mark.parametrize(
    ("attributes", "size"), [((), 1), (("SAME_2",), 2), (("BREAK", "SAME_1"), 16), (CHARACTER_CONTEXT, 1 << 14)]
)
def test_every_place_has_a_number_of_its_own(attributes, size):
    row_of = {attr: row for row, attr in enumerate(attributes)}
    columns = all_places(row_of)
    assert columns.shape == (len(attributes), size)
    assert place_numbers(columns, row_of).tolist() == list(range(size))


def test_what_break_says_of_shares():
    apart, times = np.array([0, 1, 1, 3, 9, 99, 3, 2, 0]), np.array([9, 20, 5, 5, 10, 100, 3, 2, 0])
    assert value_of(apart, times, 3).tolist() == [1, 2, 3, 4, 5, 6, 6, 0, 0]


def test_pairs_are_told_by_part():
    values = np.array([[1, 4], [0, 6]], np.uint8)
    reader = AttributeReader(["BREAK"], VOCAB, word_table([]))
    reader.characters.breaks = break_table(hashes_of(["北京", "京大"]), values)
    reader.characters.parts = np.array([1, 0])
    doc = Doc(VOCAB, words=list("北京大北京大"), spaces=[False] * 6)
    columns = reader.read([doc], np.array([0, 3, 6]))
    assert columns[reader.columns["BREAK"]].tolist() == [FIRST, 4, 6, FIRST, 1, 0]


def mixed(key, *values):
    for value in values:
        key = np.uint64(mix(np.uint64(key), np.uint64(value)))
    return key


def alike():
    """Two pairs of characters, uint64[2, 2], that a hash of both takes for one."""
    pairs = np.random.default_rng(0).integers(1, 1 << 63, (2, 2), dtype=np.uint64)
    pairs[1, 1] = pairs[0, 1] ^ mixed(0, pairs[0, 0]) ^ mixed(0, pairs[1, 0])
    assert mixed(0, *pairs[0]) == mixed(0, *pairs[1])
    return pairs


def test_pairs_of_one_hash_are_told_apart(monkeypatch):
    monkeypatch.setattr(breaks, "SEED", 0)  # that of alike()
    pairs, starts = alike(), np.array([0, 2], np.int64)
    table, out = break_table(pairs[:1], np.array([5], np.uint8)), np.empty(2, np.uint64)
    for pair, expected in zip(pairs, (5, 0), strict=True):
        mark_breaks(pair, starts, ONE_PART, table, out)
        assert out.tolist() == [FIRST, expected]


def test_pairs_of_one_character_are_told_apart():
    texts = np.stack([np.arange(1, 400, dtype=np.uint64), np.full(399, 7, np.uint64)], axis=1)
    starts, out = np.arange(0, 800, 2), np.empty(texts.size, np.uint64)
    for turned in (False, True):
        pairs = texts[:, ::-1] if turned else texts
        table = break_table(pairs[::2].copy(), np.full(200, 5, np.uint8))
        mark_breaks(pairs.ravel(), starts, ONE_PART, table, out)
        assert out[1::2].tolist() == [5, 0] * 199 + [5]


def matched(words, chars):
    """WORD_BEGIN of characters, with a dictionary of words: all are numbers."""
    slots, rows = np.zeros((65, 2), np.uint64), np.full(64, -1, np.int32)  # the seed is 0
    flat, borders = np.concatenate(words), np.cumsum([0, *map(len, words)], dtype=np.int64)
    insert_words(flat, borders, slots, rows)
    columns = np.empty((3, chars.size), np.uint64)
    table = WordTable(slots, rows, np.ones((len(words) + 1, 1), bool))
    match_words(chars, np.array([0, chars.size], np.int64), ONE_PART, table, *columns, None)
    return columns[0].tolist()


def test_words_of_one_hash_are_told_apart():
    one, other = alike()
    assert matched([one], one) == [2, 0]
    assert matched([one], other) == [0, 0]
    assert matched([one, other], other) == [2, 0]
    first = np.uint64(7)
    lost = np.array([first, mixed(0, first)])  # a number mixed with itself is 0
    assert matched([np.append(lost, one)], one) == [0, 0]
    assert matched([one], np.append(lost, one)) == [0, 0, 2, 0]
