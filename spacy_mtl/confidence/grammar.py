"""How sure a model of constituency trees is: of constituents and of whole trees, by inside-outside sums over the forest of each sentence."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from spacy_mtl.constituents.binarize import plain
from spacy_mtl.models.grammar.predict import GrammarPredictor, best_derivation
from spacy_mtl.structures.grammar.forest import Forest
from spacy_mtl.structures.grammar.kbest import kbest_derivations
from spacy_mtl.structures.grammar.sums import share_out, sum_inside, sum_roots

from .adjusting import Traits
from .calibration import Calibrations
from .considered import ConsideredDocs, calibration_of
from .maps import Outcomes
from .result import Confidence, Ranked, Spans

#: Added to the score of each item that a tree must have, so that trees without one of them weigh nothing.
MUST = 1e5


class Parsed(NamedTuple):
    """A sentence with constituents: first word, forest, scores of items and edges (float32), and what is predicted, int64[k, 4] with items."""

    begin: int
    forest: Forest
    items: np.ndarray
    edges: np.ndarray
    found: np.ndarray


def log_sum(forest: Forest, items: np.ndarray, edges: np.ndarray) -> tuple[float, np.ndarray]:
    """The log of the sum over all derivations, and that of each item's, float64[I]. items, edges: float64."""
    inside = np.empty(items.size)
    sum_inside(items, edges, forest.first_edge, forest.left, forest.right, inside)
    return float(sum_roots(forest.root, inside)), inside


def _table(spans: Sequence[tuple[int, int, int]]) -> np.ndarray:
    return np.array(spans, np.int64).reshape(-1, 3)


