"""The training of a shard as its learner sees it: the problem, and weights that come from the driver."""

from dataclasses import dataclass

import numpy as np

from spacy_mtl.distributed.shard import Shard
from spacy_mtl.structures.contract import Weights
from spacy_mtl.structures.problem import Problem
from spacy_mtl.trainers.base import Carry, Report, Trainer, Training


class ShardTraining(Training):
    """Holds the shard, whose rounds the driver asks for, and the weights that all shards together have led to."""

    def __init__(self, problem: Problem, seed: int):
        super().__init__(problem)
        self.shard = Shard(problem, seed)
        self._weights = problem.zeros()
        self._mu = np.ones(problem.blocks.n)

    def set(self, weights: Weights, mu: np.ndarray) -> None:
        """Take over what the driver has found. mu: float64[T + Tp]."""
        self._weights, self._mu = weights, mu

    def step(self, sentences: np.ndarray) -> None:
        """Do nothing: the driver asks for rounds."""

    def end_pass(self) -> None:
        """Do nothing."""

    def rebind(self, problem: Problem, carry: Carry) -> None:
        """Refuse: the features of a shard stay."""
        raise NotImplementedError

    @property
    def loss(self) -> float:
        return float("nan")

    @property
    def weights(self) -> Weights:
        return self._weights

    @property
    def template_weights(self) -> np.ndarray:
        return self._mu

    def report(self) -> Report:
        """Refuse: only all shards together have an objective."""
        raise NotImplementedError


@dataclass(frozen=True)
class ShardTrainer(Trainer):
    """Stands for the trainer of a component on a worker. seed: order of the sentences within a pass."""

    seed: int

    def _begin(self, problem: Problem) -> Training:
        return ShardTraining(problem, self.seed)
