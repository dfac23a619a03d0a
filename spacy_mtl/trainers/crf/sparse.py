"""The CRF with l1 penalty by proximal quasi-Newton steps on a working set: memory holds one weight vector, however long the history."""

import numpy as np

from spacy_mtl.structures.contract import Weights
from spacy_mtl.structures.problem import Problem
from spacy_mtl.threads.crew import Crew
from spacy_mtl.trainers.base import Carry, Report, Training, relative_gap
from spacy_mtl.trainers.shared.exact import ALLOWANCE, exact_gibbs, exact_largest, lowered, warn_of_precision

from .part_space import PartSpace, mixed_entropies
from .prox_newton import Curvature, descend_coordinates, exceeding, read, write
from .settings import CRFSettings

#: The objective is PENALTY ||w||_1 + C * loss.
PENALTY = 0.5
#: The working set is chosen again every RENEWAL passes: the non-zero weights, and as many that should be non-zero (at least LEAST_ROOM).
RENEWAL = 4
LEAST_ROOM = 20_000
#: Coordinate descent on the model: the largest number of sweeps; it also ends when a sweep changes only this share of what the first changed.
SWEEPS, SETTLED = 20, 1e-2
#: Training ends where PATIENCE passes leave more than this share of the gap.
PATIENCE, HARDLY = 100, 0.9
#: Share of the predicted decrease that a step must achieve, and the largest number of halvings.
ENOUGH, HALVINGS = 1e-3, 30


