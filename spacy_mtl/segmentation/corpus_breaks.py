"""How often the words of a training corpus part between two characters: what the attribute BREAK looks up.

Like the dictionary (see :mod:`.corpus_words`), each fold of the corpus is told of the others alone: training is to meet pairs of which nothing is
known.
"""

from collections.abc import Sequence

import numpy as np
from spacy.strings import hash_string  # type: ignore[attr-defined]
from spacy.tokens import Doc

from spacy_mtl.templates.attributes.breaks import SHARES, BreakTable, break_table, keys_of, value_of

from .characters import CharacterTable, doc_text, number_characters, word_offsets

#: So often a pair must occur to be told.
OFTEN = 3
_N_VALUES = len(SHARES) + 2


class CorpusBreaks:
    """The pairs of neighbouring characters of some sentences.

    codes: uint32[N], code points. begins: bool[N], where words begin. starts: int64[S + 1], borders of sentences. folds: int64[S], of each sentence.
    """

    def __init__(self, codes: np.ndarray, begins: np.ndarray, starts: np.ndarray, folds: np.ndarray, n_folds: int):
        chars, numbers = number_characters(codes)
        hashes = np.array([hash_string(chr(code)) for code in chars.tolist()], np.uint64)
        inner = np.ones(codes.size + 1, bool)
        inner[starts] = False
        at = np.flatnonzero(inner[:-1])
        self.keys, first, pair = np.unique(keys_of(hashes[numbers])[at], return_index=True, return_inverse=True)
        #: code points of each pair, uint32[R, 2]
        self.pairs = chars[numbers[np.stack([at[first] - 1, at[first]], axis=1)]]
        cell = pair * n_folds + np.repeat(folds, np.diff(starts))[at]
        shape = self.keys.size, n_folds
        self._times = np.bincount(cell, minlength=shape[0] * n_folds).reshape(shape)
        self._apart = np.bincount(cell, weights=begins[at], minlength=shape[0] * n_folds).reshape(shape)

    def table(self) -> BreakTable:
        """For training: each fold is a part, which knows the pairs of the others."""
        times, apart = (n.sum(axis=1, keepdims=True) - n for n in (self._times, self._apart))
        return break_table(self.keys, value_of(apart, times, OFTEN))

    def written(self) -> list[str]:
        """The pairs of each value, one after another."""
        values = value_of(self._apart.sum(axis=1), self._times.sum(axis=1), OFTEN)
        return ["", *(_text(self.pairs[values == value]) for value in range(1, _N_VALUES))]


def _text(pairs: np.ndarray) -> str:
    return np.ascontiguousarray(pairs, "<u4").tobytes().decode("utf-32-le")


def count_breaks(
    references: Sequence[Doc], characters: CharacterTable, folds: np.ndarray, n_folds: int
) -> CorpusBreaks:
    """Where the words of the references part; white space parts sentences. folds: int64[D], of each of them."""
    chars = characters.read([doc_text(doc) for doc in references])
    begins = np.zeros(chars.codes.size + 1, bool)
    for doc, a in zip(references, chars.texts[:-1].tolist(), strict=True):
        begins[a + word_offsets(doc)] = True
    n_sentences = np.diff(np.searchsorted(chars.starts, np.searchsorted(chars.at, chars.texts)))
    return CorpusBreaks(chars.codes[chars.at], begins[chars.at], chars.starts, np.repeat(folds, n_sentences), n_folds)


def table_of(written: Sequence[str]) -> BreakTable:
    """The table of what :meth:`CorpusBreaks.written` gave."""
    codes = [np.frombuffer(text.encode("utf-32-le"), "<u4") for text in written]
    flat = np.concatenate([np.empty(0, np.uint32), *codes])
    distinct, inverse = np.unique(flat, return_inverse=True)
    hashes = np.array([hash_string(chr(code)) for code in distinct.tolist()], np.uint64)
    values = np.repeat(np.arange(len(written), dtype=np.uint8), [code.size // 2 for code in codes])
    # kernels would compile anew for keys that do not follow one another
    return break_table(np.ascontiguousarray(keys_of(hashes[inverse])[1::2]), values)
