"""Attributes of characters, for templates of word segmentation.

Two depend on the character alone: CHAR, its normalised form (full width and half width are the same), and CHAR_CLASS, a few classes that matter
for words. The others depend on its context:

===========  ==============================================================================================================
SAME_1       whether it equals the character before it; SAME_2: the character two before it
WORD_BEGIN   length of the longest dictionary word that begins here (2 to 5, where 5 stands for longer words too; 0 for none);
             WORD_END: of the longest that ends here; WORD_INSIDE: of the longest with this character neither first nor last
BREAK        how often there is a word border between the character before it and this one, see :mod:`.breaks`
===========  ==============================================================================================================
"""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from spacy.strings import hash_string  # type: ignore[attr-defined]

from spacy_mtl.errors import Errors
from spacy_mtl.kernels import kernel
from spacy_mtl.templates.extract import mix
from spacy_mtl.templates.index import empty_table

from .breaks import free_slots, mark_breaks, no_breaks

SAME_ATTRIBUTES = ("SAME_1", "SAME_2")
WORD_ATTRIBUTES = ("WORD_BEGIN", "WORD_END", "WORD_INSIDE")
BREAK = "BREAK"
CHARACTER_CONTEXT = (*SAME_ATTRIBUTES, *WORD_ATTRIBUTES, BREAK)
#: Attributes that need a training corpus; their values are at most 7.
OF_CORPUS = (*WORD_ATTRIBUTES, BREAK)

#: The part of a table, :attr:`WordTable.known`, that tells the user's words.
USERS = 1
#: Length that stands for all longer words too.
LONGEST_TOLD = 5
#: Longer words are not in the dictionary, so that the time per character of a text has a limit.
LONGEST_WORD = 64
ONE_PART = np.empty(0, np.int64)
#: No slot of a table.
NOTHING = np.uint64(1 << 63)
_CLASSES = {
    "numeral": "〇○零一二三四五六七八九十百千万亿兆两廿卅壹贰叁肆伍陆柒捌玖拾佰仟萬億兩",
    "date": "年月日时時分秒",
}
_CLASS_OF = {char: name for name, chars in _CLASSES.items() for char in chars}


def character(text: str) -> str:
    """A character's normalised form: NFKC if that is a single character (``Ａ`` -> ``A``, ``，`` -> ``,``), otherwise itself."""
    normal = unicodedata.normalize("NFKC", text)
    return normal if len(normal) == 1 else text


def char_type(text: str) -> str:
    """The Unicode categories of the characters, with repetitions collapsed: ``"Abc12"`` -> ``"LuLlNd"``, a Han character -> ``"Han"``."""
    if text.isascii() and text.isalpha() and (text.islower() or text.istitle()):  # most words, a third of the time
        return "Ll" if text.islower() else "Lu" if len(text) == 1 else "LuLl"
    types: list[str] = []
    for char in text:
        kind = "Han" if "一" <= char <= "鿿" or "㐀" <= char <= "䶿" else unicodedata.category(char)
        if not types or types[-1] != kind:
            types.append(kind)
    return "".join(types)


def character_class(text: str) -> str:
    """The class of a character: digit, numeral (一, 百 ...), date (年, 月 ...), latin, han, kana, space, punct, or its Unicode category."""
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


class WordTable(NamedTuple):
    """A dictionary of W words.

    slots (uint64[cap + 1, 2]) and rows (int32[cap]): a hash table of the prefixes of words. A slot has the last character of a prefix and the
    slot of the prefix before it, ``NOTHING`` if that is empty; row -1 is free, 0 a prefix only, k > 0 word k. cap: a power of 2. The last row of
    slots is (seed, 0), see :data:`.breaks.SEED`.
    known: bool[W + 1, K], whether each word is in the dictionary of each of K parts of a corpus.
    """

    slots: np.ndarray
    rows: np.ndarray
    known: np.ndarray


@kernel
def find_beginning(slots, rows, before, char):
    """The slot of the prefix that continues the one in slot ``before`` with this character, or the free slot where it would go."""
    mask = np.uint64(rows.size - 1)
    slot = mix(slots[rows.size, 0] ^ before, char) & mask
    while rows[slot] >= 0 and (slots[slot, 0] != char or slots[slot, 1] != before):
        slot = (slot + np.uint64(1)) & mask
    return slot


