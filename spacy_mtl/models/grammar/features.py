"""The features of a corpus's spans and splits, and its forest: from tags and attribute columns to the arrays of a grammar problem."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from spacy_mtl.structures.grammar.chart import near_best
from spacy_mtl.structures.grammar.forest import Forest, sentence_forest, spans_of, splits_of
from spacy_mtl.templates.grammar import TemplateSet
from spacy_mtl.templates.index import FeatureIndex
from spacy_mtl.templates.spans.index import build_span_index, span_rows
from spacy_mtl.templates.spans.program import SpanProgram, compile_spans

from .treebank import TreebankGrammar

#: Below this, a margin is as good as 0.
LEAST_MARGIN = 1e-3


@dataclass(frozen=True)
class Words:
    """The words of S sentences. columns: uint64[A, N], attributes by ``names``. starts: int64[S + 1], sentence borders. tags: of the N words."""

    columns: np.ndarray
    names: dict[str, int]
    starts: np.ndarray
    tags: Sequence[str]

    def tags_of(self, i: int) -> Sequence[str]:
        return self.tags[self.starts[i] : self.starts[i + 1]]


def pruned_forest(
    grammar: TreebankGrammar, tags: Sequence[str], margin: float, kept: Iterable[tuple[int, int, int]] = ()
) -> Forest:
    """The forest of one sentence: items of trees at most ``margin`` below the best in log probability, and those ``kept`` (start, end, symbol).

    Empty if the grammar has no tree for these tags.
    """
    return forest_within(grammar, grammar.scores_of(tags), margin, kept)


def forest_within(
    grammar: TreebankGrammar, word_scores: np.ndarray, margin: float, kept: Iterable[tuple[int, int, int]] = ()
) -> Forest:
    """The same, from the scores of the symbols of words, float64[n, L].

    Where a forest would have more than MOST_EDGES, the margin is halved until it has not.
    """
    parts = list(kept)
    while True:
        mask = near_best(grammar.grammar, grammar.rule_scores, grammar.root_scores, word_scores, margin)
        found = bool(mask.any())
        for part in parts:
            mask[part] = True
        forest = sentence_forest(grammar.grammar, mask)
        if forest.symbol.size or not (found or parts) or not margin:
            return forest
        margin = margin / 2 if margin > LEAST_MARGIN else 0.0


def places_of(forest: Forest) -> tuple[np.ndarray, np.ndarray]:
    """The spans and the splits of a forest, as :func:`.place_keys` takes them: int32[C, 4] and int32[D, 4]."""
    spans = spans_of(forest)[0]
    return np.ascontiguousarray(spans[:, [0, 1, 1, 2]]), splits_of(forest)[0]


@dataclass(frozen=True)
class Features:
    """The templates with their indices: node, of spans, and pair, of splits."""

    node: SpanProgram
    pair: SpanProgram
    node_index: FeatureIndex
    pair_index: FeatureIndex

    @classmethod
    def of(cls, templates: TemplateSet, words: Words, spans: np.ndarray, splits: np.ndarray) -> "Features":
        """Index what the templates see at these places (int32[., 4])."""
        node, pair = (compile_spans(kind, words.names) for kind in (templates.node, templates.edge))
        places = ((node, spans), (pair, splits))
        indices = [build_span_index(words.columns, words.starts, *each, templates.min_count) for each in places]
        return cls(node, pair, indices[0], indices[1])

    def rows(self, words: Words, spans: np.ndarray, splits: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Feature rows of these places, int32[C, T] and int32[D, Tp]."""
        return (
            span_rows(words.columns, words.starts, self.node, spans, self.node_index.table),
            span_rows(words.columns, words.starts, self.pair, splits, self.pair_index.table),
        )
