"""From text to characters and back: code points, their split at white space, and words with their spaces as a Doc needs them."""

import threading
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np
from spacy.attrs import IDX, ORTH, SPACY
from spacy.strings import hash_string  # type: ignore[attr-defined]
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_mtl.distinct import distinct
from spacy_mtl.kernels import kernel
from spacy_mtl.templates.attributes.characters import character

#: Properties of a character that decide whether it joins its neighbours, as bits.
SPACE, LETTER, DIGIT, POINT, EXTENDS, BINDS = 1, 2, 4, 8, 16, 32
_BLANK = 32
_JOINER, _SKIN_TONES = 0x200D, range(0x1F3FB, 0x1F400)
_N_CODES = 0x110000
SURROGATES = "surrogatepass"


class Characters(NamedTuple):
    """The N characters of a list of texts, one text after another, without white space.

    codes: uint32[M], all code points, including white space. ids: int32[M], their rows of the :class:`CharacterTable`. at: int64[N], the positions
    of the characters in ``codes``. starts: int64[S + 1], borders of sentences among the characters: a sentence ends at white space or at the end of a
    text. texts: int64[D + 1], borders of the texts in ``codes``.
    """

    codes: np.ndarray
    ids: np.ndarray
    at: np.ndarray
    starts: np.ndarray
    texts: np.ndarray


class Tokens(NamedTuple):
    """The K tokens of a list of texts.

    first, last: int64[K], token k is ``codes[first[k]:last[k]]``. space: bool[K], whether a space follows. texts: int64[D + 1], borders of the texts.
    """

    first: np.ndarray
    last: np.ndarray
    space: np.ndarray
    texts: np.ndarray


def kind_of(char: str) -> int:
    """The property bits of a character."""
    category, code = unicodedata.category(char), ord(char)
    if category[0] == "M" or code == _JOINER or code in _SKIN_TONES:
        return EXTENDS | (BINDS if code == _JOINER else 0)
    kind = SPACE * char.isspace() | LETTER * (category in ("Lu", "Ll", "Lt")) | DIGIT * (category == "Nd")
    return kind | POINT * (char in ".．")


@kernel
def number_codes(codes, row_of, ids):
    """Set ids[i] to the row of codes[i], -1 for none, and return how many have none. row_of: of the :class:`CharacterTable`."""
    missing = 0
    for i in range(codes.size):
        ids[i] = row_of[codes[i]] - 1
        missing += ids[i] < 0
    return missing


@kernel
def scan(ids, kinds, texts):
    """Compute ``at`` and ``starts`` of :class:`Characters`."""
    at, starts = np.empty(ids.size, np.int64), np.empty(ids.size + 1, np.int64)
    n = n_starts = 0
    for d in range(texts.size - 1):
        apart = True
        for i in range(texts[d], texts[d + 1]):
            if kinds[ids[i]] & SPACE:
                apart = True
                continue
            if apart:
                starts[n_starts] = n
                n_starts += 1
                apart = False
            at[n] = i
            n += 1
    starts[n_starts] = n
    return at[:n].copy(), starts[: n_starts + 1].copy()


@kernel
def join_runs(ids, kinds, at, starts, joined):
    """Set joined[t] to whether no word may begin at t: inside a run of letters, inside a number, or at a combining mark."""
    runs = LETTER | DIGIT
    for s in range(starts.size - 1):
        # kinds of the previous character, of the last one that is not a mark, and of the one before a decimal point
        before = base = point = 0
        for t in range(starts[s], starts[s + 1]):
            kind = kinds[ids[at[t]]]
            if kind & EXTENDS:
                joined[t] = t > starts[s]
                before = kind
                continue
            joined[t] = (
                (kind & base & runs) != 0 or (before & BINDS) != 0 or (base & POINT and kind & point & runs) != 0
            )
            following = kinds[ids[at[t + 1]]] if t + 1 < starts[s + 1] else 0
            inner = kind & POINT and base & following & runs
            joined[t] |= inner != 0
            point = base if inner else 0
            before = base = kind


@kernel
def token_borders(codes, ids, kinds, texts, at, begins):
    """The fields of :class:`Tokens` for words that begin at ``begins`` (bool[N]) and the white space between them."""
    first, last = np.empty(codes.size, np.int64), np.empty(codes.size, np.int64)
    space = np.zeros(codes.size, np.bool_)
    borders = np.zeros(texts.size, np.int64)
    k = t = 0
    for d in range(texts.size - 1):
        in_word = in_space = False
        for i in range(texts[d], texts[d + 1]):
            if kinds[ids[i]] & SPACE:
                if in_word and codes[i] == _BLANK:  # belongs to the word
                    space[k - 1] = True
                    in_word = in_space = False
                    continue
                begin, in_word = not in_space, False
                in_space = True
            else:
                begin = not in_word or begins[t]
                in_word, in_space = True, False
                t += 1
            if begin:
                first[k] = i
                k += 1
            last[k - 1] = i + 1
        borders[d + 1] = k
    return first[:k].copy(), last[:k].copy(), space[:k].copy(), borders


