"""l1-M3N by projected subgradient (Zhu, Xing and Zhang, Algorithm 2): min (1/n) sum_i xi_i(w)  s.t.  ||w||_1 <= radius."""

import numpy as np

from spacy_mtl.structures.contract import Weights
from spacy_mtl.structures.problem import Problem
from spacy_mtl.trainers.base import Carry, Report, Training, relative_gap
from spacy_mtl.trainers.shared.exact import double_zeros, exact_hinges

from .elements import l1_norm
from .settings import L1M3NSettings
from .subgradient_steps import HINGE, INSIDE, PASSES, Course, forget_objective, lower_bound, new_tally, subgradient_pass

#: The certificate is computed after every CHECK passes, to decide whether to stop.
CHECK = 10


class ProjectedSubgradient(Training):
    """w <- P(w - eta_t g_t). Batch: predicts with the best iterate; stochastic: with an average in which later iterates weigh more.

    Any outputs bound the optimum from below, by (1/n) (their loss - radius ||V||_inf). So do means, over passes, of the outputs found, and these
    bounds are tight. Memory: four weight vectors, the last of which takes twice the space.
    """

    def __init__(self, settings: L1M3NSettings, problem: Problem):
        super().__init__(problem)
        self.settings = settings
        self._random = np.random.default_rng(settings.seed)
        self._course = Course(problem.zeros(), problem.zeros(), problem.zeros(), double_zeros(problem), new_tally())
        self._report: Report | None = None

    def step(self, sentences: np.ndarray) -> None:
        """Do nothing: all work is done in :meth:`end_pass`, in an order of its own, so that batches do not change the result."""

    def end_pass(self) -> None:
        """Run a pass over the corpus, with one step (batch) or many."""
        if self.converged:
            return
        self._report = None
        order = self._random.permutation(self.problem.n)
        settings, live = self.settings, self.problem.all_live()
        subgradient_pass(
            self.problem.arrays, self._course, live, order, self._batch_size, settings.radius, settings.learning_rate
        )
        self.passes += 1
        self._keep_inside()
        if self.passes % CHECK == 0:
            lower_bound(self._course, self.problem.n, settings.radius)
            self.converged = self.report().gap <= settings.tol

    @property
    def _batch_size(self) -> int:
        return min(self.settings.batch_size or self.problem.n, self.problem.n)

    def report(self) -> Report:
        """The report. primal: mean hinge of the weights; dual: lower bound on the mean hinge in the ball. The radius replaces C."""
        if self._report is None:
            n = self.problem.n
            primal = float(exact_hinges(self.problem, self.weights).sum()) / n
            course = self._course._replace(
                tally=self._course.tally.copy()
            )  # a report keeps no bound, and so changes nothing
            dual = float(lower_bound(course, n, self.settings.radius))
            live, n_templates = int(self.template_weights.sum()), self.problem.blocks.n
            self._report = Report(primal, dual, relative_gap(primal, dual), live, n_templates, self.passes)
        return self._report

    def _keep_inside(self) -> None:
        """Scale the average where the rounding of many steps has taken it out of the ball."""
        size = float(l1_norm(self._course.kept))
        if size > self.settings.radius:
            factor = np.float32(INSIDE * self.settings.radius / size)
            for matrix in self._course.kept:
                np.multiply(matrix, factor, out=matrix)

    @property
    def loss(self) -> float:
        """Sum of the hinges in the last pass, each under the weights at the time."""
        return float(self._course.tally[HINGE])

    @property
    def weights(self) -> Weights:
        return self._course.kept if self._course.tally[PASSES] else self._course.weights

    @property
    def template_weights(self) -> np.ndarray:
        """1 for templates with a non-zero weight, otherwise 0."""
        return (self.problem.block_norms(self.weights) > 0).astype(float)

    def rebind(self, problem: Problem, carry: Carry) -> None:
        """Keep the iterate, the best or average, and the step sizes; hinges and bounds are dropped."""
        weights, kept = carry(self._course.weights), carry(self._course.kept)
        tally = self._course.tally.copy()
        forget_objective(tally)
        self._course = Course(weights, problem.zeros(), kept, double_zeros(problem), tally)
        self.problem, self._report, self.converged = problem, None, False
