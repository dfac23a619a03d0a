"""Sentence borders of Docs: a chain covers a sentence, or the whole Doc where it has no sentence boundaries."""

from collections.abc import Sequence

import numpy as np
from spacy.attrs import SENT_START
from spacy.tokens import Doc


def borders(docs: Sequence[Doc]) -> np.ndarray:
    """Sentence borders int64[S + 1] in the concatenation of the docs. Empty docs add none."""
    parts: list[np.ndarray | list[int]] = []
    at = 0
    for doc in docs:
        if has_borders(doc):
            parts.append(at + np.flatnonzero(doc.to_array([SENT_START])[1:] == 1) + 1)
        if len(doc):
            parts.append([at])
        at += len(doc)
    parts.append([at])
    return np.unique(np.concatenate(parts)).astype(np.int64)


def has_borders(doc: Doc) -> bool:
    """Whether anything has set sentence boundaries in a Doc of more than one word."""
    return len(doc) > 1 and doc.has_annotation("SENT_START")
