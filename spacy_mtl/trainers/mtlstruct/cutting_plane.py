"""MTLstruct by the 1-slack cutting plane method (Mao & Tsang, Algorithm 1), with cut pruning."""

import numpy as np

from spacy_mtl.structures.contract import Weights
from spacy_mtl.structures.problem import Problem
from spacy_mtl.thresholds import LIVE
from spacy_mtl.trainers.base import Carry, Report, Training, relative_gap
from spacy_mtl.trainers.shared.passes import NOTHING
from spacy_mtl.trainers.shared.sentence_cuts import allowed_cut

from .cuts import add_cut, dot_cut, most_violated
from .norms import block_norm
from .settings import MTLStructSettings
from .subproblem.solve import solve_subproblem


class CuttingPlane(Training):
    """One pass is one round: the most violated outputs become a cut, and the subproblem over the working set gives new weights.

    In the paper's scale (mean risk, C n): p_j^r = -V_j^r / n, q^r = loss^r / n, Q^j_{rs} = <V_j^r, V_j^s> / n^2.
    """

    def __init__(self, settings: MTLStructSettings, problem: Problem):
        super().__init__(problem)
        self.settings = settings
        self._w = problem.zeros()
        self.mu = np.zeros(problem.blocks.n)
        self._cuts: list[np.ndarray] = []
        self._losses = np.empty(0)
        self._gram = np.empty((problem.blocks.n, 0, 0))
        self._alpha = np.empty(0)
        self._idle = np.empty(0, int)
        self._dual = 0.0
        self._last_hinge = 0.0
        self._found: tuple[np.ndarray, float, float] | None = None
        self._torn, self._solved = False, True

    def step(self, sentences: np.ndarray) -> None:
        """Do nothing: a cut needs the whole corpus."""

    def end_pass(self) -> None:
        if self.converged:
            return
        if self._solved:  # otherwise an interrupt came after the cut
            outputs, loss, hinge = self._most_violated()
            self._last_hinge = hinge
            if (
                self._cuts
                and self.settings.C * (hinge - self._working_set_risk()) <= self.settings.tol * self.report().primal
            ):
                self.converged = True  # the paper's stop: R_emp(w) - R_s(w) < eps
                return
            self._add(outputs, loss)
        self._solve()
        self.passes += 1

    def _most_violated(self) -> tuple[np.ndarray, float, float]:
        """The next cut, its loss and the total hinge, under the current weights."""
        self._repair()
        if self._found is None:
            live = self.problem.live(self.mu > 0)
            self._found = most_violated(self.problem.arrays, self._w, live)
        return self._found

    def _block_products(self) -> np.ndarray:
        """(Q^j alpha)_r of every template, float64[T, s]."""
        return self._gram @ self._alpha

    def _working_set_risk(self) -> float:
        """n R_s(w) = n max_r (q^r + sum_j <w_j, p_j^r>), at least 0."""
        values = self._losses / self.problem.n - self.mu @ self._block_products()
        return self.problem.n * max(0.0, float(values.max()))

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
        idle = np.where(self._used(result.alpha), 0, self._idle + 1)
        self._found, self._torn, self._solved = None, True, True
        self._alpha, self.mu, self._dual, self._idle = result.alpha, result.mu, result.dual, idle
        self._repair()
        self._prune()

    def _used(self, alpha: np.ndarray) -> np.ndarray:
        return alpha > 1e-10 * self.settings.C * self.problem.n

    def _repair(self) -> None:
        """Compute the weights again if alpha and mu have changed since, or if an interrupt came while the weights were being rewritten."""
        if not self._torn:
            return
        for matrix in self._w:
            matrix[:] = 0
        for r in np.flatnonzero(self._used(self._alpha)):
            add_cut(self.problem.arrays, self._w, self._cuts[r], self._alpha[r] / self.problem.n)
        self.problem.scale_blocks(self._w, self.mu)
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
        """Keep the cuts, which are outputs; their Gram matrices and the weights are computed again."""
        self._restart(problem, self._cuts, self._losses)

    def recut(self, problem: Problem) -> None:
        """Keep the cuts with the new pieces; outputs that the constraints forbid are replaced by gold."""
        nothing = problem.zeros()
        pairs = [allowed_cut(problem.arrays, nothing, NOTHING, cut) for cut in self._cuts]
        self._restart(problem, [cut for cut, _ in pairs], np.array([loss for _, loss in pairs], float))

    def _restart(self, problem: Problem, cuts: list[np.ndarray], losses: np.ndarray) -> None:
        """Continue with these cuts in another problem, with the old alpha and mu until the subproblem is solved."""
        gram = np.empty((problem.blocks.n, 0, 0))
        for r, cut in enumerate(cuts):
            gram = grown(problem, gram, cuts[:r], cut)
        w, idle = problem.zeros(), np.zeros(len(cuts), int)
        self.problem, self._w, self._cuts, self._losses, self._gram = problem, w, cuts, losses, gram
        self._idle, self._dual, self._found, self.converged = idle, 0.0, None, False
        self._torn, self._solved = True, not cuts
        if cuts:
            self._solve()

    def report(self) -> Report:
        hinge = self._most_violated()[2]
        norms = np.zeros(self.mu.size)
        if self._cuts:
            norms = self.mu * np.sqrt(np.maximum(self._block_products() @ self._alpha, 0))
        primal = 0.5 * block_norm(norms, self.settings.p) ** 2 + self.settings.C * hinge
        live = int((self.mu > LIVE * self.mu.sum()).sum())
        gap = relative_gap(primal, self._dual)
        return Report(primal, self._dual, gap, live, self.mu.size, self.passes)

    @property
    def weights(self) -> Weights:
        self._repair()
        return self._w

    @property
    def template_weights(self) -> np.ndarray:
        return self.mu


def grown(problem: Problem, gram: np.ndarray, cuts: list[np.ndarray], outputs: np.ndarray) -> np.ndarray:
    """Extend the Q^j of these cuts (float64[T, s, s]) by the row and column of one more cut, float64[T, s + 1, s + 1]."""
    arrays, blocks, size = problem.arrays, problem.blocks, len(cuts)
    vector = problem.zeros()
    add_cut(arrays, vector, outputs, 1.0)
    larger = np.empty((blocks.n, size + 1, size + 1))
    larger[:, :size, :size] = gram
    node_dots, pair_dots = np.empty(blocks.n_node), np.empty(blocks.n - blocks.n_node)
    for r, cut in enumerate([*cuts, outputs]):
        dot_cut(arrays, vector, cut, node_dots, pair_dots)
        larger[:, r, size] = larger[:, size, r] = np.concatenate([node_dots, pair_dots]) / problem.n**2
    return larger
