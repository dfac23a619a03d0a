"""A cache of known words: from the characters of a token directly to its ORTH id, without making a string."""

import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_mtl.kernels import kernel
from spacy_mtl.templates.extract import mix
from spacy_mtl.templates.index import empty_table, find, first_slot

from .characters import Tokens, split_words

#: Beyond this number of words the cache is emptied, so that memory stays bounded.
LIMIT = 1 << 18


@kernel
def find_orths(codes, first, last, slots, rows, known, keys, orths):
    """Set orths[k] to the ORTH of token k, 0 if unknown, and keys[k] (uint64[K]) to the hash of its characters. Returns how many are unknown."""
    mask, missing = np.uint64(slots.size - 1), 0
    for k in range(first.size):
        key = np.uint64(last[k] - first[k])
        for i in range(first[k], last[k]):
            key = mix(key, np.uint64(codes[i]))
        keys[k] = key
        slot = first_slot(key, mask)
        while rows[slot] >= 0 and slots[slot] != key:
            slot = (slot + np.uint64(1)) & mask
        row = rows[slot]
        orths[k] = known[row] if row >= 0 else np.uint64(0)
        missing += row < 0
    return missing


@kernel
def enter_orths(table, keys, orths, known, size):
    """Add tokens from row ``size`` on, each distinct one once. Returns the new size."""
    for k in range(keys.size):
        slot = find(table, keys[k])
        if table.rows[slot] < 0:
            table.slots[slot], table.rows[slot] = keys[k], size
            known[size] = orths[k]
            size += 1
    return size


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
        self._known = np.zeros(room, np.uint64)
        self._size = self._n_strings = 0

    def _find(self, codes: np.ndarray, tokens: Tokens) -> tuple[np.ndarray, np.ndarray, int]:
        keys, orths = np.empty(tokens.first.size, np.uint64), np.empty(tokens.first.size, np.uint64)
        missing = find_orths(codes, tokens.first, tokens.last, *self._table, self._known, keys, orths)
        return keys, orths, missing

    def orths(self, text: str, codes: np.ndarray, tokens: Tokens) -> np.ndarray:
        """ORTHs uint64[K] of the tokens of ``text``; codes: uint32[M], the same text as code points. New words are added to the vocabulary."""
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
        """Fill in the unknown ORTHs. All arrays have one number per token."""
        new = np.flatnonzero(orths == 0)
        add = self.vocab.strings.add
        orths[new] = [add(text[a:b]) for a, b in zip(first[new].tolist(), last[new].tolist(), strict=True)]
        self._enter(keys[new], orths[new])
        self._n_strings = len(self.vocab.strings)

    def _enter(self, keys: np.ndarray, orths: np.ndarray) -> None:
        if self._size + keys.size > self._known.size:
            self._grow(self._size + keys.size)
        self._size = enter_orths(self._table, keys, orths, self._known, self._size)

    def _grow(self, wanted: int) -> None:
        """Grow the cache to hold ``wanted`` words, or, beyond the limit, empty it and keep space for the new words."""
        rows = np.flatnonzero(self._table.rows >= 0)
        keys, known = self._table.slots[rows], self._known[self._table.rows[rows]]
        room = 1 << int(wanted - 1).bit_length()
        if room <= LIMIT:
            self._clear(room)
            self._size = enter_orths(self._table, keys, known, self._known, 0)
        else:
            self._clear(max(LIMIT, 1 << int(wanted - self._size - 1).bit_length()))

    def doc(self, text: str, cut: Callable[[tuple], tuple[np.ndarray, np.ndarray, int]]) -> Doc | None:
        """Make a Doc of the tokens that ``cut`` finds in the text, see :func:`.cut_text.cut_text`.

        None if the text has a new character, in a memory zone, and while another thread is in this method.
        """
        if self.vocab.in_memory_zone or not self._lock.acquire(blocking=False):  # type: ignore[attr-defined]
            return None
        try:
            self._check_strings()
            found, space, missing = cut((*self._table, self._known))
            if missing < 0:
                return None
            if missing:
                self._add(text, *found)
        finally:
            self._lock.release()
        return Doc(self.vocab, words=found[0].tolist(), spaces=space.tolist())

    def docs(self, texts: Sequence[str], codes: np.ndarray, tokens: Tokens) -> Iterator[Doc]:
        """Make a Doc of each text."""
        if self.vocab.in_memory_zone:  # type: ignore[attr-defined]
            for words, spaces in split_words(texts, tokens):
                yield Doc(self.vocab, words=words, spaces=spaces)
            return
        text = texts[0] if len(texts) == 1 else "".join(texts)
        orths, spaces = self.orths(text, codes, tokens).tolist(), tokens.space.tolist()
        for a, b in pairwise(tokens.texts.tolist()):
            yield Doc(self.vocab, words=orths[a:b], spaces=spaces[a:b])
