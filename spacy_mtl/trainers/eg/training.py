"""EGTraining, shared by batch and online exponentiated gradient: where they start, when they stop, what they report."""

import warnings
from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from spacy_mtl.errors import Warnings
from spacy_mtl.structures.contract import Weights
from spacy_mtl.structures.problem import Problem
from spacy_mtl.threads.crew import Crew
from spacy_mtl.trainers.base import Kept, Report, Training, relative_gap
from spacy_mtl.trainers.shared.exact import (
    Marginals,
    exact_hinges,
    exact_loss,
    exact_norms,
    lowered,
)
from spacy_mtl.trainers.shared.passes import NOTHING

from .settings import EGSettings
from .sweeps import add_gradients, expect_primal, join_parts

#: The initial learning rate is this divided by C, so that a wrong part with cost 1 gains this much in theta.
FIRST_STEP = 3.0
#: The largest learning rate is this divided by C: it puts all mass on one output, and more would only cost precision.
LONGEST_STEP = 1e4
#: Factor on an adaptive learning rate after a successful step.
GROWTH = 1.05
#: The first and the last value tried for the start: beyond it, the sum of the features of wrong parts is lost in single precision.
FIRST_START, LAST_START = 10.0, 30.0
#: After so many passes a gap above SLOW is worth a warning (M336).
PATIENCE, SLOW = 100, 0.5
#: What it advises if no setting is to blame.
SHORTER = "Steps become shorter as C grows. Choose a smaller C, or"


class EGTraining(Training):
    """The state is theta, or a vector from which it is computed; w = C V(M) belongs to its marginals M."""

    def __init__(self, settings: EGSettings, problem: Problem):
        super().__init__(problem)
        self.settings = settings
        self._crew = Crew(settings.threads)
        self._w = problem.zeros()
        self._dual = 0.0
        self._bound = -np.inf
        self._rise = 0.0
        self._torn = False
        self._report: Report | None = None
        self._growth = GROWTH if settings.eta is None else 1.0

    @abstractmethod
    def _pass(self) -> None:
        """Run one pass over the corpus."""

    @abstractmethod
    def _remake(self) -> None:
        """Compute the weights and the dual objective again from theta."""

    @abstractmethod
    def _is_near(self) -> bool:
        """Whether the gap may be small enough to be worth the pass that a certificate takes."""

    @abstractmethod
    def _is_stuck(self) -> bool:
        """Whether the last pass changed nothing, so that no other will."""

    @abstractmethod
    def _marginals(self) -> Marginals:
        """The part marginals of the current distributions."""

    def step(self, sentences: np.ndarray) -> None:
        """Do nothing: all work is done in :meth:`end_pass`, in an order of its own, so that batches do not change the result."""

    def end_pass(self) -> None:
        """Run ``inner_passes`` passes, or fewer if the gap closes."""
        for _ in range(self.settings.inner_passes):
            if self.finished:
                return
            self._repair()
            self._report = None
            self._pass()
            self.passes += 1
            self.ended = self._is_stuck()
            if self._is_near() or self.ended:
                self.converged = self.report().gap <= self.settings.tol
                self._bound = (
                    self.report().dual
                )  # here, not in reports: whoever asks for them must not change what follows
            self._warn()

    def _warn(self) -> None:
        """Warn (M336) of a training that has come to the limits of single precision, or hardly moves."""
        stuck = self.ended and not self.converged
        if stuck or (self.passes == PATIENCE and self.report().gap > SLOW):
            gap, settings = self.report().gap, self.settings
            given = [name for name in ("eta", "start") if getattr(settings, name) is not None]
            advice = f"Leave out {' and '.join(given)}, or choose" if given else SHORTER
            warnings.warn(
                Warnings.M336.format(trainer="EG", n=self.passes, gap=gap, C=settings.C, advice=advice), stacklevel=3
            )

    def _repair(self) -> None:
        """Compute the weights again after an interrupt between an update of theta and that of the weights."""
        if self._torn:
            self._remake()
            self._torn = False

    def _first_rate(self) -> float:
        """The initial learning rate, unless it is the safe one."""
        C, eta = self.settings.C, self.settings.eta
        return FIRST_STEP / C if eta is None else min(float(eta), LONGEST_STEP / C)

    def report(self) -> Report:
        """The report, in double precision. dual: the paper's F at the current distributions, or at earlier ones if it has fallen by rounding."""
        if self._report is None:
            self._repair()
            self._report = self._measure()
        return self._report

    def _measure(self) -> Report:
        problem, C, marginals, crew = self.problem, self.settings.C, self._marginals(), self._crew
        norms = problem.block_norms(self._w)
        primal = 0.5 * float(norms @ norms) + C * float(exact_hinges(problem, self._w, crew).sum())
        bend = 0.5 * float(np.sum((C * exact_norms(problem, marginals, crew=crew)) ** 2))
        loss = C * exact_loss(problem, marginals, crew)
        dual = max(self._bound, lowered(loss - bend, loss + bend))
        gap = relative_gap(primal, dual)
        return Report(primal, dual, gap, int((norms > 0).sum()), norms.size, self.passes)

    @property
    def weights(self) -> Weights:
        self._repair()
        return self._w

    @property
    def template_weights(self) -> np.ndarray:
        """1 for templates with weights, 0 for those without."""
        return (self.problem.block_norms(self.weights) > 0).astype(float)


