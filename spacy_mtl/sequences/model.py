"""SequenceModel: predicts labels of new arrays with trained weights, in bounded memory."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from spacy_mtl.errors import Errors
from spacy_mtl.kernels import kernel
from spacy_mtl.structures.chain.sums.marginals import marginals
from spacy_mtl.structures.chain.viterbi import list_transitions, new_transitions, viterbi, viterbi_many

from .blocks import FittedBlock, as_mapping, check_positions
from .values import as_starts

#: Of positions and label pairs: sums of two scores must stay within single precision.
LARGEST_SCORE = np.float32(1e30)


@kernel
def mask_ends(nodes, starts, start, end):
    """Add the constraints of first and last positions to node scores float32[N, L]."""
    for s in range(starts.size - 1):
        for y in range(start.size):
            nodes[starts[s], y] += start[y]
            nodes[starts[s + 1] - 1, y] += end[y]


@kernel
def longest_of(starts):
    longest = 1
    for s in range(starts.size - 1):
        longest = max(longest, starts[s + 1] - starts[s])
    return longest


@kernel
def decode_all(nodes, starts, pairs, labels):
    """Run Viterbi on every sequence to fill ``labels`` int32[N]. nodes: float32[N, L]; starts: int64[S + 1]; pairs: float32[1, L, L]."""
    shape = (longest_of(starts), nodes.shape[1])
    best, back = np.empty(shape, np.float32), np.empty(shape, np.int32)
    transitions = new_transitions(nodes.shape[1])
    many = transitions.counts.size > 0
    if many:
        list_transitions(pairs[0], transitions)
    for s in range(starts.size - 1):
        a, b = starts[s], starts[s + 1]
        if many:
            viterbi_many(nodes[a:b], pairs[0], transitions, best, back, labels[a:b])
        else:
            viterbi(nodes[a:b], pairs, best, back, labels[a:b])


@kernel
def marginals_of_all(nodes, starts, pairs, out):
    """Fill ``out`` float32[N, L] with the probability of every label at every position. Other shapes as in :func:`decode_all`."""
    n_labels = nodes.shape[1]
    alpha, factors = np.empty((longest_of(starts), n_labels)), np.empty((1, n_labels, n_labels))
    pair_out = np.empty((1, n_labels * n_labels), np.float32)
    for s in range(starts.size - 1):
        a, b = starts[s], starts[s + 1]
        marginals(nodes[a:b], pairs, alpha, factors, out[a:b], pair_out)


@dataclass(frozen=True)
class SequenceModel:
    """A trained chain over arrays.

    labels: int64[L] or str[L]. blocks: the training's blocks, reduced to what prediction needs. weights: float32[R, L] for each block. step:
    float32[L, L], scores of label pairs (previous, current). start_mask, end_mask: float32[L] and step_mask: float32[L, L], constraints as scores.
    """

    labels: np.ndarray
    blocks: tuple[FittedBlock, ...]
    weights: tuple[np.ndarray, ...]
    step: np.ndarray
    start_mask: np.ndarray
    end_mask: np.ndarray
    step_mask: np.ndarray

    def predict(self, X: Any, lengths: Any) -> np.ndarray:
        """The best label of every position, int64[N] or str[N] like y in training.

        X: the same blocks as in training, for new positions; for a KernelBlock, its vectors are enough. lengths: int[S], with sum N; both
        may be empty.

        Raises ValueError: M220-M223, M228-M229, M232-M233 where X or lengths do not match the training, M641 for scores that are no numbers.
        """
        nodes, starts = self._masked(X, lengths)
        numbers = np.zeros(len(nodes), np.int32)
        decode_all(nodes, starts, self._pairs(), numbers)
        return self.labels[numbers]

    def marginals(self, X: Any, lengths: Any) -> np.ndarray:
        """Probability float32[N, L] of every label, in the order of ``labels``; for models trained by likelihood. Arguments as in :meth:`predict`."""
        nodes, starts = self._masked(X, lengths)
        out = np.zeros_like(nodes)
        marginals_of_all(nodes, starts, self._pairs(), out)
        return out

    def scores(self, X: Any) -> np.ndarray:
        """The scores of every position and label, without label pairs, float32[N, L]. Kernels are computed in chunks of positions."""
        return self._score(self._read(as_mapping(X)))

    def _score(self, tables: list[Any]) -> np.ndarray:
        out = np.zeros((tables[0].shape[0], self.labels.size), np.float32)
        with np.errstate(over="ignore", invalid="ignore"):
            for block, table, weights in zip(self.blocks, tables, self.weights, strict=True):
                if weights.any():
                    out += block.scores(table, weights)
        if not np.abs(out).max(initial=0.0) <= LARGEST_SCORE:  # also true for nan
            raise ValueError(Errors.M641)
        return out

    def _read(self, X: Any) -> list[Any]:
        wanted, given = [block.name for block in self.blocks], [str(name) for name in X]
        odd = [name for name in given if name not in wanted] or [name for name in wanted if name not in given]
        if odd:
            known, got = (", ".join(map(repr, sorted(names))) or "none" for names in (wanted, given))
            raise ValueError(Errors.M232.format(name=odd[0], wanted=f"the blocks {known}", got=got))
        by_name = {str(name): value for name, value in X.items()}
        tables = [block.read(by_name[block.name]) for block in self.blocks]
        for block, table in zip(self.blocks, tables, strict=True):
            check_positions(block.name, table, tables[0].shape[0])
        return tables

    def _masked(self, X: Any, lengths: Any) -> tuple[np.ndarray, np.ndarray]:
        """Node scores, including the constraints of first and last positions, and borders of the sequences."""
        tables = self._read(as_mapping(X))
        n = tables[0].shape[0]
        starts = as_starts(lengths, n) if n or np.size(lengths) else np.zeros(1, np.int64)
        nodes = self._score(tables)
        mask_ends(nodes, starts, self.start_mask, self.end_mask)
        return nodes, starts

    def _pairs(self) -> np.ndarray:
        return np.ascontiguousarray((self.step + self.step_mask)[None])
