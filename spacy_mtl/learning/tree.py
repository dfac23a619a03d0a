"""TreeLearner: trains a parser, from gathered documents to one problem (arcs, or arcs with labels) or two (arcs; labels given the trees)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from spacy_mtl.errors import Errors
from spacy_mtl.models.tree.export import Side, export_tree
from spacy_mtl.models.tree.features import (
    Rows,
    TreeTemplates,
    arc_features,
    arc_parts,
    gold_pair_parts,
    gold_parts,
    join_rows,
    label_features,
    no_rows,
    pair_features,
    pair_parts,
    rows_of,
    tree_parts,
)
from spacy_mtl.models.tree.filters import choose_attribute, learn_tables, number_tags
from spacy_mtl.models.tree.prior import TreePrior
from spacy_mtl.models.tree.rules import TreeRules
from spacy_mtl.models.tree.weights import TreeWeights
from spacy_mtl.structures.contract import Weights
from spacy_mtl.structures.problem import Blocks, Problem, block_starts
from spacy_mtl.structures.tree.build import Arcs, GoldTrees, TreeFeatures, all_arcs, all_siblings, tree_problem
from spacy_mtl.structures.tree.filter import FilterTables, filtered_arcs
from spacy_mtl.structures.tree.problem import TreeProblem
from spacy_mtl.templates.attributes.reader import AttributeReader
from spacy_mtl.templates.grammar import Template, TemplateSet
from spacy_mtl.trainers.base import Report, Trainer, Training

from .gather import Piece, concatenate
from .learner import Learner, Sentences, carry_rows, check_set, continued, joined, ranges, row_map
from .possible import has_arcs


@dataclass(frozen=True)
class Corpus:
    """The S sentences with complete trees, of N words.

    columns: uint64[A, N], attributes. starts: int64[S + 1], sentence borders. heads, labels: int32[N]. of_document: int64[D + 1], the borders of the
    documents, counted in sentences. places: where the sentences come from.
    """

    columns: np.ndarray
    starts: np.ndarray
    heads: np.ndarray
    labels: np.ndarray
    of_document: np.ndarray
    places: Sentences


class FilterDraft(NamedTuple):
    """A filter of arcs that one shard has learnt for all: the attribute that it reads, the values uint64[T - 2] with a number, and its tables."""

    attr: str | None
    tags: np.ndarray
    tables: FilterTables | None


class TreeLearner(Learner):
    """One training of a parser. labels: of arcs. prior: the earlier model that training goes on from, whose filter stays.

    Raises ValueError: M111 a template whose attribute no document has, M442 no complete tree.
    """

    def __init__(
        self,
        name: str,
        trainer: Trainer,
        templates: TemplateSet,
        reader: AttributeReader,
        labels: Sequence[str],
        rules: TreeRules,
        prior: TreePrior | None = None,
    ):
        self.name = name
        self.trainer = trainer
        self.reader = reader
        self.labels = tuple(labels)
        self.rules = rules
        self.templates = TreeTemplates.of(templates.templates)
        self.min_count = templates.min_count
        self.label_min_count = max(templates.min_count, templates.label_min_count or 1)
        self.labelling: Training | None = None
        self.prior = prior
        self._draft: FilterDraft | None = None
        self._forget_filter()

    @property
    def joint(self) -> bool:
        return self.rules.labelling == "joint"

    @property
    def labelled(self) -> bool:
        return bool(self.templates.labels) and self.rules.labelling != "none"

    @property
    def passes(self) -> int:
        """Number of passes so far, of the training that has made more; either of the two may converge before the other."""
        return max((t.passes for t in self.trainings), default=0)

    @property
    def loss(self) -> float:
        return sum(training.loss for training in self.trainings)

    @property
    def running_loss(self) -> float | None:
        losses = [training.running_loss for training in self.trainings]
        known = [loss for loss in losses if loss is not None]
        return sum(known) if len(known) == len(losses) else None

    def report(self) -> Report | None:
        """Objective values and template counts, summed over the two independent trainings."""
        reports = [training.report() for training in self.trainings]
        return joined(reports) if len(reports) > 1 else super().report()

    @property
    def trainings(self) -> list[Training]:
        return [training for training in (self.training, self.labelling) if training is not None]

    def begin(self, pieces: Sequence[Piece]) -> None:
        corpus = self._corpus(pieces)
        self.documents = tuple(pieces)
        problem, labelling = self._problems(corpus)
        self.training = self.trainer.begin(problem)
        self.labelling = self.trainer.begin(labelling) if labelling is not None else None
        self._borders, self._places = corpus.of_document, corpus.places

    def begin_again(self, trainer: Trainer) -> None:
        super().begin_again(trainer)
        if self.labelling is not None:
            self.labelling = trainer.begin_after(self.labelling)

    def step(self, documents: np.ndarray) -> None:
        assert self.training is not None
        shown = ranges(self._borders[documents], self._borders[documents + 1])
        self.training.step(shown)
        if self.labelling is not None:
            self.labelling.step(shown)

    def end_pass(self) -> None:
        super().end_pass()
        if self.labelling is not None:
            self.labelling.end_pass()

    def rebind(self, pieces: Sequence[Piece]) -> None:
        """As in the base class. The filter is learnt again, since its tags may have changed, and with it the arcs."""
        assert self.training is not None
        old_keys, old_places = (self._node_keys, self._label_keys), self._places
        self._forget_filter()
        corpus = self._corpus(pieces)
        self.documents = tuple(pieces)
        problem, labelling = self._problems(corpus)
        node, label = row_map(old_keys[0], self._node_keys), row_map(old_keys[1], self._label_keys)
        unlabelled = (np.empty(0, np.int64),) * 2
        rows = [node, label if self.joint else unlabelled]
        places = old_places, corpus.places
        same = same_parts(self.training.problem, problem)
        possible = None if same else has_arcs(problem)
        continued(self.training, problem, lambda w: carry_rows(problem, w, rows), places, arcs_of, possible)
        if labelling is not None and self.labelling is not None:
            continued(
                self.labelling, labelling, lambda w: carry_rows(labelling, w, [unlabelled, label]), places, arcs_of
            )
        self._borders, self._places = corpus.of_document, corpus.places

    def _forget_filter(self) -> None:
        """Begin without a filter, or with that of the earlier model or of another shard."""
        given = self.prior or self._draft
        self._tables: FilterTables | None = None if given is None else given.tables
        self._tags = np.empty(0, np.uint64) if given is None else given.tags

    def draft(self, pieces: Sequence[Piece]) -> "FilterDraft":
        """The filter of arcs, learnt from these documents."""
        self._arcs(self._corpus(pieces))
        return FilterDraft(self.rules.filter_attr, self._tags, self._tables)

    def follow_draft(self, draft: "FilterDraft") -> None:
        """Take over the filter."""
        self.rules = replace(self.rules, filter_attr=draft.attr)
        self._draft = draft
        self._forget_filter()

    def _corpus(self, pieces: Sequence[Piece]) -> Corpus:
        """The sentences with complete gold trees."""
        given, starts, gold = concatenate(pieces)
        doc_starts = block_starts([piece.gold.size for piece in pieces])
        check_set(self.name, self.reader, given, (*self.templates.node, *self.templates.labels))
        columns = self.reader.expand(given, starts, doc_starts)
        sizes = np.diff(starts)
        n_labels = max(len(self.labels), 1)
        whole = self._whole(gold, gold // n_labels, starts)
        if not whole.any():
            raise ValueError(Errors.M442.format(name=self.name, sentences=sizes.size))
        words = np.repeat(whole, sizes)
        counts = np.concatenate([[0], np.cumsum(whole)])
        documents = np.searchsorted(doc_starts, starts[:-1][whole], side="right") - 1
        return Corpus(
            np.ascontiguousarray(columns[:, words]), block_starts(sizes[whole]), gold[words] // n_labels, gold[words] % n_labels,
            counts[np.searchsorted(starts[:-1], doc_starts)].astype(np.int64),
            Sentences(documents, starts[:-1][whole] - doc_starts[documents]),
        )  # fmt: skip

    def _whole(self, gold: np.ndarray, heads: np.ndarray, starts: np.ndarray) -> np.ndarray:
        """Which sentences have gold for every word and an allowed number of roots (input may join two gold sentences into one), bool[S]."""
        if not gold.size:
            return np.zeros(0, bool)
        roots = np.add.reduceat(heads == 0, starts[:-1], dtype=np.int64)
        return (np.minimum.reduceat(gold, starts[:-1]) >= 0) & ((roots == 1) | (not self.rules.single_root))

    def _arcs(self, corpus: Corpus) -> Arcs:
        """All arcs, or those that pass the filter, which is learnt first."""
        margin = self.rules.margin
        if margin is None:
            return all_arcs(corpus.starts)
        if self._tables is None:
            if self.prior is not None:
                return all_arcs(corpus.starts)
            attr = self.rules.filter_attr or choose_attribute(
                corpus.columns, self.reader.columns, self.templates.node, corpus.starts, corpus.heads
            )
            if attr is None:
                return all_arcs(corpus.starts)
            self.rules = replace(self.rules, filter_attr=attr)
            column = corpus.columns[self.reader.columns[attr]]
            self._tags, self._tables = learn_tables(column, corpus.starts, corpus.heads)
        assert self.rules.filter_attr is not None
        tags = number_tags(corpus.columns[self.reader.columns[self.rules.filter_attr]], self._tags)
        return filtered_arcs(tags, corpus.starts, self._tags.size + 2, self._tables, margin, corpus.heads)

    def _problems(self, corpus: Corpus) -> tuple[Problem, Problem | None]:
        """The problem of the arcs and, if labels are learnt in a second pass, the problem of the labels."""
        arcs = self._arcs(corpus)
        node = self._node(corpus, arcs)
        costs = np.where(corpus.heads == 0, 0.0, self.rules.label_cost)
        gold = GoldTrees(corpus.heads, corpus.labels, label_cost=costs)
        if not self.labelled:
            self._label_keys, self._label_blocks = np.empty(0, np.uint64), np.zeros(1, np.int64)
            return self._tree_problem(corpus, arcs, node, GoldTrees(corpus.heads), labelled=False), None
        if self.joint:
            bundles, links = self._labels(corpus, arcs)
            return self._tree_problem(
                corpus, arcs, replace(node, pair=bundles, pair_links=links), gold, labelled=True
            ), None
        given = Arcs(np.arange(corpus.heads.size + 1), corpus.heads)
        bundles, links = self._labels(corpus, given)
        features = TreeFeatures(pair=bundles, pair_links=links)
        blocks = Blocks(np.zeros(1, np.int64), self._label_blocks, tuple(t.name for t in self.templates.labels))
        gold = GoldTrees(corpus.heads, corpus.labels, label_cost=np.where(corpus.heads == 0, 0.0, 1.0))
        offset = None
        if self.prior is not None:
            offset = self.prior.label_offset(corpus.columns, self.reader.columns, corpus.starts, given)
        labelling = tree_problem(features, given, blocks, gold, corpus.starts, self.labels, False, False, offset)
        return self._tree_problem(corpus, arcs, node, GoldTrees(corpus.heads), labelled=False), labelling

    def _tree_problem(
        self, corpus: Corpus, arcs: Arcs, features: TreeFeatures, gold: GoldTrees, labelled: bool
    ) -> Problem:
        names = tuple(t.name for t in (*self.templates.node, *(self.templates.labels if labelled else ())))
        blocks = Blocks(self._node_blocks, self._label_blocks if labelled else np.zeros(1, np.int64), names)
        labels = self.labels if labelled else ("",)
        offset = None
        if self.prior is not None:
            pairs = None if features.siblings is None else features.siblings[:2]
            offset = self.prior.offset(corpus.columns, self.reader.columns, corpus.starts, arcs, pairs, labelled)
        rules = self.rules
        return tree_problem(
            features, arcs, blocks, gold, corpus.starts, labels, rules.projective, rules.single_root, offset
        )

    def _rows(self, corpus: Corpus, templates: Sequence[Template], parts, gold) -> Rows:
        supported = gold if self.rules.support == "gold" else parts
        return self._rows_of(corpus, templates, parts, supported, self.min_count)

    def _rows_of(self, corpus: Corpus, templates: Sequence[Template], parts, supported, min_count: int) -> Rows:
        names, indexer = self.reader.columns, self.indexer
        return rows_of(corpus.columns, names, templates, parts, supported, min_count, indexer, self.crew)

    def _node(self, corpus: Corpus, arcs: Arcs) -> TreeFeatures:
        """The features of arcs and pairs."""
        starts = corpus.starts
        kinds = [self._rows(corpus, self.templates.arcs, arc_parts(starts, arcs), gold_parts(starts, corpus.heads))]
        if not self.templates.second_order:
            rows = join_rows(kinds)
            features = arc_features(starts, arcs, rows)
        else:
            grandparents = bool(self.templates.grandparents)
            first, inner = all_siblings(arcs, starts, grandparents)
            siblings, parts = pair_parts(starts, arcs, first, inner)
            gold = gold_pair_parts(starts, corpus.heads)
            for templates, *kind in zip(self.templates.pairs, parts, gold, strict=True):
                kinds.append(self._rows(corpus, templates, *kind) if templates else no_rows(kind[0]))
            rows = join_rows(kinds)
            features = replace(pair_features(starts, arcs, first, inner, siblings, rows), grandparents=grandparents)
        self._node_keys, self._node_blocks = rows.index.keys, rows.index.blocks
        return features

    def _labels(self, corpus: Corpus, arcs: Arcs):
        """The features of labels; only observations of gold arcs get weights. In a second pass templates may look at the tree."""
        gold = gold_parts(corpus.starts, corpus.heads) if self.joint else tree_parts(corpus.starts, corpus.heads)
        parts = arc_parts(corpus.starts, arcs) if self.joint else gold
        rows = self._rows_of(corpus, self.templates.labels, parts, gold, self.label_min_count)
        self._label_keys, self._label_blocks = rows.index.keys, rows.index.blocks
        return label_features(corpus.starts, arcs, rows)

    def export(self, megabytes: float | None) -> TreeWeights:
        assert self.training is not None
        node = self._side(self.training, self.templates.node, self._node_keys, self._node_blocks, 0)
        labels = None
        if self.labelled:  # also without any observation, since an earlier model has some
            training = self.training if self.joint else self.labelling
            assert training is not None
            skipped = len(self.templates.node) if self.joint else 0
            labels = self._side(training, self.templates.labels, self._label_keys, self._label_blocks, skipped)
        return export_tree(node, labels, self.labels, self._tags, self._tables, megabytes, self.prior, self.few)

    def _side(
        self, training: Training, templates: Sequence[Template], keys: np.ndarray, blocks: np.ndarray, skipped: int
    ) -> Side:
        """One weight matrix of a training. skipped: the number of templates before those of this matrix."""
        weights: Weights = training.weights
        if self.prior is not None:
            weights = self.prior.shrunk(weights, training.problem.n)
        matrix = weights.node if templates is self.templates.node or templates == self.templates.node else weights.pair
        some = slice(skipped, skipped + len(templates))
        norms = training.problem.block_norms(weights)[some]
        return Side(tuple(templates), matrix, training.template_weights[some], norms, keys, blocks)


def same_parts(old: Problem, new: Problem) -> bool:
    """Whether two tree problems have the same words, arcs, pairs and gold."""
    parts = ("first", "last", "gold", "gold_label", "first_arc", "heads")
    return all(np.array_equal(getattr(old.arrays, part), getattr(new.arrays, part)) for part in parts)


def arcs_of(arrays: TreeProblem, i: int) -> tuple[np.ndarray, np.ndarray]:
    """What tells the parts of a sentence: its arcs, word by word. Pairs follow from them."""
    first = arrays.first_arc[arrays.first[i] : arrays.last[i] + 1]
    return first - first[0], arrays.heads[first[0] : first[-1]]
