"""One sentence of a problem with all its outputs: the reference values that all checks compare with, computed once."""

from functools import cached_property
from typing import Any

import numpy as np

from spacy_mtl.structures.contract import Function, Live, Scale, Weights
from spacy_mtl.structures.problem import Problem

from .failure import Names, StructureError, Witness, close
from .probes import outputs as probes
from .probes import sums
from .probes.outputs import At


class Case:
    """Sentence i of a problem. outputs: int32[K, parts], all its possible outputs. D: number of weights, node entries first.

    features: whether every weight belongs to a single feature. If not (kernelised blocks), added vectors and scores differ: ``vectors`` is what
    adding an output does, ``by_score`` how the scores depend on a weight.
    """

    def __init__(self, problem: Problem, i: int, outputs: np.ndarray, random: np.random.Generator):
        self.problem, self.arrays, self.i, self.random = problem, problem.arrays, i, random
        self.outputs = outputs
        self.names = Names(type(problem.arrays))
        self.offers = problem.offers
        self.features = "features" in problem.offers
        self.everything = problem.all_live()

    # --- failures ---

    def fail(self, function: Function, what: str, expected: Any, found: Any) -> None:
        raise StructureError(self.names.of(function), self.i, what, expected, found)

    def equal(self, function: Function, what: str, expected: Any, found: Any) -> None:
        """Fail with ``function`` named, unless the two are equal up to single precision."""
        if not close(expected, found):
            self.fail(function, what, expected, found)

    def agree(self, what: str, witnesses: list[Witness]) -> None:
        """Fail with the function named that disagrees with most of the witnesses."""
        dissenters = self.names.dissenters(witnesses)
        if dissenters:
            believed = next((one.value for one in witnesses if one not in dissenters), witnesses[0].value)
            self.fail(dissenters[0].function, what, believed, dissenters[0].value)

    # --- weights ---

    def zeros(self) -> Weights:
        return self.problem.zeros()

    def weights(self, flat: np.ndarray) -> Weights:
        """float[D] as a weight vector."""
        vector = self.zeros()
        vector.node[:] = flat[: vector.node.size].reshape(vector.node.shape)
        vector.pair[:] = flat[vector.node.size :].reshape(vector.pair.shape)
        return vector

    def draw(self) -> np.ndarray:
        """Random weights float32[D]: signed eighths, which single precision adds up exactly."""
        return (self.random.integers(-16, 17, self.owner.size) / 8).astype(np.float32)

    @cached_property
    def owner(self) -> np.ndarray:
        """The template of every weight, int64[D]."""
        blocks, problem = self.problem.blocks, self.problem
        node = np.repeat(np.arange(blocks.n_node), np.diff(blocks.node) * problem.node_width)
        pair = np.repeat(np.arange(blocks.n_node, blocks.n), np.diff(blocks.pair) * problem.pair_width)
        return np.concatenate([node, pair])

    def by_block(self, values: np.ndarray) -> np.ndarray:
        """Sums over the weights of each template: float[D] to float64[T + Tp]."""
        return np.bincount(self.owner, values, self.problem.blocks.n)

    def at(self, flat: np.ndarray, live: Live | None = None, scale: np.ndarray | None = None) -> At:
        """The sentence under these weights (float[D]). scale: float64[T + Tp], ones by default."""
        factors = np.ones(self.problem.blocks.n) if scale is None else scale
        n = self.problem.blocks.n_node
        both = Scale(np.ascontiguousarray(factors[:n]), np.ascontiguousarray(factors[n:]))
        return At(self.weights(flat), live or self.everything, both, self.i)

    # --- every output ---

    @cached_property
    def taken(self) -> tuple[np.ndarray, np.ndarray]:
        """For every output, the loss float64[K] and Phi(gold) - Phi(output) float64[K, D] as ``add_output`` adds it."""
        return probes.take_each(self.arrays, self.i, self.outputs, self.zeros())

    @property
    def losses(self) -> np.ndarray:
        return self.taken[0]

    @property
    def vectors(self) -> np.ndarray:
        return self.taken[1]

    @cached_property
    def gold_features(self) -> np.ndarray:
        """Phi(gold), float64[D], from the scores under one weight after another."""
        return probes.gold_features(self.arrays, self.at(np.zeros(self.owner.size)), True)

    @cached_property
    def by_score(self) -> np.ndarray:
        """Phi(output), float64[K, D], from scores; from added vectors if outputs cannot be stored."""
        if "outputs" not in self.offers:
            return self.gold_features - self.vectors
        units = np.eye(self.owner.size)
        return np.stack(
            [probes.stored_scores(self.arrays, self.at(one), True, 0.0, self.outputs)[0] for one in units], axis=1
        ) if self.owner.size else np.zeros((len(self.outputs), 0))  # fmt: skip

    def scores(self, flat: np.ndarray) -> np.ndarray:
        """Scores of all outputs under these weights, float64[K]."""
        return self.by_score @ flat.astype(float)

    @cached_property
    def stored(self) -> np.ndarray:
        """All outputs in stored form, int32[K, n_slots], with -7 in the slots of other sentences."""
        return probes.stored_forms(self.arrays, self.i, self.outputs, -7)

    @cached_property
    def filled(self) -> np.ndarray:
        """All outputs in stored form, int32[K, n_slots], with gold in the slots of other sentences."""
        return np.where(self.stored == -7, probes.stored_gold(self.arrays)[1], self.stored).astype(np.int32)

    @cached_property
    def some(self) -> np.ndarray:
        """Numbers of at most 12 outputs, for checks that take long."""
        n = len(self.outputs)
        return np.arange(n) if n <= 12 else np.sort(self.random.choice(n, 12, replace=False))

    # --- states ---

    def blank(self) -> Any:
        """A state of zeros."""
        return type(gold := sums.gold_state(self.arrays))(*(np.zeros_like(part) for part in gold))

    @cached_property
    def vertices(self) -> list[Any]:
        """The indicators of all outputs, one state each, with zeros for other sentences."""
        states = [self.blank() for _ in self.outputs]
        for state, output in zip(states, self.outputs, strict=True):
            sums.set_vertex(self.arrays, state, self.i, output)
        return states

    def mix(self, shares: np.ndarray) -> Any:
        """Marginals of a distribution over the outputs. shares: float64[K]."""
        parts = zip(*self.vertices, strict=True)
        return type(self.vertices[0])(
            *(np.tensordot(shares, np.stack(part), 1).astype(part[0].dtype) for part in parts)
        )

    def mixture(self) -> np.ndarray:
        """A random distribution over three outputs, float64[K], of multiples of 1/8."""
        shares = np.zeros(len(self.outputs))
        np.add.at(shares, self.random.integers(shares.size, size=3), [0.5, 0.25, 0.25])
        return shares

    def number(self, loss: float, vector: np.ndarray, sure: bool = False) -> int:
        """The number of the output with this loss and Phi(gold) - Phi(output), -1 for none. sure: -1 also if several outputs have them."""
        apart = np.abs(self.vectors - vector).max(axis=1, initial=0) + np.abs(self.losses - loss)
        best = int(np.argmin(apart))
        return -1 if apart[best] > 1e-3 or (sure and (apart < 1e-3).sum() > 1) else best


def copy_state(state: Any) -> Any:
    """A writable copy of a state."""
    return type(state)(*(part.copy() for part in state))


def flat_state(state: Any) -> np.ndarray:
    """All numbers of a state, one after another."""
    return np.concatenate([part.ravel() for part in state]).astype(float)
