"""How sure a model of several factors is of morphological analyses.

Each factor is a chain with marginals of its own. The probability of an analysis is the product of those of its values, divided by the sum of these
products over all analyses that the word may have.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from spacy_mtl.kernels import kernel
from spacy_mtl.models.chain.analyses import ConsideredAnalyses as Scored
from spacy_mtl.models.chain.analyses import max_marginals
from spacy_mtl.structures.chain.kbest import kbest
from spacy_mtl.structures.chain.sums.marginals import marginals

from .adjusting import Traits
from .calibration import Calibrations
from .chain_sums import cool
from .considered import ConsideredDocs, calibration_of
from .maps import Outcomes
from .result import Confidence, Ranked


@kernel
def factor_marginals(starts, nodes, step, borders, temperature, out):
    """Set out, float32[N, L], to the probabilities of the labels of each factor. Arguments as of :class:`.analyses.ConsideredAnalyses`."""
    for s in range(starts.size - 1):
        a, n = starts[s], starts[s + 1] - starts[s]
        for g in range(borders.shape[0]):
            first, last = borders[g, 0], borders[g, 1]
            size = last - first
            if n == 0:
                continue
            own, pairs = np.empty((n, size), np.float32), np.empty((1, size, size), np.float32)
            for x in range(size):
                for y in range(size):
                    pairs[0, x, y] = step[first + x, first + y]
            for t in range(n):
                own[t] = nodes[a + t, first:last]
            cool(own.reshape(-1), temperature, own.reshape(-1))
            cool(pairs.reshape(-1), temperature, pairs.reshape(-1))
            found = np.empty((n, size))
            marginals(own, pairs, np.empty((n, size)), np.empty((1, size, size)), found, np.empty((1, size * size)))
            for t in range(n):
                for y in range(size):
                    out[a + t, first + y] = found[t, y]


@kernel
def share_of_analyses(of_labels, table, forms, form_labels, wanted, out):
    """Set out, float64[N], to the probability of the analyses ``wanted`` (int32[N]), nan for -1 or one that the word may not have."""
    for t in range(wanted.size):
        total, own = 0.0, np.nan
        for a in range(table.shape[0]):
            if forms[t] < 0 or form_labels[forms[t], a]:
                product = 1.0
                for g in range(table.shape[1]):
                    product *= of_labels[t, table[a, g]]
                total += product
                if a == wanted[t]:
                    own = product
        out[t] = own / total if total > 0 else np.nan


class ConsideredAnalyses(ConsideredDocs):
    """Analyses of the words of some documents. names: of the analyses."""

    def __init__(self, kind: str, scored: Scored, names: Sequence[str]):
        self.kinds, self.kind = (kind,), kind
        self.scored, self.names = scored, names
        self.starts, self.doc_starts = scored.starts, scored.doc_starts

    @property
    def predicted(self) -> list[np.ndarray]:
        return np.split(self.scored.labels, self.scored.doc_starts[1:-1])

    def probabilities(self, analyses: np.ndarray, temperature: float) -> np.ndarray:
        """Those of one analysis of each word (int32[N]), float64[N]; nan for -1 or one that the word may not have."""
        return self._shares(analyses, 0, self._of_labels(temperature))

    def _of_labels(self, temperature: float) -> np.ndarray:
        """The probabilities of the labels of each factor, float32[N, L]."""
        scored, out = self.scored, np.empty(self.scored.nodes.shape, np.float32)
        factor_marginals(scored.starts, scored.nodes, scored.step, scored.borders, np.float32(temperature), out)
        return out

    def _shares(self, analyses: np.ndarray, first: int, of_labels: np.ndarray) -> np.ndarray:
        """As :meth:`probabilities`, of the words from ``first`` on. of_labels: of all words."""
        scored, part, out = self.scored, slice(first, first + analyses.size), np.empty(analyses.size)
        wanted = analyses.astype(np.int32)
        share_of_analyses(of_labels[part], scored.table, scored.forms[part], scored.form_labels, wanted, out)
        return out

    def _traits(self) -> Traits:
        return Traits.of_labels(self.scored.labels, self.names)

    def losses(self, kind: str, gold: Sequence[np.ndarray], temperature: float) -> np.ndarray:
        found = self.probabilities(np.concatenate([np.empty(0, np.int32), *gold]), temperature)
        return -np.log(np.maximum(found, 1e-300))

    def loss_places(self, kind: str) -> np.ndarray:
        return np.arange(self.scored.labels.size)

    def outcomes(self, kind: str, gold: Sequence[np.ndarray], temperature: float) -> Outcomes:
        joined = np.concatenate([np.empty(0, np.int32), *gold])
        known = joined >= 0
        found = self.probabilities(self.scored.labels, temperature)
        return Outcomes(found[known], (joined == self.scored.labels)[known], self._traits().where(known))

    def confidences(self, calibrations: Calibrations) -> list[Confidence]:
        calibration = calibration_of(calibrations, self.kind)
        found = self.probabilities(self.scored.labels, calibration.temperature)
        logs = np.log(np.maximum(found, 1e-300))
        tokens = calibration.map(found, self._traits()).astype(np.float32)
        return [Confidence(tokens[a:b], float(logs[a:b].sum())) for a, b in pairwise(self.scored.doc_starts.tolist())]

    def kbest(self, calibrations: Calibrations, k: int) -> list[list[Ranked]]:
        """As in the base class. Words are decided on one by one.

        The score of an analysis is the sum over the factors of that of the best label sequence through its value.
        """
        scored, temperature = self.scored, calibration_of(calibrations, self.kind).temperature
        best, forward = scored.nodes.copy(), np.empty(scored.nodes.shape, np.float32)
        of_labels, found = self._of_labels(temperature), []
        for a, b in pairwise(scored.starts.tolist()):
            if a == b:
                continue
            for first, last in scored.borders.tolist():
                max_marginals(best[a:b], scored.step, first, last, forward[: b - a], np.empty_like(forward[: b - a]))
            scores = best[a:b][:, scored.table].sum(axis=2)
            rows = scored.forms[a:b]
            scores = np.where((rows < 0)[:, None] | scored.form_labels[np.maximum(rows, 0)], scores, -np.inf) if len(
                scored.form_labels
            ) else scores  # fmt: skip
            top = np.argsort(-scores, axis=1, kind="stable")[:, :k]
            kept = np.maximum(np.take_along_axis(scores, top, axis=1), np.float32(-1e9)).astype(np.float32)
            orders, totals = kbest(kept, np.zeros((1, kept.shape[1], kept.shape[1]), np.float32), k)
            found.append(self._ranked(a, [top[np.arange(b - a), order] for order in orders], totals, of_labels))
        return found

    def _ranked(
        self, first: int, choices: Sequence[np.ndarray], scores: np.ndarray, of_labels: np.ndarray
    ) -> list[Ranked]:
        ranked = []
        for chosen, score in zip(choices, scores.tolist(), strict=True):
            logs = np.log(np.maximum(self._shares(chosen, first, of_labels), 1e-300))
            ranked.append(Ranked(score, float(logs.sum()), tuple(self.names[y] for y in chosen.tolist())))
        return ranked
