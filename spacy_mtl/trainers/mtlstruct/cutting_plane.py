"""MTLstruct by the 1-slack cutting plane method (Mao & Tsang, Algorithm 1), with cut pruning."""

import warnings
from typing import NamedTuple

import numpy as np

from spacy_mtl.errors import Warnings
from spacy_mtl.structures.contract import Weights
from spacy_mtl.structures.problem import Problem
from spacy_mtl.thresholds import LIVE
from spacy_mtl.trainers.base import Carry, Kept, Report, Training, relative_gap
from spacy_mtl.trainers.shared.exact import double_work
from spacy_mtl.trainers.shared.kept import moved_outputs
from spacy_mtl.trainers.shared.multiples import best_multiple, lengthen
from spacy_mtl.trainers.shared.passes import NOTHING
from spacy_mtl.trainers.shared.sentence_cuts import allowed_cut

from .cuts import add_cut, dot_cut, most_violated
from .norms import block_norm
from .reweighing import shown_weights
from .settings import MTLStructSettings
from .subproblem.certificate import safe_dual
from .subproblem.solve import solve_subproblem

#: A cut whose share of all alpha is not above this is idle.
IDLE = 1e-10


class Found(NamedTuple):
    """What is most violated under some weights: one output per sentence, int32[n_slots], their hinges and losses, float64[n]."""

    outputs: np.ndarray
    hinges: np.ndarray
    losses: np.ndarray


