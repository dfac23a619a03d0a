"""Known words: words seen often in training can only get labels that they were seen with."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from spacy.strings import StringStore

from spacy_mtl.errors import Errors
from spacy_mtl.learning.gather import Piece
from spacy_mtl.stored.fault import StoredValueError
from spacy_mtl.stored.json import MOST_CONTAINERS
from spacy_mtl.stored.values import numbers_by_name
from spacy_mtl.structures.chain.build import Constraints

#: For each word, the numbers of its labels.
KnownWords = dict[str, list[int]]
#: Most words, each of which is a list in the header of a model file.
MOST_WORDS = MOST_CONTAINERS // 2
#: The largest size of a table of words and labels, in bytes.
MOST_CELLS = 1 << 27


class LabelCounts(NamedTuple):
    """How often each word has each label: words, n of them; of the P pairs that occur, in order, rows and labels, int64[P], and times, int64[P]."""

    words: list[str]
    rows: np.ndarray
    labels: np.ndarray
    times: np.ndarray


def label_counts(pieces: Sequence[Piece], strings: StringStore, n_labels: int) -> LabelCounts:
    """Count the labels of each word that has gold in the pieces."""
    orths = np.concatenate([piece.given[0] for piece in pieces])
    gold = np.concatenate([piece.gold for piece in pieces])
    forms, rows = np.unique(orths[gold >= 0], return_inverse=True)
    words = [strings[int(form)] for form in forms]
    return _counted(words, rows.astype(np.int64) * n_labels + gold[gold >= 0], n_labels)


def _counted(words: list[str], cells: np.ndarray, n_labels: int, times: np.ndarray | None = None) -> LabelCounts:
    """From cells int64[N] of the table of words and labels, each of which counts once, or so many times."""
    pairs, at = np.unique(cells, return_inverse=True)
    summed = np.bincount(at, times, pairs.size).astype(np.int64)
    return LabelCounts(words, pairs // n_labels, pairs % n_labels, summed)


def added_counts(parts: Sequence[LabelCounts], n_labels: int) -> LabelCounts:
    """The sum of what was counted in several parts of a corpus."""
    rows = {word: k for k, word in enumerate(dict.fromkeys(word for part in parts for word in part.words))}
    cells = [
        np.array([rows[word] for word in part.words], np.int64)[part.rows] * n_labels + part.labels for part in parts
    ]
    return _counted(list(rows), np.concatenate(cells), n_labels, np.concatenate([part.times for part in parts]))


def known_words_of(counts: LabelCounts, least: int, n_labels: int) -> KnownWords:
    """The label numbers of each word that has been counted at least ``least`` times, sorted by string.

    Raises ValueError (M451) for more words than a model file can have.
    """
    times = np.bincount(counts.rows, counts.times, len(counts.words))
    often = np.flatnonzero(times >= least)
    check_room(times, least, n_labels)
    begins, ends = np.searchsorted(counts.rows, [often, often + 1])
    known = {
        counts.words[k]: counts.labels[begin:end].tolist() for k, begin, end in zip(often, begins, ends, strict=True)
    }
    return dict(sorted(known.items()))


def most_known(n_labels: int) -> int:
    """The most words whose labels a model can remember."""
    return min(MOST_CELLS // max(1, n_labels), MOST_WORDS)


def check_room(times: np.ndarray, least: int, n_labels: int) -> None:
    """Refuse more words than a model can remember the labels of. times: how often each word occurs. Raises ValueError (M451)."""
    n, most = int(np.count_nonzero(times >= least)), most_known(n_labels)
    if n > most:
        raise ValueError(Errors.M451.format(n=n, least=least, most=most, labels=n_labels))


def count_known_words(pieces: Sequence[Piece], strings: StringStore, n_labels: int, least: int) -> KnownWords:
    """The known words of the pieces, see :func:`label_counts` and :func:`known_words_of`. Raises ValueError (M451)."""
    return known_words_of(label_counts(pieces, strings, n_labels), least, n_labels)


def joined_known_words(
    earlier: KnownWords, counted: KnownWords, pieces: Sequence[Piece], strings: StringStore, n_labels: int
) -> KnownWords:
    """The words of an earlier corpus, with the labels that they have in either, and those that were counted on the new one."""
    if not earlier:
        return counted
    here = count_known_words(pieces, strings, n_labels, 1)
    joined = {word: sorted({*numbers, *here.get(word, ())}) for word, numbers in earlier.items()}
    return dict(sorted((counted | joined).items()))


def check_known_words(known: Any, n_labels: int, name: str) -> KnownWords:
    """Check the known words of a file. Raises StoredValueError."""
    numbers_by_name(n_labels - 1)(known, name)
    if len(known) * n_labels > MOST_CELLS:
        raise StoredValueError(f"{name} has too many words for {n_labels} labels")
    return known


def known_forms(known: KnownWords, n_labels: int, strings: StringStore) -> tuple[np.ndarray, np.ndarray]:
    """The string hashes of known words in ascending order, uint64[K], and the labels of each, bool[K, L]."""
    forms = np.array([strings.add(word) for word in known], np.uint64)
    row = np.empty(forms.size, np.int64)
    row[np.argsort(forms)] = np.arange(forms.size)
    times = np.array([len(numbers) for numbers in known.values()], np.int64)
    labels = np.fromiter(chain.from_iterable(known.values()), np.int64, int(times.sum()))
    allowed = np.zeros((forms.size, n_labels), bool)
    allowed[np.repeat(row, times), labels] = True
    return np.sort(forms), allowed


def constrain_words(constraints: Constraints, known: KnownWords, strings: StringStore) -> Constraints:
    """The constraints, extended so that known words can only get their own labels."""
    if not known:
        return constraints
    forms, allowed = known_forms(known, constraints.start.size, strings)
    return replace(constraints, forms=forms, form_labels=allowed)
