"""OnlineTraining, shared by trainers that learn sentence by sentence: order, passes, and a stop on divergence."""

import warnings
from abc import abstractmethod

import numpy as np

from spacy_mtl.errors import Warnings
from spacy_mtl.structures.contract import Live, Weights
from spacy_mtl.structures.problem import Problem
from spacy_mtl.trainers.base import Carry, Kept, Report, Training

#: No live templates, those of zero weights.
NOTHING = Live(np.empty(0, np.int64), np.empty(0, np.int64))
#: A pass has diverged if its loss is this many times that of zero weights.
BLOW_UP = 100.0


class OnlineTraining(Training):
    """A training whose whole state is in its weights, so that it can learn from any sentences of problems with the same features.

    Within each step, sentences are processed in a random order (``seed``).
    """

    def __init__(self, problem: Problem, seed: int):
        super().__init__(problem)
        self._random = np.random.default_rng(seed)
        self._pass_loss = 0.0
        self._last_loss = 0.0
        self._report: Report | None = None
        self._zero_loss: float | None = None
        self._best: Weights | None = None
        self._best_loss = np.inf
        self._diverged = False

    @abstractmethod
    def learn(self, problem: Problem, order: np.ndarray) -> float:
        """Learn from these sentences (int64[k]) of a problem with the features of ``self.problem``; return the sum of losses before learning."""

    @abstractmethod
    def current_weights(self) -> Weights:
        """The prediction weights, if the training has not diverged."""

    @abstractmethod
    def measure(self) -> Report:
        """Objective values of :attr:`weights`; called at most once per pass."""

    def zero_loss(self) -> float:
        """The loss of zero weights over the corpus, with which the loss of a pass is compared; hinge, unless overridden."""
        return float(self.problem.hinges(self.problem.zeros(), NOTHING).sum())

    def step(self, sentences: np.ndarray) -> None:
        """Learn from these sentences in a random order."""
        self.take(self.problem, self._random.permutation(sentences))

    def take(self, problem: Problem, order: np.ndarray) -> None:
        """Learn from these sentences of this problem in this order, unless the training has diverged."""
        if not self._diverged:
            self._report = None
            self._pass_loss += self.learn(problem, order)

    def end_pass(self) -> None:
        """Count the pass, and keep its weights if it was the best so far; stop for good if it has diverged."""
        if self._diverged:
            return
        self.passes += 1
        self._last_loss, self._pass_loss = self._pass_loss, 0.0
        self._report = None
        if self._zero_loss is None:
            self._zero_loss = self.zero_loss()
        if not self._last_loss <= BLOW_UP * max(self._zero_loss, self.problem.n):  # also true for nan
            self._diverge()
        elif self._last_loss <= self._best_loss:
            self._best_loss = self._last_loss
            self.keep_best()

    def keep_best(self) -> None:
        """Keep the current weights as those of the best pass so far."""
        self._best = Weights(*(matrix.copy() for matrix in self.current_weights()))

    def _diverge(self) -> None:
        kept = "zero weights" if self._best is None else "the weights of the best pass so far"
        name = type(getattr(self, "settings", self)).__name__  # of the trainer, as users know it
        warnings.warn(Warnings.M330.format(trainer=name, n=self.passes, kept=kept), stacklevel=2)
        self._diverged = self.ended = True
        if self._best is None:
            self._best = self.problem.zeros()

    def extend(self, problem: Problem, carry: Carry, kept: Kept) -> None:
        """Carry the weights over; losses of passes over the old corpus are not compared with those over the new one."""
        self.rebind(problem, carry)
        self._zero_loss, self._best_loss = None, np.inf

    @property
    def loss(self) -> float:
        """Sum of the losses in the last pass, each before its step."""
        return self._last_loss

    @property
    def running_loss(self) -> float:
        """Sum of the losses in this pass so far, each before its step."""
        return self._pass_loss

    @property
    def weights(self) -> Weights:
        if self._diverged:
            assert self._best is not None
            return self._best
        return self.current_weights()

    def report(self) -> Report:
        if self._report is None:
            self._report = self.measure()
        return self._report
