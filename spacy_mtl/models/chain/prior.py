"""The weights of an earlier chain model, as constant scores of the documents on which training goes on, and as rows of the model that comes of it."""

from collections.abc import Mapping, Sequence

import numpy as np

from spacy_mtl.models.merge import OldRows
from spacy_mtl.models.shrink import shrunk
from spacy_mtl.structures.contract import Weights
from spacy_mtl.structures.offsets.chain import ChainOffset
from spacy_mtl.templates.grammar import Template
from spacy_mtl.templates.program import compile_program

from .blocks import add_blocks, pack
from .weights import ChainWeights, TemplateRow


class ChainPrior:
    """An earlier model over the same labels, its weights multiplied by ``weight``.

    node, pair: rows of templates without and with label pairs. step: float32[L, L], label pairs without observation. report: of the earlier model.
    known: bool[L], the labels that it has learnt; by default all.
    """

    def __init__(self, weights: ChainWeights, weight: float = 1.0, known: np.ndarray | None = None):
        self.weight, self.report = weight, weights.templates
        self.known = np.ones(len(weights.labels), bool) if known is None else known
        self.node = OldRows(weights.keys, np.float32(weight) * weights.node_rows())
        self.pair = OldRows(weights.pair_keys, np.float32(weight) * weights.pair_rows())
        self.step = np.float32(weight) * weights.step

    def rows_of(self, templates: Sequence[Template]) -> tuple[TemplateRow, ...]:
        """The report in the order of these templates, which are the same."""
        by_text = {row.text: row for row in self.report}
        return tuple(by_text[template.text] for template in templates)

    def shrunk(self, weights: Weights, n_sentences: int) -> Weights:
        """New weights, learnt from so many sentences, as they are added to the earlier ones; see :mod:`spacy_mtl.models.shrink`."""
        pairs = np.logical_and.outer(self.known, self.known).ravel()
        return Weights(shrunk(weights.node, self.known, n_sentences), shrunk(weights.pair, pairs, n_sentences))

    def offset(
        self,
        columns: np.ndarray,
        names: Mapping[str, int],
        starts: np.ndarray,
        node: Sequence[Template],
        observed: Sequence[Template],
    ) -> ChainOffset:
        """Scores of the labels and label pairs of N positions. columns: uint64[A, N], by ``names``. starts: int64, sentence borders.

        node: the templates; observed: those of label pairs that read observations. If there are any, every position has its own pair scores.
        """
        n, n_labels = columns.shape[1], self.step.shape[0]
        nodes = np.zeros((n, n_labels), np.float32)
        self._add(self.node, columns, names, starts, node, nodes)
        pairs = np.empty((n if observed else 1, n_labels * n_labels), np.float32)
        pairs[:] = self.step.reshape(-1)
        self._add(self.pair, columns, names, starts, observed, pairs)
        return ChainOffset(nodes, pairs.reshape(-1, n_labels, n_labels))

    def _add(
        self, old: OldRows, columns: np.ndarray, names: Mapping[str, int], starts: np.ndarray,
        templates: Sequence[Template], out: np.ndarray,
    ) -> None:  # fmt: skip
        """Add the rows of what these templates observe; those without weights are not looked up."""
        live = {row.text for row in self.report if row.rows}
        program = compile_program([template for template in templates if template.text in live], names)
        if old.keys.size and program.seed.size:
            first, offset, column, seed = program
            add_blocks(columns, starts, first, offset, column, seed, pack(old.keys), old.rows, out)
