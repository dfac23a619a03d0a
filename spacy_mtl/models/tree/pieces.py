"""Long sentences: parsed in pieces, whose trees are joined. The best projective tree takes time that grows with the cube of a sentence's length."""

import numpy as np
from spacy.attrs import IS_PUNCT
from spacy.tokens import Doc


def piece_borders(starts: np.ndarray, most: int, punctuation: np.ndarray) -> np.ndarray:
    """Borders int64[P + 1] of pieces of at most ``most`` words.

    A longer sentence is cut behind the last punctuation mark in the second half of a piece, or at its end where there is none.

    starts: int64[S + 1], sentence borders. punctuation: bool[N].
    """
    found = [starts]
    for s in np.flatnonzero(np.diff(starts) > most).tolist():
        found.append(np.array(_cuts(int(starts[s]), int(starts[s + 1]), most, punctuation), np.int64))
    return np.unique(np.concatenate(found))


def _cuts(begin: int, end: int, most: int, punctuation: np.ndarray) -> list[int]:
    cuts = []
    while end - begin > most:
        half = begin + most // 2
        marks = np.flatnonzero(punctuation[half : begin + most])
        begin = half + int(marks[-1]) + 1 if marks.size else begin + most
        cuts.append(begin)
    return cuts


def join_pieces(heads: np.ndarray, starts: np.ndarray, pieces: np.ndarray, single_root: bool) -> np.ndarray:
    """Make one tree a sentence, in place, of the trees of its pieces, and return the words that have been joined, int64[J].

    heads: int32[N], within the piece, becomes heads within the sentence. With ``single_root``, the root of each piece becomes a modifier of the
    root of the piece before it, so that projective trees stay projective; otherwise all roots stay roots.
    """
    sentence = starts[np.searchsorted(starts, pieces[:-1], side="right") - 1]
    shift = np.repeat(pieces[:-1] - sentence, np.diff(pieces)).astype(np.int32)
    roots = np.flatnonzero(heads == 0)
    heads[heads > 0] += shift[heads > 0]
    if not single_root:
        return np.empty(0, np.int64)
    later = np.flatnonzero(~np.isin(pieces[:-1], starts))  # every piece has one root, in the order of the pieces
    heads[roots[later]] = roots[later - 1] - sentence[later] + 1
    return roots[later]


def punctuation_of(docs: list[Doc]) -> np.ndarray:
    """Which words are punctuation marks, bool[N]."""
    return np.concatenate([doc.to_array([IS_PUNCT]) for doc in docs]) == 1
