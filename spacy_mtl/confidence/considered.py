"""ConsideredDocs: what a model considers for some documents, whatever its structure, from which probabilities at any temperature follow."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from .calibration import Calibration, Calibrations
from .maps import Outcomes
from .result import Confidence, Ranked


class ConsideredDocs(ABC):
    """All analyses of some documents and their scores, and the analyses that were chosen.

    starts, doc_starts: int64, borders of sentences and of documents.
    """

    starts: np.ndarray
    doc_starts: np.ndarray
    #: The kinds of decisions, each of which has a temperature of its own.
    kinds: Sequence[str]

    @property
    @abstractmethod
    def predicted(self) -> list[np.ndarray]:
        """What is predicted for each document, as ``predict`` of the component returns it."""

    @property
    def borders(self) -> list[np.ndarray]:
        """Sentence borders of each document, int64[S + 1], as the component's ``gold_labels`` takes them."""
        starts, doc_starts = self.starts, self.doc_starts
        first, last = np.searchsorted(starts, doc_starts[:-1]), np.searchsorted(starts, doc_starts[1:])
        return [starts[a : b + 1] - starts[a] for a, b in zip(first.tolist(), last.tolist(), strict=True)]

    @abstractmethod
    def losses(self, kind: str, gold: Sequence[np.ndarray], temperature: float) -> np.ndarray:
        """Log losses of gold at a temperature, float64[.], one for each sentence or word; nan where gold is not known or not considered.

        gold: of each document, as the component's ``gold_labels`` tells it.
        """

    def loss_places(self, kind: str) -> np.ndarray:
        """The first word of what each of the losses is of, among the words of all documents, int64[.]: of a sentence, if nothing else is said."""
        return self.starts[:-1]

    @abstractmethod
    def outcomes(self, kind: str, gold: Sequence[np.ndarray], temperature: float) -> Outcomes:
        """The decisions of this kind about which gold says something."""

    @abstractmethod
    def confidences(self, calibrations: Calibrations) -> list[Confidence]:
        """How probable what is predicted for each document is."""

    @abstractmethod
    def kbest(self, calibrations: Calibrations, k: int) -> list[list[Ranked]]:
        """The k best analyses of each sentence, best first."""


def calibration_of(calibrations: Calibrations, kind: str) -> Calibration:
    """That of a kind of decisions; with none, scores are log probabilities as they are."""
    return calibrations.get(kind, Calibration())
