"""How often words stand beside each other in a text, as sparse matrices."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from spacy_mtl.tables.clusters import fold_digits

#: Words that count as neighbours by themselves; all rarer ones count as a single word, which bounds time and memory.
MOST_NEIGHBOURS = 10_000


class Neighbours(NamedTuple):
    """The neighbours on one side of V words. Word w has the neighbours ``words[first[w]:first[w + 1]]`` (int32), ``times`` (int32) times each."""

    first: np.ndarray
    words: np.ndarray
    times: np.ndarray


class Text(NamedTuple):
    """What is known of a text. words: V words, frequent ones first. counts: int64[V]. left, right: their neighbours on each side, numbers below
    n_neighbours, of which the last two are rare words and the border of a sentence."""

    words: list[str]
    counts: np.ndarray
    left: Neighbours
    right: Neighbours
    n_neighbours: int


def normal_form(word: str) -> str:
    """A word as clusters know it: one with digits is in lower case, with 0 for every digit."""
    folded = fold_digits(word)
    return word if folded == word else folded.lower()


class _Numbers(dict[str, int]):
    """The number of each word, that of its normal form, which is made once for each word. of_forms: the numbers of normal forms, as they were met."""

    def __init__(self) -> None:
        self.of_forms: dict[str, int] = {}

    def __missing__(self, word: str) -> int:
        self[word] = number = self.of_forms.setdefault(normal_form(word), len(self.of_forms))
        return number


def count_neighbours(sentences: Iterable[Sequence[str]], min_count: int, most_words: int | None = None) -> Text | None:
    """Count words and their neighbours. min_count: rarer words have no cluster. most_words: cluster so many of the most frequent words only.

    Returns None where no word is frequent enough. Equal counts are ordered by the words, so the order of sentences does not matter.
    """
    known = _Numbers()
    parts, lengths = [], []
    for sentence in sentences:
        parts.append(np.array([known[word] for word in sentence], np.int32))
        lengths.append(len(sentence))
    tokens = np.concatenate([np.empty(0, np.int32), *parts])
    totals = np.bincount(tokens, minlength=len(known.of_forms))
    names = list(known.of_forms)
    order = sorted(np.flatnonzero(totals >= min_count).tolist(), key=lambda k: (-int(totals[k]), names[k]))[:most_words]
    if not order:
        return None
    n = len(order)
    rank = np.full(len(names), n, np.int32)
    rank[order] = np.arange(n, dtype=np.int32)
    m = min(n, MOST_NEIGHBOURS)
    padded = _with_borders(rank[tokens], np.array(lengths, np.int64), n + 1)
    shown = np.minimum(padded, m)  # rare words are one
    shown[padded == n + 1] = m + 1
    left = _pairs(padded[1:], shown[:-1], n, m + 2)
    right = _pairs(padded[:-1], shown[1:], n, m + 2)
    return Text([names[k] for k in order], totals[order].astype(np.int64), left, right, m + 2)


def _with_borders(tokens: np.ndarray, lengths: np.ndarray, border: int) -> np.ndarray:
    """The tokens with a border before the first sentence and after each. lengths: int64[S]."""
    out = np.full(tokens.size + lengths.size + 1, border, np.int32)
    out[np.arange(tokens.size) + 1 + np.repeat(np.arange(lengths.size), lengths)] = tokens
    return out


def _pairs(words: np.ndarray, beside: np.ndarray, n: int, m: int) -> Neighbours:
    """Count pairs of words below n and their neighbours below m."""
    kept = words < n
    keys, times = np.unique(words[kept].astype(np.int64) * m + beside[kept], return_counts=True)
    first = np.searchsorted(keys, np.arange(n + 1, dtype=np.int64) * m)
    return Neighbours(first.astype(np.int64), (keys % m).astype(np.int32), times.astype(np.int32))
