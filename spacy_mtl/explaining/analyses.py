"""Explanations of analyses: chains over several factors, whose best values together are one of the analyses that a corpus has."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from spacy_mtl.models.chain.analyses import AnalysisPredictor, max_marginals
from spacy_mtl.structures.chain.viterbi import FORBIDDEN

from .chain import ChainFeatures, Positions, Scored, sentences_of
from .decision import Contribution, Decision, forbidden, nonzero


def analysis_decisions(
    kind: str, predictor: AnalysisPredictor, positions: Positions, shown: Sequence[str]
) -> list[Decision]:
    """A decision for each token: its analysis, and the next best one of those that its word may have.

    The score of an analysis is the sum, over the factors, of the score of the best label sequence that gives the token the analysis's label. shown:
    the analyses as text.
    """
    found = predictor.label(positions.given, positions.starts, positions.doc_starts)
    features = ChainFeatures(predictor, positions)
    rows = predictor.constraints.form_rows(positions.given[0])
    decisions = []
    for scored in sentences_of(predictor, positions, found):
        best = _Factors(scored, predictor.constraints.table)
        for t in range(scored.size):
            row = rows[scored.start + t]
            allowed = np.ones(len(best.table), bool) if row < 0 else predictor.constraints.form_labels[row].copy()
            decisions.append(_decision(kind, best, t, allowed, features, shown))
    return decisions


class _Factors:
    """The factors of a sentence. table: int32[A, G], the label of each analysis in each factor."""

    def __init__(self, scored: Scored, table: np.ndarray):
        self.scored, self.table = scored, table
        self.borders = np.stack([table.min(axis=0), table.max(axis=0) + 1], axis=1)
        reached, shape = scored.nodes.copy(), scored.nodes.shape
        for first, last in self.borders.tolist():
            max_marginals(
                reached, scored.pairs[0], first, last, np.empty(shape, np.float32), np.empty(shape, np.float32)
            )
        self.scores = reached[:, table].sum(axis=2, dtype=np.float64)  # of each analysis, float64[n, A]

    def best_with(self, factor: int, t: int, label: int) -> tuple[np.ndarray, float]:
        """The best label sequence of a factor that has this label at position t, int32[n], and its score."""
        first, last = self.borders[factor].tolist()
        nodes = np.ascontiguousarray(self.scored.nodes[:, first:last]).copy()
        nodes[t, np.arange(last - first) != label - first] += FORBIDDEN
        own = Scored(0, nodes, np.ascontiguousarray(self.scored.pairs[:, first:last, first:last]), self.scored.labels)
        labels = own.best()
        assert labels is not None  # factors have no constraints
        return labels + np.int32(first), own.score(labels)


def _decision(
    kind: str, best: _Factors, t: int, allowed: np.ndarray, features: ChainFeatures, shown: Sequence[str]
) -> Decision:
    scored, positions = best.scored, features.positions
    at, winner = scored.start + t, int(scored.labels[t])
    allowed[winner] = False
    (start, end), text = positions.places[at], positions.texts[at]
    if not allowed.any():
        return forbidden(kind, start, end, text, shown[winner])
    other = int(np.where(allowed, best.scores[t], -np.inf).argmax())
    difference, contributions = 0.0, list[Contribution]()
    for factor, (label, instead) in enumerate(
        zip(best.table[winner].tolist(), best.table[other].tolist(), strict=True)
    ):
        if label != instead:
            (one, one_score), (two, two_score) = (best.best_with(factor, t, each) for each in (label, instead))
            difference += one_score - two_score
            contributions += features.between(replace(scored, labels=one), one, two)
    return Decision(kind, start, end, text, shown[winner], shown[other], difference, nonzero(contributions))
