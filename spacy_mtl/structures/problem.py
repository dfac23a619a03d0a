"""The problem that trainers work with: a corpus of one structure, as a linear operator between weights and part scores."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from spacy_mtl.kernels import kernel

from . import contract
from .contract import Live, Weights


@dataclass(frozen=True)
class Blocks:
    """The rows of each template. node, pair: int64[T + 1], template j of its kind owns the rows ``[j]:[j + 1]`` of that matrix.

    Templates are numbered with node templates first; ``names`` are in that order.
    """

    node: np.ndarray
    pair: np.ndarray
    names: tuple[str, ...]

    @property
    def n_node(self) -> int:
        return self.node.size - 1

    @property
    def n(self) -> int:
        return self.node.size + self.pair.size - 2


@dataclass(frozen=True)
class Problem:
    """A training problem: the feature rows, structure and gold of a corpus.

    arrays: the structure's NamedTuple. blocks: rows of each template. node_width, pair_width: columns of the two weight matrices.
    cut_arrays: see :meth:`cut`; None if the structure cannot be cut.
    exact: whether decoding finds the best output. If not, hinges (and so all primal objectives and gaps) are lower bounds of the true ones, computed
    from the outputs that were found and gold; duals are still lower bounds of the optimum, since all mass is on actual outputs.
    lacks: groups of the contract and abilities that this problem lacks although its type implements them. structure: its name in messages.
    has_offset: whether its parts have constant scores (``contract.add_offset``).
    outputs: a function from the arrays to all possible outputs of each sentence, in the form that ``take_output`` takes (int32[parts] each); only
    :func:`spacy_mtl.testing.check_structure` needs it.
    """

    arrays: Any
    blocks: Blocks
    node_width: int
    pair_width: int
    cut_arrays: Callable[[Any, np.ndarray, float, np.random.Generator], Any] | None = None
    exact: bool = True
    lacks: frozenset[str] = frozenset()
    structure: str = "structure"
    has_offset: bool = False
    outputs: Callable[[Any], Iterable[Iterable[np.ndarray]]] | None = None

    @cached_property
    def offers(self) -> frozenset[str]:
        """What trainers can use: the groups that the type implements and its abilities, except those that this problem lacks."""
        uncut = frozenset() if self.cut_arrays else frozenset({"cut"})
        return contract.offered(type(self.arrays), self.lacks | uncut)

    @property
    def n(self) -> int:
        """Number of sentences (or pieces)."""
        return int(_n_sentences(self.arrays))

    def cut(self, sentences: np.ndarray, size: float, random: np.random.Generator) -> "Problem":
        """Cut these sentences (int64[k]) at random into mini-samples of about ``size`` positions; features are still those of the whole sentences."""
        assert self.cut_arrays is not None
        return replace(self, arrays=self.cut_arrays(self.arrays, sentences, size, random))

    def zeros(self) -> Weights:
        """A weight vector of zeros; memory is only used where it is written."""
        shapes = (int(self.blocks.node[-1]), self.node_width), (int(self.blocks.pair[-1]), self.pair_width)
        return Weights(*(np.zeros(shape, np.float32) for shape in shapes))

    def gold_state(self) -> Any:
        """The part marginals that put all mass on the gold outputs."""
        return _gold_state(self.arrays)

    def all_live(self) -> Live:
        return Live(np.arange(self.blocks.n_node), np.arange(self.blocks.pair.size - 1))

    def live(self, mask: np.ndarray) -> Live:
        """The templates of a mask bool[T + Tp]."""
        return Live(np.flatnonzero(mask[: self.blocks.n_node]), np.flatnonzero(mask[self.blocks.n_node :]))

    def block_norms(self, weights: Weights, only: np.ndarray | None = None) -> np.ndarray:
        """||w_j|| of every template, float64[T + Tp], accumulated in double precision.

        only: bool[T + Tp], the templates that are looked at; the norms of others are 0.
        """
        out, n = np.zeros(self.blocks.n), self.blocks.n_node
        looked = np.ones(self.blocks.n, bool) if only is None else only
        _block_norms(weights.node, self.blocks.node, looked[:n], out[:n])
        if "features" not in self.offers:
            _kernel_norms(self.arrays, weights, out[:n])
            out[:n][~looked[:n]] = 0
        _block_norms(weights.pair, self.blocks.pair, looked[n:], out[n:])
        return out

    def scale_blocks(self, weights: Weights, factors: np.ndarray) -> None:
        """Multiply w_j by factors[j], in place. factors: float64[T + Tp]."""
        _scale_blocks(weights.node, self.blocks.node, factors[: self.blocks.n_node])
        _scale_blocks(weights.pair, self.blocks.pair, factors[self.blocks.n_node :])

    def blend(self, mean: Weights, weights: Weights, rate: float) -> None:
        """Add rate * (weights - mean) to mean, in place."""
        for total, matrix in zip(mean, weights, strict=True):
            _blend(total, matrix, np.float32(rate))

    def hinges(self, weights: Weights, live: Live | None = None) -> np.ndarray:
        """Structured hinge of every sentence, float64[n], at least 0; lower bounds if the problem is not ``exact``."""
        out = np.empty(self.n)
        _hinges(self.arrays, weights, live or self.all_live(), out)
        return out

    def gold_minus_expected(self, state: Any, out: Weights | None = None) -> tuple[Weights, float]:
        """V(M) = sum_i (Phi(gold_i) - E_{M_i} Phi), and E_M[loss] summed over sentences. ``out`` is overwritten if given."""
        vector = self.zeros() if out is None else out
        if out is not None:
            for matrix in out:
                matrix[:] = 0
        loss = _gather(self.arrays, vector, state)
        return vector, float(loss)


def shares(problem: Problem, values: np.ndarray) -> contract.Scale:
    """Split values per template, float64[T + Tp], into the two kinds of a Scale."""
    n_node = problem.blocks.n_node
    return contract.Scale(np.ascontiguousarray(values[:n_node]), np.ascontiguousarray(values[n_node:]))


def block_starts(sizes: Sequence[int] | np.ndarray) -> np.ndarray:
    """Borders int64[T + 1] of blocks of the given sizes."""
    return np.concatenate([[0], np.cumsum(np.asarray(sizes, np.int64))]).astype(np.int64)


@kernel
def _n_sentences(arrays):
    return contract.n_sentences(arrays)


@kernel
def _gold_state(arrays):
    return contract.gold_state(arrays)


@kernel
def _hinges(arrays, weights, live, out):
    work = contract.new_work(arrays)
    contract.hold_weights(arrays, weights, live, work)
    for i in range(out.size):
        contract.score_parts(arrays, weights, live, i, work)
        gold = contract.gold_score(arrays, i, work)
        out[i] = max(0.0, contract.decode(arrays, i, work, True) - gold)


@kernel
def _gather(arrays, vector, state):
    loss = 0.0
    for i in range(contract.n_sentences(arrays)):
        contract.add_marginals(arrays, vector, state, i, 1.0)
        loss += contract.expected_loss(arrays, state, i)
    return loss


@kernel
def _blend(mean, matrix, rate):
    for r in range(matrix.shape[0]):
        for y in range(matrix.shape[1]):
            mean[r, y] += rate * (matrix[r, y] - mean[r, y])


@kernel
def _block_norms(matrix, blocks, looked, out):
    for j in range(looked.size):
        if not looked[j]:
            continue
        total = 0.0
        for r in range(blocks[j], blocks[j + 1]):
            for y in range(matrix.shape[1]):
                total += np.float64(matrix[r, y]) * matrix[r, y]
        out[j] = np.sqrt(total)


@kernel
def _kernel_norms(arrays, weights, out):
    contract.kernel_norms(arrays, weights, out)


@kernel
def _scale_blocks(matrix, blocks, factors):
    for j in range(blocks.size - 1):
        factor = np.float32(factors[j])
        if factor != 1:
            for r in range(blocks[j], blocks[j + 1]):
                for y in range(matrix.shape[1]):
                    matrix[r, y] *= factor