class ConsideredConstituents(ConsideredDocs):
    """Constituents of some documents. starts: int64[S + 1], sentences. labels: of constituents. lengths: of the documents, in words."""

    kinds = ("constituent",)

    def __init__(
        self,
        predictor: GrammarPredictor,
        lengths: Sequence[int],
        labels: Sequence[str],
        starts: np.ndarray,
        forests: Sequence[tuple],
    ):
        self.predictor, self.labels, self.starts = predictor, list(labels), starts
        self.doc_starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        number = {label: at for at, label in enumerate(self.labels)}
        self._of_symbol = [[number[label] for label in plain(symbol)] for symbol in predictor.weights.labels]
        self._has = np.zeros((len(self._of_symbol), len(self.labels)), bool)
        for row, found in zip(self._has, self._of_symbol, strict=True):
            row[found] = True
        self.parsed = [
            Parsed(
                begin, forest, items, edges, predictor.constituents(forest, best_derivation(forest, items, edges)[0])
            )
            for begin, forest, items, edges in forests
        ]

    @property
    def predicted(self) -> list[np.ndarray]:
        tables = [each.found[:, :3] + [each.begin, each.begin, 0] for each in self.parsed]
        joined = np.concatenate([np.empty((0, 3), np.int64), *tables])
        parts = np.split(joined, np.searchsorted(joined[:, 0], self.doc_starts[1:-1]))
        return [
            (part - [a, a, 0]).astype(np.int32) for part, a in zip(parts, self.doc_starts[:-1].tolist(), strict=True)
        ]

    def _expanded(self, table: np.ndarray) -> list[tuple[int, int, int]]:
        """Start, end and label of constituents, the outer ones first, from lines of start, end and symbol."""
        return [(a, b, label) for a, b, symbol in table[:, :3].tolist() for label in self._of_symbol[symbol]]

    def _gold(self, gold: Sequence[np.ndarray]) -> dict[int, list[tuple[int, int, int]]]:
        """Gold constituents by the first word of their sentence, with places in it. gold: int32[k, 3] of each document."""
        found: dict[int, list[tuple[int, int, int]]] = {}
        for begin, table in zip(self.doc_starts[:-1].tolist(), gold, strict=True):
            for a, b, label in table.tolist():
                start = int(self.starts[np.searchsorted(self.starts, begin + a, side="right") - 1])
                found.setdefault(start, []).append((begin + a - start, begin + b - start, label))
        return found

    def _log_of_tree(
        self, each: Parsed, constituents: Sequence[tuple[int, int, int]], items: np.ndarray, edges: np.ndarray
    ) -> float:
        """The log of the sum over the derivations with exactly these constituents; -inf where there is none. items, edges: as in :func:`log_sum`."""
        wanted: dict[tuple[int, int], list[int]] = {}
        for a, b, label in constituents:
            wanted.setdefault((a, b), []).append(label)
        forest, only = each.forest, items.copy()
        must = max(
            MUST, 8 * int(forest.end.max(initial=1)) * (_largest(items) + _largest(edges))
        )  # more than twice any tree's score
        for i, (a, b, symbol) in enumerate(
            zip(forest.start.tolist(), forest.end.tolist(), forest.symbol.tolist(), strict=True)
        ):
            labels = wanted.get((a, b), [])
            if self._of_symbol[symbol] != labels:
                only[i] = -np.inf
            elif labels:
                only[i] += must
        with np.errstate(all="ignore"):
            total, _ = log_sum(forest, np.where(np.isfinite(only), only, -1e6 * must), edges)
        return total - must * len(wanted) if total > must * (len(wanted) - 0.5) else -np.inf

    def losses(self, kind: str, gold: Sequence[np.ndarray], temperature: float) -> np.ndarray:
        wanted, found = self._gold(gold), []
        for each in self.parsed:
            loss = np.nan
            if each.begin in wanted:
                items, edges = each.items.astype(float) / temperature, each.edges.astype(float) / temperature
                log_z, _ = log_sum(each.forest, items, edges)
                loss = log_z - self._log_of_tree(each, wanted[each.begin], items, edges)
            found.append(max(loss, 0.0) if np.isfinite(loss) else np.nan)
        return np.array(found, float)

    def loss_places(self, kind: str) -> np.ndarray:
        return np.array([each.begin for each in self.parsed], np.int64)

    def _sums(self, each: Parsed, temperature: float) -> tuple[np.ndarray, float]:
        """The probabilities of the predicted constituents of a sentence, float64[k], and the log probability of its tree."""
        forest = each.forest
        items, edges = each.items.astype(float) / temperature, each.edges.astype(float) / temperature
        log_z, inside = log_sum(forest, items, edges)
        mass = np.empty(items.size)
        share_out(
            items,
            edges,
            forest.first_edge,
            forest.left,
            forest.right,
            forest.root,
            inside,
            log_z,
            mass,
            np.empty(edges.size),
        )
        lines = self._expanded(each.found)
        found = [
            mass[(forest.start == a) & (forest.end == b) & self._has[forest.symbol, label]].sum()
            for a, b, label in lines
        ]
        log_probability = self._log_of_tree(each, lines, items, edges) - log_z
        return np.minimum(np.array(found, float), 1.0), min(log_probability, 0.0)

    def outcomes(self, kind: str, gold: Sequence[np.ndarray], temperature: float) -> Outcomes:
        wanted, found, correct, places = self._gold(gold), list[float](), list[bool](), list[tuple[int, int, int]]()
        for each in self.parsed:
            if each.begin in wanted:
                found += self._sums(each, temperature)[0].tolist()
                right = set(wanted[each.begin])
                places += (lines := self._expanded(each.found))
                correct += [line in right for line in lines]
        return Outcomes(np.array(found, float), np.array(correct, bool), Traits.of_spans(_table(places), self.labels))

    def confidences(self, calibrations: Calibrations) -> list[Confidence]:
        calibration = calibration_of(calibrations, self.kinds[0])
        sums = {each.begin: (each, *self._sums(each, calibration.temperature)) for each in self.parsed}
        first, told = np.searchsorted(self.starts, self.doc_starts).tolist(), []
        for begin, (low, high) in zip(self.doc_starts.tolist(), pairwise(first), strict=False):
            places, probabilities, log = list[tuple[int, int, int]](), [np.empty(0)], 0.0
            for start, end in pairwise(self.starts[low : high + 1].tolist()):
                if start in sums:
                    each, own, of_tree = sums[start]
                    shift = start - begin
                    places += [(a + shift, b + shift, label) for a, b, label in self._expanded(each.found)]
                    probabilities.append(own)
                    log += of_tree
                elif end > start:
                    log = float("nan")
            table = _table(places)
            mapped = calibration.map(np.concatenate(probabilities), Traits.of_spans(table, self.labels)).astype(
                np.float32
            )
            told.append(Confidence(np.empty(0, np.float32), log, Spans(table, mapped, self.labels)))
        return told

    def kbest(self, calibrations: Calibrations, k: int) -> list[list[Ranked]]:
        """The k best derivations of each sentence, none of one without constituents. Places are those of the document."""
        temperature, parsed = (
            calibration_of(calibrations, self.kinds[0]).temperature,
            {one.begin: one for one in self.parsed},
        )
        sentences = [a for a, b in pairwise(self.starts.tolist()) if b > a]
        return [self._ranked(parsed[begin], temperature, k) if begin in parsed else [] for begin in sentences]

    def _ranked(self, each: Parsed, temperature: float, k: int) -> list[Ranked]:
        forest = each.forest
        log_z, _ = log_sum(forest, each.items.astype(float) / temperature, each.edges.astype(float) / temperature)
        n = int(forest.first[-1])
        outputs, scores = kbest_derivations(
            each.items, each.edges, forest.first_edge, forest.left, forest.right, forest.root, n, k
        )
        doc = int(self.doc_starts[np.searchsorted(self.doc_starts, each.begin, side="right") - 1])
        shift, ranked = each.begin - doc, []
        for output, score in zip(outputs, scores.tolist(), strict=True):
            lines = self._expanded(self.predictor.constituents(forest, output))
            told = tuple((a + shift, b + shift, self.labels[label]) for a, b, label in lines)
            ranked.append(Ranked(score, min(score / temperature - log_z, 0.0), told))
        return ranked


def _largest(scores: np.ndarray) -> float:
    """The largest absolute value of those that are finite."""
    return float(np.abs(scores[np.isfinite(scores)]).max(initial=0.0))