class SparseCRF(Training):
    """min_w  1/2 ||w||_1 + C sum_i -log p(y_i).

    Weights outside the working set are 0. After a pass the gradient of the loss, -C V(M) at the part marginals M, is known for all weights, and it
    gives a bound: the mixture s M + (1 - s) gold is feasible for the dual  max C sum_i H(M_i),  |C V_k(M)| <= 1/2 for all k  (H: entropy), if
    s max_k |C V_k| <= 1/2. One pass over the features computes the gradient, another scores with the step; line search and bound only need
    part scores. Where the gap is within ``tol`` in single precision, and for reports, it is computed again in double precision.
    """

    def __init__(self, settings: CRFSettings, problem: Problem):
        super().__init__(problem)
        self.settings = settings
        self._crew = Crew(settings.threads)
        self._begin_at(problem, np.empty(0, np.int64), np.empty(0))

    def _begin_at(self, problem: Problem, at: np.ndarray, values: np.ndarray) -> None:
        """Begin at the weights ``values`` (float64[A]) for the entries ``at`` (int64[A], ascending), 0 elsewhere."""
        self.problem = problem
        self._space = PartSpace(problem, np.ones(problem.blocks.n), problem.zeros(), crew=self._crew)
        self._sparse = at, values
        self._curvature = Curvature(self.settings.memory)
        self._known = self._made = self._stuck = self.converged = self.ended = False
        self._value, self._loss, self._dual, self._bound = np.inf, 0.0, -np.inf, -np.inf
        self._gap_before = np.inf
        self._report: Report | None = None

    def step(self, sentences: np.ndarray) -> None:
        """Do nothing: all work is done in :meth:`end_pass`, so that batches do not change the result."""

    def end_pass(self) -> None:
        for _ in range(self.settings.inner_passes):
            if self.finished:
                return
            self._pass()
            self.passes += 1
            if self.ended or self._value - self._dual <= self.settings.tol * self._value:
                self.converged = self.report().gap <= self.settings.tol
                self._bound = np.fmax(self._bound, self.report().dual)  # here, so that reports change nothing
        if self.ended and not self.converged:
            warn_of_precision(self)

    def _pass(self) -> None:
        """Make one step on the working set."""
        self._made, self._report = False, None
        if not self._known:  # first pass, or an interrupt or a failed step has left the part scores of other weights
            self._arrive()
        self._known = False
        gradient = self._gradient
        step = self._step()
        if step is not None:
            self._age += 1
            self._make_gradient()
            self._curvature.push(step, self._gradient - gradient)
            if self._age >= RENEWAL:
                self._renew()
        self.ended = (step is None and self._stuck) or self._is_idle()  # no better weights in single precision
        self._known, self._stuck = step is not None, step is None

    def _is_idle(self) -> bool:
        """Whether the gap has hardly fallen over PATIENCE passes."""
        if (self.passes + 1) % PATIENCE:
            return False
        gap, before = self._value - self._dual, self._gap_before
        self._gap_before = gap
        return gap > HARDLY * before

    def _arrive(self) -> None:
        """Compute part scores, gradient and working set from the current weights alone."""
        self._curvature.clear()
        self._scores = self._space.scores(self.weights, self._space.mu)
        self._losses, self._marginals = np.empty(self.problem.n), np.zeros_like(self._scores)
        self._set_values(self._space.expect(self._scores, self._marginals, self._losses))
        self._make_gradient()
        self._renew()

    def _set_values(self, loss: float) -> None:
        """Set loss and objective of the current weights."""
        self._loss = loss
        self._value = self.settings.C * loss + PENALTY * float(np.abs(self._sparse[1]).sum())

    def _make_gradient(self) -> None:
        """Write the gradient of the loss to the scratch vector, and its working-set entries to ``_gradient`` (float64[A]); update the dual bound."""
        self._made = False
        C, space = self.settings.C, self._space
        rest = self._marginals - space.gold
        space.spread(np.float32(C) * rest)
        steepest = max(max(matrix.max(initial=0), -matrix.min(initial=0)) for matrix in space.scratch)
        entropies = self._losses - space.products(self._scores, rest)
        mixed = mixed_entropies(entropies, self._losses, min(1.0, PENALTY / max(float(steepest), PENALTY)))
        self._dual = max(self._dual, C * float(mixed.sum()))
        self._gradient = read(space.scratch, self._sparse[0])

    def _renew(self) -> None:
        """Choose a new working set by the gradient in the scratch vector, and estimate the curvature along each of its weights.

        The estimate sums |M - gold| / 2 in the way of the gradient: the expectation of M (1 - M) if the model is true.
        """
        at, values = self._sparse
        keep = np.flatnonzero(values)
        new, excess = exceeding_entries(self._space.scratch, at[keep])
        room = max(LEAST_ROOM, keep.size)
        if new.size > room:
            new = new[np.argpartition(-excess, room)[:room]]
        chosen = np.sort(np.concatenate([at[keep], new]))
        self._gradient = read(self._space.scratch, chosen)
        places = find(at, chosen)
        self._curvature.move(places)
        self._sparse = chosen, np.where(places >= 0, np.append(values, 0.0)[places], 0.0)
        self._space.spread(np.float32(self.settings.C / 2) * np.abs(self._marginals - self._space.gold))
        self._h = np.maximum(read(self._space.scratch, chosen), 1e-2 * self.settings.C)
        self._age = 0

    def _step(self) -> np.ndarray | None:
        """Move towards the minimizer of the model as far as the objective decreases; return the step (float64[A]), None if none helps."""
        at, w = self._sparse
        d = descend_coordinates(self._gradient, w, *self._curvature.model(self._h), PENALTY, SWEEPS, SETTLED)
        promise = float(self._gradient @ d) + PENALTY * float((np.abs(w + d) - np.abs(w)).sum())
        if not promise < 0:
            return None
        write(self._space.scratch, at, d)
        change = self._space.scores(self._space.scratch, self._space.mu)
        length = 1.0 if len(self._curvature) else 0.1
        for _ in range(HALVINGS):
            scores = self._scores + np.float32(length) * change
            loss = self._space.expect(scores, self._marginals, self._losses)
            value = self.settings.C * loss + PENALTY * float(np.abs(w + length * d).sum())
            if value <= self._value + ENOUGH * length * promise:
                self._sparse, self._scores = (at, w + length * d), scores
                self._set_values(loss)
                return length * d
            length /= 2
        return None

    def violation(self) -> float:
        """Violation of optimality: max_k of |g_k + 1/2 sign(w_k)| where w_k is not 0, and of max(|g_k| - 1/2, 0) elsewhere."""
        at, values = self._sparse
        at, values = at[values != 0], values[values != 0]
        scores, marginals = self._space.scores(self.weights, self._space.mu), np.zeros_like(self._space.gold)
        self._space.expect(scores, marginals)
        self._made = False
        self._space.spread(np.float32(self.settings.C) * (marginals - self._space.gold))
        inside = np.abs(read(self._space.scratch, at) + PENALTY * np.sign(values))
        _, excess = exceeding_entries(self._space.scratch, at)
        return float(max(inside.max(initial=0), excess.max(initial=0)))

    @property
    def loss(self) -> float:
        """sum_i -log p(y_i) at the end of the last pass."""
        return self._loss

    @property
    def weights(self) -> Weights:
        if not self._made:
            write(self._space.scratch, *self._sparse)
            self._made = True
        return self._space.scratch

    @property
    def template_weights(self) -> np.ndarray:
        """1 for templates with weights, 0 for others."""
        return np.where(self.problem.block_norms(self.weights) > 0, 1.0, 0.0)

    def report(self) -> Report:
        if self._report is None:
            self._report = self._measure()
        return self._report

    def _measure(self) -> Report:
        """The objective of the weights as they are returned, including rounding, and the best dual value so far; in double precision."""
        problem, C = self.problem, self.settings.C
        gibbs = exact_gibbs(problem, self.weights, self._crew)
        size = float(np.abs(read(self.weights, self._sparse[0])).sum())
        primal = PENALTY * size + C * float(gibbs.losses.sum())
        bound = self._bound
        if self.passes:
            steepest = C * exact_largest(problem, gibbs.marginals, self._crew)
            share = min(1.0, (1 - ALLOWANCE) * PENALTY / max(steepest, PENALTY))
            mixed = mixed_entropies(gibbs.entropies - gibbs.rounding, gibbs.losses, share)
            bound = max(bound, lowered(C * float(mixed.sum()), C * float(np.abs(mixed).sum())))
        dual = bound if np.isfinite(bound) else np.nan  # unknown before the first pass
        live = int(self.template_weights.sum())
        return Report(primal, dual, relative_gap(primal, dual), live, problem.blocks.n, self.passes)

    def rebind(self, problem: Problem, carry: Carry) -> None:
        """Continue from the carried weights; curvature information is dropped."""
        weights = carry(self.weights)
        at, _ = exceeding_entries(weights, np.empty(0, np.int64), 0.0)
        self._begin_at(problem, at, read(weights, at))


def exceeding_entries(weights: Weights, known: np.ndarray, limit: float = PENALTY) -> tuple[np.ndarray, np.ndarray]:
    """Entries (int64[k], ascending) beyond ``limit`` that are not in ``known`` (ascending), and their excess (float32[k])."""
    node, pair = (exceeding(matrix.ravel(), limit) for matrix in weights)
    at, excess = np.concatenate([node[0], pair[0] + weights.node.size]), np.concatenate([node[1], pair[1]])
    new = find(known, at) < 0
    return at[new], excess[new]


def find(known: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Positions of ``at`` in ``known`` (int64, ascending), -1 for entries that are not there."""
    if not known.size:
        return np.full(at.size, -1)
    places = np.minimum(np.searchsorted(known, at), known.size - 1)
    return np.where(known[places] == at, places, -1)
