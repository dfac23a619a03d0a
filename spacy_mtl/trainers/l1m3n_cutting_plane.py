"""l1-M3N by the n-slack cutting plane method (Zhu, Xing and Zhang, Algorithm 1): min 1/2 ||w||_1 + C sum_i xi_i(w), the paper's P1.

For small and medium problems, up to some thousand sentences or weights: every sentence keeps cuts of its own, and the linear program grows with them.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..structures.contract import Weights
from ..structures.problem import Problem
from .base import Carry, Report, Training
from .online import NOTHING
from .optim.dual_ascent import relative_gap
from .optim.elements import l1_norm
from .optim.sentence_cuts import possible_cuts, sparse_cut, violated_outputs
from .optim.sparse_lp import Cut, Optimum, SparseLP

if TYPE_CHECKING:
    from .l1m3n import L1M3N


class Point(NamedTuple):
    """Weights and what is known of them.

    size: ||w||_1. slacks: float64[n], of the linear program they come from. outputs: int32[n_slots], most violated; hinges: float64[n].
    """

    weights: Weights
    size: float
    slacks: np.ndarray
    outputs: np.ndarray
    hinges: np.ndarray


class NSlackCuttingPlane(Training):
    """One pass is one round: the most violated output of every sentence becomes a cut where it is violated by more than eps; then one linear program.

    (Algorithm 1 solves the program after every single cut: the optimum is the same, and the programs are many more.) Predicts with the best
    weights met. Memory: cuts; weight vectors are touched only where they are not zero.
    """

    def __init__(self, settings: "L1M3N", problem: Problem):
        super().__init__(problem)
        self.settings = settings
        self._rounds: list[tuple[np.ndarray, np.ndarray]] = []
        self._lp: SparseLP | None = SparseLP(problem.n, settings.C)
        self._begin(problem, problem.zeros(), 0.0)

    def _begin(self, problem: Problem, weights: Weights, size: float) -> None:
        """Look at the problem with these weights; nothing is known of its optimum but that it is not negative."""
        point = self._point(problem, weights, size, np.zeros(problem.n))
        primal = self._primal(point)
        self.problem, self._best, self._now, self._best_primal, self._dual = problem, point, point, primal, 0.0

    def _point(self, problem: Problem, weights: Weights, size: float, slacks: np.ndarray) -> Point:
        live = problem.live(problem.block_norms(weights) > 0)
        return Point(weights, size, slacks, *violated_outputs(problem.arrays, weights, live))

    def _primal(self, point: Point) -> float:
        return 0.5 * point.size + self.settings.C * float(point.hinges.sum())

    def step(self, sentences: np.ndarray) -> None:
        """Nothing: a round needs the whole corpus."""

    def end_pass(self) -> None:
        """A round; without a violated output the training has converged."""
        if self.converged:
            return
        violated = self._now.hinges > self._now.slacks + self.settings.eps
        if not violated.any():
            self.converged = True
            return
        anew = self._lp is None  # after an interrupt in what follows; then the cuts may be known already
        lp, self._lp = self._lp or self._rebuilt(), None
        self._rounds.append((self._now.outputs, violated))
        if not (lp.add(self._cuts(self._now.outputs, violated)) or anew):
            self.converged, self._lp = True, lp  # eps is below what single precision can tell
            return
        self._move(lp.solve())
        self._lp = lp
        self.passes += 1
        self.converged = self.report().gap <= self.settings.tol

    def _move(self, optimum: Optimum) -> None:
        """To the weights of a linear program, and let them be the best if they are."""
        size = float(np.abs(optimum.values.astype(np.float32)).sum(dtype=np.float64))
        now = self._point(self.problem, self._dense(optimum), size, optimum.slacks)
        self._now, self._dual = now, max(self._dual, optimum.value)
        if self._primal(now) <= self._best_primal:
            self._best, self._best_primal = now, self._primal(now)

    def _dense(self, optimum: Optimum) -> Weights:
        weights = self.problem.zeros()
        is_pair = optimum.keys >= weights.node.size
        weights.node.reshape(-1)[optimum.keys[~is_pair]] = optimum.values[~is_pair]
        weights.pair.reshape(-1)[optimum.keys[is_pair] - weights.node.size] = optimum.values[is_pair]
        return weights

    def _cuts(self, outputs: np.ndarray, chosen: np.ndarray) -> Iterator[Cut]:
        """The outputs (int32[n_slots]) of the chosen sentences (bool[n])."""
        n_node = int(self.problem.blocks.node[-1]) * self.problem.node_width
        for i in np.flatnonzero(chosen).tolist():
            keys, values, loss = sparse_cut(self.problem.arrays, i, outputs, n_node)
            yield Cut(i, keys, values, loss)

    def _rebuilt(self) -> SparseLP:
        """The linear program over all cuts so far, made anew."""
        lp = SparseLP(self.problem.n, self.settings.C)
        for outputs, chosen in self._rounds:
            lp.add(self._cuts(outputs, chosen))
        return lp

    def rebind(self, problem: Problem, carry: Carry) -> None:
        """The cuts stay (they are outputs), and so do the best weights; the linear program is made anew."""
        self._restart(problem, carry(self._best.weights), self._rounds)

    def _restart(self, problem: Problem, best: Weights, rounds: list[tuple[np.ndarray, np.ndarray]]) -> None:
        """Go on with these cuts, from the best weights so far."""
        self._begin(problem, best, float(l1_norm(best)))
        self._rounds, self.converged, self._lp = rounds, False, None
        if rounds:
            lp = self._rebuilt()
            self._move(lp.solve())
            self._lp = lp

    def recut(self, problem: Problem) -> None:
        """Whatever outputs came up so far are cuts of the new pieces, where the constraints allow them."""
        nothing = problem.zeros()
        rounds = [(outputs, possible_cuts(problem.arrays, nothing, NOTHING, outputs)) for outputs, _ in self._rounds]
        self._restart(problem, self._best.weights, rounds)

    def report(self) -> Report:
        """primal: of P1 at the best weights. dual: the best optimum of a linear program, which knows only some of the outputs."""
        live = int(self.template_weights.sum())
        gap = relative_gap(self._best_primal, self._dual)
        return Report(self._best_primal, self._dual, gap, live, self.problem.blocks.n, self.passes)

    @property
    def loss(self) -> float:
        """Sum of the hinges under the newest weights."""
        return float(self._now.hinges.sum())

    @property
    def weights(self) -> Weights:
        return self._best.weights

    @property
    def template_weights(self) -> np.ndarray:
        """1 for templates with a weight that is not zero, else 0."""
        return (self.problem.block_norms(self.weights) > 0).astype(float)
