"""FactoredLearner: trains a chain over each factor of the labels of a position, all with the same templates and settings."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from spacy_mtl.models.chain.factored import joined_factors
from spacy_mtl.models.chain.weights import ChainWeights
from spacy_mtl.trainers.base import Report, Trainer, Training

from .chain import ChainLearner
from .gather import Piece
from .learner import Learner, joined


class FactoredLearner(Learner):
    """One training for each factor over the documents of a corpus.

    make: from the number of a factor to its learner. table: int32[A, G], the label of each analysis in each factor; pieces have the numbers of
    analyses as gold. borders: int64[G + 1], the first label of each factor.
    """

    def __init__(self, make: Callable[[int], ChainLearner], table: np.ndarray, borders: np.ndarray):
        self.table = table
        self.borders = borders
        self._parts = [make(g) for g in range(table.shape[1])]

    @property
    def parts(self) -> list[ChainLearner]:  # type: ignore[override]
        return self._parts

    @property
    def trainings(self) -> list[Training]:
        return [part.training for part in self.parts if part.training is not None]

    @property
    def passes(self) -> int:
        return max((part.passes for part in self.parts), default=0)

    @property
    def loss(self) -> float:
        return sum(part.loss for part in self.parts)

    @property
    def running_loss(self) -> float | None:
        losses = [part.running_loss for part in self.parts]
        known = [loss for loss in losses if loss is not None]
        return sum(known) if len(known) == len(losses) else None

    def report(self) -> Report | None:
        """Objective values and template counts, summed over the factors."""
        reports = [training.report() for training in self.trainings]
        return joined(reports) if reports else None

    def _of_factor(self, pieces: Sequence[Piece], g: int) -> list[Piece]:
        """The pieces with the labels of a factor as gold, numbered from 0."""
        numbers = np.append(self.table[:, g] - self.borders[g], np.int32(-1)).astype(np.int32)
        return [replace(piece, gold=numbers[piece.gold]) for piece in pieces]

    def begin(self, pieces: Sequence[Piece]) -> None:
        self.documents, extracted = tuple(pieces), self.parts[0].extract(pieces)
        for g, part in enumerate(self.parts):
            part.begin(self._of_factor(pieces, g), extracted)
        self.training = self.parts[0].training

    def begin_again(self, trainer: Trainer) -> None:
        for part in self.parts:
            part.begin_again(trainer)
        self.training = self.parts[0].training

    def step(self, documents: np.ndarray) -> None:
        for part in self.parts:
            part.step(documents)

    def end_pass(self) -> None:
        for part in self.parts:
            part.end_pass()

    def rebind(self, pieces: Sequence[Piece]) -> None:
        self.documents, extracted = tuple(pieces), self.parts[0].extract(pieces)
        for g, part in enumerate(self.parts):
            part.rebind(self._of_factor(pieces, g), extracted)

    def export(self, megabytes: float | None) -> ChainWeights:
        return joined_factors([part.export(None) for part in self.parts], megabytes, self.few)
