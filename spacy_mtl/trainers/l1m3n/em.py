"""l1-M3N by the EM-style algorithm (Zhu, Xing and Zhang, Algorithm 3): rounds of an l2 M3N whose features are scaled one by one.

min_w 1/2 ||w||_1^2 + C sum_i xi_i(w), the paper's P4 at lambda / K = 1/2, by the variational formula of the norm:
||w||_1^2 = min over b >= 0, sum b = 1 of sum_k w_k^2 / b_k, reached at b_k = |w_k| / ||w||_1.
"""

import warnings
from abc import abstractmethod

import numpy as np

from spacy_mtl.errors import Warnings
from spacy_mtl.structures.contract import Weights
from spacy_mtl.structures.problem import Problem
from spacy_mtl.threads.crew import Crew
from spacy_mtl.trainers.base import Carry, Kept, Report, Training, relative_gap
from spacy_mtl.trainers.shared.batched_ascent import Passes
from spacy_mtl.trainers.shared.exact import exact_hinges, lowered
from spacy_mtl.trainers.shared.frank_wolfe import Atoms, best_scaling, gold_atoms
from spacy_mtl.trainers.shared.kept import moved_atoms
from spacy_mtl.trainers.shared.mixture import gather, mixture_largest, mixture_loss

from .elements import fill, l1_norm, largest, multiply, scaled_square
from .scales import fill_new, l1_scales, prune
from .settings import L1M3NSettings

#: Number of outputs stored for each sentence.
N_ATOMS = 32
#: A sentence found at its optimum k times in a row is skipped for k passes of the round, at most this many.
LONGEST_REST = 4
#: A gap above this after the last round is worth a warning (M337).
SLOW = 0.5
#: Rounding of a sum of features in double precision, relative to the mass of wrong parts.
ROUNDING = 1e-15
#: The paper's threshold: weights below this share of the largest are removed in every round.
TINY = 1e-4


