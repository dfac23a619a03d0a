"""The words of a training corpus, as a dictionary for templates that look words up.

If every training word were in the dictionary, training would never see unknown words, which new text has. So the corpus is divided into consecutive
folds, and the dictionary for each fold has only the words of the other folds. Texts of another domain have more unknown words than these, for which
more words can be hidden.
"""

from collections.abc import Collection, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from spacy.strings import StringStore, hash_string  # type: ignore[attr-defined]
from spacy.tokens import Doc

from spacy_mtl.distinct import distinct
from spacy_mtl.learning.gather import Piece, content_key
from spacy_mtl.learning.streamed import Corpus
from spacy_mtl.templates.attributes.characters import WordTable, character, word_table

#: The number of different hashes.
_HASHES = 1 << 64


class WordCounts(NamedTuple):
    """n distinct words, and how often each occurs in each fold, int64[n, folds]."""

    words: list[str]
    counts: np.ndarray


class CorpusWords:
    """The words of the references, in normalised characters, and their counts in each fold.

    words: the n distinct words. counts: int64[n, folds]. folds: int64[D], the fold of each reference.
    """

    def __init__(self, references: Corpus[Doc], folds: int, gold_attributes: Sequence[str]):
        self._fold_of: dict[bytes, int] = {}
        parts: list[list[np.ndarray]] = [[] for _ in range(folds)]
        stores, n = {}, len(references)
        self.folds = np.empty(n, np.int64)
        for i, doc in enumerate(references):
            # identical texts go into the same fold, so that neither knows its words from the other
            fold = self._fold_of.setdefault(content_key(doc, gold_attributes), i * folds // n)
            parts[fold].append(doc.to_array("ORTH"))
            stores[id(doc.vocab)] = doc.vocab.strings
            self.folds[i] = fold
        self.words, self.counts = _count(parts, stores.values())

    def counted(self) -> WordCounts:
        """The words and their counts in each fold."""
        return WordCounts(self.words, self.counts)

    def join(self, shards: Sequence[WordCounts]) -> None:
        """Let the words and counts be those of all shards of a corpus, this one among them. A fold is the fold of that number of each."""
        rows = {word: k for k, word in enumerate(dict.fromkeys(word for shard in shards for word in shard.words))}
        self.counts = np.zeros((len(rows), self.counts.shape[1]), np.int64)
        for shard in shards:
            self.counts[[rows[word] for word in shard.words]] += shard.counts
        self.words = list(rows)

    def known(self, at_least: int) -> list[str]:
        """Words of two or more characters that occur at least this many times in the whole corpus.

        Those with white space inside are found nowhere, since a sentence ends there: they are left out, as their parts are other words.
        """
        often = [self.words[i] for i in np.flatnonzero(self.counts.sum(axis=1) >= at_least).tolist()]
        return [word for word in often if len(word) > 1 and not any(map(str.isspace, word))]

    def table(self, at_least: int, hidden: float = 0.0) -> WordTable:
        """The dictionary for training, where each fold is a part that knows the words with at least this many occurrences in other folds.

        hidden: from each fold so many of these words, as a share of them, are hidden; which ones depends on the word and the fold alone.
        """
        known = self.counts.sum(axis=1, keepdims=True) - self.counts >= at_least
        if hidden:
            shares = [
                [hash_string(f"{fold} {word}") / _HASHES for fold in range(known.shape[1])] for word in self.words
            ]
            known &= np.array(shares).reshape(known.shape) >= hidden
        return word_table(self.words, known)

    def parts(self, pieces: Sequence[Piece]) -> np.ndarray:
        """The fold of each sentence of the pieces, int64[S]."""
        folds = [self._fold_of.get(piece.key, 0) for piece in pieces]
        return np.repeat(np.array(folds, np.int64), [piece.starts.size - 1 for piece in pieces])


def _count(parts: Sequence[Sequence[np.ndarray]], stores: Collection[StringStore]) -> tuple[list[str], np.ndarray]:
    forms = distinct(np.concatenate([np.empty(0, np.uint64), *chain.from_iterable(parts)]))
    texts = [next(strings[form] for strings in stores if form in strings) for form in forms.tolist()]
    rows: dict[str, int] = {}
    numbers = [-1 if t.isspace() else rows.setdefault("".join(map(character, t)), len(rows)) for t in texts]
    row_of = np.array(numbers, np.int64)
    counts = np.zeros((len(rows) + 1, len(parts)), np.int64)  # the last row counts white space
    for fold, arrays in enumerate(parts):
        if arrays:
            found, times = np.unique(np.concatenate(arrays), return_counts=True)
            np.add.at(counts[:, fold], row_of[np.searchsorted(forms, found)], times)
    return list(rows), counts[:-1]
