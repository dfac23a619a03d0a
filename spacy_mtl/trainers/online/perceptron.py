"""The averaged structured perceptron (Collins 2002): decode, and where the output is wrong add the gold features and take away the others."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from spacy_mtl.registry import mtl_trainers
from spacy_mtl.structures.problem import Problem
from spacy_mtl.trainers.base import Trainer
from spacy_mtl.trainers.checks import check_switch, check_whole
from spacy_mtl.trainers.shared.averaged import AveragedTraining

from .perceptron_steps import perceptron_pass


@dataclass(frozen=True)
class Perceptron(Trainer):
    """Settings of :func:`perceptron`."""

    batch: ClassVar[bool] = False

    margin: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        check_switch("Perceptron", margin=self.margin)
        check_whole("Perceptron", 0, seed=self.seed)

    def _begin(self, problem: Problem) -> "PerceptronTraining":
        return PerceptronTraining(problem, self)


class PerceptronTraining(AveragedTraining):
    """Its loss is that of the outputs it met: with ``margin``, of the loss-augmented ones."""

    def __init__(self, problem: Problem, settings: Perceptron):
        super().__init__(problem, settings.seed)
        self.settings = settings

    def learn(self, problem: Problem, order: np.ndarray) -> float:
        """One look at each sentence; returns the sum of their losses (wrong labels, if costs are Hamming's)."""
        return perceptron_pass(problem.arrays, self._state, problem.all_live(), order, self.settings.margin)


@mtl_trainers("spacy_mtl.Perceptron.v1")
def perceptron(margin: bool = False, seed: int = 0) -> Perceptron:
    """The averaged structured perceptron: no objective, no step size, nothing to tune but the number of passes.

    margin: decode loss-augmented, so that an output which is right by less than its loss counts as a mistake too.
    seed: order of the sentences within a pass.
    Raises ValueError: M305 for a seed that is no whole number, M320 for a margin that is neither true nor false.
    """
    return Perceptron(margin, seed)
