"""What training tells of words seen often: the labels they were seen with, and the one they have most often."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from spacy.strings import StringStore

from ..structures.chain_build import Constraints
from .gather import Piece

#: For each word, the numbers of its labels.
KnownWords = dict[str, list[int]]
#: So often a word must occur to have a usual label: its own place in the text tells little of it then.
OFTEN = 4


def _frequent(pieces: Sequence[Piece], n_labels: int, least: int) -> tuple[np.ndarray, np.ndarray]:
    """Forms with gold at least ``least`` times in the pieces, uint64[n], and how often each with each label, int64[n, L]."""
    orths = np.concatenate([piece.given[0] for piece in pieces])
    gold = np.concatenate([piece.gold for piece in pieces])
    forms, rows = np.unique(orths[gold >= 0], return_inverse=True)
    seen = np.zeros((forms.size, n_labels), np.int64)
    np.add.at(seen, (rows, gold[gold >= 0]), 1)
    often = seen.sum(axis=1) >= least
    return forms[often], seen[often]


def count_known_words(pieces: Sequence[Piece], strings: StringStore, n_labels: int, least: int) -> KnownWords:
    """Words with gold at least ``least`` times in the pieces, in the order of their strings."""
    forms, seen = _frequent(pieces, n_labels, least)
    known = {strings[form]: np.flatnonzero(row).tolist() for form, row in zip(forms.tolist(), seen, strict=True)}
    return dict(sorted(known.items()))


def usual_labels(
    pieces: Sequence[Piece], strings: StringStore, labels: Sequence[str], least: int = OFTEN
) -> dict[str, list[str]]:
    """Of each label the words that have it most often (of equals the first), of those with gold at least ``least`` times."""
    forms, seen = _frequent(pieces, len(labels), least)
    words_of: dict[str, list[str]] = {}
    for form, k in zip(forms.tolist(), seen.argmax(axis=1).tolist(), strict=True):
        words_of.setdefault(labels[k], []).append(strings[form])
    return {label: sorted(words_of[label]) for label in labels if label in words_of}


def constrain_words(constraints: Constraints, known: KnownWords, strings: StringStore) -> Constraints:
    """The constraints, with those words held to their labels."""
    if not known:
        return constraints
    forms = np.array([strings.add(word) for word in known], np.uint64)
    allowed = np.zeros((forms.size, constraints.start.size), bool)
    for row, numbers in zip(allowed, known.values(), strict=True):
        row[numbers] = True
    order = np.argsort(forms)
    return replace(constraints, forms=forms[order], form_labels=allowed[order])