@kernel
def insert_word(chars, slots, rows, number):
    """Add a word (uint64[n] characters) and its prefixes. Returns its row, ``number`` if it is new, and how many slots have been taken.

    The slot is filled before its row says so: other threads may be reading the table.
    """
    slot, taken = NOTHING, 0
    for k in range(chars.size):
        before, slot = slot, find_beginning(slots, rows, slot, chars[k])
        if rows[slot] < 0:
            slots[slot, 0], slots[slot, 1] = chars[k], before
            rows[slot] = 0
            taken += 1
    if rows[slot] == 0:
        rows[slot] = number
    return rows[slot], taken


@kernel
def insert_words(chars, borders, slots, rows):
    """Add distinct words: word i + 1 is ``chars[borders[i]:borders[i + 1]]`` (uint64[M]). Returns how many slots have been taken."""
    taken = 0
    for i in range(borders.size - 1):
        taken += insert_word(chars[borders[i] : borders[i + 1]], slots, rows, i + 1)[1]
    return taken


@kernel
def match_words(chars, starts, parts, words, begin, end, inside, collect):
    """Fill in WORD_BEGIN, WORD_END and WORD_INSIDE of every position, uint64[N] each. Matches do not cross the borders in ``starts``.

    parts: int64[S], the part of the corpus of each sentence, or int64[0] if all are in the first. collect: not None to return the occurrences of the
    user's words, too; what is None is not compiled. These are first character and length of each, int64[K] both, by the first and then by the length.
    """
    begin[:] = 0
    end[:] = 0
    inside[:] = 0
    slots, rows = words.slots, words.rows
    size, n = 0, 0
    if collect is not None:
        size = chars.size
    first, length = np.empty(size, np.int64), np.empty(size, np.int64)
    for s in range(starts.size - 1):
        part = parts[s] if parts.size else 0
        for t in range(starts[s], starts[s + 1]):
            slot = NOTHING
            longest = 0
            for u in range(t, starts[s + 1]):
                slot = find_beginning(slots, rows, slot, chars[u])
                word = rows[slot]
                if word < 0:
                    break
                if collect is not None and word > 0 and words.known[word, USERS]:
                    if n == first.size:
                        first, length = np.concatenate((first, first)), np.concatenate((length, length))
                    first[n], length[n] = t, u - t + 1
                    n += 1
                if word > 0 and words.known[word, part] and u > t:
                    longest = u - t + 1
                    told = np.uint64(min(longest, LONGEST_TOLD))
                    end[u] = max(end[u], told)
            told = np.uint64(min(longest, LONGEST_TOLD))
            begin[t] = told
            for u in range(t + 1, t + longest - 1):
                inside[u] = max(inside[u], told)
    return first[:n].copy(), length[:n].copy()


@kernel
def compare(chars, starts, distance, out):
    """Set out[t] to whether the character equals the one ``distance`` positions before it."""
    for s in range(starts.size - 1):
        for t in range(starts[s], starts[s + 1]):
            out[t] = np.uint64(t - distance >= starts[s] and chars[t] == chars[t - distance])


#: Number of bits for the value of each context attribute.
ATTRIBUTE_BITS = dict.fromkeys(SAME_ATTRIBUTES, 1) | dict.fromkeys(OF_CORPUS, 3)


@kernel
def number_places(columns, rows, bits, out):
    """Pack the values in these rows (-1 for a missing row) into one number out[t], with ``bits`` bits for each."""
    for t in range(out.size):
        number, shift = 0, 0
        for k in range(rows.size):
            if rows[k] >= 0:
                number |= np.int64(columns[rows[k], t]) << shift
            shift += bits[k]
        out[t] = number


def place_bits(row_of: Mapping[str, int]) -> np.ndarray:
    """The number of bits that each attribute of CHARACTER_CONTEXT takes in a packed number, int64[6]: none if it is not read."""
    return np.array([ATTRIBUTE_BITS[attr] if attr in row_of else 0 for attr in CHARACTER_CONTEXT], np.int64)


