"""How sure a chain is: of labels, of spans that labels make, and of whole label sequences."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from spacy_mtl.models.chain.decode import Considered
from spacy_mtl.models.segments import Segments
from spacy_mtl.structures.chain.kbest import kbest
from spacy_mtl.structures.chain.sums.marginals import log_partition

from .adjusting import Traits
from .calibration import Calibrations
from .chain_sums import cool, sequence_losses, sum_sequences
from .considered import ConsideredDocs, calibration_of
from .maps import Outcomes
from .result import Confidence, Ranked, Spans


class ConsideredChains(ConsideredDocs):
    """Label sequences of some documents.

    kind: of the decisions. names: of the labels. segments, names_of_spans: the spans that labels make, if these are what is decided, and the names of
    their kinds.
    """

    def __init__(
        self, kind: str, considered: Considered, names: Sequence[str], segments: Segments | None = None,
        names_of_spans: Sequence[str] = (),
    ):  # fmt: skip
        self.kinds, self.kind = (kind,), kind
        self.considered, self.names = considered, names
        self.segments, self.names_of_spans = segments, names_of_spans
        self.labels, self.starts, self.doc_starts = considered.labels, considered.starts, considered.doc_starts

    @property
    def predicted(self) -> list[np.ndarray]:
        return self._by_doc(self.labels)

    def _by_doc(self, values: np.ndarray) -> list[np.ndarray]:
        return np.split(values, self.considered.doc_starts[1:-1])

    def losses(self, kind: str, gold: Sequence[np.ndarray], temperature: float) -> np.ndarray:
        starts, _, nodes, pairs, _ = self.considered
        found = np.empty(starts.size - 1)
        joined = np.concatenate([np.empty(0, np.int32), *gold]).astype(np.int32)
        sequence_losses(starts, nodes, pairs, np.float32(temperature), joined, found)
        return found

    def spans_of(self, labels: np.ndarray) -> np.ndarray:
        """The spans of label sequences (int32[N]) of all sentences, int64[K, 3]: start and end among all positions, and kind."""
        if self.segments is None:
            return np.empty((0, 3), np.int64)
        kinds, goes_on = self.segments
        on = np.zeros(labels.size + 1, bool)
        on[1:-1] = goes_on[labels[:-1], labels[1:]]
        on[self.considered.starts] = False
        begins = np.flatnonzero((kinds[labels] >= 0) & ~on[:-1])
        borders = np.flatnonzero(~on)
        ends = borders[np.searchsorted(borders, begins, side="right")]
        return np.stack([begins, ends, kinds[labels[begins]]], axis=1).astype(np.int64)

    def sums(self, temperature: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Marginals float32[N, L], log probabilities of sentences float64[S], spans int64[K, 3] and their probabilities float32[K]."""
        starts, _, nodes, pairs, _ = self.considered
        spans = self.spans_of(self.labels)
        segments = self.segments or Segments(np.empty(0, np.int64), np.empty((0, 0), bool))
        marginals, of_sentences = np.empty(nodes.shape, np.float32), np.empty(starts.size - 1)
        of_spans = np.empty(len(spans), np.float32)
        sum_sequences(
            starts, nodes, pairs, np.float32(temperature), self.labels, np.searchsorted(spans[:, 0], starts), spans,
            *segments, marginals, of_sentences, of_spans,
        )  # fmt: skip
        return marginals, of_sentences, spans, of_spans

    def _of_labels(self, marginals: np.ndarray) -> np.ndarray:
        """The probabilities of what the predicted labels decide, float32[N]."""
        return marginals[np.arange(self.labels.size), self.labels]

    def outcomes(self, kind: str, gold: Sequence[np.ndarray], temperature: float) -> Outcomes:
        joined = np.concatenate([np.empty(0, np.int32), *gold]).astype(np.int64)
        marginals, _, spans, of_spans = self.sums(temperature)
        if self.segments is None:
            known = joined >= 0
            traits = Traits.of_labels(self.labels, self.names).where(known)
            return Outcomes(self._of_labels(marginals)[known].astype(float), (self.labels == joined)[known], traits)
        unknown = np.concatenate([[0], np.cumsum(joined < 0)])
        known = unknown[spans[:, 1]] == unknown[spans[:, 0]]
        right = set(map(tuple, self.spans_of(np.maximum(joined, 0)).tolist()))
        correct = np.array([tuple(span) in right for span in spans.tolist()], bool)
        traits = Traits.of_spans(spans, self.names_of_spans).where(known)
        return Outcomes(of_spans[known].astype(float), correct[known], traits)

    def confidences(self, calibrations: Calibrations) -> list[Confidence]:
        calibration, borders = calibration_of(calibrations, self.kind), self.considered.doc_starts
        marginals, of_sentences, spans, of_spans = self.sums(calibration.temperature)
        tokens = self._of_labels(marginals)
        if self.segments is None:
            tokens = calibration.map(tokens, Traits.of_labels(self.labels, self.names))
        sentences = np.searchsorted(self.considered.starts, borders).tolist()
        # each document by itself: no document changes the rounding of another
        log_probabilities = [of_sentences[a:b].sum() for a, b in pairwise(sentences)]
        mapped = calibration.map(of_spans, Traits.of_spans(spans, self.names_of_spans))
        first = np.searchsorted(spans[:, 0], borders)
        found, places = [], self.places(spans, first)
        for d, (begin, end) in enumerate(pairwise(borders.tolist())):
            part = slice(first[d], first[d + 1])
            own = Spans(places[part], mapped[part], self.names_of_spans)
            told = tokens[begin:end], float(log_probabilities[d]), own
            found.append(Confidence(*told, marginals=marginals[begin:end], names=self.names))
        return found

    def places(self, spans: np.ndarray, first: np.ndarray) -> np.ndarray:
        """Where spans are in their documents, int64[K, 3], from where they are among all positions. first: int64[D + 1], those of each document."""
        begins = np.repeat(self.doc_starts[:-1], np.diff(first))
        return spans - begins[:, None] * np.array([1, 1, 0])

    def kbest(self, calibrations: Calibrations, k: int) -> list[list[Ranked]]:
        temperature, found = calibration_of(calibrations, self.kind).temperature, list[list[Ranked]]()
        starts, _, nodes, pairs, _ = self.considered
        for a, b in pairwise(starts.tolist()):
            if a == b:
                continue
            own, steps = nodes[a:b], pairs[a:b] if len(pairs) > 1 else pairs
            sequences, scores = kbest(own, steps, k)
            log_z = _log_sum(own, steps, temperature)
            found.append(
                [
                    Ranked(score, min(score / temperature - log_z, 0.0), tuple(self.names[y] for y in labels))
                    for labels, score in zip(sequences.tolist(), scores.tolist(), strict=True)
                ]
            )
        return found


def _log_sum(nodes: np.ndarray, pairs: np.ndarray, temperature: float) -> float:
    """The log of the sum over all label sequences of exp(score / temperature)."""
    cold = [np.empty(scores.shape, np.float32) for scores in (nodes, pairs)]
    for scores, out in zip((nodes, pairs), cold, strict=True):
        cool(np.ascontiguousarray(scores).reshape(-1), np.float32(temperature), out.reshape(-1))
    return float(log_partition(*cold, np.empty(nodes.shape), np.empty(pairs.shape)))
