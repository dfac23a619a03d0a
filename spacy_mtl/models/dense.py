"""Blocks of real numbers in prediction: word vectors (``%v``) and rows of ``doc.tensor`` (``%t``), scored by matrix products.

Training standardises the vectors; a model has the weights of vectors as they are, and a constant for each block.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_mtl.errors import Errors
from spacy_mtl.templates.grammar import Template


class DenseBlock(NamedTuple):
    """The weights of one template: float32[D, L], and a constant for tokens that have a vector, float32[L]."""

    template: Template
    weights: np.ndarray
    constant: np.ndarray

    @property
    def offset(self) -> int:
        return self.template.observations[0].offset

    @property
    def stored_bytes(self) -> int:
        """What its weights take in a file, before compression: a byte for each, and a scale for each row."""
        return self.weights.size + 2 * len(self.weights)

    def scores(self, rows: np.ndarray) -> np.ndarray:
        """Scores float32[n, L] of vectors float32[n, D]; a vector of zeros stands for none, and scores nothing."""
        there = np.any(rows, axis=1, keepdims=True)
        return np.where(there, rows @ self.weights + self.constant, np.float32(0))


def reads(templates: Sequence[Template], place: str) -> bool:
    """Whether a template reads vectors of this kind: ``v`` or ``t``."""
    return any(obs.place == place for template in templates for obs in template.observations)


def word_vectors(vocab: Vocab, orths: np.ndarray, width: int) -> np.ndarray:
    """The vectors float32[n, D] of word forms uint64[n]. Raises ValueError (M482) where the vocabulary has others than of this width."""
    if vocab.vectors_length != width:
        raise ValueError(Errors.M482.format(expected=width, found=vocab.vectors_length or "none"))
    rows = np.zeros((orths.size, width), np.float32)
    for row, orth in zip(rows, orths.tolist(), strict=True):
        row[:] = on_cpu(vocab.get_vector(orth))
    return rows


def tensor_rows(docs: Sequence[Doc], width: int | None = None) -> np.ndarray:
    """The rows of ``doc.tensor``, float32[N, D]. Raises ValueError (M483) where a Doc has none, or of another width than this (None for any)."""
    parts = []
    for doc in docs:
        rows = on_cpu(doc.tensor)
        if len(doc) and (
            rows.ndim != 2 or len(rows) != len(doc) or not rows.shape[1] or rows.shape[1] != (width or rows.shape[1])
        ):
            found = f"of shape {rows.shape}" if rows.size else "none"
            expected = "rows" if width is None else f"rows of {width} numbers"
            raise ValueError(Errors.M483.format(text=doc.text[:40], expected=expected, found=found))
        if len(doc):
            parts.append(rows.astype(np.float32))
            width = rows.shape[1]
    return np.concatenate(parts) if parts else np.empty((0, width or 0), np.float32)


def on_cpu(array: object) -> np.ndarray:
    """An array of NumPy or CuPy as one of NumPy."""
    return np.asarray(array.get() if hasattr(array, "get") else array)


def add_around(scores: np.ndarray, starts: np.ndarray, offset: int, nodes: np.ndarray) -> None:
    """Add to nodes[t] the scores of position t + offset, if it is in the same sentence. scores, nodes: float32[N, L]; starts: sentence borders."""
    n = len(nodes)
    sentence = np.repeat(np.arange(starts.size - 1), np.diff(starts))
    begin, end = max(0, -offset), min(n, n - offset)
    if begin < end:
        here = np.flatnonzero(sentence[begin:end] == sentence[begin + offset : end + offset]) + begin
        nodes[here] += scores[here + offset]
