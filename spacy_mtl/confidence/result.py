"""What is told about how sure a model is of a document."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np


class SpanProbability(NamedTuple):
    """The probability of a span. start, end: tokens of the document (of a segmenter: characters of the text). label: "" for words of a segmenter."""

    start: int
    end: int
    label: str
    probability: float


class Spans(NamedTuple):
    """K spans as arrays. places: int64[K, 3], start, end and kind. probabilities: float32[K]. names: of the kinds."""

    places: np.ndarray
    probabilities: np.ndarray
    names: Sequence[str]


NO_SPANS = Spans(np.empty((0, 3), np.int64), np.empty(0, np.float32), ())
_NO_LABELS = np.empty(0, np.float32)


class Confidence(NamedTuple):
    """How probable what is predicted for a document of n tokens is, under p(y | x) ~ exp(score(x, y) / temperature).

    tokens: float32[n], of what is predicted for each token: its tag, the arc to its head, or the tag that it has in a span (of a segmenter: of the
    tag of each character but white space). labels: float32[n], of the label of each arc, of a parser; empty otherwise. of_spans: those that are
    predicted, where the component finds spans. log_probability: of the whole analysis, the sum over the sentences. A number is nan where no sum over
    all analyses can be computed.
    marginals: the probabilities of all labels, float32[n, L], with their names in ``names``, of a chain; of a parser a float32[m + 1, m + 1] for
    each sentence of m words, entry (h, d) of the arc from word h to word d, counted from 1, with 0 for the root; otherwise None.
    """

    tokens: np.ndarray
    log_probability: float
    of_spans: Spans = NO_SPANS
    labels: np.ndarray = _NO_LABELS
    marginals: Any = None
    names: Sequence[str] = ()

    @property
    def spans(self) -> list[SpanProbability]:
        """The predicted spans, in order."""
        places, probabilities, names = self.of_spans
        return [
            SpanProbability(start, end, names[kind] if names else "", p)
            for (start, end, kind), p in zip(places.tolist(), probabilities.tolist(), strict=True)
        ]


@dataclass(frozen=True)
class Ranked:
    """One of the k best analyses of a sentence. score: of the model. log_probability: nan where the sum over all analyses cannot be computed.

    analysis: a label for each token of a chain (for entities, the tags of its scheme), (head, label) for each word of a tree, with heads counted from
    1 in the sentence and 0 for the root, and (start, end, label) for each constituent, with tokens of the document.
    """

    score: float
    log_probability: float
    analysis: tuple[Any, ...]
