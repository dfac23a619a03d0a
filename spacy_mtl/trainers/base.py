"""The base classes: a Trainer holds settings and begins trainings; a Training makes steps, ends passes and reports."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from spacy_mtl.errors import Errors
from spacy_mtl.settings import is_whole, shown
from spacy_mtl.structures.contract import Weights, in_words
from spacy_mtl.structures.problem import Problem

#: A function that carries a weight vector of one problem over to another, see :meth:`Training.rebind`.
Carry = Callable[[Weights], Weights]


class Kept(NamedTuple):
    """What a problem has in common with the one before it, see :meth:`Training.extend`.

    sentences: int64[n], the old number of each sentence, -1 for one that is new or has other gold. slots: int64[n_slots], the old place of each place
    of a stored output, -1 where the sentence is new. owners: int64[n_slots], the sentence of each place. possible: a function from stored outputs
    (int32[n_slots]) to bool[n], whether the new problem has all their parts. alike: bool[n], whether a sentence is an old one with the same parts.
    """

    sentences: np.ndarray
    slots: np.ndarray
    owners: np.ndarray
    possible: Callable[[np.ndarray], np.ndarray]
    alike: np.ndarray


@dataclass(frozen=True)
class Report:
    """The progress of a training.

    primal, dual: objective values (by the package's convention, C times the *sum* of the sentences' losses). gap: relative, (primal - dual) / primal.
    Values that a method does not have are nan. If decoding is approximate (``Problem.exact``), primal and gap are lower bounds of the true values.
    """

    primal: float
    dual: float
    gap: float
    live_templates: int
    n_templates: int
    passes: int


def relative_gap(primal: float, dual: float) -> float:
    """(primal - dual) / primal; 0 if the primal is 0, nan if one of the two is nan or the primal is infinite."""
    return 0.0 if primal <= 0 else float((primal - dual) / primal)


class Training(ABC):
    """A training on one problem. It can be stopped at any time: ``weights`` is always usable.

    converged: whether the duality gap, in double precision, is within the trainer's ``tol``. ended: whether further passes change nothing for another
    reason: a limit of the settings (``rounds``), divergence, or the limits of precision.
    """

    def __init__(self, problem: Problem):
        self.problem = problem
        self.passes = 0
        self.converged = False
        self.ended = False

    @property
    def finished(self) -> bool:
        """Whether further passes change nothing."""
        return self.converged or self.ended

    @abstractmethod
    def step(self, sentences: np.ndarray) -> None:
        """Pass a batch to the training: sentence numbers int64[k]. Batch methods wait for the end of the pass."""

    @abstractmethod
    def end_pass(self) -> None:
        """End a pass, after each sentence has been passed once."""

    @property
    @abstractmethod
    def loss(self) -> float:
        """A loss of the last pass that is known without extra work; spaCy's logger shows it."""

    @property
    def running_loss(self) -> float | None:
        """The loss of this pass so far, if the method learns from batches as they come; None if it learns at the end of a pass."""
        return None

    @abstractmethod
    def rebind(self, problem: Problem, carry: Carry) -> None:
        """Continue with the same corpus after its features have changed (same sentences, gold and templates, but blocks of other sizes).

        carry: a function from a weight vector of the old problem to that of the new one, with 0 for new features.
        """

    def extend(self, problem: Problem, carry: Carry, kept: Kept) -> None:
        """Continue with another corpus: sentences are new or gone, or have other parts (same templates and labels, but blocks of other sizes).

        This default is right if the state consists of weights. Override it for a state in the parts or outputs of sentences, so that the weights stay
        what they were or nearly so.
        """
        self.rebind(problem, carry)

    def recut(self, problem: Problem) -> None:
        """Continue with the same sentences and features, cut into other pieces: for batch methods under structure regularization.

        This default is right if the state consists of weights or outputs. Override it for a state in the parts of pieces, which starts again.
        """
        self.rebind(problem, lambda weights: weights)

    @property
    @abstractmethod
    def weights(self) -> Weights:
        """The current weights for prediction."""

    @property
    @abstractmethod
    def template_weights(self) -> np.ndarray:
        """mu_j of every template, node templates first, float64[T + Tp]."""

    @abstractmethod
    def report(self) -> Report:
        """Objective values for the current weights. May take a pass; the result is kept until the next pass."""


@dataclass(frozen=True)
class Trainer(ABC):
    """Settings of a training method; immutable, so that one config entry can be used for many problems."""

    #: what the problem must offer: the groups of the contract that the kernels call, and abilities (see ``contract.GROUPS`` and ``ABILITIES``)
    needs: ClassVar[frozenset[str]] = frozenset({"decode"})
    #: whether it learns in addition to constant scores (``contract.add_offset``), and so can go on from an earlier model
    offsets: ClassVar[bool] = False
    #: whether its scores are log probabilities, up to a constant of each sentence
    probabilistic: ClassVar[bool] = False
    #: whether it is a batch method, which needs the same corpus in every pass; an online method takes sentences as they come
    batch: ClassVar[bool] = True
    #: how many threads it trains on; features are extracted on as many
    threads = 1

    @abstractmethod
    def _begin(self, problem: Problem) -> Training: ...

    def begin(self, problem: Problem) -> Training:
        """Start training. Raises ValueError (M301) where the problem lacks what this trainer needs."""
        self.check(problem.offers, problem.structure)
        return self._begin(problem)

    @property
    def weighs_by_norm(self) -> bool:
        """Whether template weights say nothing of which templates matter more, so that the norms of their weights have to."""
        return False

    def begin_after(self, earlier: Training) -> Training:
        """Start training on the problem of an earlier training, from what it has learnt if the method can (a warm start). By default from nothing."""
        return self.begin(earlier.problem)

    def check_offsets(self) -> None:
        """Refuse a trainer that cannot continue from an earlier model. Raises ValueError (M372)."""
        if not self.offsets:
            raise ValueError(Errors.M372.format(trainer=type(self).__name__))

    def check(self, offers: frozenset[str], structure: str) -> None:
        """Refuse a structure that lacks what this trainer needs. Raises ValueError (M301)."""
        missing = self.needs - offers
        if missing:
            words = in_words(missing)
            raise ValueError(Errors.M301.format(trainer=type(self).__name__, structure=structure, missing=words))


def fit(trainer: Trainer, problem: Problem, passes: int, on_pass: Callable[[Training], None] | None = None) -> Training:
    """Train outside spaCy's loop for ``passes`` passes or until the training has finished. Ctrl-C returns what has been learnt so far.

    A trainer that runs several passes of its own per pass (``inner_passes``) may end with a few more. Raises ValueError: M378 no trainer, M379 no
    problem, M305 passes that are no whole number of at least 1, M301 as :meth:`Trainer.begin`.
    """
    if not isinstance(trainer, Trainer):
        raise ValueError(Errors.M378.format(got=shown(trainer)))
    if not isinstance(problem, Problem):
        raise ValueError(Errors.M379.format(got=shown(problem)))
    if not is_whole(passes, 1, np.inf):
        raise ValueError(Errors.M305.format(trainer="fit", name="passes", value=shown(passes), least=1))
    training = trainer.begin(problem)
    everything = np.arange(problem.n)
    try:
        while training.passes < passes and not training.finished:
            training.step(everything)
            training.end_pass()
            if on_pass is not None:
                on_pass(training)
    except KeyboardInterrupt:
        pass
    return training
