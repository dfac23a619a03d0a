"""MTLstruct in the dual: block-coordinate Frank-Wolfe over mixtures of outputs, with template weights re-estimated after each pass."""

import warnings
from copy import deepcopy
from dataclasses import replace

import numpy as np

from spacy_mtl.errors import Warnings
from spacy_mtl.structures.contract import Weights
from spacy_mtl.structures.problem import Problem
from spacy_mtl.threads.crew import Crew
from spacy_mtl.thresholds import LIVE
from spacy_mtl.trainers.base import Carry, Kept, Report, Training, relative_gap
from spacy_mtl.trainers.shared.batched_ascent import Passes
from spacy_mtl.trainers.shared.frank_wolfe import Atoms, TemplateWeights, best_scaling, gold_atoms
from spacy_mtl.trainers.shared.kept import moved_atoms
from spacy_mtl.trainers.shared.mixture import gather, mixture_loss
from spacy_mtl.trainers.shared.multiples import Objective, hinges_and_losses, lengthen

from .blocks import norms_by, run_pass, scale_by
from .bounds import Dual, Known, filled
from .cutting_plane import CuttingPlane
from .norms import block_norm, dual_exponent, dual_norm_weights
from .reweighing import FLOOR, reestimated, shown_weights
from .settings import MTLStructSettings

#: All templates are looked up every REVIVAL passes, and those that should not have been dropped come back.
REVIVAL = 10
#: Number of outputs stored for each sentence.
N_ATOMS = 32
#: A sentence found at its optimum k times in a row is skipped for k passes, at most this many.
LONGEST_REST = 4
#: Rounding of the dual in double precision, relative to its terms: more than it ever is.
ROUNDING = 1e-12
#: After so many passes, steps are longer than the best ones by the factor OVER (over-relaxation): sentences then mostly wait for one another.
LATE = 16
OVER = 1.5
#: A certificate is computed after this many passes, and whenever they have doubled; cutting planes take over at the second one or later.
FIRST_CHECK = 24
#: After a certificate with too large a gap, the next one comes when the gap would be within ``tol`` if it fell with this power of the passes, but
#: after this many times as many passes at the latest.
STEEPEST, LONGEST_WAIT = 4, 1.2
#: From the third one on they take over if the gap has not fallen to this share of itself since the one before.
STALLED = 0.9
#: Weights in single precision may not allow a smaller relative gap, whatever the solver.
PRECISION = 1e-5


