"""Explanations of chains: the best label sequence without a decision by constrained Viterbi, and the features in which two sequences differ."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from spacy.strings import StringStore
from spacy.tokens import Doc

from spacy_mtl.errors import Errors
from spacy_mtl.models.chain.predict import Predictor
from spacy_mtl.models.chain.weights import short_keys
from spacy_mtl.structures.chain.viterbi import FORBIDDEN, NEVER, viterbi
from spacy_mtl.templates.attributes.texts import AttributeTexts
from spacy_mtl.templates.extract import template_keys
from spacy_mtl.templates.grammar import Template, parse_template
from spacy_mtl.templates.program import compile_program

from .decision import Contribution
from .names import SentenceNames

#: The name under which the score of a label that a form was not seen with is told, if it is not forbidden.
KNOWN = "known"
#: The name under which the bias of a component is told.
BIAS = "bias"


@dataclass(frozen=True)
class Positions:
    """The N positions of one document or several.

    given, starts, doc_starts, forbidden: as in :meth:`.Predictor.label`. texts: of the positions. places: where each is in its document, (start,
    end). strings: of the vocabulary behind ``given``. docs: the documents, if the positions are their tokens.
    """

    given: np.ndarray
    starts: np.ndarray
    doc_starts: np.ndarray
    texts: Sequence[str]
    places: Sequence[tuple[int, int]]
    strings: StringStore
    docs: Sequence[Doc] = ()
    forbidden: tuple[np.ndarray, np.ndarray] | None = None

    @classmethod
    def of_tokens(cls, predictor: Predictor, docs: Sequence[Doc], whole: bool = False) -> "Positions":
        """The tokens of documents of one vocabulary, sentence by sentence, or each document as a ``whole``.

        Raises ValueError (M486) where templates read vectors, whose numbers have no names.
        """
        if predictor.weights.dense_codes.size:
            raise ValueError(Errors.M486)
        texts = [token.text for doc in docs for token in doc]
        places = [(t, t + 1) for doc in docs for t in range(len(doc))]
        return cls(*predictor.read(docs, whole), texts, places, docs[0].vocab.strings, docs)


@dataclass(frozen=True)
class Scored:
    """A sentence of n positions and its part scores. nodes: float32[n, L]. pairs: float32[n or 1, L, L]. labels: int32[n], what is predicted."""

    start: int
    nodes: np.ndarray
    pairs: np.ndarray
    labels: np.ndarray

    @property
    def size(self) -> int:
        return len(self.nodes)

    def score(self, labels: np.ndarray) -> float:
        """The score of a label sequence int32[n], in double precision."""
        at = np.arange(self.size)
        total = float(self.nodes[at, labels].sum(dtype=np.float64))
        steps = self.pairs[at[1:] if len(self.pairs) > 1 else 0, labels[:-1], labels[1:]]
        return total + float(steps.sum(dtype=np.float64))

    def best(self) -> np.ndarray | None:
        """The best label sequence, int32[n]; None if all are forbidden."""
        shape = self.nodes.shape
        labels = np.empty(self.size, np.int32)
        viterbi(self.nodes, self.pairs, np.empty(shape, np.float32), np.empty(shape, np.int32), labels)
        return labels if self.score(labels) > NEVER else None

    def biased(self, bias: np.ndarray) -> "Scored":
        """The same with a bias, float32[L], added to the score of each label at every position, and with what is predicted then."""
        nodes = self.nodes + bias
        labels = Scored(self.start, nodes, self.pairs, self.labels).best()
        return Scored(self.start, nodes, self.pairs, self.labels if labels is None else labels)

    def without(self, t: int, labels: np.ndarray) -> "Scored":
        """The same where position t may not have these labels (bool[L])."""
        nodes = self.nodes.copy()
        nodes[t, labels] += FORBIDDEN
        return Scored(self.start, nodes, self.pairs, self.labels)

    def within(self, first: int, steps: Sequence[np.ndarray]) -> "Scored":
        """The same where the labels at (first + k - 1, first + k) must be among ``steps[k]``, bool[L, L]; at the first position any row will do."""
        nodes = self.nodes.copy()
        pairs = np.array(np.broadcast_to(self.pairs, (self.size, *self.pairs.shape[1:])), order="C")
        for k, allowed in enumerate(steps):
            if first + k == 0:
                nodes[0, ~allowed.any(axis=0)] += FORBIDDEN
            else:
                pairs[first + k][~allowed] += FORBIDDEN
        return Scored(self.start, nodes, pairs, self.labels)


def best_outside(scored: Scored, first: int, steps: Sequence[np.ndarray]) -> np.ndarray | None:
    """The best label sequence among those that are not within (see :meth:`Scored.within`); None if there is none.

    They are divided by the first place at which they leave: the steps before it hold there, and its own does not.
    """
    found, top = None, float(NEVER)
    for k in range(len(steps)):
        begins = np.logical_or.reduce(steps[0], axis=0)
        ahead = scored.within(first, [*steps[:k], ~steps[k]]) if first + k else scored.without(0, begins)
        labels = ahead.best()
        if labels is not None and (score := scored.score(labels)) > top:
            found, top = labels, score
    return found


@dataclass
class ChainFeatures:
    """The features of a document's positions under a chain model, by the keys that a file has. bias: float32[L], of labels, or None."""

    predictor: Predictor
    positions: Positions
    bias: np.ndarray | None = None
    templates: list[Template] = field(init=False)
    rows: np.ndarray = field(init=False)
    pair_rows: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        reader, weights, positions = self.predictor.reader, self.predictor.weights, self.positions
        columns = reader.expand(positions.given, positions.starts, positions.doc_starts)
        live = [parse_template(row.text) for row in weights.templates if row.rows]
        self.templates = [template for template in live if not template.is_edge]
        self.observed = [template for template in live if template.is_edge and template.observations]
        self.plain = [template.name for template in live if template.is_edge and not template.observations]
        self.rows = rows_of(columns, positions.starts, self.templates, reader.columns, weights.keys)
        self.pair_rows = rows_of(columns, positions.starts, self.observed, reader.columns, weights.pair_keys)
        texts = AttributeTexts(reader, columns, positions.strings, positions.docs)
        self._names = [SentenceNames(texts, int(a), int(b)) for a, b in pairwise(positions.starts.tolist())]

    def between(self, scored: Scored, winner: np.ndarray, other: np.ndarray) -> list[Contribution]:
        """The contributions to the score of one label sequence of a sentence, minus that of another. winner, other: int32[n]."""
        found: list[Contribution] = []
        for t in np.flatnonzero(winner != other).tolist():
            found += self._of_label(scored.start, t, int(winner[t]), int(other[t]))
        changed = np.flatnonzero((winner[1:] != other[1:]) | (winner[:-1] != other[:-1])) + 1
        for t in changed.tolist():
            found += self._of_step(scored.start, t, tuple(winner[t - 1 : t + 1]), tuple(other[t - 1 : t + 1]))
        return found

    def name(self, template: Template, at: int) -> str:
        """The name of what a template observes at a position of the document."""
        start = int(self.positions.starts[np.searchsorted(self.positions.starts, at, side="right") - 1])
        return self._name_of(start).position(template, at - start)

    def _of_label(self, start: int, t: int, label: int, other: int) -> list[Contribution]:
        weights, names, at = self.predictor.weights, self._name_of(start), start + t
        part = f"{self._shown(start, t)}: {weights.labels[label]}, not {weights.labels[other]}"
        found = []
        for template, row in zip(self.templates, self.rows[at].tolist(), strict=True):
            if row >= 0:
                codes = weights.codes[row]
                value = float(weights.scales[row]) * (int(codes[label]) - int(codes[other]))
                found.append(Contribution(template.name, names.position(template, t), part, value))
        penalty = self._penalty(at, label) - self._penalty(at, other)
        bias = 0.0 if self.bias is None else float(self.bias[label]) - float(self.bias[other])
        return [
            *found,
            *(Contribution(name, "", part, value) for name, value in ((KNOWN, penalty), (BIAS, bias)) if value),
        ]

    def _penalty(self, at: int, label: int) -> float:
        """What a label scores that the form at a position was not seen with, where that is not forbidden."""
        held = self.predictor.constraints
        if held.table.size or not held.forms.size or held.form_penalty < NEVER:
            return 0.0
        row = int(held.form_rows(self.positions.given[0, at : at + 1])[0])
        return 0.0 if row < 0 or held.form_labels[row, label] else float(held.form_penalty)

    def _of_step(self, start: int, t: int, labels: tuple[int, ...], others: tuple[int, ...]) -> list[Contribution]:
        weights, at = self.predictor.weights, start + t
        n_labels, (x, y), (u, v) = len(weights.labels), labels, others
        names = weights.labels
        part = f"{t}-{self._shown(start, t)}: {names[x]} {names[y]}, not {names[u]} {names[v]}"
        step = float(weights.step[x, y]) - float(weights.step[u, v])
        found = [Contribution("+".join(self.plain) or "B", "", part, step)] if step else []
        for template, row in zip(self.observed, self.pair_rows[at].tolist(), strict=True):
            if row >= 0:
                codes = weights.pair_codes[row]
                value = float(weights.pair_scales[row]) * (int(codes[x * n_labels + y]) - int(codes[u * n_labels + v]))
                found.append(Contribution(template.name, self._name_of(start).position(template, t), part, value))
        return found

    def _name_of(self, start: int) -> SentenceNames:
        return self._names[int(np.searchsorted(self.positions.starts, start, side="right")) - 1]

    def _shown(self, start: int, t: int) -> str:
        return f"{t + 1} {self.positions.texts[start + t]}"


