"""The EM-style l1-M3N with its step 1 solved roughly, by a few passes of stochastic subgradient steps, as the paper may have done.

Rounds of  min_w 1/2 sum_k w_k^2 / b_k + C sum_i xi_i(w)  by structured Pegasos, begun at the weights of the round before; between two rounds
b_k = K |w_k| / ||w||_1, K weights in all, so that the b_k have the mean 1. One round is the M3N by as many passes.
"""

from dataclasses import dataclass

import numpy as np

from spacy_mtl.kernels import kernel
from spacy_mtl.structures.contract import (
    Weights,
    add_direction,
    decode,
    gold_direction,
    gold_score,
    new_work,
    score_parts,
)
from spacy_mtl.structures.problem import Problem
from spacy_mtl.trainers.base import Carry, Report, Trainer, Training
from spacy_mtl.trainers.l1m3n.elements import fill, l1_norm, largest
from spacy_mtl.trainers.l1m3n.scales import prune

#: The paper's: weights below this share of the largest are removed.
TINY = 1e-4


@kernel
def shrink(weights, factor):
    """Multiply all weights by a factor."""
    for matrix in weights:
        for r in range(matrix.shape[0]):
            for y in range(matrix.shape[1]):
                matrix[r, y] *= np.float32(factor)


@kernel
def scales_of(weights, metric, factor):
    """Set metric_k = factor * |w_k|."""
    for matrix, scales in zip(weights, metric):  # noqa: B905  numba knows no strict zip
        for r in range(matrix.shape[0]):
            for y in range(matrix.shape[1]):
                scales[r, y] = np.float32(factor) * abs(matrix[r, y])


@kernel
def pegasos_pass(arrays, weights, live, metric, order, C, steps):
    """A step for each sentence: w <- (1 - 1/t) w + (C n / t) b o (Phi(gold) - Phi(best output with its loss)), t from steps + 1 on."""
    work = new_work(arrays)
    for k in range(order.size):
        i, t = order[k], steps + k + 1
        score_parts(arrays, weights, live, i, work)
        gold = gold_score(arrays, i, work)
        is_wrong = decode(arrays, i, work, True) > gold
        if is_wrong:
            gold_direction(arrays, i, work)
        shrink(weights, 1 - 1 / t)
        if is_wrong:
            add_direction(arrays, weights, live, metric, i, work, -C * order.size / t)


@dataclass(frozen=True)
class RoughEM(Trainer):
    """rounds: 1 is the M3N. inner_passes: of a round."""

    C: float = 1.0
    rounds: int = 15
    inner_passes: int = 5
    seed: int = 0

    def _begin(self, problem: Problem) -> Training:
        return RoughTraining(self, problem)


class RoughTraining(Training):
    """The last iterate; no certificate."""

    def __init__(self, settings: RoughEM, problem: Problem):
        super().__init__(problem)
        self.settings, self._random = settings, np.random.default_rng(settings.seed)
        self._w, self._metric = problem.zeros(), problem.zeros()
        fill(self._metric, 1.0)

    def step(self, sentences: np.ndarray) -> None:
        """Nothing: passes have an order of their own."""

    def end_pass(self) -> None:
        """A pass, and step 2 at the end of every round but the last."""
        if self.finished:
            return
        settings, problem = self.settings, self.problem
        order = self._random.permutation(problem.n)
        live = problem.live(np.ones(problem.blocks.n, bool))
        pegasos_pass(problem.arrays, self._w, live, self._metric, order, settings.C, self.passes * problem.n)
        self.passes += 1
        self.ended = self.passes >= settings.rounds * settings.inner_passes
        if settings.rounds > 1 and self.passes % settings.inner_passes == 0:
            prune(self._w, self._metric, TINY * largest(self._w))
            norm = l1_norm(self._w)
            if norm > 0 and not self.ended:
                scales_of(self._w, self._metric, sum(matrix.size for matrix in self._w) / norm)

    def report(self) -> Report:
        """The objective with the norm of the whole: 1/2 ||w||^2 for one round, else ||w||_1^2 / (2 K)."""
        size = sum(matrix.size for matrix in self._w)
        norms = self.problem.block_norms(self._w)
        penalty = 0.5 * float(norms @ norms) if self.settings.rounds == 1 else 0.5 * l1_norm(self._w) ** 2 / size
        primal = penalty + self.settings.C * float(self.problem.hinges(self._w).sum())
        return Report(primal, np.nan, np.nan, int((norms > 0).sum()), norms.size, self.passes)

    @property
    def loss(self) -> float:
        """Sum of the hinges."""
        return float(self.problem.hinges(self._w).sum())

    @property
    def weights(self) -> Weights:
        return self._w

    @property
    def template_weights(self) -> np.ndarray:
        """1 for blocks with a weight."""
        return (self.problem.block_norms(self._w) > 0).astype(float)

    def rebind(self, problem: Problem, carry: Carry) -> None:
        """Keep weights and scales."""
        self.problem, self._w, self._metric = problem, carry(self._w), carry(self._metric)
