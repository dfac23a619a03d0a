"""The decisions of components over chains: labels of positions, and spans."""

from collections.abc import Callable, Sequence

import numpy as np

from spacy_mtl.models.chain.predict import Predictor
from spacy_mtl.models.segments import Segments

from .chain import ChainFeatures, Positions, Scored, best_outside, sentences_of
from .decision import Decision, changes_between, forbidden, nonzero

#: What a label (its number) decides at a position of the document, as text.
Shown = Callable[[int, int], str]


class ExplainedChain:
    """A document's sentences, scores and features. bias: float32[L], added to the score of each label at every position, or None."""

    def __init__(self, predictor: Predictor, positions: Positions, bias: np.ndarray | None = None):
        self.positions = positions
        self.names: Sequence[str] = predictor.weights.labels
        self._features = ChainFeatures(predictor, positions, bias)
        labels = predictor.label(positions.given, positions.starts, positions.doc_starts, positions.forbidden)
        self._sentences = sentences_of(predictor, positions, labels)
        if bias is not None:
            self._sentences = [scored.biased(bias) for scored in self._sentences]

    def label_decisions(self, kind: str, same: np.ndarray | None, shown: Shown, first: int = 0) -> list[Decision]:
        """A decision for each position of a sentence from ``first`` on.

        same: bool[L, L], which labels decide the same; None for those that are shown as the same text at the position.
        """
        return [
            self._label_decision(kind, scored, t, same, shown)
            for scored in self._sentences
            for t in range(first, scored.size)
        ]

    def _label_decision(self, kind: str, scored: Scored, t: int, same: np.ndarray | None, shown: Shown) -> Decision:
        winner, at = int(scored.labels[t]), scored.start + t
        text = shown(at, winner)
        left_out = (
            same[winner] if same is not None else np.array([shown(at, y) == text for y in range(len(self.names))])
        )
        other = scored.without(t, left_out).best()
        return self._decision(kind, scored, (t, t + 1), text, other, lambda y: shown(at, int(y[t])))

    def span_decisions(self, kind: str, segments: Segments, kinds: Sequence[str]) -> list[Decision]:
        """A decision for each span that is predicted. kinds: names of the kinds of spans."""
        return [
            self._span_decision(kind, scored, span, segments, kinds)
            for scored in self._sentences
            for span in segments.spans(scored.labels)
        ]

    def _span_decision(
        self, kind: str, scored: Scored, span: tuple[int, int, int], segments: Segments, kinds: Sequence[str]
    ) -> Decision:
        start, end, number = span
        other = best_outside(scored, start, segments.steps(start, end, number, scored.size))

        def instead(labels: np.ndarray) -> str:
            found = [each for each in segments.spans(labels) if each[0] < end and each[1] > start]
            told = [f"{kinds[k]} ({self._text(scored.start + a, scored.start + b)})" for a, b, k in found]
            return ", ".join(told) or "O"

        return self._decision(kind, scored, (start, end), kinds[number], other, instead)

    def _decision(
        self, kind: str, scored: Scored, at: tuple[int, int], winner: str, other: np.ndarray | None,
        shown: Callable[[np.ndarray], str],
    ) -> Decision:  # fmt: skip
        """The decision about positions [at[0], at[1]) of a sentence, whose best other label sequence is ``other``."""
        first, last = (scored.start + t for t in at)
        text = self._text(first, last)
        start, end = self.positions.places[first][0], self.positions.places[last - 1][1]
        if other is None:
            return forbidden(kind, start, end, text, winner)
        names, texts = self.names, self.positions.texts[scored.start : scored.start + scored.size]
        told = [[names[y] for y in labels] for labels in (scored.labels, other)]
        return Decision(
            kind, start, end, text, winner, shown(other),
            scored.score(scored.labels) - scored.score(other),
            nonzero(self._features.between(scored, scored.labels, other)),
            changes_between(texts, told[0], told[1], range(*at)),
        )  # fmt: skip

    def _text(self, first: int, last: int) -> str:
        """The positions [first, last) of the document, as text."""
        docs, places = self.positions.docs, self.positions.places
        if docs:
            return docs[0][places[first][0] : places[last - 1][1]].text
        return "".join(self.positions.texts[first:last])