def rows_of(
    columns: np.ndarray, starts: np.ndarray, templates: Sequence[Template], names: dict[str, int], keys: np.ndarray
) -> np.ndarray:
    """Rows int64[N, T] of what templates observe at each position among the ascending ``keys`` of a model; -1 where it has none."""
    program = compile_program(templates, names)
    rows = np.full((columns.shape[1], len(templates)), -1, np.int64)
    seen = np.empty(columns.shape[1], np.uint64)
    for j in range(len(templates)):
        template_keys(columns, starts, program, j, seen)
        rows[:, j] = find_rows(keys, seen)
    return rows


def find_rows(keys: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """The row of each key that was seen (uint64[N]) among the ascending short keys uint64[R] of a model; -1 where there is none."""
    if not keys.size:
        return np.full(seen.size, -1, np.int64)
    short = short_keys(seen)
    place = np.minimum(np.searchsorted(keys, short), keys.size - 1)
    return np.where(keys[place] == short, place, -1)


def sentences_of(predictor: Predictor, positions: Positions, labels: np.ndarray) -> list[Scored]:
    """The sentences of a document with what is predicted, int32[N]."""
    nodes, pairs = predictor.part_scores(positions.given, positions.starts, positions.doc_starts, positions.forbidden)
    return [
        Scored(a, nodes[a:b], pairs[a:b] if len(pairs) > 1 else pairs, labels[a:b])
        for a, b in pairwise(positions.starts.tolist())
        if b > a
    ]
