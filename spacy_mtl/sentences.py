"""Sentence borders of Docs: a chain covers a sentence, or the whole Doc where it has no sentence boundaries."""

from collections.abc import Sequence

import numpy as np
from spacy.attrs import SENT_START
from spacy.tokens import Doc


def borders(docs: Sequence[Doc]) -> np.ndarray:
    """Sentence borders int64[S + 1] in the concatenation of the docs. Empty docs add none."""
    docs = [doc for doc in docs if len(doc)]
    if not docs:
        return np.zeros(1, np.int64)
    begins = np.concatenate([doc.to_array([SENT_START]) for doc in docs]) == 1
    ends = np.cumsum([len(doc) for doc in docs])
    begins[[0, *ends[:-1].tolist()]] = True  # of a Doc without borders, spaCy marks no word but the first
    return np.append(np.flatnonzero(begins), ends[-1])


def borders_of_each(docs: Sequence[Doc]) -> list[np.ndarray]:
    """Sentence borders of every doc by itself, as :func:`borders` of that doc alone, read for all of them at once."""
    found = borders(docs)
    ends = np.cumsum([len(doc) for doc in docs])
    places = np.searchsorted(found, ends).tolist()
    firsts = zip([0, *places], places, [0, *ends.tolist()], strict=False)
    return [found[first : last + 1] - begin for first, last, begin in firsts]


def has_borders(doc: Doc) -> bool:
    """Whether anything has set sentence boundaries in a Doc of more than one word."""
    return len(doc) > 1 and doc.has_annotation("SENT_START")
