"""l1-M3N by the n-slack cutting plane method (Zhu, Xing and Zhang, Algorithm 1): min 1/2 ||w||_1 + C sum_i xi_i(w), the paper's P1.

Every sentence keeps cuts of its own, and the linear program grows with them, but not with the features: by column generation it holds the
weights that its optimum needs, and some more. Many sentences need many rounds (each adds one output a sentence); the first of them cost
little however large the corpus is.
"""

from typing import NamedTuple

import numpy as np

from spacy_mtl.structures.contract import Weights
from spacy_mtl.structures.problem import Problem, block_starts
from spacy_mtl.trainers.base import Carry, Report, Training, relative_gap
from spacy_mtl.trainers.shared.passes import NOTHING
from spacy_mtl.trainers.shared.sentence_cuts import (
    add_cuts,
    cut_columns,
    cut_losses,
    forget_known,
    largest_entries,
    possible_cuts,
    set_entries,
    take_entries,
    violated_outputs,
)

from .elements import l1_norm
from .settings import L1M3NSettings
from .sparse_lp import Entries, SparseLP

#: Weights that may join the linear program at first, and how many times as many each time after.
FIRST, GROWTH = 100, 2
#: A weight joins where |V_k| is above 1/2 by more than this share: a little more than rounding makes.
PRICING_TOLERANCE = 1e-6


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
    weights met. A round is kept as outputs int32[n_slots], and bool[n] for the sentences whose cuts they are. Memory: the rounds, the program, and
    while it grows one vector V in double precision; weight vectors are touched only where they are not zero.
    """

    def __init__(self, settings: L1M3NSettings, problem: Problem):
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
        for outputs, chosen in self._rounds:
            forget_known(self.problem.arrays, self._now.outputs, violated, outputs, chosen)
        if self._lp is not None and not violated.any():
            self.converged = True  # eps is below what single precision can tell
            return
        lp, self._lp = self._lp, None  # after an interrupt in what follows it is made anew
        if violated.any():
            self._rounds.append((self._now.outputs, violated))
            if lp is not None:
                self._add_cuts(lp, self._now.outputs, violated)
        self._move_to_optimum(self._rebuilt() if lp is None else lp)
        self.passes += 1
        self.converged = self.report().gap <= self.settings.tol

    def _move_to_optimum(self, lp: SparseLP) -> None:
        """To the weights of the linear program over all cuts and all weights, and let them be the best if they are."""
        most, optimum = FIRST, lp.solve()
        while (new := self._priced_in(lp, optimum.alphas, most)).size:
            self._add_weights(lp, new)
            most, optimum = GROWTH * most, lp.solve()
        weights = self.problem.zeros()
        values = optimum.values.astype(np.float32)
        set_entries(weights, optimum.keys, values)
        size = float(np.abs(values).sum(dtype=np.float64))
        now = self._point(self.problem, weights, size, optimum.slacks)
        self._now, self._lp = now, lp
        if self._primal(now) <= self._best_primal:
            self._best, self._best_primal = now, self._primal(now)

    def _priced_in(self, lp: SparseLP, alphas: np.ndarray, most: int) -> np.ndarray:
        """The weights outside the program with |V_k| > 1/2, which its optimum needs: the ``most`` greatest, ascending. None: it is that over all.

        V = sum_r alpha_r (Phi(gold) - Phi(output_r)), alphas: float64[cuts]. Divided by what they exceed the constraints of the dual over all
        weights by (|V_k| <= 1/2, sums of a sentence <= C), they are a point of it, and so a lower bound of P1.
        """
        amounts = np.maximum(alphas, 0).astype(np.float32)
        vector = Weights(*(np.zeros(matrix.shape) for matrix in self.problem.zeros()))
        value, first, sums = 0.0, 0, np.zeros(self.problem.n)
        for outputs, chosen in self._rounds:
            sentences = np.flatnonzero(chosen)
            own = amounts[first : first + sentences.size]
            add_cuts(self.problem.arrays, vector, outputs, sentences, own)
            value += float(own @ cut_losses(self.problem.arrays, outputs, sentences))
            sums[sentences] += own
            first += sentences.size
        inside = np.abs(take_entries(vector, lp.keys)).max(initial=0.0)
        new, outside = largest_entries(vector, 0.5 * (1 + PRICING_TOLERANCE), most)
        excess = max(1.0, 2 * inside, 2 * outside, float(sums.max()) / self.settings.C)
        self._dual = max(self._dual, float(value / excess))
        return np.sort(new)

    def _entries(self, outputs: np.ndarray, chosen: np.ndarray, keys: np.ndarray) -> Entries:
        """Of the outputs (int32[n_slots]) of the chosen sentences (bool[n]) in the weights ``keys``."""
        node, pair = self._now.weights
        return Entries(*cut_columns(self.problem.arrays, outputs, np.flatnonzero(chosen), keys, node.shape, pair.shape))

    def _add_cuts(self, lp: SparseLP, outputs: np.ndarray, chosen: np.ndarray) -> None:
        sentences = np.flatnonzero(chosen)
        lp.add_cuts(
            sentences, cut_losses(self.problem.arrays, outputs, sentences), self._entries(outputs, chosen, lp.keys)
        )

    def _add_weights(self, lp: SparseLP, keys: np.ndarray) -> None:
        """Weights join the program, with what they are in all cuts so far."""
        parts = [self._entries(outputs, chosen, keys) for outputs, chosen in self._rounds]
        counts, places, values = zip(*((np.diff(part.starts), part.places, part.values) for part in parts), strict=True)
        lp.add_weights(
            keys, Entries(block_starts(np.concatenate(counts)), np.concatenate(places), np.concatenate(values))
        )

    def _rebuilt(self) -> SparseLP:
        """The linear program over all cuts so far, made anew with the weights of the best point."""
        lp = SparseLP(self.problem.n, self.settings.C)
        for outputs, chosen in self._rounds:
            self._add_cuts(lp, outputs, chosen)
        count = sum(np.count_nonzero(matrix) for matrix in self._best.weights)
        if count:
            self._add_weights(lp, np.sort(largest_entries(self._best.weights, 0.0, count)[0]))
        return lp

    def rebind(self, problem: Problem, carry: Carry) -> None:
        """The cuts stay (they are outputs), and so do the best weights; the linear program is made anew."""
        self._restart(problem, carry(self._best.weights), self._rounds)

    def _restart(self, problem: Problem, best: Weights, rounds: list[tuple[np.ndarray, np.ndarray]]) -> None:
        """Go on with these cuts, from the best weights so far."""
        self._begin(problem, best, float(l1_norm(best)))
        self._rounds, self.converged, self._lp = rounds, False, None
        if rounds:
            self._move_to_optimum(self._rebuilt())

    def recut(self, problem: Problem) -> None:
        """Whatever outputs came up so far are cuts of the new pieces, where the constraints allow them."""
        nothing = problem.zeros()
        rounds: list[tuple[np.ndarray, np.ndarray]] = []
        for outputs, _ in self._rounds:
            possible = possible_cuts(problem.arrays, nothing, NOTHING, outputs)
            for earlier in rounds:
                forget_known(problem.arrays, outputs, possible, *earlier)
            rounds.append((outputs, possible))
        self._restart(problem, self._best.weights, rounds)

    def report(self) -> Report:
        """primal: of P1 at the best weights. dual: the best bound that alphas of a linear program gave."""
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
