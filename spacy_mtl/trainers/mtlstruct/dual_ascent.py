"""MTLstruct in the part marginals: block-coordinate Frank-Wolfe, with template weights re-estimated after each pass."""

import numpy as np

from spacy_mtl.structures.contract import Weights
from spacy_mtl.structures.problem import Problem, shares
from spacy_mtl.thresholds import LIVE
from spacy_mtl.trainers.base import Carry, Report, Training, relative_gap
from spacy_mtl.trainers.shared.frank_wolfe import TemplateWeights, ascent_pass, best_scaling, gold_atoms

from .norms import block_norm, dual_exponent, dual_norm_weights
from .settings import MTLStructSettings

#: Lower bound on template weights, as a share of their sum; it decreases with the passes. Below a tenth of it, a template is no longer looked up.
FLOOR = LIVE / 2
#: All templates are looked up every REVIVAL passes, and those that should not have been dropped come back.
REVIVAL = 10
#: Number of outputs stored for each sentence.
N_ATOMS = 32
#: A sentence found at its optimum k times in a row is skipped for k passes, at most this many.
LONGEST_REST = 4


class DualAscent(Training):
    """The state is the dual M in part marginals, with w_j = C mu_j V_j(M) updated sentence by sentence (papers.md section 1)."""

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
        """Do nothing: all work is done in :meth:`end_pass`, in an order of its own, so that batches do not change the result."""

    def end_pass(self) -> None:
        if self.converged:
            return
        for _ in range(self.settings.inner_passes):
            self._pass()
        # the sum of the gaps during the pass bounds the gap at fixed mu: a cheap test of whether a certificate is worth its pass
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
        """Compute the weights again from the marginals if an interrupt came while they were being rewritten."""
        if self._torn:
            self.problem.gold_minus_expected(self._state, out=self._w)
            self.problem.scale_blocks(self._w, self.settings.C * self.mu)
            self._torn = False

    def _revive(self) -> None:
        """Look up all templates again, at fixed passes, so that reports in between change nothing but rounding errors."""
        self._torn = True
        self.problem.gold_minus_expected(self._state, out=self._w)
        self.mu = self._selector.revive(self.mu, self.problem.block_norms(self._w), FLOOR)
        self.problem.scale_blocks(self._w, self.settings.C * self.mu)
        self._torn = False

    def _reweigh(self, norms: np.ndarray) -> None:
        """Compute mu from the block norms of w by the variational formula of the norm, and rescale w."""
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
        """Multiply w_j by factors[j] and set the template weights, both or (after an interrupt) neither."""
        self._torn = True
        self.problem.scale_blocks(self._w, factors)
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

    def _certify(self) -> Report:
        """Exact weights and dual of the marginals, and exact primal of the prediction weights; takes a pass over the corpus and a decoding of it."""
        C, p = self.settings.C, self.settings.p
        # in place: removes rounding errors of the steps since the last certificate, and memory holds one vector instead of two
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
        """Sum of the Frank-Wolfe gaps in the last pass, which goes to 0 at the optimum."""
        return float(self._gaps.sum())

    def rebind(self, problem: Problem, carry: Carry) -> None:
        """Keep the marginals; the weights are computed again from them."""
        average = None if self._average is None else carry(self._average)
        filled, w = _filled(problem), problem.zeros()  # block sizes may have changed
        # all at once, so that an interrupt leaves either the old or the new features
        self.problem, self._filled, self._average, self._w = problem, filled, average, w
        self._certified, self.converged, self._torn = None, False, True
        self._idle[:] = self._rest[:] = 0
        self._repair()

    def recut(self, problem: Problem) -> None:
        """Start the marginals, which belong to pieces, again at gold; template weights and the average so far are kept."""
        state, atoms = problem.gold_state(), gold_atoms(problem.arrays, N_ATOMS)
        gaps, idle, rest = np.zeros(problem.n), np.zeros(problem.n, np.int64), np.zeros(problem.n, np.int64)
        # all at once, so that an interrupt leaves either the old or the new pieces
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
    """Whether each template has any feature, bool[T + Tp]."""
    return np.concatenate([np.diff(problem.blocks.node), np.diff(problem.blocks.pair)]) > 0