class CharacterTable:
    """A table of all characters seen so far, one row each.

    orths: uint64, their ids in spaCy. normal: uint64, the ids of their normalised forms. kinds: uint8, their property bits. row_of: int32, one more
    than the row of each code point, 0 for none: what is left at 0 of so large a table takes no memory.
    vocab: a vocabulary of these characters only, with the lexical attributes of ``like``; it outlives any memory zone.
    """

    def __init__(self, like: Vocab):
        self._like = like
        self.vocab = Vocab(lex_attr_getters=like.lex_attr_getters)  # type: ignore[attr-defined]
        self.orths = np.empty(0, np.uint64)
        self.normal = np.empty(0, np.uint64)
        self.kinds = np.empty(0, np.uint8)
        self.row_of = np.zeros(_N_CODES, np.int32)
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple:
        """Pickle an empty table: copies and other processes fill their own."""
        return CharacterTable, (self._like,)

    def read(self, texts: Sequence[str]) -> Characters:
        """The characters of a list of texts; new ones are added to the table."""
        codes = np.frombuffer("".join(texts).encode("utf-32-le", SURROGATES), np.uint32).copy()
        borders = np.array([0, *accumulate(map(len, texts))], np.int64)
        ids = np.empty(codes.size, np.int32)
        if number_codes(codes, self.row_of, ids):
            with self._lock:  # two threads may see the same new character
                self._add(distinct(codes[self.row_of[codes] == 0]))
            number_codes(codes, self.row_of, ids)
        at, starts = scan(ids, self.kinds, borders)
        return Characters(codes, ids, at, starts, borders)

    def _add(self, codes: np.ndarray) -> None:
        chars = [chr(code) for code in codes.tolist()]
        rows = np.arange(self.orths.size, self.orths.size + codes.size, dtype=np.int32)
        normal = np.array([hash_string(character(c)) for c in chars], np.uint64)
        self.normal = np.concatenate([self.normal, normal])  # before the orths, which say how many there are
        self.orths = np.concatenate([self.orths, np.array([self.vocab.strings.add(c) for c in chars], np.uint64)])
        self.kinds = np.concatenate([self.kinds, np.array([kind_of(c) for c in chars], np.uint8)])
        self.row_of[codes] = rows + 1

    def given(self, chars: Characters) -> np.ndarray:
        """The input column of the templates, ORTH: uint64[1, N]."""
        return self.orths[chars.ids[chars.at]][None, :]

    def joined(self, chars: Characters) -> np.ndarray:
        """Where no word may begin, bool[N], so that Latin words, numbers and characters of several code points stay whole."""
        joined = np.zeros(chars.at.size, np.bool_)
        join_runs(chars.ids, self.kinds, chars.at, chars.starts, joined)
        return joined

    def tokens(self, chars: Characters, begins: np.ndarray) -> Tokens:
        """The tokens: words begin where ``begins`` (bool[N]) is true and after white space.

        As in spaCy, a single space after a word belongs to it, and any other white space is a token of its own.
        """
        return Tokens(*token_borders(chars.codes, chars.ids, self.kinds, chars.texts, chars.at, begins))


def doc_text(doc: Doc) -> str:
    """The text of a Doc; if its spaces are unknown, its words without spaces."""
    if doc.has_unknown_spaces or not doc.to_array([SPACY]).any():  # faster than doc.text, which creates every token
        return "".join(map(doc.vocab.strings.__getitem__, doc.to_array([ORTH]).tolist()))
    return doc.text


def word_offsets(doc: Doc) -> np.ndarray:
    """Offsets int64[n + 1] of the tokens in :func:`doc_text`, and the length of that text."""
    if doc.has_unknown_spaces or not len(doc):
        return np.cumsum([0, *(len(token.text) for token in doc)], dtype=np.int64)
    return np.append(doc.to_array([IDX]).astype(np.int64), doc[-1].idx + len(doc[-1].text_with_ws))


def number_characters(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Number the distinct normalised characters of a text (codes: uint32[N]).

    Returns their code points uint32[n], ascending, and for each character of the text its number among them, int64[N].
    """
    distinct, number = np.unique(codes, return_inverse=True)
    normal = np.array([ord(character(chr(code))) for code in distinct.tolist()], np.uint32)
    chars, among = np.unique(normal, return_inverse=True)
    return chars, among[number]


def split_words(texts: Sequence[str], tokens: Tokens) -> Iterator[tuple[list[str], list[bool]]]:
    """For each text, its tokens and whether a space follows each, as needed to make a Doc."""
    text, borders, spaces = "".join(texts), tokens.texts.tolist(), tokens.space.tolist()
    words = [text[a:b] for a, b in zip(tokens.first.tolist(), tokens.last.tolist(), strict=True)]
    for a, b in pairwise(borders):
        yield words[a:b], spaces[a:b]
