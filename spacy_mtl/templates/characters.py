"""Attributes of characters, for templates that cut text into words.

Of the character alone: CHAR, its normalised form (full width and half width are one), and CHAR_CLASS, a few classes that matter for words.
Of its surroundings:

===========  ==============================================================================================================
SAME_1       whether it equals the character before it; SAME_2 the one before that
WORD_BEGIN   how long the longest word of the dictionary is that begins here (2 to 5; 5 for longer ones, 0 for none);
             WORD_END that ends here, WORD_INSIDE that has this character neither first nor last
===========  ==============================================================================================================
"""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

import numpy as np
from spacy.strings import hash_string  # type: ignore[attr-defined]

from ..errors import Errors
from ..kernels import kernel
from .extract import mix
from .index import Table, empty_table, find

SAME_ATTRIBUTES = ("SAME_1", "SAME_2")
WORD_ATTRIBUTES = ("WORD_BEGIN", "WORD_END", "WORD_INSIDE")
CHARACTER_CONTEXT = (*SAME_ATTRIBUTES, *WORD_ATTRIBUTES)

#: Longer words are all alike.
LONGEST_TOLD = 5
_PREFIX, _WORD = 0, 1
_CLASSES = {
    "numeral": "〇零一二三四五六七八九十百千万亿兆两廿卅壹贰叁肆伍陆柒捌玖拾佰仟萬億兩",
    "date": "年月日时時分秒",
}
_CLASS_OF = {char: name for name, chars in _CLASSES.items() for char in chars}


def character(text: str) -> str:
    """A character's normalised form: NFKC where that is one character (``Ａ`` -> ``A``, ``，`` -> ``,``), else itself."""
    normal = unicodedata.normalize("NFKC", text)
    return normal if len(normal) == 1 else text


def character_class(text: str) -> str:
    """digit, numeral (一, 百 ...), date (年, 月 ...), latin, han, kana, space, punct, or the Unicode category."""
    char = character(text)[:1]
    if char in _CLASS_OF:
        return _CLASS_OF[char]
    category = unicodedata.category(char) if char else ""
    if category == "Nd":
        return "digit"
    if category[:1] in ("P", "Z"):
        return "punct" if category[0] == "P" else "space"
    if category[:1] == "L":
        script = unicodedata.name(char, "").partition(" ")[0]
        return {"CJK": "han", "LATIN": "latin", "HIRAGANA": "kana", "KATAKANA": "kana"}.get(script, category)
    return category


@kernel
def insert_words(chars, borders, table):
    """Enter words, letter by letter, with all their beginnings. chars: uint64[M]; word i is ``chars[borders[i]:borders[i + 1]]``."""
    for i in range(borders.size - 1):
        key = np.uint64(0)
        for k in range(borders[i], borders[i + 1]):
            key = mix(key, chars[k])
            slot = find(table, key)
            is_word = k == borders[i + 1] - 1
            if table.rows[slot] < 0:
                table.slots[slot] = key
                table.rows[slot] = _PREFIX
            if is_word:
                table.rows[slot] = _WORD


@kernel
def match_words(chars, starts, table, begin, end, inside):
    """WORD_BEGIN, WORD_END and WORD_INSIDE of every position: uint64[N] each, overwritten. Matches stay within ``starts``."""
    begin[:] = 0
    end[:] = 0
    inside[:] = 0
    for s in range(starts.size - 1):
        for t in range(starts[s], starts[s + 1]):
            key = np.uint64(0)
            longest = 0
            for u in range(t, starts[s + 1]):
                key = mix(key, chars[u])
                known = table.rows[find(table, key)]
                if known < 0:
                    break
                if known == _WORD and u > t:
                    longest = u - t + 1
                    told = np.uint64(min(longest, LONGEST_TOLD))
                    end[u] = max(end[u], told)
            told = np.uint64(min(longest, LONGEST_TOLD))
            begin[t] = told
            for u in range(t + 1, t + longest - 1):
                inside[u] = max(inside[u], told)


