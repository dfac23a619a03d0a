"""l1-M3N by the n-slack cutting plane method (Zhu, Xing and Zhang, Algorithm 1): min 1/2 ||w||_1 + C sum_i xi_i(w), the paper's P1.

Every sentence has cuts of its own. The linear program grows with the cuts but not with the features: by column generation it contains only the
weights that its optimum needs, and a few more. A corpus of many sentences needs many rounds (each adds one output per sentence), but the first
ones are cheap however large the corpus is.
"""

import warnings
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from spacy_mtl.errors import Warnings
from spacy_mtl.structures.contract import Weights
from spacy_mtl.structures.problem import Problem, block_starts
from spacy_mtl.trainers.base import Carry, Kept, Report, Training, relative_gap
from spacy_mtl.trainers.shared.exact import double_work, double_zeros, lowered
from spacy_mtl.trainers.shared.kept import moved_outputs
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
from .sparse_lp import Entries, Optimum, SparseLP

#: Number of weights that may join the linear program the first time, and its growth factor for later times.
FIRST, GROWTH = 100, 2
#: A weight joins if |V_k| exceeds 1/2 by more than this share, which is a little more than rounding errors.
PRICING_TOLERANCE = 1e-6
#: A cut is looked for down to this share of the violation at which all sentences together could exceed ``tol``.
SHARE = 0.5
#: Violations below this may come from the rounding of the weights; longer weights keep the margins again, by these factors.
ROUNDED, LONGER = 1e-4, (1.0, 1 + 1e-6, 1 + 1e-5)
#: Rounding of V_k in double precision, relative to the sum of all alphas.
ROUNDING = 1e-15


class Point(NamedTuple):
    """Weights and their properties.

    size: ||w||_1. slacks: float64[n], from the linear program of these weights. outputs: int32[n_slots], the most violated ones. hinges: float64[n].
    """

    weights: Weights
    size: float
    slacks: np.ndarray
    outputs: np.ndarray
    hinges: np.ndarray


