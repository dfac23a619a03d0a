"""Blocks of real numbers in training: word vectors and rows of ``doc.tensor``, standardised so that the scale of a block does not decide its weight.

Each dimension has mean 0 and the same variance over the tokens of the corpus that have a vector, and all together a squared norm of 1 on average,
which is that of a template's only feature. So p and C mean the same for blocks of all kinds.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from spacy.vocab import Vocab

from spacy_mtl.models.dense import DenseBlock, word_vectors
from spacy_mtl.structures.chain.vectors import Vectors
from spacy_mtl.templates.grammar import Template


class Scaling(NamedTuple):
    """What is subtracted from vectors, and what they are multiplied by: float64[D] both."""

    mean: np.ndarray
    factor: np.ndarray

    @classmethod
    def of(cls, rows: np.ndarray, counts: np.ndarray) -> "Scaling":
        """That of vectors float32[n, D] that occur so often (int64[n]); those of zeros are none."""
        there = rows.any(axis=1) & (counts > 0)
        rows, counts = rows[there].astype(float), counts[there].astype(float)
        total = max(counts.sum(), 1.0)
        mean = counts @ rows / total
        spread = np.sqrt(counts @ np.square(rows - mean) / total)
        varies = spread > 1e-6 * (np.abs(mean) + spread.max(initial=0.0))
        factor = np.zeros(mean.size)
        factor[varies] = 1 / (spread[varies] * np.sqrt(max(varies.sum(), 1)))
        return cls(mean, factor)

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        return ((rows - self.mean) * self.factor).astype(np.float32)


class Rows(NamedTuple):
    """The vectors of a corpus: distinct ones float32[n, D], and which of them each token has, int64[N]."""

    distinct: np.ndarray
    at: np.ndarray


class DenseFeatures:
    """The dense blocks of a training. Scalings are those of the corpus at its beginning, also when documents join later."""

    def __init__(self, templates: Sequence[Template], vocab: Vocab):
        self.templates = tuple(templates)
        self.vocab = vocab
        self._scalings: dict[str, Scaling] = {}
        self.widths: list[int] = []

    def read(self, orths: np.ndarray, tensor: np.ndarray, starts: np.ndarray, first_row: int) -> Vectors | None:
        """The features of N tokens; None without templates. orths: uint64[N]; tensor: float32[N, D], or no rows; starts: sentence borders.

        first_row: the first row of the first block in the node weights. Raises ValueError (M482).
        """
        if not self.templates:
            return None
        kinds = {place: self._rows(place, orths, tensor) for place in {t.observations[0].place for t in self.templates}}
        self.widths = [kinds[t.observations[0].place].distinct.shape[1] for t in self.templates]
        n, first = orths.size, np.cumsum([first_row, *self.widths[:-1]])
        borders = np.zeros((2, n, len(self.templates)), np.int64)
        rows, values, size = [], [], 0
        for j, template in enumerate(self.templates):
            found = kinds[template.observations[0].place]
            there = np.flatnonzero(found.distinct.any(axis=1))
            width = self.widths[j]
            begin = np.full(len(found.distinct), -1, np.int64)
            begin[there] = size + width * np.arange(there.size)
            borders[:, :, j] = _places(begin[found.at], template.observations[0].offset, starts, width)
            rows.append(np.tile(np.arange(first[j], first[j] + width, dtype=np.int32), there.size))
            values.append(self._scalings[template.observations[0].place](found.distinct[there]).ravel())
            size += rows[-1].size
        own = np.full((n, len(self.templates)), -1, np.int32)
        return Vectors(borders[0].ravel(), np.concatenate(rows), np.concatenate(values), own, borders[1].ravel())

    def _rows(self, place: str, orths: np.ndarray, tensor: np.ndarray) -> Rows:
        if place == "v":
            forms, at = np.unique(orths, return_inverse=True)
            rows = Rows(word_vectors(self.vocab, forms, self.vocab.vectors_length), at)
        else:
            rows = Rows(tensor, np.arange(len(tensor)))
        if place not in self._scalings:
            self._scalings[place] = Scaling.of(rows.distinct, np.bincount(rows.at, minlength=len(rows.distinct)))
        return rows

    def blocks(self, matrix: np.ndarray, first_row: int) -> list[DenseBlock]:
        """The weights of vectors as they are, for prediction. matrix: float32[R, L], weights of standardised vectors from ``first_row`` on."""
        found = []
        for template, width in zip(self.templates, self.widths, strict=True):
            scaling = self._scalings[template.observations[0].place]
            weights = scaling.factor[:, None] * matrix[first_row : first_row + width]
            found.append(DenseBlock(template, weights.astype(np.float32), (-scaling.mean @ weights).astype(np.float32)))
            first_row += width
        return found


def _places(begin: np.ndarray, offset: int, starts: np.ndarray, width: int) -> np.ndarray:
    """Begin and end of the entries of each position, int64[2, N]: those of the token ``offset`` away, if it is in the sentence and has any.

    begin: int64[N], where the entries of each token begin, -1 for none.
    """
    n = begin.size
    sentence = np.repeat(np.arange(starts.size - 1), np.diff(starts))
    at = np.clip(np.arange(n) + offset, 0, max(n - 1, 0))
    there = (at == np.arange(n) + offset) & (sentence[at] == sentence) & (begin[at] >= 0)
    return np.where(there, np.stack([begin[at], begin[at] + width]), 0)
