"""Predict analyses: the best combination of labels of several factors that is an analysis, and one of its word if that is known."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from spacy.tokens import Doc

from spacy_mtl.kernels import kernel
from spacy_mtl.structures.chain.build import Constraints

from .decode import Held, hold
from .predict import Predictor


class ConsideredAnalyses(NamedTuple):
    """The analyses that the best ones of some sentences were chosen from.

    starts, doc_starts: int64, borders of sentences and of documents. nodes: float32[N, L]. step: float32[L, L]. borders, table, forms, form_labels:
    as of :func:`choose_analyses`. labels: int32[N], the analyses that are predicted.
    """

    starts: np.ndarray
    doc_starts: np.ndarray
    nodes: np.ndarray
    step: np.ndarray
    borders: np.ndarray
    table: np.ndarray
    forms: np.ndarray
    form_labels: np.ndarray
    labels: np.ndarray


@kernel
def max_marginals(nodes, step, first, last, forward, backward):
    """Set nodes[t, first:last] to the score of the best sequence through each label, below that of the best sequence. nodes: float32[n, L], of one
    sentence; step: float32[L, L]. forward, backward: float32[n, L], buffers.
    """
    n, size = nodes.shape[0], last - first
    # Copies, and two buffers: the compiler takes several at a time where these are neighbours in memory, and not read and written alike.
    onward, turned = np.empty((size, size), np.float32), np.empty((size, size), np.float32)
    for x in range(size):
        for y in range(size):
            onward[x, y] = turned[y, x] = step[first + x, first + y]
    best, better = np.empty(size, np.float32), np.empty(size, np.float32)
    for y in range(first, last):
        forward[0, y] = nodes[0, y]
        backward[n - 1, y] = 0
    for t in range(1, n):
        top = forward[t - 1, first]
        for x in range(first, last):
            top = max(top, forward[t - 1, x])
        best[:] = -np.inf
        for x in range(size):
            before, steps = forward[t - 1, first + x] - top, onward[x]
            for y in range(size):
                found, other = before + steps[y], best[y]
                better[y] = other if other > found else found
            best, better = better, best
        for y in range(size):
            forward[t, first + y] = best[y] + nodes[t, first + y]
    for t in range(n - 2, -1, -1):
        top = nodes[t + 1, first] + backward[t + 1, first]
        for y in range(first, last):
            top = max(top, nodes[t + 1, y] + backward[t + 1, y])
        best[:] = -np.inf
        for y in range(size):
            after, steps = nodes[t + 1, first + y] + backward[t + 1, first + y] - top, turned[y]
            for x in range(size):
                found, other = after + steps[x], best[x]
                better[x] = other if other > found else found
            best, better = better, best
        for x in range(size):
            backward[t, first + x] = best[x]
    for t in range(n):
        top = forward[t, first] + backward[t, first]
        for y in range(first, last):
            top = max(top, forward[t, y] + backward[t, y])
        for y in range(first, last):
            nodes[t, y] = forward[t, y] + backward[t, y] - top


@kernel
def choose_analyses(nodes, starts, step, borders, table, forms, form_labels, out):
    """Fill out, int32[N], with the best analysis of each position.

    nodes: float32[N, L], overwritten by max-marginals. starts: int64[S + 1], sentences. step: float32[L, L]. borders: int64[G, 2], first and
    last + 1 label of each factor. table: int32[A, G]. forms: int32[N], rows of form_labels (bool[K, A]), the analyses of known words, or -1.
    """
    longest = 1
    for s in range(starts.size - 1):
        longest = max(longest, starts[s + 1] - starts[s])
    forward, backward = np.empty((longest, nodes.shape[1]), np.float32), np.empty((longest, nodes.shape[1]), np.float32)
    for s in range(starts.size - 1):
        if starts[s] < starts[s + 1]:
            for g in range(borders.shape[0]):
                max_marginals(nodes[starts[s] : starts[s + 1]], step, borders[g, 0], borders[g, 1], forward, backward)
    for t in range(nodes.shape[0]):
        best = np.float32(-np.inf)
        for a in range(table.shape[0]):
            if forms[t] < 0 or form_labels[forms[t], a]:
                score = np.float32(0)
                for g in range(table.shape[1]):
                    score += nodes[t, table[a, g]]
                if score > best:
                    best, out[t] = score, a


def factor_labels(analyses: np.ndarray, table: np.ndarray, n_labels: int) -> np.ndarray:
    """The labels of all factors that these analyses have, bool[K, L]. analyses: bool[K, A]; table: int32[A, G]."""
    packed = np.packbits(analyses, axis=1)
    rows = packed.view(f"V{packed.shape[1]}").ravel()  # of the many tokens of a part of speech, nearly all are the same
    _, first, kinds = np.unique(rows, return_index=True, return_inverse=True)
    labels = np.zeros((first.size, n_labels), bool)
    for row, allowed in zip(labels, analyses[first], strict=True):
        row[table[allowed].ravel()] = True
    return labels[kinds]


class AnalysisPredictor(Predictor):
    """Predicts analyses, by their numbers, with the weights of all factors. constraints: with a table of analyses."""

    def label(
        self,
        given: np.ndarray,
        starts: np.ndarray,
        doc_starts: np.ndarray,
        forbidden: Any = None,
        held: Held | None = None,
        tensor: np.ndarray | None = None,
    ) -> np.ndarray:
        """The best analyses int32[N]. Arguments as in :meth:`.Predictor.label`; held: to analyses; ``forbidden`` must be None."""
        assert forbidden is None
        nodes, _ = self.scores(given, starts, doc_starts, tensor)
        found = self._considering(given, starts, doc_starts, nodes, held)
        return self._chosen(found, nodes)

    def analyses(self, docs: Sequence[Doc], held: Held | None = None) -> ConsideredAnalyses:
        """What is predicted for the tokens of docs, and the scores of all that it was chosen from. held: to analyses."""
        tensor, (given, starts, doc_starts) = self.tensor_of(docs), self.read(docs)
        self._warn_of_missing(given)
        nodes, _ = self.scores(given, starts, doc_starts, tensor)
        found = self._considering(given, starts, doc_starts, nodes, held)
        return found._replace(labels=self._chosen(found, nodes.copy()))

    def _considering(
        self, given: np.ndarray, starts: np.ndarray, doc_starts: np.ndarray, nodes: np.ndarray, held: Held | None
    ) -> ConsideredAnalyses:
        """What there is to choose from; nothing is chosen yet."""
        constraints: Constraints = self._constraints
        forms, table = constraints.form_rows(given[0]), constraints.table
        borders = np.stack([table.min(axis=0), table.max(axis=0) + 1], axis=1).astype(np.int64)
        step = np.ascontiguousarray(self._chain.step, np.float32)
        form_labels = constraints.form_labels.reshape(-1, table.shape[0])
        if held is not None:
            hold(nodes, Held(held.at, factor_labels(held.labels, table, nodes.shape[1])))
            forms[held.at] = len(form_labels) + np.arange(held.at.size, dtype=np.int32)
            form_labels = np.concatenate([form_labels, held.labels])
        labels = np.zeros(given.shape[1], np.int32)
        return ConsideredAnalyses(starts, doc_starts, nodes, step, borders, table, forms, form_labels, labels)

    @staticmethod
    def _chosen(found: ConsideredAnalyses, nodes: np.ndarray) -> np.ndarray:
        """The best analyses int32[N]. nodes: the scores, written over."""
        out = np.zeros_like(found.labels)
        choose_analyses(
            nodes, found.starts, found.step, found.borders, found.table, found.forms, found.form_labels, out
        )
        return out

    def __reduce__(self) -> tuple:
        return AnalysisPredictor, self._made_of
