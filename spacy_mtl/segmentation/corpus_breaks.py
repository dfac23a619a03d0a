"""How often a word border falls between two given characters in a training corpus: the table behind the attribute BREAK.

As with the dictionary (see :mod:`.corpus_words`), each fold of the corpus only knows the counts of the other folds, so that training also sees
unknown pairs.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from spacy.strings import hash_string  # type: ignore[attr-defined]
from spacy.tokens import Doc

from spacy_mtl.learning.streamed import Corpus
from spacy_mtl.stored.fault import StoredValueError
from spacy_mtl.stored.values import texts
from spacy_mtl.templates.attributes.breaks import SHARES, BreakTable, break_table, value_of

from .characters import CharacterTable, doc_text, number_characters, word_offsets

#: A pair must occur this often to get a value.
OFTEN = 3
_N_VALUES = len(SHARES) + 2


class BreakCounts(NamedTuple):
    """R pairs of characters, uint32[R, 2]; how often each occurs in each fold, int64[R, folds], and with a border, float64[R, folds]."""

    pairs: np.ndarray
    times: np.ndarray
    apart: np.ndarray


class CorpusBreaks:
    """Counts of the pairs of neighbouring characters in a number of sentences.

    codes: uint32[N], code points. begins: bool[N], where words begin. starts: int64[S + 1], sentence borders. folds: int64[S], of each sentence.
    """

    def __init__(self, codes: np.ndarray, begins: np.ndarray, starts: np.ndarray, folds: np.ndarray, n_folds: int):
        chars, numbers = number_characters(codes)
        inner = np.ones(codes.size + 1, bool)
        inner[starts] = False
        at = np.flatnonzero(inner[:-1])
        found, pair = np.unique(numbers[at - 1] * chars.size + numbers[at], return_inverse=True)
        #: Code points of each pair, uint32[R, 2].
        self.pairs = chars[np.stack(np.divmod(found, max(chars.size, 1)), axis=1)]
        cell = pair * n_folds + np.repeat(folds, np.diff(starts))[at]
        shape = len(self.pairs), n_folds
        self._times = np.bincount(cell, minlength=shape[0] * n_folds).reshape(shape)
        self._apart = np.bincount(cell, weights=begins[at], minlength=shape[0] * n_folds).reshape(shape)

    def counted(self) -> BreakCounts:
        """The pairs and their counts in each fold."""
        return BreakCounts(self.pairs, self._times, self._apart)

    def join(self, shards: Sequence[BreakCounts]) -> None:
        """Let the pairs and counts be those of all shards of a corpus, this one among them. A fold is the fold of that number of each."""
        pairs = np.concatenate([shard.pairs for shard in shards])
        self.pairs, row = np.unique(pairs, axis=0, return_inverse=True)
        times, apart = (np.concatenate([shard[k] for shard in shards]) for k in (1, 2))
        self._times, self._apart = (np.zeros((len(self.pairs), times.shape[1]), each.dtype) for each in (times, apart))
        np.add.at(self._times, row.ravel(), times)
        np.add.at(self._apart, row.ravel(), apart)

    def table(self) -> BreakTable:
        """The table for training, where each fold is a part that only knows the counts of the others."""
        times, apart = (n.sum(axis=1, keepdims=True) - n for n in (self._times, self._apart))
        return break_table(_hashes(self.pairs), value_of(apart, times, OFTEN))

    def written(self) -> list[str]:
        """For each value of BREAK, its pairs of characters as one string; :func:`table_of` reads them."""
        values = value_of(self._apart.sum(axis=1), self._times.sum(axis=1), OFTEN)
        return ["", *(_text(self.pairs[values == value]) for value in range(1, _N_VALUES))]


def _hashes(codes: np.ndarray) -> np.ndarray:
    """spaCy's ids (uint64) of the characters with these code points (uint32, any shape), all distinct."""
    distinct, number = np.unique(codes, return_inverse=True)
    hashes = np.array([hash_string(chr(code)) for code in distinct.tolist()], np.uint64)
    return hashes[number].reshape(codes.shape)


def _text(pairs: np.ndarray) -> str:
    return np.ascontiguousarray(pairs, "<u4").tobytes().decode("utf-32-le")


def count_breaks(references: Corpus[Doc], characters: CharacterTable, folds: np.ndarray, n_folds: int) -> CorpusBreaks:
    """Count the word borders in the references, where white space separates sentences. folds: int64[D], the fold of each reference."""
    chars = characters.read([doc_text(doc) for doc in references])
    begins = np.zeros(chars.codes.size + 1, bool)
    for doc, a in zip(references, chars.texts[:-1].tolist(), strict=True):
        begins[a + word_offsets(doc)] = True
    n_sentences = np.diff(np.searchsorted(chars.starts, np.searchsorted(chars.at, chars.texts)))
    return CorpusBreaks(chars.codes[chars.at], begins[chars.at], chars.starts, np.repeat(folds, n_sentences), n_folds)


def table_of(written: Sequence[str]) -> BreakTable:
    """The table of BREAK from the strings of :meth:`CorpusBreaks.written`."""
    codes = [np.frombuffer(text.encode("utf-32-le"), "<u4") for text in written]
    pairs = np.concatenate([np.empty(0, np.uint32), *codes]).reshape(-1, 2)
    values = np.repeat(np.arange(len(written), dtype=np.uint8), [code.size // 2 for code in codes])
    return break_table(_hashes(pairs), values)


def check_written(written: Any, name: str) -> list[str]:
    """Check the strings of :meth:`CorpusBreaks.written` in a file, none where no template reads BREAK. Raises StoredValueError."""
    if len(texts(written, name)) > _N_VALUES:
        raise StoredValueError(f"{name} has pairs for {len(written)} values, not {_N_VALUES}")
    if any(len(pairs) % 2 for pairs in written):
        raise StoredValueError(f"{name} has half a pair of characters")
    return written
