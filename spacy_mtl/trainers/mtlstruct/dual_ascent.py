"""MTLstruct solved in the part marginals: block-coordinate Frank-Wolfe, template weights re-estimated after each pass."""

import numpy as np

from spacy_mtl.structures.contract import Weights
from spacy_mtl.structures.problem import Problem, shares
from spacy_mtl.thresholds import LIVE
from spacy_mtl.trainers.base import Carry, Report, Training, relative_gap
from spacy_mtl.trainers.shared.frank_wolfe import TemplateWeights, ascent_pass, best_scaling, gold_atoms

from .norms import block_norm, dual_exponent, dual_norm_weights
from .settings import MTLStructSettings

#: Template weights stay above this share of all, a bound that falls with the passes; below a tenth of it a template is no longer looked up.
FLOOR = LIVE / 2
#: Every so many passes all templates are looked at, and those that should not have been dropped come back.
REVIVAL = 10
#: Outputs remembered for each sentence.
N_ATOMS = 32
#: A sentence found at its optimum k times in a row rests for k passes, at most this many.
LONGEST_REST = 4


class DualAscent(Training):
    """Dual state M in part marginals, w_j = C mu_j V_j(M) kept up to date sentence by sentence (papers.md section 1)."""

    def __init__(self, settings: MTLStructSettings, problem: Problem):
        super().__init__(problem)
        self.settings = settings
        self._w = problem.zeros()
        self._state = problem.gold_state()
        self._atoms = gold_atoms(problem.arrays, N_ATOMS)
        n = problem.blocks.n
        self.mu = np.full(n, float(n) ** (1 - 2 / settings.p))
        self._selector = TemplateWeights(n)
        self._filled = _filled(problem)
        self._torn = False
        self._gaps = np.zeros(problem.n)
        self._idle = np.zeros(problem.n, np.int64)
        self._rest = np.zeros(problem.n, np.int64)
        self._random = np.random.default_rng(settings.seed)
        self._average: Weights | None = None
        self._certified: Report | None = None

    def step(self, sentences: np.ndarray) -> None:
        """Nothing: the pass is run at its end, in an order of its own, so that batches do not change the result."""

    def end_pass(self) -> None:
        if self.converged:
            return
        for _ in range(self.settings.inner_passes):
            self._pass()
        # the sum of the gaps met on the way bounds the gap at fixed mu: cheap enough to ask when a certificate is worth its pass
        if self._gaps.sum() * self.settings.C <= 4 * self.settings.tol * self._objective:
            self.converged = self.report().gap <= self.settings.tol

    def _pass(self) -> None:
        self._repair()
        self._certified = None
        if self.settings.p == 1 and self.passes and self.passes % REVIVAL == 0:
            self._revive()
        order = self._random.permutation(np.flatnonzero(self._rest <= 0))
        live = self.problem.live(self.mu > 0)
        scale = shares(self.problem, self.settings.C * self.mu)
        ascent_pass(self.problem.arrays, self._w, live, scale, self._state, self._atoms, order, self._gaps)
        self.passes += 1
        self._rest -= 1
        self._idle[order] = np.where(self._gaps[order] > 0, 0, self._idle[order] + 1)
        self._rest[order] = np.minimum(self._idle[order], LONGEST_REST)
        norms = self.problem.block_norms(self._w)
        self._objective = 0.5 * block_norm(norms, self.settings.p) ** 2
        self._reweigh(norms)
        self._update_average()

    def _repair(self) -> None:
        """Make the weights anew from the marginals if an interrupt came while they were being rewritten."""
        if self._torn:
            self.problem.gold_minus_expected(self._state, out=self._w)
            self.problem.scale_blocks(self._w, self.settings.C * self.mu)
            self._torn = False

    def _revive(self) -> None:
        """Look at every template again, at passes of its own so that reports in between change nothing but rounding."""
        self._torn = True
        self.problem.gold_minus_expected(self._state, out=self._w)
        self.mu = self._selector.revive(self.mu, self.problem.block_norms(self._w), FLOOR)
        self.problem.scale_blocks(self._w, self.settings.C * self.mu)
        self._torn = False

    def _reweigh(self, norms: np.ndarray) -> None:
        """mu from the block norms of w by the variational formula of the norm; w follows."""
        p, mu = self.settings.p, self.mu
        if p == 2 or not norms.any():
            return
        pull = np.divide(norms, mu, out=np.zeros_like(mu), where=mu > 0) / self.settings.C
        if p == 1:
            floor = FLOOR / max(1.0, self.passes / 10) ** 2
            new = self._selector.update(pull, floor)
            new[new < FLOOR / 10] = 0.0  # see _revive
        elif p < 2:
            new = np.maximum((norms / block_norm(norms, p)) ** (2 - p), 1e-12)
        else:
            new = np.where(self._filled, dual_norm_weights(np.maximum(pull, 1e-12 * pull.max()), p), 0.0)
        self._rescale(np.divide(new, mu, out=np.zeros_like(mu), where=mu > 0), new)

    def _rescale(self, factors: np.ndarray, mu: np.ndarray) -> None:
        """w_j *= factors[j] and the template weights that go with it, together or (after an interrupt) not at all."""
        self._torn = True
        self.problem.scale_blocks(self._w, factors)
        self.mu = mu
        self._torn = False

    def _update_average(self) -> None:
        """Running average of the weights over about the last ``average`` passes."""
        if self.settings.average <= 1:
            return
        if self._average is None:
            self._average, self._averaged = self.problem.zeros(), 0
        self._averaged += 1
        self.problem.blend(self._average, self._w, 1 / min(self._averaged, self.settings.average))

    def _certify(self) -> Report:
        """Exact weights and dual of the marginals, exact primal of the weights to predict with: one pass over the corpus and one decoding of it."""
        C, p = self.settings.C, self.settings.p
        # made anew in place: rounding of the steps since the last certificate is gone, and memory holds one vector, not two
        self._torn = True
        vector, loss = self.problem.gold_minus_expected(self._state, out=self._w)
        pulls = self.problem.block_norms(vector)
        dual = best_scaling(loss, block_norm(pulls, dual_exponent(p)), C)
        self.problem.scale_blocks(vector, C * self.mu)
        self._torn = False
        norms = C * self.mu * pulls if self._average is None else self.problem.block_norms(self._average)
        primal = 0.5 * block_norm(norms, p) ** 2 + C * float(self.problem.hinges(self.weights).sum())
        live = self.mu > LIVE * self.mu.sum() if p < 2 else pulls > 0
        return Report(primal, dual, relative_gap(primal, dual), int(live.sum()), self.mu.size, self.passes)

    @property
    def loss(self) -> float:
        """Sum of the Frank-Wolfe gaps met in the last pass: falls to 0 at the optimum."""
        return float(self._gaps.sum())

    def rebind(self, problem: Problem, carry: Carry) -> None:
        """The marginals stay; the weights are made anew from them."""
        average = None if self._average is None else carry(self._average)
        filled, w = _filled(problem), problem.zeros()  # blocks may have other sizes now
        # stored at once, so that an interrupt leaves the old features or the new ones
        self.problem, self._filled, self._average, self._w = problem, filled, average, w
        self._certified, self.converged, self._torn = None, False, True
        self._idle[:] = self._rest[:] = 0
        self._repair()

    def recut(self, problem: Problem) -> None:
        """Marginals belong to pieces and begin anew at gold; template weights and the average of the passes so far stay."""
        state, atoms = problem.gold_state(), gold_atoms(problem.arrays, N_ATOMS)
        gaps, idle, rest = np.zeros(problem.n), np.zeros(problem.n, np.int64), np.zeros(problem.n, np.int64)
        # stored at once, so that an interrupt leaves the old pieces or the new ones
        self.problem, self._state, self._atoms = problem, state, atoms
        self._gaps, self._idle, self._rest = gaps, idle, rest
        self._certified, self.converged, self._torn = None, False, True
        for matrix in self._w:
            matrix[:] = 0
        self._torn = False

    def report(self) -> Report:
        if self._certified is None:
            self._certified = self._certify()
        return self._certified

    @property
    def weights(self) -> Weights:
        self._repair()
        return self._w if self._average is None else self._average

    @property
    def template_weights(self) -> np.ndarray:
        return self.mu


def _filled(problem: Problem) -> np.ndarray:
    """bool[T + Tp]: whether a template has any feature."""
    return np.concatenate([np.diff(problem.blocks.node), np.diff(problem.blocks.pair)]) > 0
