"""Fast prediction of constituents, from docs to labelled spans of symbols."""

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_mtl.constituents.binarize import plain
from spacy_mtl.kernels import kernel
from spacy_mtl.models.annotated import annotated_names, check_annotated
from spacy_mtl.models.chain.lookup import KEY_MASK, key_table
from spacy_mtl.sentences import borders
from spacy_mtl.structures.grammar.derivations import best_root, find_best, trace_back
from spacy_mtl.structures.grammar.forest import Forest, spans_of, splits_of
from spacy_mtl.templates.attributes.reader import AttributeReader
from spacy_mtl.templates.grammar import Template, parse_template
from spacy_mtl.templates.index import Table
from spacy_mtl.templates.spans.index import find_rows, place_keys
from spacy_mtl.templates.spans.program import SpanProgram, compile_spans

from .features import forest_within
from .rules import ParseRules
from .treebank import TreebankGrammar
from .weights import GrammarWeights

#: The largest chart of a sentence, in numbers, and the largest number of steps to fill it: about half a gigabyte, and half a minute.
MOST_CELLS, MOST_STEPS = 1 << 24, 1 << 35


class Coded(NamedTuple):
    """The templates of spans or of splits, and their weights, code * scale. table: key -> row. codes: int8[N, K]. scales: float32[N]."""

    program: SpanProgram
    table: Table
    codes: np.ndarray
    scales: np.ndarray


@kernel
def score_coded(rows, lines, columns, codes, scales, out):
    """Set out[k] to the sum over templates j of the weight of rows[lines[k], j] in column columns[k], where a row of -1 counts as 0.

    rows: int32[., T]. lines: int64[k]. columns: int32[k]. codes: int8[N, K]. scales: float32[N]. out: float32[k].
    """
    for k in range(lines.size):
        total = np.float32(0)
        for j in range(rows.shape[1]):
            row = rows[lines[k], j]
            if row >= 0:
                total += scales[row] * np.float32(codes[row, columns[k]])
        out[k] = total


