"""Training of a chain component: from gathered documents to a problem, a training, and weights for the model."""

from collections.abc import Sequence

import numpy as np

from ..errors import Errors
from ..structures.chain_build import ChainFeatures, Constraints, chain_problem
from ..structures.contract import Weights
from ..structures.problem import Blocks, Problem, block_starts
from ..templates.attributes import AttributeReader
from ..templates.grammar import Template, TemplateSet
from ..templates.index import build_index
from ..templates.program import compile_program
from ..trainers.base import Trainer, Training
from .export import export_chain
from .gather import Piece, concatenate
from .weights import ChainWeights


class ChainLearner:
    """One training of a chain over the documents of a corpus.

    labels: of the chain. cost: float32[L, L] or None for Hamming. Raises ValueError (M111) for a template whose attribute no document carries.
    """

    def __init__(
        self,
        name: str,
        trainer: Trainer,
        templates: TemplateSet,
        reader: AttributeReader,
        labels: Sequence[str],
        constraints: Constraints,
        cost: np.ndarray | None,
    ):
        self.name = name
        self.trainer = trainer
        self.reader = reader
        self.labels = tuple(labels)
        self.constraints = constraints
        self.cost = cost
        self.node, self.edge = templates.node, templates.edge
        self.min_count = templates.min_count
        self.training: Training | None = None
        self.documents: Sequence[Piece] = ()

    @property
    def passes(self) -> int:
        """Passes of the training so far."""
        return self.training.passes if self.training is not None else 0

    @property
    def templates(self) -> tuple[Template, ...]:
        """Node templates first: the numbering of blocks."""
        return (*self.node, *self.edge)

    def begin(self, pieces: Sequence[Piece]) -> Training:
        """Index the features of the corpus and start training."""
        self.documents = tuple(pieces)
        self.training = self.trainer.begin(self._problem(pieces))
        return self.training

    def step(self, documents: np.ndarray) -> None:
        """Show the training a batch of documents (int64[k]): their sentences, or what of them has gold."""
        assert self.training is not None
        first = self.training.problem.arrays.first
        borders = block_starts([piece.gold.size for piece in self.documents])
        begin, end = np.searchsorted(first, borders[documents]), np.searchsorted(first, borders[documents + 1])
        sentences = [np.arange(a, b) for a, b in zip(begin, end, strict=True)]
        self.training.step(np.concatenate([np.empty(0, np.int64), *sentences]))

    def rebind(self, pieces: Sequence[Piece]) -> None:
        """The input of some documents has changed (an annotating component learns too): index anew, go on from where we were.

        Where sentence borders or gold have changed with it, there is nothing to go on from: training starts again.
        """
        assert self.training is not None
        old = self._keys()
        self.documents = tuple(pieces)
        problem = self._problem(pieces)
        if same_layout(self.training.problem, problem):
            new = self._keys()
            rows = [row_map(*keys) for keys in zip(old, new, strict=True)]
            self.training.rebind(problem, lambda weights: carry_rows(problem, weights, rows))
        else:
            self.training = self.trainer.begin(problem)

    def _problem(self, pieces: Sequence[Piece]) -> Problem:
        given, starts, gold = concatenate(pieces)
        doc_starts = block_starts([piece.gold.size for piece in pieces])
        check_set(self.name, self.reader, given, self.templates)
        columns = self.reader.expand(given, starts, doc_starts)
        observed = [t for t in self.edge if t.observations]
        self._index_node, node = build_index(columns, starts, self._program(self.node), self.min_count)
        self._index_pair, pair = build_index(columns, starts, self._program(observed), self.min_count)
        forms = self.constraints.form_rows(columns[0])
        features = ChainFeatures(node, self._pair_rows(pair), bool(observed), forms=forms)
        return chain_problem(features, self._blocks(), gold, starts, self.labels, self.constraints, self.cost)

    def _program(self, templates: Sequence[Template]):
        return compile_program(templates, self.reader.columns)

    def _pair_sizes(self) -> list[int]:
        """Rows of each pair template: one for a template without observation."""
        sizes = iter(np.diff(self._index_pair.blocks).tolist())
        return [next(sizes) if template.observations else 1 for template in self.edge]

    def _blocks(self) -> Blocks:
        names = tuple(template.name for template in self.templates)
        return Blocks(self._index_node.blocks, block_starts(self._pair_sizes()), names)

    def _pair_rows(self, observed: np.ndarray) -> np.ndarray:
        """int32[N, Tp] from the rows of the templates with observation: numbered among all pair templates."""
        rows = np.zeros((observed.shape[0], len(self.edge)), np.int32)
        borders = block_starts(self._pair_sizes())
        column = 0
        for j, template in enumerate(self.edge):
            if template.observations:
                shift = np.int32(borders[j] - self._index_pair.blocks[column])
                rows[:, j] = np.where(observed[:, column] >= 0, observed[:, column] + shift, -1)
                column += 1
            else:
                rows[:, j] = borders[j]
        return rows

    def _keys(self) -> tuple[np.ndarray, np.ndarray]:
        """Keys uint64 of all node rows and of all pair rows."""
        return self._index_node.keys, self._pair_keys()

    def _pair_keys(self) -> np.ndarray:
        """Keys of all pair rows; 0 for templates without observation, which need none."""
        borders = block_starts(self._pair_sizes())
        keys = np.zeros(int(borders[-1]), np.uint64)
        column = 0
        for j, template in enumerate(self.edge):
            if template.observations:
                block = self._index_pair.blocks[column : column + 2]
                keys[borders[j] : borders[j + 1]] = self._index_pair.keys[block[0] : block[1]]
                column += 1
        return keys

    def export(self, megabytes: float | None) -> ChainWeights:
        """The present weights, cut to what prediction needs."""
        assert self.training is not None
        weights, problem = self.training.weights, self.training.problem
        return export_chain(
            weights,
            self.training.template_weights,
            problem.block_norms(weights),
            problem.blocks,
            self.templates,
            self._keys(),
            self.labels,
            megabytes,
        )