class DualAscent(Training):
    """The state is the dual M, a mixture of outputs for each sentence, with w_j = C mu_j V_j(M) updated sentence by sentence.

    Where this does not get to the optimum in reasonable time (large C, large p), :class:`.CuttingPlane` takes over, see :meth:`_take_stock`.
    """

    def __init__(self, settings: MTLStructSettings, problem: Problem):
        super().__init__(problem)
        self.settings = settings
        self._crew = Crew(settings.threads)
        self._passes = Passes(self._crew)
        self._w = problem.zeros()
        self._atoms = gold_atoms(problem.arrays, N_ATOMS)
        n = problem.blocks.n
        self.mu = np.full(n, float(n) ** (1 - 2 / settings.p))
        self._selector = TemplateWeights(n)
        self._filled = filled(problem)
        self._torn = False
        self._gaps = np.zeros(problem.n)
        self._idle = np.zeros(problem.n, np.int64)
        self._rest = np.zeros(problem.n, np.int64)
        self._random = np.random.default_rng(settings.seed)
        self._average: Weights | None = None
        self._certified: Report | None = None
        self._tried: Report | None = None  # of the last certificate
        self._dual: Dual | None = None
        self._planes: CuttingPlane | None = None
        self._best = np.inf
        self._check_at = FIRST_CHECK
        self._known: Known | None = None

    def step(self, sentences: np.ndarray) -> None:
        """Do nothing: all work is done in :meth:`end_pass`, in an order of its own, so that batches do not change the result."""

    def end_pass(self) -> None:
        if self.finished:
            return
        if self._planes is not None:
            self._planes.end_pass()
            self._follow(self._planes)
            return
        for _ in range(self.settings.inner_passes):
            self._pass()
        check = self.passes >= self._check_at
        if check or self._near_the_end():
            objective = self._try_to_end()
            if check:
                self._take_stock(objective)

    def _near_the_end(self) -> bool:
        """Whether a certificate is worth its passes over the corpus.

        C times the sum of the gaps met during the pass bounds the gap at fixed mu. Where C is large, longer weights leave a smaller one: about twice
        the largest shortfall of a margin, in units of the loss. After a certificate that was too early, the gap must have had time to fall.
        """
        tol, last = self.settings.tol, self._tried
        if last is not None and self.passes < last.passes * min((last.gap / tol) ** (1 / STEEPEST), LONGEST_WAIT):
            return False
        shortfall = self.settings.C * float(self._gaps.sum()) / max(self._objective, 1e-300)
        return min(shortfall, 2 * float(self._gaps.max(initial=0.0))) <= 4 * tol

    def _try_to_end(self) -> Objective:
        """Converge if the gap of the weights, or of a multiple of them, is within ``tol``."""
        settings, dual, weights = self.settings, self._bound().value, self.weights
        self._torn = self._average is None  # until the weights are what they were, or converged
        objective = lengthen(self.problem, weights, self._penalty, settings.C, dual, settings.tol, self._crew)
        self._torn = False
        self._certified = self._tried = self._reported(objective.primal)
        self.converged = self._certified.gap <= settings.tol
        return objective

    def _take_stock(self, objective: Objective) -> None:
        """Let cutting planes take over if the gap will not be within ``tol`` soon: at the second check or later.

        The gap is that of the best multiple of the weights. They take over if what is known of the optimum hardly gets better (the weights alone may
        fluctuate); or if C is so large that all margins should be kept (the hinges of the weights themselves cost more than half of the primal), and
        the gap will not be within ``tol`` at the next check.
        """
        early = self._check_at < 4 * FIRST_CHECK
        self._check_at = 2 * self.passes
        dual = self._bound().value
        gap, before = max(0.0, relative_gap(objective.bound, dual)), self._known
        best = before or Known()
        bound = min(objective.bound, best.bound)
        # a bound below the dual was one for the outputs of then only
        self._known = known = Known(bound if bound > dual else objective.bound, max(dual, best.dual))
        if self.converged or before is None or not self.problem.exact:
            return
        ratio = known.gap / before.gap if before.gap > 0 else 1.0
        tol = max(self.settings.tol, PRECISION)
        stalled = ratio > STALLED and not early and gap * ratio**2 > tol
        if stalled or (relative_gap(objective.primal, dual) > 0.5 and gap * ratio > tol):
            text = Warnings.M332.format(
                n=self.passes, gap=gap, tol=self.settings.tol, p=self.settings.p, C=self.settings.C
            )
            warnings.warn(text, stacklevel=2)
            planes = CuttingPlane(self.settings, self.problem, dual)
            planes.passes = self.passes
            self._planes, self._best, self._certified = planes, objective.primal, None

    def _follow(self, planes: CuttingPlane) -> None:
        self.passes, self.converged, self.ended = planes.passes, planes.converged, planes.ended
        if planes.converged or planes.report().primal <= self._best:
            self._best = -np.inf

    @property
    def _leading(self) -> CuttingPlane | None:
        """The cutting planes, once their weights are as good as those of the ascent were."""
        return None if self._best > -np.inf else self._planes

    def _pass(self) -> None:
        self._repair()
        self._certified = self._dual = None
        if self.settings.p == 1 and self.passes and self.passes % REVIVAL == 0:
            self._revive()
        order = self._random.permutation(np.flatnonzero(self._rest <= 0))
        pace = OVER if self.passes >= LATE else 1.0
        scales = self.settings.C * self.mu
        self._torn = self._crew.size > 1  # the weights of several threads, until all of them have ended
        norms = run_pass(self._passes, self.problem, self._w, scales, self._atoms, order, self._gaps, pace)
        self._torn = False
        self.passes += 1
        self._rest -= 1
        self._idle[order] = np.where(self._gaps[order] > 0, 0, self._idle[order] + 1)
        self._rest[order] = np.minimum(self._idle[order], LONGEST_REST)
        self._objective = 0.5 * block_norm(norms, self.settings.p) ** 2
        self._reweigh(norms)
        self._update_average()

    def _repair(self) -> None:
        """Compute the weights again from the marginals if an interrupt came while they were being rewritten."""
        if self._torn:
            gather(self.problem, self._atoms, self._w, self.settings.C * self.mu, self._crew)
            self._torn = False

    def _revive(self) -> None:
        """Look up all templates again, at fixed passes, so that reports in between change nothing but rounding errors."""
        self._torn = True
        self.mu = self._selector.revive(self.mu, gather(self.problem, self._atoms, self._w, crew=self._crew), FLOOR)
        scale_by(self._crew, self.problem, self._w, self.settings.C * self.mu)
        self._torn = False

    def _reweigh(self, norms: np.ndarray) -> None:
        """Compute mu from the block norms of w by the variational formula of the norm, and rescale w."""
        new = reestimated(self.settings, self.mu, norms, self._selector, self._filled, self.passes)
        if new is not self.mu:
            self._rescale(np.divide(new, self.mu, out=np.zeros_like(new), where=self.mu > 0), new)

    def _rescale(self, factors: np.ndarray, mu: np.ndarray) -> None:
        """Multiply w_j by factors[j] and set the template weights, both or (after an interrupt) neither."""
        self._torn = True
        scale_by(self._crew, self.problem, self._w, factors)
        self.mu = mu
        self._torn = False

    def _update_average(self) -> None:
        """Update the running average of the weights over about the last ``average`` passes."""
        if self.settings.average <= 1:
            return
        if self._average is None:
            self._average, self._averaged = self.problem.zeros(), 0
        self._averaged += 1
        self.problem.blend(self._average, self._w, 1 / min(self._averaged, self.settings.average))

    def _penalty(self, weights: Weights) -> float:
        """1/2 ||w||_{2,p}^2."""
        return 0.5 * block_norm(norms_by(self._crew, self.problem, weights), self.settings.p) ** 2

    def _bound(self) -> Dual:
        """The dual of the mixtures; takes two passes over the atoms the first time it is asked for after a pass."""
        if self._dual is None:
            C, p = self.settings.C, self.settings.p
            loss = mixture_loss(self.problem, self._atoms, self._crew)
            pulls = gather(self.problem, self._atoms, crew=self._crew)
            dual = best_scaling(loss, block_norm(pulls, dual_exponent(p)), C)
            self._dual = Dual(dual - ROUNDING * (abs(dual) + 2 * C * abs(loss)), pulls)
        return self._dual

    def _certify(self) -> Report:
        """The objective of the prediction weights, and the dual; takes a decoding of the corpus besides :meth:`_bound`. Changes nothing else."""
        weights = self.weights
        hinges, _ = hinges_and_losses(self.problem, weights, self._crew)
        return self._reported(self._penalty(weights) + self.settings.C * float(hinges.sum()))

    def _reported(self, primal: float) -> Report:
        dual = self._bound().value
        return Report(primal, dual, relative_gap(primal, dual), self._live(), self.mu.size, self.passes)

    def _live(self) -> int:
        """The number of templates whose weights are not negligible, under the mixtures as far as they are of this corpus."""
        if self.settings.p < 2:
            return int((self.mu > LIVE * self.mu.sum()).sum())
        # under cutting planes, the mixtures may be those of an earlier corpus
        norms = self._bound().pulls if self._planes is None else self.problem.block_norms(self.weights)
        return int((norms > 0).sum())

    @property
    def loss(self) -> float:
        """Sum of the Frank-Wolfe gaps in the last pass, which goes to 0 at the optimum. Under cutting planes, the hinge loss."""
        return float(self._gaps.sum()) if self._planes is None else self._planes.loss

    def take_over(self, earlier: "DualAscent") -> None:
        """Start from the mixtures of another training of the same problem, with the template weights that fit them."""
        self._atoms = Atoms(*(part.copy() for part in earlier._atoms))
        p, pull = self.settings.p, gather(self.problem, self._atoms, crew=self._crew)
        if p == earlier.settings.p == 1:
            self.mu, self._selector = earlier.mu.copy(), deepcopy(earlier._selector)
            self._selector.begin_at(self.mu)
        elif p > 1 and pull.any():
            self.mu = np.where(self._filled, dual_norm_weights(np.maximum(pull, 1e-12 * pull.max()), p), 0.0)
        self._torn = True

    def rebind(self, problem: Problem, carry: Carry) -> None:
        """Keep the mixtures; the weights are computed again from them."""
        if self._planes is not None:
            w = carry(self.weights)
            self._planes.rebind(problem, carry)
            self.problem, self._w, self._average, self._best = problem, w, None, np.inf
            self._follow(self._planes)
            return
        self._replace(problem, self._atoms, None if self._average is None else carry(self._average))
        self._repair()

    def extend(self, problem: Problem, carry: Carry, kept: Kept) -> None:
        """Keep the mixtures of old sentences; new ones start at gold, where they add nothing to the weights."""
        if self._planes is not None:
            w = carry(self.weights)
            self._planes.extend(problem, carry, kept)
            self.problem, self._w, self._average, self._best = problem, w, None, np.inf
            self._follow(self._planes)
            return
        atoms = moved_atoms(problem, kept, self._atoms)
        average = None if self._average is None else carry(self._average)
        self._replace(problem, atoms, average)
        self._repair()

    def _replace(self, problem: Problem, atoms: Atoms, average: Weights | None) -> None:
        """Continue with these mixtures, all at once, so that an interrupt leaves either the old problem or the new one; the weights come next."""
        has_rows, w, n = filled(problem), problem.zeros(), problem.n  # block sizes may have changed
        gaps, idle, rest = np.zeros(n), np.zeros(n, np.int64), np.zeros(n, np.int64)
        mu = self.mu
        if self.settings.p > 1 and mu.any():  # at p = 1, templates at 0 are looked up again
            mu = np.where(has_rows & (mu == 0), mu[mu > 0].min(), mu)  # those that had no features before
        self.problem, self._filled, self._average, self._w = problem, has_rows, average, w
        self._atoms, self.mu = atoms, mu
        self._gaps, self._idle, self._rest = gaps, idle, rest
        self._planes, self._check_at, self._known, self._tried = None, self.passes + FIRST_CHECK, None, None
        self._certified, self._dual, self.converged, self.ended, self._torn = None, None, False, False, True

    def recut(self, problem: Problem) -> None:
        """Start the mixtures, which belong to pieces, again at gold; template weights and the average so far are kept."""
        atoms = gold_atoms(problem.arrays, N_ATOMS)
        gaps, idle, rest = np.zeros(problem.n), np.zeros(problem.n, np.int64), np.zeros(problem.n, np.int64)
        # all at once, so that an interrupt leaves either the old or the new pieces
        self.problem, self._atoms = problem, atoms
        self._gaps, self._idle, self._rest = gaps, idle, rest
        self._planes, self._check_at, self._known, self._tried = None, self.passes + FIRST_CHECK, None, None
        self._certified, self._dual, self.converged, self.ended, self._torn = None, None, False, False, True
        for matrix in self._w:
            matrix[:] = 0
        self._torn = False

    def report(self) -> Report:
        if self._leading is not None:
            return self._leading.report()
        if self._planes is not None:
            planes = self._planes.report()
            gap = relative_gap(self._best, planes.dual)
            return replace(planes, primal=self._best, gap=gap, live_templates=self._live())
        if self._certified is None:
            self._certified = self._certify()
        return self._certified

    @property
    def weights(self) -> Weights:
        if self._leading is not None:
            return self._leading.weights
        self._repair()
        return self._w if self._average is None else self._average

    @property
    def template_weights(self) -> np.ndarray:
        return shown_weights(self.mu, self.settings.p) if self._leading is None else self._leading.template_weights