class GrammarPredictor:
    """Predicts constituents for docs of one vocabulary with fixed weights. Safe to call from several threads."""

    def __init__(
        self, weights: GrammarWeights, rules: ParseRules, vocab: Vocab, tables: Mapping[str, Any] | None = None
    ):
        self.vocab = vocab
        self.rules = rules
        self._made_of = (weights, rules, vocab, tables)
        templates = [parse_template(row.text) for row in weights.templates if row.rows]
        read = [obs.attr for t in templates for obs in t.observations if obs.attr]
        self.reader = AttributeReader(list(dict.fromkeys([*read, "TAG"])), vocab, learned=tables)
        self._annotated = annotated_names(self.reader.columns)
        self._grammar = weights.grammar(rules.tags)
        self._tags = {vocab.strings.add(tag): number for number, tag in enumerate(rules.tags)}
        self._node = self._coded([t for t in templates if not t.is_edge], weights.keys, weights.codes, weights.scales)
        pair = weights.pair_keys, weights.pair_codes, weights.pair_scales
        self._pair = self._coded([t for t in templates if t.is_edge], *pair)
        self._is_label = np.array([bool(plain(symbol)) for symbol in weights.labels])
        self._lock = threading.Lock()

    @property
    def weights(self) -> GrammarWeights:
        """What it predicts with."""
        return self._made_of[0]

    @property
    def grammar(self) -> TreebankGrammar:
        """Its rules and symbols."""
        return self._grammar

    def __reduce__(self) -> tuple:
        """Pickle without tables: copies and other processes build their own."""
        return GrammarPredictor, self._made_of

    def _coded(self, templates: Sequence[Template], keys: np.ndarray, codes: np.ndarray, scales: np.ndarray) -> Coded:
        return Coded(compile_spans(templates, self.reader.columns), key_table(keys), codes, scales)

    def longest(self, most: int | None) -> int:
        """The number of words of the longest sentence that is parsed. most: a limit of the user's, None for none."""
        symbols, rules = len(self._grammar.symbols), max(self._grammar.rule_scores.size, 1)
        cells, steps = int((MOST_CELLS / max(symbols, 1)) ** 0.5), int((6 * MOST_STEPS / rules) ** (1 / 3))
        return min(cells, steps) if most is None else min(cells, steps, most)

    def columns_of(self, docs: Sequence[Doc], starts: np.ndarray) -> np.ndarray:
        """What templates read of documents, uint64[A', N]. Raises ValueError (M444) where all of an attribute is missing."""
        columns = self.reader.read(docs, starts, self._lock)
        check_annotated(self.reader, self._annotated, docs, columns)
        return columns

    def sentences(
        self, docs: Sequence[Doc], max_words: int | None = None
    ) -> tuple[np.ndarray, Iterator[tuple[int, Forest, np.ndarray, np.ndarray]]]:
        """Borders of sentences, int64[S + 1], and first word, forest, scores of items and scores of edges of each that has constituents, in order."""
        starts = borders(docs)
        columns = self.columns_of(docs, starts)
        return starts, self._forests(columns, starts, self.longest(max_words))

    def _forests(
        self, columns: np.ndarray, starts: np.ndarray, most: int
    ) -> Iterator[tuple[int, Forest, np.ndarray, np.ndarray]]:
        for begin, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
            if 0 < end - begin <= most:
                own = np.ascontiguousarray(columns[:, begin:end])
                forest = self.forest(own)
                if forest.symbol.size:
                    yield begin, forest, *self.scores(own, forest)

    def constituents(self, forest: Forest, output: np.ndarray) -> np.ndarray:
        """The constituents of a derivation of a sentence, int64[k, 4]: first word, end, symbol and item, each before those inside it."""
        used = items_of(forest, output)
        used = used[self._is_label[forest.symbol[used]]]
        table = np.stack([forest.start[used], forest.end[used], forest.symbol[used], used], axis=1).astype(np.int64)
        return table[np.lexsort((-table[:, 1], table[:, 0]))]

    def __call__(self, docs: Sequence[Doc], max_words: int | None = None) -> list[np.ndarray]:
        """The constituents of each doc, int32[k, 3]: first word, end and symbol, each before those inside it. Raises ValueError (M444).

        A sentence has none if it is longer than :meth:`longest`, or if the grammar has no tree for its tags.
        """
        starts = borders(docs)
        columns = self.columns_of(docs, starts)
        most = self.longest(max_words)
        found = [
            self._sentence(np.ascontiguousarray(columns[:, begin:end])) + np.array([begin, begin, 0])
            for begin, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)
            if end - begin <= most
        ]
        return self._by_doc(np.concatenate([np.empty((0, 3), np.int64), *found]), docs)

    @staticmethod
    def _by_doc(found: np.ndarray, docs: Sequence[Doc]) -> list[np.ndarray]:
        first = np.cumsum([0, *map(len, docs)])
        parts = np.split(found, np.searchsorted(found[:, 0], first[1:-1]))
        return [(part - [begin, begin, 0]).astype(np.int32) for part, begin in zip(parts, first[:-1], strict=True)]

    def _sentence(self, columns: np.ndarray) -> np.ndarray:
        """The constituents of a sentence, int[k, 3]. columns: uint64[A, n]."""
        forest = self.forest(columns)
        if not forest.symbol.size:
            return np.empty((0, 3), np.int64)
        output, _ = best_derivation(forest, *self.scores(columns, forest))
        return self.constituents(forest, output)[:, :3]

    def forest(self, columns: np.ndarray) -> Forest:
        """All that the constituents of a sentence are chosen from; empty if the grammar has no tree for its tags. columns: uint64[A, n]."""
        tags = [self._tags.get(tag, -1) for tag in columns[self.reader.columns["TAG"]].tolist()]
        return forest_within(self._grammar, self._grammar.word_scores[tags], self.rules.margin)

    def scores(self, columns: np.ndarray, forest: Forest) -> tuple[np.ndarray, np.ndarray]:
        """Scores float32 of the items and edges of a forest of one sentence."""
        starts = np.array([0, columns.shape[1]])
        spans, span = spans_of(forest)
        splits, split = splits_of(forest)
        items, edges = np.empty(span.size, np.float32), np.empty(split.size, np.float32)
        places = np.ascontiguousarray(spans[:, [0, 1, 1, 2]])
        for coded, at, lines, of, out in (
            (self._node, places, span, forest.symbol, items),
            (self._pair, splits, split, forest.rule, edges),
        ):
            score_coded(coded_rows(columns, starts, coded, at), lines, of, coded.codes, coded.scales, out)
        return items, edges


def best_derivation(forest: Forest, items: np.ndarray, edges: np.ndarray) -> tuple[np.ndarray, float]:
    """The best derivation in the forest of one sentence, int32[n] (see :mod:`spacy_mtl.structures.grammar.problem`), and its score.

    items, edges: scores, float32. The score is -inf where every derivation has a part of this score.
    """
    best, back = np.empty(items.size), np.empty(items.size, np.int32)
    find_best(items, edges, forest.first_edge, forest.left, forest.right, best, back)
    output, top = np.empty(int(forest.first[-1]), np.int32), best_root(forest.root, best)
    trace_back(top, back, forest.left, forest.right, output)
    return output, float(best[top])


def items_of(forest: Forest, output: np.ndarray) -> np.ndarray:
    """The items of a derivation, int32[2 n - 1]."""
    return np.concatenate([output[:1], forest.left[output[1:]], forest.right[output[1:]]])


def coded_rows(columns: np.ndarray, starts: np.ndarray, coded: Coded, places: np.ndarray) -> np.ndarray:
    """Rows int32[P, T] of what the templates observe at these places (int32[P, 4]), -1 where it is unknown."""
    rows, keys = np.empty((len(places), coded.program.seed.size), np.int32), np.empty(len(places), np.uint64)
    for j in range(coded.program.seed.size):
        place_keys(columns, starts, coded.program, j, places, keys)
        find_rows(coded.table, keys & KEY_MASK, j, rows)
    return rows


def expanded(found: Iterable[Sequence[int]], labels: Sequence[Sequence[str]]) -> list[tuple[int, int, str]]:
    """First word, end and label of constituents, from lines of first word, end and symbol. labels: of each symbol, the outer one first."""
    return [(start, end, label) for start, end, symbol in found for label in labels[symbol]]
