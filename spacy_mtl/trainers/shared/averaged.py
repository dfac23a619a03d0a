"""Online trainings that predict with the average of their weights after each sentence (Freund & Schapire 1999; Collins 2002)."""

import numpy as np

from spacy_mtl.structures.contract import Weights
from spacy_mtl.structures.problem import Problem
from spacy_mtl.trainers.base import Carry, Report

from .averaging import Average, write_average
from .passes import OnlineTraining


class AveragedTraining(OnlineTraining):
    """The state is two vectors, w and u (see :class:`.averaging.Average`); the average is written to a third vector on request.

    There is no step size: an update only corrects the mistake on the current sentence, so the training cannot diverge.
    """

    def __init__(self, problem: Problem, seed: int):
        super().__init__(problem, seed)
        self._state = Average(problem.zeros(), problem.zeros(), np.zeros(1, np.int64))
        self._average: Weights | None = None
        self._written = -1

    def current_weights(self) -> Weights:
        """The average of the weights after each sentence so far."""
        if self._average is None:
            self._average = self.problem.zeros()
        seen = int(self._state.seen[0])
        if self._written != seen:
            self._written = -1
            for matrix, w, u in zip(self._average, self._state.w, self._state.u, strict=True):
                write_average(matrix, w, u, seen)
            self._written = seen
        return self._average

    def end_pass(self) -> None:
        """Count the pass. The best pass is not kept, which would take another vector."""
        self.passes += 1
        self._last_loss, self._pass_loss = self._pass_loss, 0.0
        self._report = None

    def rebind(self, problem: Problem, carry: Carry) -> None:
        """Carry both vectors over; new features have had weight 0 so far."""
        state = Average(carry(self._state.w), carry(self._state.u), self._state.seen)
        self.problem, self._state = problem, state
        self._average, self._written, self._report = None, -1, None

    @property
    def template_weights(self) -> np.ndarray:
        """1 for templates with any weight, 0 for others, float64[T + Tp]."""
        return (self.problem.block_norms(self.weights) > 0).astype(float)

    def measure(self) -> Report:
        """A report of how many templates have weights; there is no objective."""
        live = int(self.template_weights.sum())
        return Report(np.nan, np.nan, np.nan, live, self.problem.blocks.n, self.passes)
