"""ChainLearner: trains a chain component, from gathered documents to a problem, a training, and the weights of the model."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from spacy_mtl.models.chain.export import export_chain
from spacy_mtl.models.chain.prior import ChainPrior
from spacy_mtl.models.chain.weights import ChainWeights
from spacy_mtl.models.dense import reads
from spacy_mtl.structures.chain.build import ChainFeatures, Constraints, chain_problem
from spacy_mtl.structures.chain.problem import ChainProblem
from spacy_mtl.structures.problem import Blocks, Problem, block_starts
from spacy_mtl.templates.attributes.reader import AttributeReader
from spacy_mtl.templates.grammar import Template, TemplateSet
from spacy_mtl.templates.index import FeatureIndex
from spacy_mtl.templates.program import compile_program
from spacy_mtl.thresholds import LIVE
from spacy_mtl.trainers.base import Trainer

from .dense import DenseFeatures
from .gather import NO_ROWS, Piece, concatenate, tensor_of
from .learner import Learner, Sentences, carry_rows, check_set, continued, ranges, row_map
from .possible import has_labels


class Extracted(NamedTuple):
    """What chains over the same documents with the same templates have in common: all columns, uint64[A, N], borders of sentences, int64[S + 1], and
    index and rows of node templates and of pair templates with observations."""

    columns: np.ndarray
    starts: np.ndarray
    node: tuple[FeatureIndex, np.ndarray]
    pair: tuple[FeatureIndex, np.ndarray]


class ChainLearner(Learner):
    """One training of a chain over the documents of a corpus.

    labels: of the chain. cost: float32[L, L], or None for Hamming cost. prior: the earlier model that training goes on from.
    Raises ValueError (M111) for a template whose attribute no document has.
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
        prior: ChainPrior | None = None,
    ):
        self.name = name
        self.trainer = trainer
        self.reader = reader
        self.labels = tuple(labels)
        self.constraints = constraints
        self.cost = cost
        self.prior = prior
        self.node, self.edge = templates.node, templates.edge
        self.dense = DenseFeatures(templates.dense, reader.lexicon.vocab)
        self.min_count = templates.min_count

    @property
    def templates(self) -> tuple[Template, ...]:
        """All templates in the order of their blocks, node templates first."""
        return (*self.node, *self.dense.templates, *self.edge)

    def begin(self, pieces: Sequence[Piece], extracted: Extracted | None = None) -> None:
        """Index the features of the corpus, unless they have been ``extracted``, and start training."""
        self._take(pieces)
        self.training = self.trainer.begin(self._problem(pieces, extracted))

    def _take(self, pieces: Sequence[Piece]) -> None:
        """Let these be the documents, and find their borders among all tokens."""
        self.documents = tuple(pieces)
        self._borders = block_starts([piece.gold.size for piece in pieces])

    def step(self, documents: np.ndarray) -> None:
        assert self.training is not None
        first, borders = self.training.problem.arrays.first, self._borders
        begin, end = np.searchsorted(first, borders[documents]), np.searchsorted(first, borders[documents + 1])
        self.training.step(ranges(begin, end))

    def rebind(self, pieces: Sequence[Piece], extracted: Extracted | None = None) -> None:
        assert self.training is not None
        old_keys, old_places = self._keys(), self._places()
        self._take(pieces)
        problem = self._problem(pieces, extracted)
        rows = [row_map(*keys) for keys in zip(old_keys, self._keys(), strict=True)]
        places = old_places, self._places(problem)
        possible = None if same_forms(self.training.problem, problem) else has_labels(problem)
        continued(
            self.training, problem, lambda weights: carry_rows(problem, weights, rows), places, forms_of, possible
        )

    def _places(self, problem: Problem | None = None) -> Sentences:
        """The sentences of the problem, by default that of the training."""
        assert self.training is not None
        first = (problem or self.training.problem).arrays.first
        documents = np.searchsorted(self._borders, first, side="right") - 1
        return Sentences(documents, first - self._borders[documents])

    def extract(self, pieces: Sequence[Piece]) -> Extracted:
        """The features of the corpus. Raises ValueError (M111)."""
        given, starts, _ = concatenate(pieces)
        doc_starts = block_starts([piece.gold.size for piece in pieces])
        check_set(self.name, self.reader, given, self.templates)
        columns = self.reader.expand(given, starts, doc_starts)
        observed = [t for t in self.edge if t.observations]
        node, pair = (
            self.indexer.of_positions(columns, starts, self._program(templates), self.min_count, self.crew)
            for templates in (self.node, observed)
        )
        return Extracted(columns, starts, node, pair)

    def _problem(self, pieces: Sequence[Piece], extracted: Extracted | None = None) -> Problem:
        columns, starts, (self._index_node, node), (self._index_pair, pair) = extracted or self.extract(pieces)
        gold = np.concatenate([piece.gold for piece in pieces])
        observed = [t for t in self.edge if t.observations]
        forms = self.constraints.form_rows(columns[0])
        tensor = tensor_of(pieces) if reads(self.dense.templates, "t") else NO_ROWS
        vectors = self.dense.read(columns[0], tensor, starts, int(self._index_node.blocks[-1]))
        features = ChainFeatures(node, self._pair_rows(pair), bool(observed), vectors, forms)
        offset = None
        if self.prior is not None:
            offset = self.prior.offset(columns, self.reader.columns, starts, self.node, observed)
        return chain_problem(features, self._blocks(), gold, starts, self.labels, self.constraints, self.cost, offset)

    def _program(self, templates: Sequence[Template]):
        return compile_program(templates, self.reader.columns)

    def _pair_sizes(self) -> list[int]:
        """Number of rows of each pair template, 1 for a template without observation."""
        sizes = iter(np.diff(self._index_pair.blocks).tolist())
        return [next(sizes) if template.observations else 1 for template in self.edge]

    def _blocks(self) -> Blocks:
        names = tuple(template.name for template in self.templates)
        sizes = [*np.diff(self._index_node.blocks).tolist(), *self.dense.widths]
        return Blocks(block_starts(sizes), block_starts(self._pair_sizes()), names)

    def _pair_rows(self, observed: np.ndarray) -> np.ndarray:
        """Rows int32[N, Tp] of all pair templates; observed: the rows of those with an observation, numbered among themselves."""
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
        """Keys (uint64) of all node rows and of all pair rows; 0 for those of dense templates, which need none."""
        return np.append(self._index_node.keys, np.zeros(sum(self.dense.widths), np.uint64)), self._pair_keys()

    def _pair_keys(self) -> np.ndarray:
        """Keys (uint64) of all pair rows; 0 for templates without observation, which need none."""
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
        assert self.training is not None
        weights, problem = self.training.weights, self.training.problem
        if self.prior is not None:
            weights = self.prior.shrunk(weights, problem.n)
        dense = self.dense.blocks(weights.node, int(self._index_node.blocks[-1]))
        mu = self.training.template_weights
        live = mu[len(self.node) : problem.blocks.n_node] > LIVE * mu.sum()
        dense = [block for block, is_live in zip(dense, live, strict=True) if is_live]
        bytes_of_dense = sum(block.stored_bytes for block in dense)
        exported = export_chain(
            weights,
            mu,
            problem.block_norms(weights),
            problem.blocks,
            self.templates,
            self._keys(),
            self.labels,
            megabytes,
            self.prior,
            bytes_of_dense,
            self.few,
        )
        return exported.with_dense(dense)


def same_forms(old: Problem, new: Problem) -> bool:
    """Whether the words of two chain problems may have the same labels."""
    return all(np.array_equal(getattr(old.arrays, part), getattr(new.arrays, part)) for part in ("forms", "form_mask"))


def forms_of(arrays: ChainProblem, i: int) -> tuple[np.ndarray, np.ndarray]:
    """What tells the parts of a piece, given its length: which of its words are held to labels, and to which. Rows of forms have other numbers where
    more forms are known."""
    forms = arrays.forms[arrays.first[i] : arrays.last[i]]
    return forms >= 0, arrays.form_mask[forms[forms >= 0]]
