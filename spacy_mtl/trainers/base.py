"""What a trainer is: settings that can begin a training, and a training that steps, ends passes and reports."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from spacy_mtl.errors import Errors
from spacy_mtl.structures.contract import Weights, in_words
from spacy_mtl.structures.problem import Problem

#: A weight vector of one problem as one of another, see :meth:`Training.rebind`.
Carry = Callable[[Weights], Weights]


@dataclass(frozen=True)
class Report:
    """How far a training has come.

    primal, dual: objective values (package's convention: C times the *sum* of the sentences' losses). gap: relative, (primal - dual) / primal.
    Values a method does not have are nan. Where decoding is approximate (``Problem.exact``) primal and gap are lower bounds of the true ones.
    """

    primal: float
    dual: float
    gap: float
    live_templates: int
    n_templates: int
    passes: int


def relative_gap(primal: float, dual: float) -> float:
    """(primal - dual) / primal; 0 where the primal is 0."""
    return float((primal - dual) / primal) if primal > 0 else 0.0


class Training(ABC):
    """A training under way on one problem. Stop whenever you like: ``weights`` is always usable."""

    def __init__(self, problem: Problem):
        self.problem = problem
        self.passes = 0
        self.converged = False

    @abstractmethod
    def step(self, sentences: np.ndarray) -> None:
        """Show the training a batch: int64[k] sentence numbers. Batch methods wait for the end of the pass."""

    @abstractmethod
    def end_pass(self) -> None:
        """All sentences have been shown once."""

    @property
    @abstractmethod
    def loss(self) -> float:
        """A loss of the last pass that costs nothing extra to know; what spaCy's logger shows."""

    @abstractmethod
    def rebind(self, problem: Problem, carry: Carry) -> None:
        """Go on with the same corpus whose features have changed (same sentences and gold, same templates, blocks of other sizes).

        carry: takes a weight vector of the old problem and returns that of the new one, 0 for features that are new.
        """

    def recut(self, problem: Problem) -> None:
        """Go on with the same sentences and features, cut into pieces elsewhere: for batch methods under structure regularization.

        Right for states that are weights or outputs; a state in the parts of the pieces begins anew (override).
        """
        self.rebind(problem, lambda weights: weights)

    @property
    @abstractmethod
    def weights(self) -> Weights:
        """The weights to predict with now."""

    @property
    @abstractmethod
    def template_weights(self) -> np.ndarray:
        """mu_j of every template, node templates first: float64[T + Tp]."""

    @abstractmethod
    def report(self) -> Report:
        """Objective values for the present weights. May cost a pass; the answer is kept until the next pass."""


@dataclass(frozen=True)
class Trainer(ABC):
    """Settings of a training method; immutable, so one config entry can serve many problems."""

    #: what the problem must offer: the groups of the contract that the kernels call, and abilities (see ``contract.GROUPS`` and ``ABILITIES``)
    needs: ClassVar[frozenset[str]] = frozenset({"decode"})
    #: a batch method needs the same corpus in every pass; an online method takes sentences as they come
    batch: ClassVar[bool] = True

    @abstractmethod
    def _begin(self, problem: Problem) -> Training: ...

    def begin(self, problem: Problem) -> Training:
        """Start training. Raises ValueError (M301) where the problem lacks what this trainer needs."""
        self.check(problem.offers, problem.structure)
        return self._begin(problem)

    def check(self, offers: frozenset[str], structure: str) -> None:
        """Refuse a structure that lacks what this trainer needs (M301)."""
        missing = self.needs - offers
        if missing:
            words = in_words(missing)
            raise ValueError(Errors.M301.format(trainer=type(self).__name__, structure=structure, missing=words))


def fit(trainer: Trainer, problem: Problem, passes: int, on_pass: Callable[[Training], None] | None = None) -> Training:
    """Train outside spaCy's loop until ``passes`` passes are over or the training converges. Ctrl-C returns what was learnt so far.

    A trainer that runs several passes of its own for each of the corpus (``inner_passes``) may end with a few more.
    """
    training = trainer.begin(problem)
    everything = np.arange(problem.n)
    try:
        while training.passes < passes and not training.converged:
            training.step(everything)
            training.end_pass()
            if on_pass is not None:
                on_pass(training)
    except KeyboardInterrupt:
        pass
    return training
