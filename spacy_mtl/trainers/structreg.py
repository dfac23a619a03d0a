"""Structure regularization (Sun 2014, Algorithm 1): train any other trainer on mini-samples, which are sentences cut at random positions."""

from dataclasses import dataclass

import numpy as np

from spacy_mtl.errors import Errors
from spacy_mtl.registry import mtl_trainers
from spacy_mtl.settings import is_number, shown
from spacy_mtl.structures.contract import Weights
from spacy_mtl.structures.problem import Problem
from spacy_mtl.trainers.checks import check_whole

from .base import Carry, Kept, Report, Trainer, Training
from .shared.passes import OnlineTraining


@dataclass(frozen=True)
class StructReg(Trainer):
    """Settings of :func:`struct_reg`."""

    trainer: Trainer
    size: float = 5.5
    redraw: int = 10
    seed: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.trainer, Trainer):
            raise ValueError(Errors.M321.format(found=shown(self.trainer)))
        if isinstance(self.trainer, StructReg):
            raise ValueError(Errors.M322)
        if not is_number(self.size, 1, 1e15):
            raise ValueError(Errors.M323.format(size=shown(self.size)))
        check_whole("StructReg", 0, redraw=self.redraw, seed=self.seed)

    @property
    def needs(self) -> frozenset[str]:  # type: ignore[override]
        """What the wrapped trainer needs, and a structure that can be cut."""
        return self.trainer.needs | {"cut"}

    @property
    def batch(self) -> bool:  # type: ignore[override]
        """As in the wrapped trainer."""
        return self.trainer.batch

    @property
    def threads(self) -> int:  # type: ignore[override]
        """As in the wrapped trainer."""
        return self.trainer.threads

    @property
    def weighs_by_norm(self) -> bool:
        """As in the wrapped trainer."""
        return self.trainer.weighs_by_norm

    @property
    def probabilistic(self) -> bool:  # type: ignore[override]
        """As in the wrapped trainer."""
        return self.trainer.probabilistic

    @property
    def offsets(self) -> bool:  # type: ignore[override]
        """As in the wrapped trainer."""
        return self.trainer.offsets

    def check_offsets(self) -> None:
        """Refuse a wrapped trainer that cannot continue from an earlier model. Raises ValueError (M372)."""
        self.trainer.check_offsets()

    def check(self, offers: frozenset[str], structure: str) -> None:
        super().check(offers, structure)
        self.trainer.check(offers, structure)

    def _begin(self, problem: Problem) -> Training:
        return BatchStructReg(self, problem) if self.batch else OnlineStructReg(self, problem)


class StructRegTraining(Training):
    """What both kinds of training pass on to the wrapped one (``inner``)."""

    inner: Training

    def __init__(self, settings: StructReg, problem: Problem):
        super().__init__(problem)
        self.settings = settings

    def _rebind(self, problem: Problem, inner: Problem, carry: Carry) -> None:
        """Let the wrapped training continue with ``inner``, made from ``problem``; an interrupt leaves either both old problems or both new ones."""
        try:
            self.inner.rebind(inner, carry)
        finally:
            if self.inner.problem is inner:
                self.problem = problem

    def _follow(self) -> None:
        self.passes = self.inner.passes
        self.converged, self.ended = self.inner.converged, self.inner.ended

    @property
    def loss(self) -> float:
        """The loss of the wrapped training, summed over mini-samples."""
        return self.inner.loss

    @property
    def running_loss(self) -> float | None:
        """The loss of the wrapped training in this pass so far, if it learns from batches as they come."""
        return self.inner.running_loss

    @property
    def weights(self) -> Weights:
        return self.inner.weights

    @property
    def template_weights(self) -> np.ndarray:
        return self.inner.template_weights

    def report(self) -> Report:
        """The report: on whole sentences for an online trainer, on its current mini-samples for a batch trainer."""
        return self.inner.report()


