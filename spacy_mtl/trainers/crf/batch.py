"""The CRF with l2 penalty by L-BFGS, in the coordinates of the part marginals: memory holds one weight vector, however long the history."""

from typing import NamedTuple

import numpy as np

from spacy_mtl.structures.contract import Weights
from spacy_mtl.structures.problem import Problem
from spacy_mtl.threads.crew import Crew
from spacy_mtl.trainers.base import Carry, Report, Training, relative_gap
from spacy_mtl.trainers.shared.exact import exact_gibbs, exact_norms, lowered, warn_of_precision

from .lbfgs import Memory, search
from .part_space import PartSpace, Vector
from .settings import CRFSettings
from .stochastic import StochasticCRF

#: Training ends where PATIENCE passes lower neither the objective by more than this share, nor its gap by a tenth: more of them would only gather
#: rounding errors in the history.
PATIENCE, RESOLUTION = 30, 1e-6


class Point(NamedTuple):
    """An iterate. value: objective; loss: sum_i -log p(y_i), without C; squared: ||gradient||^2."""

    w: Vector
    gradient: Vector
    value: float
    loss: float
    squared: float


class BatchCRF(Training):
    """min_w  1/2 sum_j ||w_j||^2 / mu_j + C sum_i -log p(y_i),  mu_j = 1.

    The gradient is w - w(M), w(M)_j = C mu_j V_j(M) at the part marginals M of w. As M comes from a distribution, it is feasible for the dual
    D(M) = -1/2 sum_j ||w_j(M)||^2 / mu_j + C sum_i H(M_i), H the entropy, and the duality gap is exactly 1/2 ||gradient||^2 (in the same norm). So
    an estimate in single precision costs nothing; where it is within ``tol``, and for reports, the gap is computed again in double precision.
    A pass is one iteration, which reads the features twice, to compute the data term of the gradient and to score with it. Trials of the line search
    only need part scores.
    """

    def __init__(self, settings: CRFSettings, problem: Problem):
        super().__init__(problem)
        self.settings = settings
        self._crew = Crew(settings.threads)
        self._space = PartSpace(problem, np.ones(problem.blocks.n), problem.zeros(), crew=self._crew)
        self._restart()
        self._warm = StochasticCRF(settings, problem) if settings.warm_up else None
        self._random = np.random.default_rng(settings.seed)
        self._last_loss = 0.0

    def _restart(self) -> None:
        """Begin at the origin of the space, without any curvature information."""
        self._memory = Memory(self.settings.memory, self._space.gold.size)
        self._point: Point | None = None
        self._marginals = np.zeros_like(self._space.gold)
        self._dual = self._bound = -np.inf
        self._made = self._busy = False
        self._idle, self._lowest, self._least_gap = 0, np.inf, np.inf
        self._warm = None
        self._report: Report | None = None

    def step(self, sentences: np.ndarray) -> None:
        """Do nothing: all work is done in :meth:`end_pass`, so that batches do not change the result."""

    def end_pass(self) -> None:
        for _ in range(self.settings.inner_passes):
            if self.finished:
                return
            if self._warm is not None:
                self._warm_up(self._warm)
            else:
                self._iterate()
                self._check()
            self.passes += 1
        if self.ended and not self.converged:
            warn_of_precision(self)

    def _warm_up(self, warm: "StochasticCRF") -> None:
        """Run a pass of SGD. After the last one its weights are taken over, unless they are useless."""
        self._report = None
        self._last_loss = warm.learn(self.problem, self._random.permutation(self.problem.n))
        warm.settle()
        if not np.isfinite(self._last_loss):
            self._warm, self.passes = None, max(self.passes, self.settings.warm_up)
        elif self.passes + 1 >= self.settings.warm_up:
            self._go_on(self.problem, self._space.mu, warm.current_weights())

    def _check(self) -> None:
        """Stop if the duality gap is small enough."""
        assert self._point is not None
        self._count_idle(self._point)
        if self.ended or relative_gap(self._point.value, self._dual) <= self.settings.tol:
            self.converged = self.report().gap <= self.settings.tol
            self._bound = self.report().dual  # here, not in reports: whoever asks for them must not change what follows

    def _count_idle(self, point: Point) -> None:
        """Count the passes that bring no progress."""
        gap, rounding = 0.5 * point.squared, RESOLUTION * abs(point.value)
        progress = point.value < self._lowest - rounding or gap < 0.9 * self._least_gap
        self._idle = 0 if progress else self._idle + 1
        if progress:
            self._lowest, self._least_gap = min(self._lowest, point.value), min(self._least_gap, gap)
        self.ended |= self._idle >= PATIENCE

    def _iterate(self) -> None:
        """Make one step of L-BFGS; afterwards the gradient at the new weights is known."""
        if self._busy:  # an interrupt may have left the memory inconsistent
            self._memory.clear()
        self._busy, self._made, self._report = True, False, None
        point = self._point or self._first()
        found = self._line(point) or (self._line(point) if self._forget() else None)
        if found is None:
            self._point, self.ended = point, True  # no better weights in single precision
        else:
            self._memory.push(found.w.plus(point.w, -1.0), found.gradient.plus(point.gradient, -1.0))
            self._point = found
        self._last_loss, self._busy = self._point.loss, False

    def _forget(self) -> bool:
        """Drop the history, so that the next step follows the gradient; return whether there was any history."""
        known = len(self._memory) > 0
        self._memory.clear()
        return known

    def _first(self) -> Point:
        origin = self._space.origin
        loss = self._space.expect(origin.scores, self._marginals)
        return self._arrive(origin, 0.5 * origin.dot(origin) + self.settings.C * loss, loss)

    def _line(self, point: Point) -> Point | None:
        """The next point, by line search; None if it finds none."""
        direction = self._memory.direction(point.gradient)
        slope = direction.dot(point.gradient)
        if not slope < 0:
            return None
        across, length = direction.dot(point.w), direction.dot(direction)
        C, gold_rise = self.settings.C, direction.of(self._space.gold)
        square, loss = point.w.dot(point.w), 0.0

        def evaluate(step: float) -> tuple[float, float]:
            nonlocal loss
            loss = self._space.expect(point.w.scores + np.float32(step) * direction.scores, self._marginals)
            value = 0.5 * (square + 2 * step * across + step * step * length) + C * loss
            return value, across + step * length + C * (direction.of(self._marginals) - gold_rise)

        first = 1.0 if len(self._memory) else 1 / max(1.0, np.sqrt(point.squared))
        step = search(evaluate, point.value, slope, first)
        if step is None:
            return None
        w = point.w.plus(direction, step)
        return self._arrive(w, 0.5 * w.dot(w) + C * loss, loss)

    def _arrive(self, w: Vector, value: float, loss: float) -> Point:
        """The point of weights w, whose marginals have just been computed."""
        gradient = self._space.lift(self._marginals - self._space.gold)
        gradient = w.plus(gradient, self.settings.C)
        squared = gradient.dot(gradient)
        self._dual = max(self._dual, float(value - 0.5 * squared))
        return Point(w, gradient, value, loss, squared)

    @property
    def loss(self) -> float:
        """sum_i -log p(y_i) at the end of the last pass."""
        return self._last_loss

    @property
    def weights(self) -> Weights:
        if self._warm is not None:
            return self._warm.current_weights()
        if not self._made:
            self._space.materialize(self._space.origin if self._point is None else self._point.w)
            self._made = True
        return self._space.scratch

    @property
    def template_weights(self) -> np.ndarray:
        """mu_j; 0 for templates whose weights are all zero."""
        return np.where(self.problem.block_norms(self.weights) > 0, self._space.mu, 0.0)

    def report(self) -> Report:
        if self._report is None:
            self._report = self._measure()
        return self._report

    def _measure(self) -> Report:
        """The objective of the weights as they are returned, including rounding, and the best dual value so far; in double precision."""
        problem, weights, mu, C = self.problem, self.weights, self._space.mu, self.settings.C
        norms, gibbs = problem.block_norms(weights), exact_gibbs(problem, weights, self._crew)
        primal = 0.5 * float(np.sum(norms**2 / mu)) + C * float(gibbs.losses.sum())
        dual = np.nan  # not of interest while warming up
        if self._warm is None:
            gradient = exact_norms(problem, gibbs.marginals, C * mu, weights, self._crew)
            gap, rounding = 0.5 * float(np.sum(gradient**2 / mu)), C * float(gibbs.rounding.sum())
            dual = max(self._bound, lowered(primal - gap - rounding, primal))
        return Report(primal, dual, relative_gap(primal, dual), self._live(norms), mu.size, self.passes)

    def _live(self, norms: np.ndarray) -> int:
        """The number of templates with weights. norms: float64[T + Tp]."""
        return int(np.count_nonzero(norms))

    def rebind(self, problem: Problem, carry: Carry) -> None:
        """Continue from the carried weights: they become w0, the new starting point. Warming up continues too."""
        warm = self._warm
        self._go_on(problem, self._space.mu, carry(self.weights))
        if warm is not None:
            warm.rebind(problem, carry)
            self._warm = warm

    def recut(self, problem: Problem) -> None:
        """Continue with other pieces."""
        warm = self._warm
        self._go_on(problem, self._space.mu, self.weights)
        if warm is not None:
            warm.recut(problem)
            self._warm = warm

    def _go_on(self, problem: Problem, mu: np.ndarray, weights: Weights) -> None:
        """Start again at ``weights``, which must not be the scratch vector of a new space."""
        scratch = problem.zeros()
        self._space = PartSpace(problem, mu, scratch, weights, self._crew)
        self.problem, self.converged, self.ended = problem, False, False
        self._restart()
