"""A cache of known words: from the characters of a token directly to its ORTH id, without making a string.

A hash selects the slot; a word is only recognized by comparing its characters.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_mtl.kernels import kernel
from spacy_mtl.templates.attributes.breaks import SEED
from spacy_mtl.templates.extract import mix
from spacy_mtl.templates.index import empty_table
from spacy_mtl.true_words import is_kept, true_doc

from .characters import SURROGATES, Tokens, split_words

#: Beyond this number of words the cache is emptied, so that memory stays bounded.
LIMIT = 1 << 18
#: Longer words are not cached, for the same reason.
LONGEST = 64
#: Number of characters that fit into a key, bits per character, and the bit that marks a hash.
_AT_ONCE, _CODE_BITS, _HASHED = 3, np.uint64(21), np.uint64(1 << 63)
#: Of all hashes here, so that no text can have words that were chosen to crowd in the table.
_SEED = np.uint64(SEED)


@kernel
def word_keys(codes, first, last, seed, keys):
    """Set keys[k] (uint64[K]) to a key of each word ``codes[first[k]:last[k]]``. seed: uint64, which nobody who writes a text knows.

    The key of up to three characters is made of their code points and identifies the word. That of a longer word is a hash, with the highest bit set.
    """
    for k in range(keys.size):
        short = last[k] - first[k] <= _AT_ONCE
        key = np.uint64(0) if short else seed + np.uint64(last[k] - first[k])
        for i in range(first[k], last[k]):
            code = np.uint64(codes[i])
            key = key << _CODE_BITS | (code + np.uint64(1)) if short else mix(key, code)
        keys[k] = key if short else key | _HASHED


@kernel
def is_word(row, codes, first, last, words, letters):
    """Whether the word in this row is ``codes[first:last]``."""
    at, n, same = np.int64(words[row, 1]), last - first, 0
    if np.int64(words[row + 1, 1]) - at != n:
        return False
    while same < n and letters[at + same] == codes[first + same]:
        same += 1
    return same == n


@kernel
def find_word(key, codes, first, last, slots, rows, words, letters, seed):
    """The slot of the word, or the free slot where it would go. Long words may share a key."""
    mask = np.uint64(slots.size - 1)
    slot = mix(seed, key) & mask
    while rows[slot] >= 0:
        if slots[slot] == key and (key < _HASHED or is_word(rows[slot], codes, first, last, words, letters)):
            break
        slot = (slot + np.uint64(1)) & mask
    return slot


@kernel
def find_orths(codes, first, last, slots, rows, words, letters, seed, keys, orths):
    """Set orths[k] to the ORTH of token k, 0 if unknown. Returns how many are unknown.

    slots, rows: a hash table of the known words, see :class:`.index.Table`. words: uint64[R + 1, 2], the ORTH of each, and where its characters begin
    in ``letters`` (uint32). seed: that of the table. keys: uint64[K], overwritten with the keys of the tokens.
    """
    word_keys(codes, first, last, seed, keys)
    mask, missing = np.uint64(slots.size - 1), 0
    for k in range(keys.size):
        key = keys[k]
        slot = mix(seed, key) & mask
        while rows[slot] >= 0:  # like find_word, whose calls would count references to its arrays
            if slots[slot] == key and (key < _HASHED or is_word(rows[slot], codes, first[k], last[k], words, letters)):
                break
            slot = (slot + np.uint64(1)) & mask
        row = rows[slot]
        orths[k] = words[row, 0] if row >= 0 else np.uint64(0)
        missing += row < 0
    return missing


@kernel
def enter_words(codes, first, last, keys, orths, slots, rows, words, letters, seed, size):
    """Add the words ``codes[first[k]:last[k]]`` from row ``size`` on, each distinct one once. Returns the new size."""
    for k in range(keys.size):
        slot = find_word(keys[k], codes, first[k], last[k], slots, rows, words, letters, seed)
        if rows[slot] < 0:
            slots[slot], rows[slot] = keys[k], size
            at, n = np.int64(words[size, 1]), last[k] - first[k]
            for i in range(n):  # numba compiles a slice ten times as long, for a message about sizes
                letters[at + i] = codes[first[k] + i]
            words[size, 0], words[size + 1, 1] = orths[k], at + n
            size += 1
    return size


class OtherTextError(Exception):
    """The string store has another text under the id of a word."""


class WordOrths:
    """ORTH ids of the words seen so far with a vocabulary. Not used in memory zones, since strings added in a zone are gone after it."""

    def __init__(self, vocab: Vocab):
        self.vocab = vocab
        self._lock = threading.Lock()
        self._clear(1 << 12)

    def __reduce__(self) -> tuple:
        """Pickle an empty cache: copies and other processes fill their own."""
        return WordOrths, (self.vocab,)

    def _clear(self, room: int) -> None:
        self._table = empty_table(room)
        self._words = np.zeros((room + 1, 2), np.uint64)
        self._letters = np.empty(2 * room, np.uint32)
        self._size = self._n_strings = 0

    def _met(self) -> tuple[np.ndarray, ...]:
        """Slots, rows, words, letters and seed as in :func:`find_orths`."""
        return *self._table, self._words, self._letters, _SEED

    def _find(self, codes: np.ndarray, tokens: Tokens) -> tuple[np.ndarray, np.ndarray, int]:
        keys, orths = np.empty(tokens.first.size, np.uint64), np.empty(tokens.first.size, np.uint64)
        missing = find_orths(codes, tokens.first, tokens.last, *self._met(), keys, orths)
        return keys, orths, missing

    def orths(self, text: str, codes: np.ndarray, tokens: Tokens) -> np.ndarray:
        """ORTHs uint64[K] of the tokens of ``text``; codes: uint32[M], the same text as code points. New words are added to the vocabulary.

        Raises OtherTextError.
        """
        with self._lock:
            return self._orths(text, codes, tokens)

    def _orths(self, text: str, codes: np.ndarray, tokens: Tokens) -> np.ndarray:
        self._check_strings()
        keys, orths, missing = self._find(codes, tokens)
        if missing:
            self._add(text, orths, keys, tokens.first, tokens.last)
        return orths

    def _check_strings(self) -> None:
        n_strings = len(self.vocab.strings)
        if n_strings < self._n_strings:  # another string store has been loaded
            self._clear(1 << 12)
        self._n_strings = n_strings

    def _add(self, text: str, orths: np.ndarray, keys: np.ndarray, first: np.ndarray, last: np.ndarray) -> None:
        """Fill in the unknown ORTHs. All arrays have one number per token. Raises OtherTextError."""
        new = np.flatnonzero(orths == 0)
        words = [text[a:b] for a, b in zip(first[new].tolist(), last[new].tolist(), strict=True)]
        strings = self.vocab.strings
        found = [strings.add(word) for word in words]
        if not all(map(is_kept, [strings] * len(words), words, found)):
            raise OtherTextError
        orths[new] = found
        kept = [k for k, word in enumerate(words) if len(word) <= LONGEST]
        self._enter([words[k] for k in kept], keys[new[kept]], orths[new[kept]])
        self._n_strings = len(self.vocab.strings)

    def _enter(self, words: Sequence[str], keys: np.ndarray, orths: np.ndarray) -> None:
        """Add words with their keys and ORTHs, uint64[n] each."""
        if self._size + len(words) >= len(self._words):
            self._grow(self._size + len(words))
        codes = np.frombuffer("".join(words).encode("utf-32-le", SURROGATES), np.uint32).copy()
        borders = np.cumsum([0, *map(len, words)], dtype=np.int64)
        self._enter_codes(codes, borders[:-1], borders[1:], keys, orths)

    def _enter_codes(
        self, codes: np.ndarray, first: np.ndarray, last: np.ndarray, keys: np.ndarray, orths: np.ndarray
    ) -> None:
        wanted = int(self._words[self._size, 1]) + codes.size
        if wanted > self._letters.size:
            self._letters = np.concatenate([self._letters, np.empty(wanted, np.uint32)])
        self._size = enter_words(codes, first, last, keys, orths, *self._met(), self._size)

    def _grow(self, wanted: int) -> None:
        """Grow the cache to hold ``wanted`` words, or, beyond the limit, empty it and keep space for the new words."""
        slots = np.flatnonzero(self._table.rows >= 0)
        rows, keys, words, letters = self._table.rows[slots], self._table.slots[slots], self._words, self._letters
        room = 1 << int(wanted - 1).bit_length()
        if room <= LIMIT:
            self._clear(room)
            borders = words[:, 1].astype(np.int64)
            self._enter_codes(letters, borders[rows], borders[rows + 1], keys, words[rows, 0])
        else:
            self._clear(max(LIMIT, 1 << int(wanted - self._size - 1).bit_length()))

    def doc(self, text: str, cut: Callable[[tuple], tuple[np.ndarray, np.ndarray, int]]) -> Doc | None:
        """Make a Doc of the tokens that ``cut`` finds in the text, see :func:`.cut_text.cut_text`.

        None if the text has a new character or a word that the string store cannot hold, in a memory zone, and while another thread is in this
        method.
        """
        if self.vocab.in_memory_zone or not self._lock.acquire(blocking=False):  # type: ignore[attr-defined]
            return None
        try:
            self._check_strings()
            found, space, missing = cut(self._met())
            if missing < 0:
                return None
            if missing:
                self._add(text, *found)
        except OtherTextError:
            return None
        finally:
            self._lock.release()
        return Doc(self.vocab, words=found[0].tolist(), spaces=space.tolist())

    def docs(self, texts: Sequence[str], codes: np.ndarray, tokens: Tokens) -> Iterator[Doc]:
        """Make a Doc of each text. Raises ValueError (M426)."""
        orths = None if self.vocab.in_memory_zone else self._orths_of(texts, codes, tokens)  # type: ignore[attr-defined]
        if orths is None:
            for words, spaces in split_words(texts, tokens):
                yield true_doc(self.vocab, words, spaces)
            return
        found, after = orths.tolist(), tokens.space.tolist()
        for a, b in pairwise(tokens.texts.tolist()):
            yield Doc(self.vocab, words=found[a:b], spaces=after[a:b])

    def _orths_of(self, texts: Sequence[str], codes: np.ndarray, tokens: Tokens) -> np.ndarray | None:
        """As :meth:`orths`; None if the string store cannot hold one of the words."""
        try:
            return self.orths(texts[0] if len(texts) == 1 else "".join(texts), codes, tokens)
        except OtherTextError:
            return None