def expectation(problem: Problem, C: float, gather: Callable[[Weights], float], vector: Weights) -> float:
    """Set ``vector`` to w = C V(M); return the dual objective F(M).

    gather: a function that adds V(M) to a vector and returns E_M[loss].
    """
    for matrix in vector:
        matrix[:] = 0
    loss = gather(vector)
    problem.scale_blocks(vector, np.full(problem.blocks.n, C))
    return C * loss - 0.5 * float(np.sum(problem.block_norms(vector) ** 2))


def find_start(problem: Problem, C: float, state: Any, vector: Weights) -> float:
    """The s for which theta_{i,r} = -s l_{i,r}, without offsets, has the highest dual objective. state, vector: buffers.

    For large s, E[loss] decreases as exp(-s) and ||V||^2 as exp(-2s), so F is highest where C ||V||^2 = E[loss].
    """
    start = FIRST_START
    for _ in range(3):
        gather = lambda v, start=start: expect_primal(problem.arrays, v, NOTHING, -start, start, state, v, 0, problem.n)  # noqa: E731
        dual = expectation(problem, C, gather, vector)
        bend = float(np.sum(problem.block_norms(vector) ** 2))
        loss = dual + 0.5 * bend  # times C
        if loss <= 0 or bend == 0:
            break
        shift = np.log(bend / loss)
        start = float(np.clip(start + shift, 0, LAST_START))
        if abs(shift) < 0.1:
            break
    return start


def new_state(problem: Problem) -> Any:
    """A state with one number per part, in float64: the mass that wrong parts take from gold would be lost in single precision."""
    layout = problem.gold_state()
    return type(layout)(*(np.zeros(array.shape) for array in layout))


def begin_theta(problem: Problem, start: float) -> Any:
    """The initial theta_{i,r} = -start * l_{i,r}, without offsets: outputs with low offsets would begin with much mass."""
    theta = new_state(problem)
    add_gradients(problem.arrays, problem.zeros(), NOTHING, -start, start, theta, 1.0, 0, problem.n)
    return theta


def joined_theta(old: Problem, theta: Any, problem: Problem, start: float, kept: Kept) -> Any:
    """theta of a new problem: that of the old one in the sentences that both have, the initial one in others.

    Warns (M340) of old sentences that begin again.
    """
    joined, same = new_state(problem), np.where(kept.alike, kept.sentences, -1)
    join_parts(old.arrays, theta, problem.arrays, start, same, joined)
    lost = old.n - int((same >= 0).sum())
    if lost:
        warnings.warn(Warnings.M340.format(lost=lost, n=old.n), stacklevel=3)
    return joined
