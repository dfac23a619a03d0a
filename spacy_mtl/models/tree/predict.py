"""Fast parsing, from docs to heads and labels."""

import threading
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_mtl.models.annotated import annotated_names, check_annotated
from spacy_mtl.sentences import borders
from spacy_mtl.structures.tree.build import Arcs, all_arcs, all_siblings
from spacy_mtl.structures.tree.cascade import likely_arcs
from spacy_mtl.structures.tree.filter import marked_arcs
from spacy_mtl.templates.arcs.program import ArcProgram, compile_arcs
from spacy_mtl.templates.attributes.reader import AttributeReader
from spacy_mtl.templates.grammar import Template, parse_template

from .arc_scores import Plan, plan_of, score_labels, score_parts, widened
from .arc_table import arc_table
from .decode import best_labels, decode_arcs, decode_pairs
from .features import TreeTemplates, pair_parts
from .filters import number_tags
from .pieces import join_pieces, piece_borders, punctuation_of
from .rules import TreeRules
from .weights import TreeWeights

#: Sentences are parsed together up to about this many possible arcs, since the pairs of a large batch would fill the memory.
ARCS_AT_A_TIME = 50_000
_NONE = np.empty(0, np.int32)


def runs_of_sentences(starts: np.ndarray) -> list[tuple[int, int]]:
    """Runs of sentences that are parsed together, as (first, last + 1). starts: int64[S + 1]."""
    runs = np.cumsum(np.diff(starts) ** 2) // ARCS_AT_A_TIME
    cuts = [0, *(np.flatnonzero(np.diff(runs)) + 1).tolist(), runs.size]
    return list(pairwise(cuts))


class Search(NamedTuple):
    """What the best trees of some sentences are chosen from.

    starts: int64[S + 1]. every: the arcs that pass the filter; by_label: float32[A, L], scores of their labels, without rows unless labels are found
    jointly. arcs: those that trees may have, and scores: float32[A'], of these, with the best label of each. first, inner: pairs, as of
    :func:`.all_siblings`, and pairs: float32[B], their scores; without any for trees of the first order.
    """

    starts: np.ndarray
    every: Arcs
    by_label: np.ndarray
    arcs: Arcs
    scores: np.ndarray
    first: np.ndarray
    inner: np.ndarray
    pairs: np.ndarray


class Run(NamedTuple):
    """Sentences that are parsed together. begin: their first word among all. heads: int32[n], of the best trees. label_scores: float32[n, L], of the
    labels of their arcs, without columns unless labels are found in a second pass. columns: uint64[A', n]."""

    begin: int
    search: Search
    heads: np.ndarray
    label_scores: np.ndarray
    columns: np.ndarray


