"""The weights of an earlier tree model, as constant scores of the sentences on which training goes on, and as rows of the model that comes of it."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from spacy.vocab import Vocab

from spacy_mtl.models.chain.weights import TemplateRow
from spacy_mtl.models.merge import OldRows
from spacy_mtl.models.shrink import shrunk
from spacy_mtl.structures.contract import Weights
from spacy_mtl.structures.offsets.tree import TreeOffset
from spacy_mtl.structures.tree.build import Arcs
from spacy_mtl.structures.tree.filter import FilterTables
from spacy_mtl.templates.grammar import Template

from .predict import TreePredictor
from .rules import TreeRules
from .weights import TreeWeights

_NONE = np.empty(0, np.int32)


class TreePrior:
    """An earlier model over the same labels, its weights multiplied by ``weight``.

    node, pair: rows that score arcs (and pairs), and labels. tags, tables: the filter, which stays as it is; None if there is none. report: of the
    earlier model. known: bool[L], the labels that it has learnt; by default all.
    """

    def __init__(
        self,
        weights: TreeWeights,
        rules: TreeRules,
        vocab: Vocab,
        weight: float = 1.0,
        known: np.ndarray | None = None,
        tables: Mapping[str, Any] | None = None,
    ):
        self.weight, self.report = weight, weights.templates
        self.known = np.ones(len(weights.labels), bool) if known is None else known
        self._predictor, self._n_labels = TreePredictor(weights, rules, vocab, tables), len(weights.labels)
        self.node = OldRows(weights.keys, np.float32(weight) * weights.values.astype(np.float32)[:, None])
        self.pair = OldRows(weights.pair_keys, np.float32(weight) * weights.pair_rows())
        self.tags: np.ndarray = weights.filter_tags
        self.tables: FilterTables | None = weights.filter_tables() if weights.filter_tags.size else None

    def rows_of(self, templates: Sequence[Template]) -> tuple[TemplateRow, ...]:
        """The report in the order of these templates, which are among those of the model."""
        by_text = {row.text: row for row in self.report}
        return tuple(by_text[template.text] for template in templates)

    def shrunk(self, weights: Weights, n_sentences: int) -> Weights:
        """New weights, learnt from so many sentences, with those of labels as they are added to the earlier ones; see
        :mod:`spacy_mtl.models.shrink`.
        """
        n_labels = self.known.size  # at least two where any is new; weights of arcs have one column
        parts = (shrunk(each, self.known, n_sentences) if each.shape[1] == n_labels else each for each in weights)
        return Weights(*parts)

    def _own(self, columns: np.ndarray, names: Mapping[str, int]) -> np.ndarray:
        """The columns that the earlier model reads, in its order. columns: uint64[A, N], by ``names``."""
        return np.ascontiguousarray(columns[[names[name] for name in self._predictor.reader.columns]])

    def offset(
        self, columns: np.ndarray, names: Mapping[str, int], starts: np.ndarray, arcs: Arcs,
        pairs: tuple[np.ndarray, np.ndarray] | None, labelled: bool,
    ) -> TreeOffset:  # fmt: skip
        """Scores of arcs and pairs. pairs: (first, inner) of :func:`.all_siblings`. labelled: whether arcs are scored with their labels."""
        own, predictor = self._own(columns, names), self._predictor
        scores = np.float32(self.weight) * predictor.score_arcs(own, starts, arcs)[:, None]
        if labelled:
            scores = scores + self._by_label(own, starts, arcs, _NONE)
        of_pairs = np.empty(0, np.float32)
        if pairs is not None:
            of_pairs = np.float32(self.weight) * predictor.score_listed(own, starts, arcs, *pairs)
        return TreeOffset(scores, of_pairs)

    def label_offset(self, columns: np.ndarray, names: Mapping[str, int], starts: np.ndarray, arcs: Arcs) -> TreeOffset:
        """Scores of the labels of given trees, whose arcs these are."""
        return TreeOffset(self._by_label(self._own(columns, names), starts, arcs, arcs.heads), np.empty(0, np.float32))

    def _by_label(self, own: np.ndarray, starts: np.ndarray, arcs: Arcs, tree: np.ndarray) -> np.ndarray:
        scores = np.zeros((arcs.heads.size, self._n_labels), np.float32)
        self._predictor.score_labels(own, starts, arcs, tree, scores)
        return np.float32(self.weight) * scores