class CuttingPlane(Training):
    """One pass is one round: the most violated outputs become a cut, and the subproblem over the working set gives new weights.

    In the paper's scale (mean risk, C n): p_j^r = -V_j^r / n, q^r = loss^r / n, Q^j_{rs} = <V_j^r, V_j^s> / n^2.
    """

    def __init__(self, settings: MTLStructSettings, problem: Problem, dual: float = 0.0):
        """dual: a lower bound of the optimum that is known already."""
        super().__init__(problem)
        self.settings = settings
        self._w = problem.zeros()
        self.mu = np.zeros(problem.blocks.n)
        self._cuts: list[np.ndarray] = []
        self._losses = np.empty(0)
        self._gram = np.empty((problem.blocks.n, 0, 0))
        self._alpha = np.empty(0)
        self._idle = np.empty(0, int)
        self._dual = dual
        self._last_hinge = 0.0
        self._found: Found | None = None
        self._torn, self._solved = False, True

    def step(self, sentences: np.ndarray) -> None:
        """Do nothing: a cut needs the whole corpus."""

    def end_pass(self) -> None:
        if self.finished:
            return
        if self._solved:  # otherwise an interrupt came after the cut
            found = self._most_violated()
            self._last_hinge = float(found.hinges.sum())
            if self._cuts and (self._closed(found) or self._repeated(found)):
                return
            self._add(found.outputs, float(found.losses.sum()))
        self._solve()
        self.passes += 1

    def _closed(self, found: "Found") -> bool:
        """Converge if the gap of the weights, or of a multiple of them, is within ``tol``."""
        settings = self.settings
        bound = self._primal(found)
        if relative_gap(bound, self._dual) > settings.tol:
            bound = best_multiple(found.hinges, found.losses, self._penalty(self._w), settings.C)[1]
        if relative_gap(bound, self._dual) > settings.tol:
            return False
        self._found, self._torn = None, True  # until the weights are what they will be
        objective = lengthen(self.problem, self._w, self._penalty, settings.C, self._dual, settings.tol)
        self._torn = False
        self.converged = relative_gap(objective.primal, self._dual) <= settings.tol
        return self.converged

    def _repeated(self, found: "Found") -> bool:
        """End where the most violated outputs are a cut already: single precision cannot tell the weights from the optimum of the subproblem.

        Approximate decoding may find the same outputs again for another reason, and its gaps are lower bounds anyway: then there is no warning.
        """
        if not any(np.array_equal(found.outputs, cut) for cut in self._cuts):
            return False
        if self.problem.exact:
            text = Warnings.M331.format(gap=self.report().gap, tol=self.settings.tol, C=self.settings.C)
            warnings.warn(text, stacklevel=2)
        self.ended = True
        return True

    def _most_violated(self) -> "Found":
        """The next cut and the hinges under the current weights."""
        self._repair()
        if self._found is None:
            hinges, losses = np.empty(self.problem.n), np.empty(self.problem.n)
            live = self.problem.live(self.mu > 0)
            work = double_work(self.problem)
            outputs = most_violated(self.problem.arrays, self._w, live, work, hinges, losses)
            self._found = Found(outputs, hinges, losses)
        return self._found

    def _penalty(self, weights: Weights) -> float:
        """1/2 ||w||_{2,p}^2."""
        return 0.5 * block_norm(self.problem.block_norms(weights), self.settings.p) ** 2

    def _primal(self, found: "Found") -> float:
        return self._penalty(self._w) + self.settings.C * float(found.hinges.sum())

    def _add(self, outputs: np.ndarray, loss: float) -> None:
        """Add a cut and its row of every Q^j, completely or (after an interrupt) not at all."""
        gram, cuts = grown(self.problem, self._gram, self._cuts, outputs), [*self._cuts, outputs]
        losses, alpha, idle = np.append(self._losses, loss), np.append(self._alpha, 0.0), np.append(self._idle, 0)
        self._gram, self._cuts, self._losses, self._alpha, self._idle = gram, cuts, losses, alpha, idle
        self._solved = False

    def _solve(self) -> None:
        """Compute the weights from the subproblem over the working set (eq. 6-7, and eq. 11-13 for p > 1), then prune cuts."""
        settings, n = self.settings, self.problem.n
        result = solve_subproblem(
            self._gram, self._losses / n, settings.C * n, settings.p, solver=settings.subproblem, start=self._alpha
        )
        idle = np.where(result.alpha > IDLE * result.alpha.sum(), 0, self._idle + 1)
        self._found, self._torn, self._solved = None, True, True
        self._alpha, self.mu, self._idle = result.alpha, result.mu, idle
        self._dual = max(self._dual, safe_dual(self._gram, self._losses / n, settings.C * n, settings.p, result.alpha))
        self._repair()
        self._prune()

    def _repair(self) -> None:
        """Compute the weights again if alpha and mu have changed since, or if an interrupt came while the weights were being rewritten."""
        if not self._torn:
            return
        vector = double_zeros(self.problem)
        # where a long cut adds and takes away the same, its rounding would swallow what short ones have left before
        for r in np.argsort(self._alpha)[::-1]:
            if self._alpha[r]:
                add_cut(self.problem.arrays, vector, self._cuts[r], self._alpha[r] / self.problem.n)
        self.problem.scale_blocks(vector, self.mu)
        for matrix, exact in zip(self._w, vector, strict=True):
            matrix[:] = exact
        self._torn = False

    def _prune(self) -> None:
        keep = self._idle < self.settings.max_idle
        if keep.all():
            return
        cuts = [cut for cut, kept in zip(self._cuts, keep, strict=True) if kept]
        gram = np.ascontiguousarray(self._gram[:, keep][:, :, keep])
        losses, alpha, idle = self._losses[keep], self._alpha[keep], self._idle[keep]
        self._cuts, self._gram, self._losses, self._alpha, self._idle = cuts, gram, losses, alpha, idle

    @property
    def loss(self) -> float:
        """Total structured hinge when the last cut was made."""
        return self._last_hinge

    def rebind(self, problem: Problem, carry: Carry) -> None:
        """Keep the cuts, which are outputs; their Gram matrices and the weights are computed again, and losses where offsets may have changed."""
        if problem.has_offset:
            self.recut(problem)
            return
        self._restart(problem, self._cuts, self._losses)

    def extend(self, problem: Problem, carry: Carry, kept: Kept) -> None:
        """Keep the cuts, which are gold in new sentences."""
        self._continue(problem, [moved_outputs(problem, kept, cut) for cut in self._cuts])

    def recut(self, problem: Problem) -> None:
        """Keep the cuts with the new pieces; outputs that the constraints forbid are replaced by gold."""
        self._continue(problem, self._cuts)

    def _continue(self, problem: Problem, cuts: list[np.ndarray]) -> None:
        nothing = problem.zeros()
        pairs = [allowed_cut(problem.arrays, nothing, NOTHING, cut) for cut in cuts]
        self._restart(problem, [cut for cut, _ in pairs], np.array([loss for _, loss in pairs], float))

    def _restart(self, problem: Problem, cuts: list[np.ndarray], losses: np.ndarray) -> None:
        """Continue with these cuts in another problem, with the old alpha and mu until the subproblem is solved."""
        gram = np.empty((problem.blocks.n, 0, 0))
        for r, cut in enumerate(cuts):
            gram = grown(problem, gram, cuts[:r], cut)
        w, idle = problem.zeros(), np.zeros(len(cuts), int)
        self.problem, self._w, self._cuts, self._losses, self._gram = problem, w, cuts, losses, gram
        self._idle, self._dual, self._found, self.converged, self.ended = idle, 0.0, None, False, False
        self._torn, self._solved = True, not cuts
        if cuts:
            self._solve()

    def report(self) -> Report:
        primal = self._primal(self._most_violated())
        is_live = self.mu > LIVE * self.mu.sum() if self.settings.p < 2 else self.problem.block_norms(self._w) > 0
        return Report(
            primal, self._dual, relative_gap(primal, self._dual), int(is_live.sum()), self.mu.size, self.passes
        )

    @property
    def weights(self) -> Weights:
        self._repair()
        return self._w

    @property
    def template_weights(self) -> np.ndarray:
        return shown_weights(self.mu, self.settings.p)


def grown(problem: Problem, gram: np.ndarray, cuts: list[np.ndarray], outputs: np.ndarray) -> np.ndarray:
    """Extend the Q^j of these cuts (float64[T, s, s]) by the row and column of one more cut, float64[T, s + 1, s + 1]."""
    arrays, blocks, size = problem.arrays, problem.blocks, len(cuts)
    vector = double_zeros(problem)
    add_cut(arrays, vector, outputs, 1.0)
    larger = np.empty((blocks.n, size + 1, size + 1))
    larger[:, :size, :size] = gram
    node_dots, pair_dots = np.empty(blocks.n_node), np.empty(blocks.n - blocks.n_node)
    for r, cut in enumerate([*cuts, outputs]):
        dot_cut(arrays, vector, cut, node_dots, pair_dots)
        larger[:, r, size] = larger[:, size, r] = np.concatenate([node_dots, pair_dots]) / problem.n**2
    return larger


def double_zeros(problem: Problem) -> Weights:
    """A weight vector of zeros in double precision."""
    return Weights(*(np.zeros(matrix.shape) for matrix in problem.zeros()))
