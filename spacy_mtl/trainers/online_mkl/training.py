"""The training of online multiple kernel learning, with theta as scaled blocks."""

import warnings

import numpy as np

from spacy_mtl.errors import Warnings
from spacy_mtl.structures.contract import Weights
from spacy_mtl.structures.problem import Problem
from spacy_mtl.trainers.base import Carry, Report
from spacy_mtl.trainers.shared.passes import NOTHING, OnlineTraining

from .prox import omega
from .scaled_blocks import Log, new_log, write_weights, zero_blocks
from .settings import OnlineMKLSettings
from .steps import Plan, hinge_pass, log_losses, log_pass, step_rate


class OnlineMKLTraining(OnlineTraining):
    """Algorithm 1 of Martins et al. (2010)."""

    def __init__(self, settings: OnlineMKLSettings, problem: Problem):
        super().__init__(problem, settings.seed)
        self.settings = settings
        self._averages = settings.model == "average"
        self._blocks = zero_blocks(problem, self._averages)
        self._log: Log | None = None
        self._log_of: Problem | None = None
        self._shown: Weights | None = None
        self._written = self._kept = -1
        self._pass_size = problem.n
        self._seen = 0
        self._told = False

    def learn(self, problem: Problem, order: np.ndarray) -> float:
        """Make one step on each of these sentences; return the sum of their losses."""
        run = hinge_pass if self.settings.loss == "hinge" else log_pass
        self._seen += order.size
        return float(run(problem.arrays, self._blocks, self._log_for(problem), self._plan(), order))

    def zero_loss(self) -> float:
        """The loss of zero weights, hinge or logistic."""
        if self.settings.loss == "hinge":
            return super().zero_loss()
        return float(log_losses(self.problem.arrays, self.problem.zeros(), NOTHING).sum())

    def _log_for(self, problem: Problem) -> Log:
        """The log of updates from this problem; a log of another problem is dropped."""
        if self._log is None or self._log_of is not problem:
            self._forget()
            self._log, self._log_of = new_log(problem.arrays, self._blocks.scale.size), problem
        return self._log

    def _forget(self) -> None:
        """Drop the log: the blocks now have updates that are not in it."""
        if self._log is not None:
            self._blocks.deep[:] |= (self._log.amounts != 0).any(axis=0)
            self._log = self._log_of = None

    def _plan(self) -> Plan:
        """The plan, with lambda = 1/(C n) and n the sentences (or pieces) of the last pass: cut sentences give more pieces than the problem has."""
        settings, regularizer = self.settings, self.settings.summands()
        step = 1 / (settings.C * self._pass_size)
        together, alone = self._kinds()
        least = min(regularizer.l2, 1.0) if alone.size else regularizer.l2
        sigma = step * least if settings.schedule == "strongly_convex" else 0.0
        radius = np.inf if settings.gamma is None else settings.gamma
        return Plan(step, regularizer, together, alone, float(radius), float(settings.eta0), sigma)

    def _kinds(self) -> tuple[np.ndarray, np.ndarray]:
        """Numbers (int64) of the blocks that share the regularizer, and of those with one of their own."""
        blocks = self.problem.blocks
        plain = np.concatenate([np.zeros(blocks.n_node, bool), np.diff(blocks.pair) == 1])
        if self.settings.transition == "learned":
            plain[:] = False
        alone = plain if self.settings.transition == "fixed" else np.zeros_like(plain)
        return np.flatnonzero(~plain), np.flatnonzero(alone)

    def end_pass(self) -> None:
        """End the pass as every online training does; block norms are computed again, to remove drift."""
        if not self._diverged:
            self._blocks.norms[:] = self._blocks.scale * self.problem.block_norms(self._blocks.vector)
            self._pass_size, self._seen = self._seen or self._pass_size, 0
        super().end_pass()
        if not (self._diverged or self._told) and self._forgets():
            self._told = True
            name, eta0 = type(self.settings).__name__, self.settings.eta0
            better = min(1.0, 0.1 / self._plan().step)  # the first proximal step then takes a tenth of the weights
            text = Warnings.M339.format(trainer=name, n=self.passes, eta0=eta0, better=better)
            warnings.warn(text, stacklevel=2)

    def _forgets(self) -> bool:
        """Whether steps are still so long that the proximal step after each leaves less than half of the weights before it, and nothing is learned.

        However long they are, proximal steps keep the weights so small that no loss tells it from slow progress.
        """
        plan = self._plan()
        rate = step_rate(plan, int(self._blocks.steps[0]) + 1)
        return rate * plan.step >= 1 and self._zero_loss is not None and self._last_loss >= self._zero_loss

    def current_weights(self) -> Weights:
        """theta, or the average over the sentences so far."""
        steps = int(self._blocks.steps[0])
        if self._best is not None and self._kept == steps:
            return self._best
        if self._shown is None or self._written != steps:
            self._shown = self.problem.zeros() if self._shown is None else self._shown
            write_weights(self._blocks, self._shown)
            self._written = steps
        return self._shown

    def keep_best(self) -> None:
        """Keep the current weights, in place: most passes are the best so far, and one copy in memory is enough."""
        self._shown, self._kept = None, -1
        best = self.problem.zeros() if self._best is None else self._best
        write_weights(self._blocks, best)
        self._best, self._kept = best, int(self._blocks.steps[0])

    def _norms(self) -> np.ndarray:
        return self.problem.block_norms(self.weights)

    @property
    def template_weights(self) -> np.ndarray:
        """||theta_m|| / sum_k ||theta_k||: the kernel weights in sparse kernel learning, and shares of the total in general."""
        norms = self._norms()
        total = norms.sum()
        return norms / total if total > 0 else norms

    def measure(self) -> Report:
        """The primal objective of the weights; the method has no dual."""
        norms, weights = self._norms(), self.weights
        together, alone = self._kinds()
        size = omega(norms[together], self.settings.summands()) + 0.5 * float(np.sum(norms[alone] ** 2))
        live = self.problem.live(norms > 0)
        hinge = self.settings.loss == "hinge"
        losses = self.problem.hinges(weights, live) if hinge else log_losses(self.problem.arrays, weights, live)
        primal = size + self.settings.C * float(losses.sum())
        return Report(primal, np.nan, np.nan, int((norms > 0).sum()), norms.size, self.passes)

    def rebind(self, problem: Problem, carry: Carry) -> None:
        """Carry over the weights and their average."""
        self._forget()
        old = self._blocks
        vector = carry(old.vector)
        past = carry(old.past) if self._averages else old.past
        best = None if self._best is None else carry(self._best)
        norms, blocks = old.scale * problem.block_norms(vector), problem.blocks
        new = old._replace(vector=vector, past=past, node=blocks.node, pair=blocks.pair, norms=norms)
        self.problem, self._blocks, self._shown, self._best = problem, new, None, best
        self._written, self._report, self._zero_loss = -1, None, None
