"""What a component asks of a training over its documents, whatever the structure; and what learners share."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from spacy_mtl.errors import Errors
from spacy_mtl.structures.contract import Weights
from spacy_mtl.structures.problem import Problem
from spacy_mtl.templates.attributes.reader import AttributeReader
from spacy_mtl.templates.attributes.short_tags import short_tag
from spacy_mtl.templates.grammar import Template
from spacy_mtl.trainers.base import Report, Training

from .gather import Piece


class Learner(ABC):
    """One training over the documents of a corpus: from gathered documents to a problem, a training, and weights for the model."""

    training: Training | None = None
    documents: Sequence[Piece] = ()

    @property
    def passes(self) -> int:
        """Passes of the training so far."""
        return self.training.passes if self.training is not None else 0

    @property
    def loss(self) -> float:
        """Loss of the last pass."""
        assert self.training is not None
        return self.training.loss

    def report(self) -> Report | None:
        """Objective values for the present weights; None before there is a training."""
        return self.training.report() if self.training is not None else None

    @abstractmethod
    def begin(self, pieces: Sequence[Piece]) -> None:
        """Make features of the corpus and start training."""

    @abstractmethod
    def step(self, documents: np.ndarray) -> None:
        """Show the training a batch of documents (int64[k]): their sentences, or what of them has gold."""

    def end_pass(self) -> None:
        """All documents have been shown once."""
        assert self.training is not None
        self.training.end_pass()

    @abstractmethod
    def rebind(self, pieces: Sequence[Piece]) -> None:
        """The input of some documents has changed (an annotating component learns too): make features anew, go on from where we were."""

    @abstractmethod
    def export(self, megabytes: float | None) -> Any:
        """The present weights, cut to what prediction needs."""


def row_map(old: np.ndarray, new: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows of ``old`` and rows of ``new`` with the same key: two int64[k]. Rows without key are as many as before, and in the same order."""
    keyed = np.flatnonzero(old)
    order = np.argsort(old[keyed])
    place = np.minimum(np.searchsorted(old[keyed], new, sorter=order), max(keyed.size - 1, 0))
    found = np.flatnonzero((new != 0) & (old[keyed[order[place]]] == new)) if keyed.size else np.empty(0, np.int64)
    unkeyed = np.flatnonzero(old == 0), np.flatnonzero(new == 0)
    return np.concatenate([unkeyed[0], keyed[order[place[found]]] if keyed.size else found]), np.concatenate(
        [unkeyed[1], found]
    )


def carry_rows(problem: Problem, weights: Weights, rows: Sequence[tuple[np.ndarray, np.ndarray]]) -> Weights:
    """Weights of ``problem`` whose rows are taken over: (old, new) row numbers of the node and the pair matrix."""
    carried = problem.zeros()
    for matrix, before, (old, new) in zip(carried, weights, rows, strict=True):
        matrix[new] = before[old]
    return carried


def check_set(
    name: str,
    reader: AttributeReader,
    given: np.ndarray,
    templates: Sequence[Template],
    promised: frozenset[str] = frozenset(),
) -> None:
    """Refuse templates that read what no document carries (M111). promised: attributes that will be set later."""
    for attr in reader.unset(given):
        if attr in promised or ("TAG" in promised and short_tag(attr)):
            continue
        for template in templates:
            if any(attr in reader.reads(obs.attr) for obs in template.observations):
                raise ValueError(Errors.M111.format(template=template.text, attr=attr, name=name))