def row_map(old: np.ndarray, new: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows of ``old`` and rows of ``new`` with the same key: two int64[k]. Rows without key are as many as before, and in the same order."""
    keyed = np.flatnonzero(old)
    order = np.argsort(old[keyed])
    place = np.minimum(np.searchsorted(old[keyed], new, sorter=order), max(keyed.size - 1, 0))
    found = np.flatnonzero((new != 0) & (old[keyed[order[place]]] == new)) if keyed.size else np.empty(0, np.int64)
    unkeyed = np.flatnonzero(old == 0), np.flatnonzero(new == 0)
    return np.concatenate([unkeyed[0], keyed[order[place[found]]] if keyed.size else found]), np.concatenate(
        [unkeyed[1], found]
    )


def carry_rows(problem: Problem, weights: Weights, rows: Sequence[tuple[np.ndarray, np.ndarray]]) -> Weights:
    """Weights of ``problem`` whose rows are taken over: (old, new) row numbers of the node and the pair matrix."""
    carried = problem.zeros()
    for matrix, before, (old, new) in zip(carried, weights, rows, strict=True):
        matrix[new] = before[old]
    return carried


def same_layout(old: Problem, new: Problem) -> bool:
    """Whether two chain problems have the same tokens, gold and pieces."""
    return all(
        np.array_equal(getattr(old.arrays, part), getattr(new.arrays, part)) for part in ("first", "last", "gold")
    )


def check_set(name: str, reader: AttributeReader, given: np.ndarray, templates: Sequence[Template]) -> None:
    """Refuse templates that read what no document carries (M111)."""
    for attr in reader.unset(given):
        template = next(t for t in templates if any(attr in reader.reads(obs.attr) for obs in t.observations))
        raise ValueError(Errors.M111.format(template=template.text, attr=attr, name=name))
