"""Known words: words seen often in training can only get labels that they were seen with."""

from collections.abc import Sequence
from dataclasses import replace
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
    """How often each word has each label: words, n of them, and times, int64[n, L]."""

    words: list[str]
    times: np.ndarray


def label_counts(pieces: Sequence[Piece], strings: StringStore, n_labels: int) -> LabelCounts:
    """Count the labels of each word that has gold in the pieces."""
    orths = np.concatenate([piece.given[0] for piece in pieces])
    gold = np.concatenate([piece.gold for piece in pieces])
    forms, rows = np.unique(orths[gold >= 0], return_inverse=True)
    times = np.zeros((forms.size, n_labels), np.int64)
    np.add.at(times, (rows, gold[gold >= 0]), 1)
    return LabelCounts([strings[int(form)] for form in forms], times)


def added_counts(parts: Sequence[LabelCounts]) -> LabelCounts:
    """The sum of what was counted in several parts of a corpus."""
    rows = {word: k for k, word in enumerate(dict.fromkeys(word for part in parts for word in part.words))}
    times = np.zeros((len(rows), parts[0].times.shape[1]), np.int64)
    for part in parts:
        times[[rows[word] for word in part.words]] += part.times
    return LabelCounts(list(rows), times)


def known_words_of(counts: LabelCounts, least: int) -> KnownWords:
    """The label numbers of each word that has been counted at least ``least`` times, sorted by string.

    Raises ValueError (M451) for more words than a model file can have.
    """
    n_labels = counts.times.shape[1]
    often = np.flatnonzero(counts.times.sum(axis=1) >= least)
    most = min(MOST_CELLS // max(1, n_labels), MOST_WORDS)
    if often.size > most:
        raise ValueError(Errors.M451.format(n=often.size, least=least, most=most, labels=n_labels))
    known = {counts.words[k]: np.flatnonzero(counts.times[k]).tolist() for k in often}
    return dict(sorted(known.items()))


def count_known_words(pieces: Sequence[Piece], strings: StringStore, n_labels: int, least: int) -> KnownWords:
    """The known words of the pieces, see :func:`label_counts` and :func:`known_words_of`. Raises ValueError (M451)."""
    return known_words_of(label_counts(pieces, strings, n_labels), least)


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


def constrain_words(constraints: Constraints, known: KnownWords, strings: StringStore) -> Constraints:
    """The constraints, extended so that known words can only get their own labels."""
    if not known:
        return constraints
    forms = np.array([strings.add(word) for word in known], np.uint64)
    allowed = np.zeros((forms.size, constraints.start.size), bool)
    for row, numbers in zip(allowed, known.values(), strict=True):
        row[numbers] = True
    order = np.argsort(forms)
    return replace(constraints, forms=forms[order], form_labels=allowed[order])