@kernel
def compare(chars, starts, distance, out):
    """out[t] = whether the character equals the one ``distance`` before it."""
    for s in range(starts.size - 1):
        for t in range(starts[s], starts[s + 1]):
            out[t] = np.uint64(t - distance >= starts[s] and chars[t] == chars[t - distance])


#: Bits that hold the value of each attribute of the surroundings.
_BITS = dict.fromkeys(SAME_ATTRIBUTES, 1) | dict.fromkeys(WORD_ATTRIBUTES, 3)


@kernel
def _number(columns, rows, bits, out):
    """out[t] = the values in these rows (-1 for a row that is not there), packed into so many bits each."""
    for t in range(out.size):
        number, shift = 0, 0
        for k in range(rows.size):
            if rows[k] >= 0:
                number |= np.int64(columns[rows[k], t]) << shift
            shift += bits[k]
        out[t] = number


def place_numbers(columns: np.ndarray, row_of: Mapping[str, int]) -> np.ndarray:
    """int32[N]: what is seen of each character's surroundings, as one number. columns: uint64[A, N]."""
    numbers = np.empty(columns.shape[1], np.int32)
    rows = np.array([row_of.get(attr, -1) for attr in CHARACTER_CONTEXT], np.int64)
    _number(columns, rows, np.array(list(_BITS.values()), np.int64), numbers)
    return numbers


def all_places(row_of: Mapping[str, int]) -> np.ndarray:
    """The reverse: columns uint64[A, 2048] of every number; other attributes are 0."""
    numbers, shift = np.arange(1 << sum(_BITS.values()), dtype=np.uint64), 0
    columns = np.zeros((len(row_of), numbers.size), np.uint64)
    for attr in CHARACTER_CONTEXT:
        if attr in row_of:
            columns[row_of[attr]] = numbers >> np.uint64(shift) & np.uint64((1 << _BITS[attr]) - 1)
        shift += _BITS[attr]
    return columns


def word_table(words: Iterable[str]) -> Table:
    """The dictionary that WORD_BEGIN and its like look words up in. Words of one character say nothing and are left out."""
    known = [word for word in dict.fromkeys(words) if len(word) > 1]
    hash_of = lru_cache(maxsize=None)(lambda char: hash_string(character(char)))
    chars = np.array([hash_of(char) for word in known for char in word], np.uint64)
    table = empty_table(chars.size)
    insert_words(chars, np.cumsum([0, *map(len, known)], dtype=np.int64), table)
    return table


class CharacterContext:
    """Fills the columns of CHARACTER_CONTEXT. words: from :func:`word_table`. Raises ValueError (M127) where words are wanted and missing."""

    needs = ("CHAR",)

    def __init__(self, attributes: Sequence[str], words: Table | None):
        self.attributes = tuple(attributes)
        self.words = words
        wanted = next((attr for attr in attributes if attr in WORD_ATTRIBUTES), None)
        if words is None and wanted:
            raise ValueError(Errors.M127.format(attr=wanted))

    def fill(self, columns: np.ndarray, row_of: Mapping[str, int], starts: np.ndarray) -> None:
        """Write these rows of ``columns`` (uint64[A, N]) from CHAR. starts: int64 borders of sentences."""
        chars = columns[row_of["CHAR"]]
        for distance, attr in enumerate(SAME_ATTRIBUTES, 1):
            if attr in self.attributes:
                compare(chars, starts, distance, columns[row_of[attr]])
        if self.words is not None and any(attr in WORD_ATTRIBUTES for attr in self.attributes):
            rows = [
                columns[row_of[attr]] if attr in self.attributes else np.empty(chars.size, np.uint64)
                for attr in WORD_ATTRIBUTES
            ]
            match_words(chars, starts, self.words, *rows)
