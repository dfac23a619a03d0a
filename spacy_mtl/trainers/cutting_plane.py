"""MTLstruct by the 1-slack cutting plane method (Mao & Tsang, Algorithm 1), with cut pruning."""

from typing import TYPE_CHECKING

import numpy as np

from ..structures.contract import Weights
from ..structures.problem import Problem
from ..thresholds import LIVE
from .base import Carry, Report, Training
from .optim.cuts import add_cut, dot_cut, most_violated
from .optim.dual_ascent import relative_gap
from .optim.norms import block_norm
from .optim.subproblem import solve_subproblem

if TYPE_CHECKING:
    from .mtlstruct import MTLStruct


class CuttingPlane(Training):
    """One pass is one round: the most violated outputs become a cut, the subproblem over the working set gives new weights.

    In the paper's scale (mean risk, C n): p_j^r = -V_j^r / n, q^r = loss^r / n, Q^j_{rs} = <V_j^r, V_j^s> / n^2.
    """

    def __init__(self, settings: "MTLStruct", problem: Problem):
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

    def step(self, sentences: np.ndarray) -> None:
        """Nothing: a cut needs the whole corpus."""

    def end_pass(self) -> None:
        if self.converged:
            return
        outputs, loss, hinge = self._most_violated()
        self._last_hinge = hinge
        if (
            self._cuts
            and self.settings.C * (hinge - self._working_set_risk()) <= self.settings.tol * self.report().primal
        ):
            self.converged = True  # the eps stop: R_emp(w) - R_s(w) < eps
            return
        self._add(outputs, loss)
        self._solve()
        self._found = None
        self.passes += 1

    def _most_violated(self) -> tuple[np.ndarray, float, float]:
        """The next cut, its loss and the total hinge, under the present weights."""
        if self._found is None:
            live = self.problem.live(self.mu > 0)
            self._found = most_violated(self.problem.arrays, self._w, live)
        return self._found

    def _block_products(self) -> np.ndarray:
        """(Q^j alpha)_r of every template: float64[T, s]."""
        return self._gram @ self._alpha

    def _working_set_risk(self) -> float:
        """n R_s(w) = n max_r (q^r + sum_j <w_j, p_j^r>), at least 0."""
        values = self._losses / self.problem.n - self.mu @ self._block_products()
        return self.problem.n * max(0.0, float(values.max()))

    def _add(self, outputs: np.ndarray, loss: float) -> None:
        """A new cut and its row of every Q^j."""
        arrays, blocks, n = self.problem.arrays, self.problem.blocks, self.problem.n
        vector = self.problem.zeros()
        add_cut(arrays, vector, outputs, 1.0)
        size = len(self._cuts)
        gram = np.empty((blocks.n, size + 1, size + 1))
        gram[:, :size, :size] = self._gram
        node_dots, pair_dots = np.empty(blocks.n_node), np.empty(blocks.n - blocks.n_node)
        for r, cut in enumerate([*self._cuts, outputs]):
            dot_cut(arrays, vector, cut, node_dots, pair_dots)
            gram[:, r, size] = gram[:, size, r] = np.concatenate([node_dots, pair_dots]) / n**2
        self._gram = gram
        self._cuts.append(outputs)
        self._losses = np.append(self._losses, loss)
        self._alpha = np.append(self._alpha, 0.0)
        self._idle = np.append(self._idle, 0)

    def _solve(self) -> None:
        """Weights from the subproblem over the working set (eq. 6-7, and eq. 11-13 for p > 1); then prune."""
        settings, n = self.settings, self.problem.n
        result = solve_subproblem(
            self._gram, self._losses / n, settings.C * n, settings.p, solver=settings.subproblem, start=self._alpha
        )
        self._alpha, self.mu, self._dual = result.alpha, result.mu, result.dual
        used = self._alpha > 1e-10 * settings.C * n
        self._idle = np.where(used, 0, self._idle + 1)
        self._rebuild(used)
        self._prune()

    def _rebuild(self, used: np.ndarray) -> None:
        for matrix in self._w:
            matrix[:] = 0
        for r in np.flatnonzero(used):
            add_cut(self.problem.arrays, self._w, self._cuts[r], self._alpha[r] / self.problem.n)
        self.problem.scale_blocks(self._w, self.mu)

    def _prune(self) -> None:
        keep = self._idle < self.settings.max_idle
        if keep.all():
            return
        self._cuts = [cut for cut, kept in zip(self._cuts, keep, strict=True) if kept]
        self._gram = np.ascontiguousarray(self._gram[:, keep][:, :, keep])
        self._losses, self._alpha, self._idle = self._losses[keep], self._alpha[keep], self._idle[keep]

    @property
    def loss(self) -> float:
        """Total structured hinge on which the last cut was made."""
        return self._last_hinge

    def rebind(self, problem: Problem, carry: Carry) -> None:
        """The cuts stay (they are outputs); their Gram matrices and the weights are made anew."""
        self.problem, self._w = problem, problem.zeros()
        self._found, self.converged = None, False
        cuts, losses = self._cuts, self._losses
        self._cuts, self._losses = [], np.empty(0)
        self._alpha, self._idle = np.empty(0), np.empty(0, int)
        self._gram = np.empty((problem.blocks.n, 0, 0))
        for cut, loss in zip(cuts, losses, strict=True):
            self._add(cut, loss)
        if cuts:
            self._solve()

    def report(self) -> Report:
        hinge = self._most_violated()[2]
        norms = self.mu * np.sqrt(np.maximum(self._block_products() @ self._alpha, 0)) if self._cuts else self.mu
        primal = 0.5 * block_norm(norms, self.settings.p) ** 2 + self.settings.C * hinge
        live = int((self.mu > LIVE * self.mu.sum()).sum())
        gap = relative_gap(primal, self._dual)
        return Report(primal, self._dual, gap, live, self.mu.size, self.passes)

    @property
    def weights(self) -> Weights:
        return self._w

    @property
    def template_weights(self) -> np.ndarray:
        return self.mu