class AdaptiveM3N(Training):
    """Rounds of dual ascent with a scale b_k for each weight, w_k = C b_k V_k(M); the scales are re-estimated after each round.

    Marginals are kept from round to round. Several threads share the passes, in small batches, and the certificates. Memory: two weight vectors.
    """

    def __init__(self, settings: L1M3NSettings, problem: Problem):
        super().__init__(problem)
        self.settings = settings
        self._crew = Crew(settings.threads)
        self._passes = Passes(self._crew)
        self.rounds = 0
        self._w, self._metric = problem.zeros(), problem.zeros()
        fill(self._metric, self.start_scale())
        self._random = np.random.default_rng(settings.seed)
        self._between = self._late = False
        self._start_marginals(problem)

    def _start_marginals(self, problem: Problem) -> None:
        """Set all marginals to gold, where the weights are 0. All of the state is replaced at once, so that an interrupt cannot split it."""
        atoms = gold_atoms(problem.arrays, N_ATOMS)
        gaps, idle, rest = np.zeros(problem.n), np.zeros(problem.n, np.int64), np.zeros(problem.n, np.int64)
        self.problem, self._atoms = problem, atoms
        self._gaps, self._idle, self._rest = gaps, idle, rest
        self._torn = True
        self._bound = 0.0  # the dual of gold
        self._report: Report | None = None
        self.converged = self.ended = False
        fill(self._w, 0.0)
        self._torn = False

    @abstractmethod
    def start_scale(self) -> float:
        """C b_k of all weights in the first round."""

    @abstractmethod
    def new_scale(self) -> float:
        """C b_k of a weight that is new after the first round."""

    @abstractmethod
    def rescale(self, vector: Weights) -> None:
        """Step 2: compute the scales from V(M), and turn V(M) into the weights under these scales, in place."""

    @property
    def prunes_late(self) -> bool:
        """Whether later rounds remove more weights than early ones."""
        return False

    def prune(self, late: bool) -> None:
        """Remove weights and scales at the end of a round. late: in the second half of the rounds, or after the gap was small."""

    @abstractmethod
    def penalty(self, weights: Weights) -> float:
        """The regularizer."""

    @abstractmethod
    def bound(self, loss: float) -> float:
        """The dual of the whole problem at the mixtures M, which have this E_M[loss], with the best scaling of them; in double precision."""

    def step(self, sentences: np.ndarray) -> None:
        """Do nothing: all work is done in :meth:`end_pass`, in an order of its own, so that batches do not change the result."""

    def end_pass(self) -> None:
        """Run a pass of step 1, after step 2 if a round begins. The weights of a round stay until the next round begins, since step 2 keeps w."""
        if self.finished:
            return
        if self._between:
            self._report, self._between = None, False
            self._refresh(then=self.rescale)
        self._pass()
        if self.passes % self.settings.inner_passes == 0:
            self._end_round()

    def _pass(self) -> None:
        self._repair()
        self._report = None
        live = self.problem.live(self.problem.block_norms(self._metric) > 0)
        order = self._random.permutation(np.flatnonzero(self._rest <= 0))
        self._torn = self._crew.size > 1  # the weights of several threads, until all of them have ended
        self._passes.run(
            self.problem, self._w, live, self._metric, self._atoms, order, self._gaps, 1.0, self._round_penalty
        )
        self._torn = False
        self.passes += 1
        self._rest -= 1
        self._idle[order] = np.where(self._gaps[order] > 0, 0, self._idle[order] + 1)
        self._rest[order] = np.minimum(self._idle[order], LONGEST_REST)

    def _round_penalty(self) -> float:
        """What the dual of this round subtracts from the expected loss, divided by C: 1/2 sum_k C b_k V_k^2 = 1/2 sum_k w_k^2 / (C b_k)."""
        return 0.5 * float(scaled_square(self._w, self._metric))

    def _end_round(self) -> None:
        self._late = self._late or 2 * (self.rounds + 1) >= self.settings.rounds
        self.prune(self._late)
        self.rounds += 1
        self._between = True
        self._idle[:] = self._rest[:] = 0
        self._refresh(then=self._unscaled)  # removes the rounding errors of the round
        solved = self.report().gap <= self.settings.tol
        self._bound = self.report().dual  # here, not in reports: whoever asks for them must not change what follows
        self.ended = self.rounds >= self.settings.rounds
        if solved and self.prunes_late and not self._late and not self.ended:
            self._late, solved = True, False  # removing weights now takes a round to recover from
        self.converged = solved
        if self.ended and self.report().gap > SLOW:
            gap, settings = self.report().gap, self.settings
            text = Warnings.M337.format(trainer="L1M3N", gap=gap, rounds=settings.rounds, C=settings.C)
            warnings.warn(text, stacklevel=3)

    def _refresh(self, then) -> None:
        """Replace the weights by V(M), and let ``then`` turn it into weights again."""
        self._torn = True
        gather(self.problem, self._atoms, out=self._w, crew=self._crew)
        then(self._w)
        self._torn = False

    def _unscaled(self, vector: Weights) -> None:
        multiply(vector, self._metric, 1.0)

    def _repair(self) -> None:
        """Compute the weights again from the marginals if an interrupt came while they were being rewritten."""
        if self._torn:
            self._refresh(then=self._unscaled)

    def report(self) -> Report:
        """The report, with primal and dual of the problem at the top of the module, in double precision."""
        if self._report is None:
            self._repair()
            hinges = exact_hinges(self.problem, self._w, self._crew)
            primal = self.penalty(self._w) + self.settings.C * float(hinges.sum())
            loss = mixture_loss(self.problem, self._atoms, self._crew)
            dual = max(self._bound, lowered(self.bound(loss), self.settings.C * loss))
            live, n = int(self.template_weights.sum()), self.problem.blocks.n
            self._report = Report(primal, dual, relative_gap(primal, dual), live, n, self.passes)
        return self._report

    @property
    def loss(self) -> float:
        """Sum of the Frank-Wolfe gaps in the last pass, the distance of the round from its optimum."""
        return float(self._gaps.sum())

    @property
    def weights(self) -> Weights:
        self._repair()
        return self._w

    @property
    def template_weights(self) -> np.ndarray:
        """1 for templates with a non-zero weight, otherwise 0."""
        return (self.problem.block_norms(self.weights) > 0).astype(float)

    def rebind(self, problem: Problem, carry: Carry) -> None:
        """Keep marginals and scales; new features get a scale, and the weights are computed again."""
        self._go_on(problem, carry, self._atoms)
        self._idle[:] = self._rest[:] = 0
        self._repair()

    def extend(self, problem: Problem, carry: Carry, kept: Kept) -> None:
        """Keep scales and the marginals of old sentences; new ones start at gold, where they add nothing to the weights."""
        atoms = moved_atoms(problem, kept, self._atoms)
        gaps, idle, rest = np.zeros(problem.n), np.zeros(problem.n, np.int64), np.zeros(problem.n, np.int64)
        self._go_on(problem, carry, atoms)
        self._gaps, self._idle, self._rest = gaps, idle, rest
        self._repair()

    def _go_on(self, problem: Problem, carry: Carry, atoms: Atoms) -> None:
        fill(self._w, 1.0)  # shows which entries are carried over; the weights themselves follow from the marginals
        self._torn = True
        seen, metric = carry(self._w), carry(self._metric)
        fill_new(metric, seen, self.new_scale() if self.rounds else self.start_scale())
        self.problem, self._w, self._metric, self._atoms = problem, seen, metric, atoms
        self._report, self._bound, self.converged, self.ended = None, 0.0, False, False

    def recut(self, problem: Problem) -> None:
        """Start the marginals, which belong to pieces, again at gold, where the weights are 0. Scales are kept, after step 2 if a round has ended."""
        if self._between:
            self._report, self._between = None, False
            self._refresh(then=self.rescale)
        self._start_marginals(problem)


class EM(AdaptiveM3N):
    """The l1 M3N: scales are shares of ||w||_1, and weights below ``threshold`` become exactly 0."""

    def start_scale(self) -> float:
        """The paper's tau_k = 1: the first round is the l2 M3N."""
        return self.settings.C

    def new_scale(self) -> float:
        """The mean share."""
        return self.settings.C / max(1, sum(matrix.size for matrix in self._metric))

    def rescale(self, vector: Weights) -> None:
        l1_scales(vector, self._metric, self.settings.C)

    @property
    def prunes_late(self) -> bool:
        return self.settings.threshold > TINY

    def prune(self, late: bool) -> None:
        """Remove weights below ``threshold`` times the largest. Early rounds cannot tell weights apart yet and only use the paper's threshold."""
        share = self.settings.threshold if late else min(self.settings.threshold, TINY)
        prune(self._w, self._metric, share * largest(self._w))

    def penalty(self, weights: Weights) -> float:
        """1/2 ||w||_1^2."""
        return 0.5 * l1_norm(weights) ** 2

    def bound(self, loss: float) -> float:
        """-1/2 C^2 ||V||_inf^2 + C E_M[loss]."""
        steepest = mixture_largest(self.problem, self._atoms, self._crew) + ROUNDING * (1 + abs(loss))
        return best_scaling(loss, steepest, self.settings.C)