class NSlackCuttingPlane(Training):
    """One pass is one round: the most violated outputs become cuts, unless their violation is too small, and a linear program is solved.

    (Algorithm 1 solves the program after every single cut, which gives the same optimum with many more programs.) Predicts with the best weights so
    far. A round is stored as outputs int32[n_slots], and bool[n] for the sentences with a cut. Memory: the rounds, the program, and, while it grows,
    one vector V in double precision; weight vectors are only touched where they are not zero.
    """

    def __init__(self, settings: L1M3NSettings, problem: Problem):
        super().__init__(problem)
        self.settings = settings
        self._rounds: list[tuple[np.ndarray, np.ndarray]] = []
        self._lp: SparseLP | None = SparseLP(problem.n, settings.C)
        self._begin(problem, problem.zeros(), 0.0)

    def _begin(self, problem: Problem, weights: Weights, size: float) -> None:
        """Begin with these weights; all that is known of the optimum is that it is not negative."""
        point = self._point(problem, weights, size, np.zeros(problem.n))
        primal = self._primal(point)
        self.problem, self._best, self._now, self._best_primal, self._dual = problem, point, point, primal, 0.0

    def _point(self, problem: Problem, weights: Weights, size: float, slacks: np.ndarray) -> Point:
        live = problem.live(problem.block_norms(weights) > 0)
        return Point(weights, size, slacks, *violated_outputs(problem.arrays, weights, live, double_work(problem)))

    def _primal(self, point: Point) -> float:
        return 0.5 * point.size + self.settings.C * float(point.hinges.sum())

    def step(self, sentences: np.ndarray) -> None:
        """Do nothing: a round needs the whole corpus."""

    def end_pass(self) -> None:
        """Run a round. Training ends where no new output is violated, and has converged if the gap is within ``tol`` then or before."""
        if self.finished:
            return
        violated = self._now.hinges > self._now.slacks + self._least_violation()
        for outputs, chosen in self._rounds:
            forget_known(self.problem.arrays, self._now.outputs, violated, outputs, chosen)
        if self._lp is not None and not violated.any():
            self._end()
            return
        lp, self._lp = self._lp, None  # it is rebuilt if an interrupt comes before the end
        if violated.any():
            self._rounds.append((self._now.outputs, violated))
            if lp is not None:
                self._add_cuts(lp, self._now.outputs, violated)
        self._move_to_optimum(self._rebuilt() if lp is None else lp)
        self.passes += 1
        self.converged = self.report().gap <= self.settings.tol

    def _least_violation(self) -> float:
        """The smallest violation that makes a cut: eps, or less where all sentences together would otherwise keep the gap above ``tol``."""
        allowed = self.settings.tol * max(self._best_primal, self._dual) / (self.settings.C * self.problem.n)
        return min(self.settings.eps, SHARE * allowed)

    def _end(self) -> None:
        """End where the linear program already has all violated outputs: what is left is the precision of its solution, and of the weights."""
        report = self.report()
        self.ended, self.converged = True, report.gap <= self.settings.tol
        if not self.converged:
            text = Warnings.M338.format(trainer="L1M3N", gap=report.gap, tol=self.settings.tol)
            warnings.warn(text, stacklevel=3)

    def _move_to_optimum(self, lp: SparseLP) -> None:
        """Move to the optimum of the linear program over all cuts and all weights, and keep it if it is the best point so far."""
        most, optimum = FIRST, lp.solve()
        while (new := self._priced_in(lp, optimum.alphas, most)).size:
            self._add_weights(lp, new)
            most, optimum = GROWTH * most, lp.solve()
        now = self._rounded(optimum)
        self._now, self._lp = now, lp
        if self._primal(now) <= self._best_primal:
            self._best, self._best_primal = now, self._primal(now)

    def _rounded(self, optimum: Optimum) -> Point:
        """The weights of an optimum in single precision; a little longer, if it is rounding that violates margins and C makes that costly."""
        best: Point | None = None
        for factor in LONGER:
            weights = self.problem.zeros()
            values = (factor * optimum.values).astype(np.float32)
            set_entries(weights, optimum.keys, values)
            size = float(np.abs(values).sum(dtype=np.float64))
            point = self._point(self.problem, weights, size, optimum.slacks)
            best = point if best is None or self._primal(point) < self._primal(best) else best
            missed = np.maximum(best.hinges - best.slacks, 0)
            costly = self.settings.C * float(missed.sum()) > SHARE * self.settings.tol * self._primal(best)
            if not costly or missed.max() > ROUNDED:
                break
        assert best is not None
        return best

    def _priced_in(self, lp: SparseLP, alphas: np.ndarray, most: int) -> np.ndarray:
        """The weights outside the program with |V_k| > 1/2, which the optimum needs: the ``most`` largest, ascending. Empty if there are none.

        V = sum_r alpha_r (Phi(gold) - Phi(output_r)), alphas: float64[cuts]. Divided by the largest factor by which they exceed the constraints of
        the dual over all weights (|V_k| <= 1/2, sums per sentence <= C), the alphas are feasible for it, and so give a lower bound of P1.
        """
        amounts = np.maximum(alphas, 0)
        vector = double_zeros(self.problem)
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
        steepest = max(float(inside), float(outside)) + ROUNDING * float(amounts.sum())
        excess = max(1.0, 2 * steepest, float(sums.max()) / self.settings.C)
        self._dual = max(self._dual, lowered(value / excess, value))
        return np.sort(new)

    def _entries(self, outputs: np.ndarray, chosen: np.ndarray, keys: np.ndarray) -> Entries:
        """The entries of the outputs (int32[n_slots]) of the chosen sentences (bool[n]) for the weights ``keys``."""
        node, pair = self._now.weights
        return Entries(*cut_columns(self.problem.arrays, outputs, np.flatnonzero(chosen), keys, node.shape, pair.shape))

    def _add_cuts(self, lp: SparseLP, outputs: np.ndarray, chosen: np.ndarray) -> None:
        sentences = np.flatnonzero(chosen)
        lp.add_cuts(
            sentences, cut_losses(self.problem.arrays, outputs, sentences), self._entries(outputs, chosen, lp.keys)
        )

    def _add_weights(self, lp: SparseLP, keys: np.ndarray) -> None:
        """Add weights to the program, with their entries in all cuts so far."""
        parts = [self._entries(outputs, chosen, keys) for outputs, chosen in self._rounds]
        counts, places, values = zip(*((np.diff(part.starts), part.places, part.values) for part in parts), strict=True)
        lp.add_weights(
            keys, Entries(block_starts(np.concatenate(counts)), np.concatenate(places), np.concatenate(values))
        )

    def _rebuilt(self) -> SparseLP:
        """Rebuild the linear program over all cuts so far, with the weights of the best point."""
        lp = SparseLP(self.problem.n, self.settings.C)
        for outputs, chosen in self._rounds:
            self._add_cuts(lp, outputs, chosen)
        count = sum(np.count_nonzero(matrix) for matrix in self._best.weights)
        if count:
            self._add_weights(lp, np.sort(largest_entries(self._best.weights, 0.0, count)[0]))
        return lp

    def rebind(self, problem: Problem, carry: Carry) -> None:
        """Keep the cuts, which are outputs, and the best weights; the linear program is rebuilt."""
        self._restart(problem, carry(self._best.weights), self._rounds)

    def _restart(self, problem: Problem, best: Weights, rounds: list[tuple[np.ndarray, np.ndarray]]) -> None:
        """Continue with these cuts, from the best weights so far."""
        self._begin(problem, best, float(l1_norm(best)))
        self._rounds, self.converged, self.ended, self._lp = rounds, False, False, None
        if rounds:
            self._move_to_optimum(self._rebuilt())

    def recut(self, problem: Problem) -> None:
        """Turn the outputs found so far into cuts of the new pieces, where the constraints allow them."""
        self._continue(problem, self._best.weights, [outputs for outputs, _ in self._rounds])

    def extend(self, problem: Problem, carry: Carry, kept: Kept) -> None:
        """Keep the cuts and the best weights; new sentences have no cut yet."""
        moved = [moved_outputs(problem, kept, outputs) for outputs, _ in self._rounds]
        self._continue(problem, carry(self._best.weights), moved)

    def _continue(self, problem: Problem, best: Weights, found: Sequence[np.ndarray]) -> None:
        nothing = problem.zeros()
        rounds: list[tuple[np.ndarray, np.ndarray]] = []
        for outputs in found:
            possible = possible_cuts(problem.arrays, nothing, NOTHING, outputs)
            for earlier in rounds:
                forget_known(problem.arrays, outputs, possible, *earlier)
            rounds.append((outputs, possible))
        self._restart(problem, best, rounds)

    def report(self) -> Report:
        """The report. primal: of P1 at the best weights. dual: the best bound from the alphas of a linear program."""
        live = int(self.template_weights.sum())
        gap = relative_gap(self._best_primal, self._dual)
        return Report(self._best_primal, self._dual, gap, live, self.problem.blocks.n, self.passes)

    @property
    def loss(self) -> float:
        """Sum of the hinges under the latest weights."""
        return float(self._now.hinges.sum())

    @property
    def weights(self) -> Weights:
        return self._best.weights

    @property
    def template_weights(self) -> np.ndarray:
        """1 for templates with a non-zero weight, otherwise 0."""
        return (self.problem.block_norms(self.weights) > 0).astype(float)
