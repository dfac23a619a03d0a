"""How sure a parser is: of arcs, of their labels, and of whole trees."""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from spacy_mtl.models.tree.decode import dense_scores
from spacy_mtl.models.tree.predict import Run, TreePredictor
from spacy_mtl.roots import ROOT
from spacy_mtl.structures.tree.algorithms.siblings import no_pairs, pair_table
from spacy_mtl.structures.tree.build import Arcs
from spacy_mtl.structures.tree.kbest import kbest_trees

from .adjusting import Traits
from .calibration import Calibrations
from .considered import ConsideredDocs, calibration_of
from .maps import Outcomes
from .result import Confidence, Ranked
from .tree_sums import sum_trees_of, tree_losses

ARC, LABEL = "arc", "label"
_NONE = np.empty(0, np.int32)


class ConsideredTrees(ConsideredDocs):
    """Trees of some documents. lengths: of these, in words. starts: int64[S + 1], sentences. trees: int32[2, N], as predicted.

    Sentences that are parsed in pieces have no probabilities.
    """

    def __init__(
        self,
        predictor: TreePredictor,
        lengths: Sequence[int],
        starts: np.ndarray,
        trees: np.ndarray,
        runs: Sequence[Run],
    ):
        self.predictor, self.starts, self.trees, self.runs = predictor, starts, trees, runs
        self.doc_starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        self.joint = any(run.search.by_label.size for run in runs)
        self.second_pass = (
            bool(predictor.weights.labels) and not self.joint and predictor.rules.labelling == "second_pass"
        )
        self.kinds = (ARC, LABEL) if self.second_pass else (ARC,)
        pieces = np.unique(np.concatenate([np.zeros(1, np.int64), *(run.begin + run.search.starts for run in runs)]))
        inside = np.searchsorted(pieces, starts[1:], "left") - np.searchsorted(pieces, starts[:-1], "right")
        self.whole = inside <= 0  # which sentences are not parsed in pieces, bool[S]
        templates, rules = predictor.templates, predictor.rules
        self.exact = not templates.second_order or (rules.projective and not templates.grandparents)

    @property
    def predicted(self) -> list[np.ndarray]:
        return np.split(self.trees, self.doc_starts[1:-1], axis=1)

    @property
    def n_labels(self) -> int:
        return max(len(self.predictor.weights.labels), 1)

    def _heads(self, gold: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """Gold heads and labels, int32[N] each, -1 where unknown, and in sentences that are parsed in pieces."""
        joined = np.concatenate([_NONE, *gold]).astype(np.int32)
        joined = np.where(np.repeat(self.whole, np.diff(self.starts)), joined, -1)
        known = joined >= 0
        return np.where(known, joined // self.n_labels, -1), np.where(known, joined % self.n_labels, -1)

    def losses(self, kind: str, gold: Sequence[np.ndarray], temperature: float) -> np.ndarray:
        heads, labels = self._heads(gold)
        if kind == LABEL:
            return self._label_losses(heads, labels, temperature)
        found = []
        for run in self.runs:
            part = slice(run.begin, run.begin + int(run.search.starts[-1]))
            arguments, of_labels = self._cooled(run, temperature)
            own = np.empty(run.search.starts.size - 1)
            tree_losses(*arguments, self.exact, heads[part].astype(np.int32), own)
            if self.joint:
                own -= self._label_logs(run, of_labels, heads[part], labels[part])
            found.append(own)
        return np.concatenate(found)

    def loss_places(self, kind: str) -> np.ndarray:
        return np.arange(self.trees.shape[1]) if kind == LABEL else self.starts[:-1]

    def _cooled(self, run: Run, temperature: float) -> tuple[tuple, np.ndarray]:
        """What the kernels take of a run, and where labels are found jointly their log probabilities given the arc, float32[A, L]."""
        search, rules = run.search, self.predictor.rules
        scores, of_labels = (search.scores / np.float32(temperature)).astype(np.float32), search.by_label
        if of_labels.size:
            by_label = search.by_label / np.float32(temperature)
            top = by_label.max(axis=1, keepdims=True)
            sums = np.log(np.exp(by_label - top).sum(axis=1, keepdims=True))
            of_labels = by_label - top - sums
            scores += sums[_places(run)][:, 0]  # the best label's score is in it already
        pairs = (search.pairs / np.float32(temperature)).astype(np.float32)
        grandparents = bool(self.predictor.templates.grandparents)
        return (
            search.starts, search.arcs.first, search.arcs.heads, scores, search.first, search.inner, pairs, grandparents,
            rules.projective, rules.single_root,
        ), of_labels  # fmt: skip

    def _label_logs(self, run: Run, of_labels: np.ndarray, heads: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """The log probabilities of the labels of each sentence's arcs given these, float64[S]. Arcs from the root have labels that do not count."""
        starts, logs = run.search.starts, np.zeros(heads.size)
        words, places = _scored(run, heads)
        logs[words] = of_labels[places, labels[words]]
        return np.add.reduceat(logs, starts[:-1])

    def _label_losses(self, heads: np.ndarray, labels: np.ndarray, temperature: float) -> np.ndarray:
        """Of the labels of the arcs that are right, float64[N]."""
        right = (heads == self.trees[0]) & (heads > 0)
        logs = self._log_softmax(temperature)
        return np.where(right, -logs[np.arange(heads.size), np.maximum(labels, 0)], np.nan)

    def _log_softmax(self, temperature: float) -> np.ndarray:
        """Log probabilities of labels given the predicted arcs, float64[N, L]."""
        scores = np.concatenate([run.label_scores for run in self.runs]).astype(np.float64) / temperature
        scores -= scores.max(axis=1, keepdims=True)
        return scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))

    def sums(self, temperature: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[np.ndarray]]:
        """Probabilities of the predicted arcs, and of joint labels given these, float32[N] each; log probabilities of sentences; tables of arcs."""
        arcs, labels = np.full(self.trees.shape[1], np.nan, np.float32), np.ones(self.trees.shape[1], np.float32)
        of_sentences, tables = (
            np.full(self.starts.size - 1, np.nan),
            [np.empty((0, 0), np.float32)] * (self.starts.size - 1),
        )
        for run in self.runs:
            starts, sizes = run.search.starts, np.diff(run.search.starts)
            part = slice(run.begin, run.begin + int(starts[-1]))
            arguments, of_labels = self._cooled(run, temperature)
            arcs[part], cells, flat, log_sums, scores = self._summed(run, arguments)
            logs = scores - log_sums
            if self.joint:
                logs += self._label_logs(run, of_labels, run.heads, self.trees[1, part])
                labels[part] = self._joint_labels(run, of_labels, self.trees[1, part])
            for s, start in enumerate(starts[:-1].tolist()):
                at = int(np.searchsorted(self.starts, run.begin + start))
                if at < self.whole.size and self.starts[at] == run.begin + start and self.whole[at] and sizes[s]:
                    of_sentences[at] = min(logs[s], 0.0) if self.exact else np.nan
                    tables[at] = flat[cells[s] : cells[s + 1]].reshape(sizes[s] + 1, sizes[s] + 1)
        arcs[~np.repeat(self.whole, np.diff(self.starts))] = np.nan
        return arcs, labels, of_sentences, tables

    def _summed(self, run: Run, arguments: tuple) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """What :func:`.sum_trees_of` finds: probabilities of predicted arcs, borders of the tables of arcs, these, log sums and scores."""
        sizes = np.diff(run.search.starts)
        cells = np.concatenate([[0], np.cumsum((sizes + 1) ** 2)])
        own, flat = np.empty(int(run.search.starts[-1]), np.float32), np.empty(cells[-1], np.float32)
        log_sums, scores = np.empty(sizes.size), np.empty(sizes.size)
        sum_trees_of(*arguments, self.exact, run.heads, own, cells, flat, log_sums, scores)
        return own, cells, flat, log_sums, scores

    @staticmethod
    def _joint_labels(run: Run, of_labels: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """The probabilities of the labels of the predicted arcs given these, float32[n]."""
        found = np.ones(labels.size, np.float32)
        words, places = _scored(run, run.heads)
        found[words] = np.exp(of_labels[places, labels[words]])
        return found

    def _labels(self, temperature: float) -> np.ndarray:
        """Probabilities of the predicted labels given the tree, float32[N]; 1 for roots, whose label says no more."""
        found = np.exp(self._log_softmax(temperature)[np.arange(self.trees.shape[1]), self.trees[1]])
        found = np.where(self.trees[0] == 0, 1.0, found).astype(np.float32)
        found[~np.repeat(self.whole, np.diff(self.starts))] = np.nan
        return found

    def _traits(self) -> Traits:
        """Labels of arcs, and how many words they reach over."""
        heads, labels = self.trees
        sizes = np.diff(self.starts)
        places = np.arange(heads.size) - np.repeat(self.starts[:-1], sizes) + 1
        return Traits(
            labels.astype(np.int64), np.where(heads == 0, 0, np.abs(heads - places)), self.predictor.weights.labels
        )

    def outcomes(self, kind: str, gold: Sequence[np.ndarray], temperature: float) -> Outcomes:
        heads, labels = self._heads(gold)
        right = heads == self.trees[0]
        if kind == LABEL:
            known = right & (heads > 0)
            found, right = self._labels(temperature), labels == self.trees[1]
        else:
            known, found = heads >= 0, self.sums(temperature)[0]
        return Outcomes(found[known].astype(float), right[known], self._traits().where(known))

    def confidences(self, calibrations: Calibrations) -> list[Confidence]:
        of_arcs = calibration_of(calibrations, ARC)
        arcs, labels, of_sentences, tables = self.sums(of_arcs.temperature)
        traits = self._traits()
        if self.second_pass:
            of_labels = calibration_of(calibrations, LABEL)
            labels = of_labels.map(self._labels(of_labels.temperature), traits)
        arcs, found = of_arcs.map(arcs, traits), []
        if self.joint:
            labels = labels * arcs
        borders = np.searchsorted(self.starts, self.doc_starts).tolist()
        for (a, b), (first, last) in zip(pairwise(self.doc_starts.tolist()), pairwise(borders), strict=True):
            own = labels[a:b] if self.joint or self.second_pass else np.empty(0, np.float32)
            log_probability = float(of_sentences[first:last].sum())
            found.append(Confidence(arcs[a:b], log_probability, labels=own, marginals=tables[first:last]))
        return found

    def kbest(self, calibrations: Calibrations, k: int) -> list[list[Ranked]]:
        """The k best trees of each sentence, an empty list for one that is parsed in pieces.

        Labels that are found jointly are part of a tree: two trees may differ in a label alone, but not in that of an arc from the root, which is
        always ``ROOT``. Labels that a second pass finds are the best ones of each tree.
        """
        temperature, rules = calibration_of(calibrations, ARC).temperature, self.predictor.rules
        log_sums = {at: log for run in self.runs for at, log in self._log_sums(run, temperature)}
        found: list[list[Ranked]] = []
        for sentence in self._sentences():
            if sentence is None:
                found.append([])
                continue
            run, s, start = sentence
            dense, pairs = _parts(run, s, bool(self.predictor.templates.grandparents))
            trees, totals = kbest_trees(dense, pairs, rules.projective, rules.single_root, k)
            ranked = []
            for heads, total in zip(trees, totals.tolist(), strict=True):
                free = np.count_nonzero(heads == 0) * math.log(run.search.by_label.shape[1]) if self.joint else 0.0
                for less, labels in self._labellings(run, start, heads, k):
                    log = (total - less) / temperature + free - log_sums[run.begin + start]
                    told = tuple(zip(heads.tolist(), labels, strict=True))
                    ranked.append(Ranked(total - less, min(log, 0.0) if self.exact else float("nan"), told))
            found.append(sorted(ranked, key=lambda one: -one.score)[:k])
        return found

    def _sentences(self) -> Iterator[tuple[Run, int, int] | None]:
        """Run, number in it and first word in it of each sentence; None for one that is parsed in pieces."""
        whole = dict(zip(self.starts[:-1].tolist(), self.whole.tolist(), strict=True))
        for run in self.runs:
            for s, (start, end) in enumerate(pairwise(run.search.starts.tolist())):
                if end > start and (begin := run.begin + start) in whole:
                    yield (run, s, start) if whole[begin] else None

    def _log_sums(self, run: Run, temperature: float) -> Iterator[tuple[int, float]]:
        """First word and log sum over all trees of each sentence of a run."""
        log_sums = self._summed(run, self._cooled(run, temperature)[0])[3]
        return zip((run.begin + run.search.starts[:-1]).tolist(), log_sums.tolist(), strict=True)

    def _labellings(self, run: Run, start: int, heads: np.ndarray, k: int) -> Iterator[tuple[float, list[str]]]:
        """Labels of a sentence's tree, and how much less than the best ones they score: the k best if labels are found jointly, else the best."""
        names = self.predictor.weights.labels
        if self.joint:
            places = _places_of(run.search.every, start, heads)
            for less, labels in kbest_labels(run.search.by_label[places], heads == 0, k):
                yield less, _labels_told(names, labels, heads)
        elif self.second_pass:
            columns = np.ascontiguousarray(run.columns[:, start : start + heads.size])
            scores = self.predictor.label_scores(columns, np.array([0, heads.size]), heads)
            yield 0.0, _labels_told(names, scores.argmax(axis=1).tolist(), heads)
        else:
            yield 0.0, [""] * heads.size


def _labels_told(names: Sequence[str], labels: Sequence[int], heads: np.ndarray) -> list[str]:
    """The labels that a tree has in documents, where that of a root is always ``ROOT``."""
    return [names[y] if head else ROOT for y, head in zip(labels, heads.tolist(), strict=True)]


def kbest_labels(scores: np.ndarray, single: np.ndarray, k: int) -> list[tuple[float, list[int]]]:
    """The k best labellings of n arcs, best first: how much less than the best one each scores, and its labels.

    scores: float32[n, L]. single: bool[n], arcs of which only the best label is used.
    """
    found: list[tuple[float, list[int]]] = [(0.0, [])]
    for row, one in zip(scores.astype(np.float64), single.tolist(), strict=True):
        best = np.argsort(-row, kind="stable")[: 1 if one else k].tolist()
        longer = [(less + row[best[0]] - row[y], [*labels, y]) for less, labels in found for y in best]
        found = sorted(longer, key=lambda each: each[0])[:k]
    return found


def _places_of(arcs: Arcs, start: int, heads: np.ndarray) -> list[int]:
    """Where the arcs of a tree are among these. start: the first word of its sentence."""
    first = arcs.first[start : start + heads.size + 1].tolist()
    return [
        low + int(np.flatnonzero(arcs.heads[low:high] == head)[0])
        for (low, high), head in zip(pairwise(first), heads.tolist(), strict=True)
    ]


def _places(run: Run) -> np.ndarray:
    """Where the arcs that trees may have are among all that have scores of labels, int64[A']."""
    return np.searchsorted(_keys(run, run.search.every), _keys(run, run.search.arcs))


def _scored(run: Run, heads: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The words whose head is another word by an arc that has scores of labels, int64[k], and where that arc is among all of these, int64[k]."""
    keys, words = _keys(run, run.search.every), np.flatnonzero(heads > 0)
    wanted = words * (heads.size + 1) + heads[words]
    places = np.minimum(np.searchsorted(keys, wanted), keys.size - 1)
    there = keys[places] == wanted
    return words[there], places[there]


def _keys(run: Run, arcs: Arcs) -> np.ndarray:
    """A number for each arc, ascending, int64[A]."""
    n = int(run.search.starts[-1])
    return np.repeat(np.arange(n), np.diff(arcs.first)) * (n + 1) + arcs.heads


def _parts(run: Run, s: int, grandparents: bool) -> tuple[np.ndarray, tuple]:
    """Arc scores and pairs of a sentence."""
    search = run.search
    start, n = int(search.starts[s]), int(search.starts[s + 1] - search.starts[s])
    dense = dense_scores(search.arcs.first, search.arcs.heads, search.scores, start, n)
    if search.first.size <= 1:
        return dense, no_pairs()
    low, high = search.first[search.arcs.first[start]], search.first[search.arcs.first[start + n]]
    scores = search.pairs[low:high]
    return dense, pair_table(
        start, n, search.arcs.first, search.arcs.heads, search.first, search.inner, scores, grandparents
    )