class TreePredictor:
    """Predicts trees for docs of one vocabulary with fixed weights. Safe to call from several threads."""

    def __init__(self, weights: TreeWeights, rules: TreeRules, vocab: Vocab, tables: Mapping[str, Any] | None = None):
        self.vocab = vocab
        self.rules = rules
        self._made_of = (weights, rules, vocab, tables)
        templates = TreeTemplates.of([parse_template(row.text) for row in weights.templates if row.rows])
        read = [obs.attr for group in vars(templates).values() for t in group for obs in t.observations if obs.attr]
        attributes = list(dict.fromkeys([*read, *([rules.filter_attr] if rules.filter_attr else [])]))
        self.reader = AttributeReader(attributes, vocab, learned=tables)
        self._annotated = annotated_names(self.reader.columns)
        self._templates = templates
        self._plans = {name: self._plan(group) for name, group in vars(templates).items()}
        self._table = *arc_table(weights.keys), weights.values.astype(np.float32)
        self._label_table = *arc_table(weights.pair_keys), widened(weights.pair_codes), weights.pair_scales
        self._n_labels = weights.pair_codes.shape[1]
        self._tags = weights.filter_tags
        self._filter = weights.filter_tables() if weights.filter_tags.size else None
        self._lock = threading.Lock()

    @property
    def weights(self) -> TreeWeights:
        """What it predicts with."""
        return self._made_of[0]

    @property
    def templates(self) -> TreeTemplates:
        """Its live templates, by what they score."""
        return self._templates

    def __reduce__(self) -> tuple:
        """Pickle without tables: copies and other processes build their own."""
        return TreePredictor, self._made_of

    def __call__(self, docs: Sequence[Doc], max_words: int | None = None) -> np.ndarray:
        """Heads (within the sentence, from 1; 0 for roots) and labels of all words, int32[2, N]. Raises ValueError (M444).

        max_words: longer sentences are parsed in pieces, see :mod:`.pieces`; None for no limit.
        """
        return self.considered(docs, max_words)[0]

    def considered(
        self, docs: Sequence[Doc], max_words: int | None = None, runs: list[Run] | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """The same, and the borders of sentences, int64[S + 1]. runs: all that the trees were chosen from is added to it, in order."""
        starts = borders(docs)
        columns = self.columns_of(docs, starts)
        if max_words is None or np.diff(starts).max() <= max_words:
            return self._all_trees(columns, starts, runs), starts
        pieces = piece_borders(starts, max_words, punctuation_of(list(docs)))
        trees = self._all_trees(columns, pieces, runs)
        joined = join_pieces(trees[0], starts, pieces, self.rules.single_root)
        self._label_joined(columns, starts, pieces, joined, trees)
        return trees, starts

    def columns_of(self, docs: Sequence[Doc], starts: np.ndarray) -> np.ndarray:
        """What templates read of documents, uint64[A', N]. Raises ValueError (M444) where all of an attribute is missing."""
        columns = self.reader.read(docs, starts, self._lock)
        check_annotated(self.reader, self._annotated, docs, columns)
        return columns

    def _all_trees(self, columns: np.ndarray, starts: np.ndarray, runs: list[Run] | None) -> np.ndarray:
        trees = []
        for begin, end in runs_of_sentences(starts):
            part = starts[begin : end + 1]
            run, found = self._trees(np.ascontiguousarray(columns[:, part[0] : part[-1]]), part - part[0])
            trees.append(found)
            if runs is not None:
                runs.append(run._replace(begin=int(part[0])))
        return np.concatenate(trees, axis=1)

    def _label_joined(
        self, columns: np.ndarray, starts: np.ndarray, pieces: np.ndarray, joined: np.ndarray, trees: np.ndarray
    ) -> None:
        """Label the words that became modifiers of a word in the piece before, each in a text of these two pieces."""
        for word in joined.tolist() if self._n_labels else ():
            piece = int(np.searchsorted(pieces, word, side="right")) - 1
            begin, end = int(pieces[piece - 1]), int(pieces[piece + 1])
            sentence = int(starts[np.searchsorted(starts, word, side="right") - 1])
            heads = trees[0, begin:end] - np.int32(begin - sentence)
            tree = np.where(heads > 0, heads, 0).astype(np.int32)  # the head of the piece before is not here
            borders = np.array([0, tree.size], np.int64)
            scores = np.zeros((tree.size, self._n_labels), np.float32)
            given = tree if self.rules.labelling == "second_pass" else _NONE
            arcs = Arcs(np.arange(tree.size + 1), tree)
            self.score_labels(np.ascontiguousarray(columns[:, begin:end]), borders, arcs, given, scores)
            trees[1, word] = scores[word - begin].argmax()

    def _trees(self, columns: np.ndarray, starts: np.ndarray) -> tuple[Run, np.ndarray]:
        """A run of sentences, and its heads and labels, int32[2, N]."""
        out = np.zeros((2, int(starts[-1])), np.int32)
        labels, scores = self._n_labels, np.empty((out.shape[1], 0), np.float32)
        search = self.search(columns, starts)
        self.decode(search, out[0])
        if search.by_label.size:
            best_labels(search.every.first, search.every.heads, search.by_label, out[0], out[1])
        elif labels and self.rules.labelling != "joint":
            scores = self.label_scores(columns, starts, out[0])
            out[1] = scores.argmax(axis=1)
        return Run(0, search, out[0].copy(), scores, columns), out

    def search(self, columns: np.ndarray, starts: np.ndarray) -> "Search":
        """The scores of all that the best trees of these sentences are chosen from. columns: uint64[A', N]; starts: int64[S + 1]."""
        arcs, marks = self._arcs(columns, starts)
        joint = self.rules.labelling == "joint" and self._n_labels > 0
        scores = self.score_arcs(columns, starts, arcs)
        by_label = np.zeros((arcs.heads.size if joint else 0, max(self._n_labels, 1)), np.float32)
        if joint:
            self.score_labels(columns, starts, arcs, _NONE, by_label)
            scores += by_label.max(axis=1)
        every = arcs
        if self._templates.second_order:
            arcs, scores = likely_arcs(arcs, starts, scores, marks)
        return Search(starts, every, by_label, arcs, scores, *self._pairs(columns, starts, arcs))

    def decode(self, search: "Search", out: np.ndarray) -> None:
        """Fill ``out`` with the heads int32[N] of the best trees, -1 in a sentence without any."""
        arcs = search.starts, search.arcs.first, search.arcs.heads, search.scores
        projective, single_root = self.rules.projective, self.rules.single_root
        if not self._templates.second_order:
            decode_arcs(*arcs, projective, single_root, out)
            return
        grandparents = bool(self._templates.grandparents)
        kind = not grandparents or None, grandparents or None, not projective or None
        decode_pairs(*arcs, search.first, search.inner, search.pairs, *kind, single_root, out)

    def label_scores(self, columns: np.ndarray, starts: np.ndarray, heads: np.ndarray) -> np.ndarray:
        """Scores float32[N, L] of the labels of each word in given trees, int32[N]."""
        by_label = np.zeros((heads.size, self._n_labels), np.float32)
        self.score_labels(columns, starts, Arcs(np.arange(heads.size + 1), heads), heads, by_label)
        return by_label

    def program(self, group: str) -> ArcProgram:
        """The compiled templates of a group: arcs, siblings, grandparents or labels."""
        return self._plans[group][0]

    def _plan(self, templates: Sequence[Template]) -> tuple[ArcProgram, Plan]:
        program = compile_arcs(templates, self.reader.columns)
        return program, plan_of(program)

    def _arcs(self, columns: np.ndarray, starts: np.ndarray) -> tuple[Arcs, np.ndarray]:
        """The arcs that pass the filter with its scores, float32[A], or all arcs and none."""
        if self._filter is None or self.rules.filter_attr is None:
            return all_arcs(starts), np.empty(0, np.float32)
        tags = number_tags(columns[self.reader.columns[self.rules.filter_attr]], self._tags)
        assert self.rules.margin is not None
        return marked_arcs(tags, starts, self._tags.size + 2, self._filter, self.rules.margin)

    def score_arcs(self, columns: np.ndarray, starts: np.ndarray, arcs: Arcs) -> np.ndarray:
        """Scores float32[A] of arcs. columns: uint64[A', N], as ``reader`` has them."""
        scores = np.empty(arcs.heads.size, np.float32)
        score_parts(columns, starts, *self._plans["arcs"], *self._table, arcs.first, arcs.heads, _NONE, scores)
        return scores

    def score_labels(
        self, columns: np.ndarray, starts: np.ndarray, arcs: Arcs, tree: np.ndarray, scores: np.ndarray
    ) -> None:
        """Write the scores of the labels of arcs to ``scores``, float32[A, L]. tree: heads int32[N] for templates that look at it, or empty."""
        score_labels(columns, starts, *self._plans["labels"], *self._label_table, arcs.first, arcs.heads, tree, scores)

    def _pairs(self, columns: np.ndarray, starts: np.ndarray, arcs: Arcs) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Pairs (first, inner) and their scores; empty for first-order trees."""
        if not self._templates.second_order:
            return np.zeros(1, np.int64), _NONE, np.empty(0, np.float32)
        first, inner = all_siblings(arcs, starts, bool(self._templates.grandparents))
        return first, inner, self.score_listed(columns, starts, arcs, first, inner)

    def score_listed(
        self, columns: np.ndarray, starts: np.ndarray, arcs: Arcs, first: np.ndarray, inner: np.ndarray
    ) -> np.ndarray:
        """Scores float32[B] of the pairs (first, inner) of :func:`.all_siblings`, with or without grandparents."""
        siblings, kinds = pair_parts(starts, arcs, first, inner)
        found = []
        for name, parts in zip(("siblings", "grandparents"), kinds, strict=True):
            found.append(np.zeros(parts.heads.size, np.float32))
            if vars(self._templates)[name]:
                listed = parts.first, parts.heads, parts.siblings
                score_parts(columns, starts, *self._plans[name], *self._table, *listed, found[-1])
        scores = np.empty(inner.size, np.float32)
        scores[siblings], scores[~siblings] = found
        return scores
