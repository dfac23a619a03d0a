"""The averaged structured perceptron (Collins 2002): decode, and if the output is wrong, add the gold features and subtract the predicted ones."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from spacy_mtl.registry import mtl_trainers
from spacy_mtl.structures.problem import Problem
from spacy_mtl.trainers.base import Trainer
from spacy_mtl.trainers.checks import check_one_thread, check_switch, check_whole
from spacy_mtl.trainers.shared.averaged import AveragedTraining

from .perceptron_steps import perceptron_pass


@dataclass(frozen=True)
class Perceptron(Trainer):
    """Settings of :func:`perceptron`."""

    batch: ClassVar[bool] = False
    offsets: ClassVar[bool] = True

    margin: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        check_switch("Perceptron", margin=self.margin)
        check_whole("Perceptron", 0, seed=self.seed)

    def _begin(self, problem: Problem) -> "PerceptronTraining":
        return PerceptronTraining(problem, self)


class PerceptronTraining(AveragedTraining):
    """The training of the perceptron. Its loss is that of the decoded outputs, which are loss-augmented with ``margin``."""

    def __init__(self, problem: Problem, settings: Perceptron):
        super().__init__(problem, settings.seed)
        self.settings = settings

    def learn(self, problem: Problem, order: np.ndarray) -> float:
        """Decode each sentence once and learn from it; return the sum of the losses (with Hamming costs, the number of wrong labels)."""
        return perceptron_pass(problem.arrays, self._state, problem.all_live(), order, self.settings.margin)


@mtl_trainers("spacy_mtl.Perceptron.v1")
def perceptron(margin: bool = False, seed: int = 0, threads: int = 1) -> Perceptron:
    """The averaged structured perceptron. It has no objective and no step size, and only the number of passes can be tuned.

    margin: use loss-augmented decoding, so that a correct output with a margin smaller than the loss counts as a mistake too.
    seed: order of the sentences within a pass.
    threads: 1; this trainer does not work on several.
    Raises ValueError: M373 for several threads; M305 and M371 for a seed that is not a whole number or too large, M320 for a margin that is
    neither true nor false.
    """
    check_one_thread("Perceptron", threads)
    return Perceptron(margin, seed)