class OnlineStructReg(StructRegTraining):
    """Structure regularization of an online trainer: sentences are cut again each time, and their pieces are learnt from in random order."""

    inner: OnlineTraining

    def __init__(self, settings: StructReg, problem: Problem):
        super().__init__(settings, problem)
        inner = settings.trainer.begin(problem)
        if not isinstance(inner, OnlineTraining):
            raise ValueError(Errors.M324.format(trainer=type(settings.trainer).__name__))
        self.inner = inner
        # the order is drawn as in OnlineTraining, so that uncut sentences give the same result as without StructReg
        self._order = np.random.default_rng(settings.seed)
        self._cuts = np.random.default_rng([settings.seed, 1])

    def step(self, sentences: np.ndarray) -> None:
        """Cut these sentences and learn from all pieces in random order; pieces of one sentence need not come together."""
        cut = self.problem.cut(sentences, self.settings.size, self._cuts)
        self.inner.take(cut, self._order.permutation(np.arange(cut.n)))

    def end_pass(self) -> None:
        self.inner.end_pass()
        self._follow()

    def rebind(self, problem: Problem, carry: Carry) -> None:
        """Let the wrapped training continue with the new features."""
        self._rebind(problem, problem, carry)

    def extend(self, problem: Problem, carry: Carry, kept: Kept) -> None:
        """Let the wrapped training continue with the new corpus."""
        self.inner.extend(problem, carry, kept)
        self.problem = problem


class BatchStructReg(StructRegTraining):
    """Structure regularization of a batch trainer: all sentences are cut at once, and cut again every ``redraw`` passes."""

    def __init__(self, settings: StructReg, problem: Problem):
        super().__init__(settings, problem)
        self._draws = 0
        self.inner = settings.trainer.begin(self._cut(problem, self._draws))
        self._drawn_at = 0

    def _cut(self, problem: Problem, draw: int) -> Problem:
        """The corpus with the cuts of a draw, which is reproducible by its number."""
        random = np.random.default_rng([self.settings.seed, draw])
        return problem.cut(np.arange(problem.n), self.settings.size, random)

    def step(self, sentences: np.ndarray) -> None:
        """Do nothing: all work is done in :meth:`end_pass`."""

    def end_pass(self) -> None:
        """Draw new cuts if it is time, then run a pass over all mini-samples. Does nothing once the wrapped training has finished."""
        if self.finished:
            return
        if self.settings.redraw and self.inner.passes - self._drawn_at >= self.settings.redraw:
            self.inner.recut(self._cut(self.problem, self._draws + 1))
            self._draws, self._drawn_at = (
                self._draws + 1,
                self.inner.passes,
            )  # after an interrupt before this line, the same cuts are drawn again
        self.inner.step(np.arange(self.inner.problem.n))
        self.inner.end_pass()
        self._follow()

    def rebind(self, problem: Problem, carry: Carry) -> None:
        """Continue with the new features and the same cuts."""
        self._rebind(problem, self._cut(problem, self._draws), carry)
        self._follow()

    def extend(self, problem: Problem, carry: Carry, kept: Kept) -> None:
        """Let the wrapped training continue with other pieces, all of which count as new: stored outputs start again at gold."""
        cut = self._cut(problem, self._draws)
        nothing = Kept(
            np.full(cut.n, -1), np.full_like(kept.slots, -1), np.zeros_like(kept.owners), lambda _: np.ones(1, bool),
            np.zeros(cut.n, bool),
        )  # fmt: skip
        self.inner.extend(cut, carry, nothing)
        self.problem = problem
        self._follow()


@mtl_trainers("spacy_mtl.StructReg.v1")
def struct_reg(trainer: Trainer, size: float = 5.5, redraw: int = 10, seed: int = 0) -> StructReg:
    """Structure regularization of another trainer, which trains on mini-samples: sentences cut at random positions.

    The features of a position still see the whole sentence; only the interaction of labels across a cut is dropped. Prediction is unchanged.

    trainer: any other of ``@mtl_trainers``, in a block of its own (``[components.ner.trainer.trainer]``).
    size: average number of positions in a mini-sample, at least 1; 5.5 gives equally many of 5 and 6. Shorter sentences stay whole.
    redraw: batch trainers; draw new cuts after this many passes, 0 to keep the first. The wrapped training keeps its weights or outputs, but one
    whose state is in the parts (dual ascent) starts again with its template weights: give it enough passes, and an ``average`` that spans a few
    draws. Online trainers get new cuts each time they see a sentence.
    seed: of the cuts and, for an online trainer, of the order of the pieces (its own seed is then unused).
    Raises ValueError: M305 and M371 redraw or seed out of range, M321 not a trainer, M322 a StructReg inside another, M323 a size out of
    range; at the
    start of training M301 a structure that cannot be cut, M324 an online trainer with another kind of training.
    """
    return StructReg(trainer, size, redraw, seed)