def place_numbers(columns: np.ndarray, row_of: Mapping[str, int]) -> np.ndarray:
    """The context attributes of each character packed into one number, int32[N], of :func:`place_bits`. columns: uint64[A, N]."""
    numbers = np.empty(columns.shape[1], np.int32)
    rows = np.array([row_of.get(attr, -1) for attr in CHARACTER_CONTEXT], np.int64)
    number_places(columns, rows, place_bits(row_of), numbers)
    return numbers


def all_places(row_of: Mapping[str, int]) -> np.ndarray:
    """The inverse of :func:`place_numbers`: columns uint64[A, n] of every possible number, at most 16,384; other attributes are 0."""
    bits = place_bits(row_of)
    numbers, shift = np.arange(1 << int(bits.sum()), dtype=np.uint64), 0
    columns = np.zeros((len(row_of), numbers.size), np.uint64)
    for attr, n_bits in zip(CHARACTER_CONTEXT, bits.tolist(), strict=True):
        if attr in row_of:
            columns[row_of[attr]] = numbers >> np.uint64(shift) & np.uint64((1 << n_bits) - 1)
        shift += n_bits
    return columns


def characters_of(words: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """CHAR of the characters of words, uint64[M], and the borders of the words among them, int64[n + 1]."""
    codes = np.frombuffer("".join(words).encode("utf-32-le", "surrogatepass"), np.uint32)
    distinct, number = np.unique(codes, return_inverse=True)
    hashes = np.array([hash_string(character(chr(code))) for code in distinct.tolist()], np.uint64)
    return hashes[number], np.cumsum([0, *map(len, words)], dtype=np.int64)


def can_be_in_table(word: str) -> bool:
    """Whether a word is in dictionaries: one of a single character carries no information, and very long ones take too long to match."""
    return 1 < len(word) <= LONGEST_WORD


def word_table(words: Iterable[str], known: np.ndarray | None = None) -> WordTable:
    """Make the dictionary for WORD_BEGIN, WORD_END and WORD_INSIDE. Words of one character, or of more than LONGEST_WORD, are left out.

    known: bool[n, K], whether each of ``words`` is in the dictionary of each of K parts; None for a single part with all words.
    """
    rows = {word: i for i, word in enumerate(words) if can_be_in_table(word)}
    chars, borders = characters_of(list(rows))
    free = empty_table(chars.size).rows
    slots = free_slots(free.size)
    if rows:  # most components have none, and need not wait until this is compiled
        insert_words(chars, borders, slots, free)
    chosen = np.ones((len(rows), 1), bool) if known is None else known[list(rows.values())]
    return WordTable(slots, free, np.concatenate([np.zeros((1, chosen.shape[1]), bool), chosen]))


class CharacterContext:
    """Fills the columns of CHARACTER_CONTEXT.

    words: from :func:`word_table`, or None if the component cannot learn from a corpus; an attribute that needs it then raises ValueError (M127).
    Attributes to be set later: breaks, from :func:`.breaks.break_table`; parts, the part of the corpus of each sentence, see :func:`match_words`.
    """

    needs = ("CHAR",)

    def __init__(self, attributes: Sequence[str], words: WordTable | None):
        self.attributes = tuple(attributes)
        self.parts = ONE_PART
        self.words = words
        self.breaks = no_breaks()
        wanted = next((attr for attr in attributes if attr in OF_CORPUS), None)
        if words is None and wanted:
            raise ValueError(Errors.M127.format(attr=wanted))

    @property
    def wants_words(self) -> bool:
        """Whether an attribute needs the dictionary."""
        return any(attr in WORD_ATTRIBUTES for attr in self.attributes)

    def fill(self, columns: np.ndarray, row_of: Mapping[str, int], starts: np.ndarray) -> None:
        """Compute the context rows of ``columns`` (uint64[A, N]) from CHAR. starts: int64, sentence borders."""
        chars = columns[row_of["CHAR"]]
        for distance, attr in enumerate(SAME_ATTRIBUTES, 1):
            if attr in self.attributes:
                compare(chars, starts, distance, columns[row_of[attr]])
        if self.words is not None and self.wants_words:
            rows = [
                columns[row_of[attr]] if attr in self.attributes else np.empty(chars.size, np.uint64)
                for attr in WORD_ATTRIBUTES
            ]
            match_words(chars, starts, self.parts, self.words, *rows, None)
        if BREAK in self.attributes:
            mark_breaks(chars, starts, self.parts, self.breaks, columns[row_of[BREAK]])
