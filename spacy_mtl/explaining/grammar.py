"""Explanations of constituency trees: the best tree without a constituent, and the features in which two trees differ."""

from collections.abc import Iterator, Sequence

import numpy as np
from spacy.tokens import Doc

from spacy_mtl.constituents.binarize import plain
from spacy_mtl.models.grammar.features import places_of
from spacy_mtl.models.grammar.predict import GrammarPredictor, best_derivation, items_of
from spacy_mtl.sentences import borders
from spacy_mtl.structures.grammar.forest import spans_of, splits_of
from spacy_mtl.templates.attributes.texts import AttributeTexts
from spacy_mtl.templates.grammar import Template, parse_template
from spacy_mtl.templates.spans.index import place_keys
from spacy_mtl.templates.spans.program import compile_spans

from .chain import find_rows
from .decision import Change, Contribution, Decision, forbidden, nonzero
from .names import SentenceNames


class Sentence:
    """A sentence [start, end) of a document, its forest and the scores of its parts. columns: uint64[A, N], of the document."""

    def __init__(self, predictor: GrammarPredictor, doc: Doc, columns: np.ndarray, start: int, end: int):
        self.predictor, self.doc, self.start = predictor, doc, start
        self.columns = np.ascontiguousarray(columns[:, start:end])
        self.forest = predictor.forest(self.columns)
        if self.forest.symbol.size:
            self.items, self.edges = predictor.scores(self.columns, self.forest)
        texts = AttributeTexts(predictor.reader, columns, doc.vocab.strings, [doc])
        self.names = SentenceNames(texts, start, end)
        live = [parse_template(row.text) for row in predictor.weights.templates if row.rows]
        self.templates = [t for t in live if not t.is_edge], [t for t in live if t.is_edge]
        self._features: list[tuple[np.ndarray, np.ndarray, np.ndarray]] | None = None

    def span(self, item: int) -> tuple[int, int]:
        return int(self.forest.start[item]), int(self.forest.end[item])

    def labels(self, item: int) -> tuple[str, ...]:
        """The labels of the constituents that an item stands for; none for words and parts of constituents."""
        return tuple(plain(self.predictor.weights.labels[self.forest.symbol[item]]))

    def text(self, start: int, end: int) -> str:
        return self.doc[self.start + start : self.start + end].text

    def score(self, output: np.ndarray) -> float:
        """The score of a derivation in double precision."""
        items, edges = self.items[items_of(self.forest, output)], self.edges[output[1:]]
        return float(items.sum(dtype=np.float64) + edges.sum(dtype=np.float64))

    def without(self, items: np.ndarray) -> np.ndarray | None:
        """The best derivation without these items; None if there is none."""
        scores = self.items.copy()
        scores[items] = -np.inf
        output, score = best_derivation(self.forest, scores, self.edges)
        return None if score == -np.inf else output

    def features(self) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Of items and of edges: places int32[P, 4], the place of each part int64, and rows int64[P, T] of what templates observe there."""
        if self._features is None:
            weights, places = self.predictor.weights, places_of(self.forest)
            whole = ((weights.keys, spans_of(self.forest)[1]), (weights.pair_keys, splits_of(self.forest)[1]))
            self._features = [
                (at, of, self._rows(templates, keys, at))
                for (keys, of), at, templates in zip(whole, places, self.templates, strict=True)
            ]
        return self._features

    def named(self, matrices: tuple[str, str]) -> Iterator[tuple[str, int, str, str]]:
        """Matrix, row, template and feature of all that has weights in the forest. matrices: names of that of spans and that of splits."""
        kinds = zip(matrices, self.templates, self.features(), strict=True) if self.forest.symbol.size else ()
        for matrix, templates, (places, _, rows) in kinds:
            for line, (_, start, middle, end) in enumerate(places.tolist()):
                for j, template in enumerate(templates):
                    if rows[line, j] >= 0:
                        yield matrix, int(rows[line, j]), template.name, self.names.span(template, start, middle, end)

    def _rows(self, templates: Sequence[Template], keys: np.ndarray, places: np.ndarray) -> np.ndarray:
        program = compile_spans(templates, self.predictor.reader.columns)
        rows, seen = np.full((len(places), len(templates)), -1, np.int64), np.empty(len(places), np.uint64)
        for j in range(len(templates)):
            place_keys(self.columns, np.array([0, self.columns.shape[1]]), program, j, places, seen)
            rows[:, j] = find_rows(keys, seen)
        return rows


def differences(sentence: Sentence, winner: np.ndarray, other: np.ndarray) -> Iterator[Contribution]:
    """The contributions to the score of one derivation minus that of another. winner, other: int32[n]."""
    forest = sentence.forest
    for one, two, sign in ((winner, other, 1.0), (other, winner, -1.0)):
        for item in sorted(set(items_of(forest, one).tolist()) - set(items_of(forest, two).tolist())):
            yield from _of_part(sentence, 0, item, sign)
        for edge in sorted(set(one[1:].tolist()) - set(two[1:].tolist())):
            yield from _of_part(sentence, 1, edge, sign)


def _of_part(sentence: Sentence, kind: int, part: int, sign: float) -> Iterator[Contribution]:
    """The contributions of an item (kind 0) or edge (kind 1)."""
    weights, (places, of, rows) = sentence.predictor.weights, sentence.features()[kind]
    codes, scales = (weights.pair_codes, weights.pair_scales) if kind else (weights.codes, weights.scales)
    forest, line = sentence.forest, int(of[part])
    column = int((forest.rule if kind else forest.symbol)[part])
    start, middle, end = places[line, 1:].tolist()
    told = _rule_text(sentence, column, start, middle, end) if kind else _item_text(sentence, column, start, end)
    for template, row in zip(sentence.templates[kind], rows[line].tolist(), strict=True):
        if row >= 0:
            value = sign * float(scales[row]) * int(codes[row, column])
            yield Contribution(template.name, sentence.names.span(template, start, middle, end), told, value)


def _item_text(sentence: Sentence, symbol: int, start: int, end: int) -> str:
    return f"{sentence.predictor.weights.labels[symbol]}: {sentence.text(start, end)}"


def _rule_text(sentence: Sentence, rule: int, start: int, middle: int, end: int) -> str:
    names, grammar = sentence.predictor.weights.labels, sentence.predictor.grammar.grammar
    parent, left, right = (names[each[rule]] for each in (grammar.parent, grammar.left, grammar.right))
    return f"{parent} → {left} {right}: {sentence.text(start, middle)} | {sentence.text(middle, end)}"


def grammar_decisions(predictor: GrammarPredictor, doc: Doc, max_words: int | None = None) -> list[Decision]:
    """A decision for each constituent. max_words: as of :meth:`.GrammarPredictor.longest`; longer sentences have no constituents."""
    starts, most = borders([doc]), predictor.longest(max_words)
    columns = predictor.columns_of([doc], starts)
    found = list[Decision]()
    for start, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        if 0 < end - start <= most:
            found += _of_sentence(Sentence(predictor, doc, columns, start, end))
    return found


def _of_sentence(sentence: Sentence) -> Iterator[Decision]:
    forest = sentence.forest
    if not forest.symbol.size:
        return
    winner, _ = best_derivation(forest, sentence.items, sentence.edges)
    items = [item for item in items_of(forest, winner).tolist() if sentence.labels(item)]
    for item in sorted(items, key=lambda item: (sentence.span(item)[0], -sentence.span(item)[1])):
        same = [
            other
            for other in np.flatnonzero(
                (forest.start == forest.start[item]) & (forest.end == forest.end[item])
            ).tolist()
            if sentence.labels(other) == sentence.labels(item)
        ]
        yield _decision(sentence, winner, item, sentence.without(np.array(same)))


def _decision(sentence: Sentence, winner: np.ndarray, item: int, other: np.ndarray | None) -> Decision:
    start, end = sentence.span(item)
    at = sentence.start + start, sentence.start + end
    text, labels = sentence.text(start, end), " ".join(sentence.labels(item))
    if other is None:
        return forbidden("constituent", *at, text, labels)
    before, after = (_constituents(sentence, output) for output in (winner, other))
    instead = " ".join(after.get((start, end), ())) or "none"
    changes = [
        Change(sentence.text(*span), " ".join(before.get(span, ())) or "none", " ".join(after.get(span, ())) or "none")
        for span in sorted({*before, *after} - {(start, end)})
        if before.get(span) != after.get(span)
    ]
    difference = sentence.score(winner) - sentence.score(other)
    contributions = nonzero(differences(sentence, winner, other))
    return Decision("constituent", *at, text, labels, instead, difference, contributions, tuple(changes))


def _constituents(sentence: Sentence, output: np.ndarray) -> dict[tuple[int, int], tuple[str, ...]]:
    items = items_of(sentence.forest, output).tolist()
    return {sentence.span(item): labels for item in items if (labels := sentence.labels(item))}
