"""MTLstruct (Mao & Tsang): max-margin structured learning that weighs templates by an l_{2,p} block norm.

min_w  1/2 ||w||_{2,p}^2 + C sum_i xi_i(w),   ||w||_{2,p} = (sum_j ||w_j||^p)^{1/p},  p >= 1
"""

from dataclasses import dataclass
from typing import ClassVar

from spacy_mtl.registry import mtl_trainers
from spacy_mtl.structures.problem import Problem
from spacy_mtl.trainers.base import Trainer, Training

from .settings import MTLStructSettings
from .subproblem.solvers import check_installed


@dataclass(frozen=True)
class MTLStruct(MTLStructSettings, Trainer):  # type: ignore[override]
    """Settings of :func:`mtl_struct`, and the training that they begin."""

    offsets: ClassVar[bool] = True

    def check(self, offers: frozenset[str], structure: str) -> None:
        """Also refuse a solver of cvxpy that is not installed (M357); a trained model loads without it."""
        super().check(offers, structure)
        if self.solver == "cutting_plane":
            check_installed(self.subproblem)

    def _begin(self, problem: Problem) -> Training:
        if self.solver == "cutting_plane":
            from .cutting_plane import CuttingPlane

            return CuttingPlane(self, problem)
        from .dual_ascent import DualAscent

        return DualAscent(self, problem)

    def begin_after(self, earlier: Training) -> Training:
        """Dual ascent starts from the mixtures of an earlier dual ascent, which are feasible for every C and p."""
        from .dual_ascent import DualAscent

        training = self.begin(earlier.problem)
        if isinstance(training, DualAscent) and isinstance(earlier, DualAscent):
            training.take_over(earlier)
        return training


@mtl_trainers("spacy_mtl.MTLStruct.v1")
def mtl_struct(
    p: float = 1.0,
    C: float = 1.0,
    solver: str = "dual_ascent",
    tol: float = 1e-3,
    average: int = 1,
    inner_passes: int = 1,
    seed: int = 0,
    subproblem: str = "interior_point",
    max_idle: int = 20,
    threads: int = 1,
) -> MTLStruct:
    """Multiple template learning: max-margin training with an l_{2,p} norm over the templates' blocks.

    p: exponent of the block norm; 1 removes templates, 2 is the structural SVM. C: weight of the sum of the sentences' hinge losses.
    solver: "dual_ascent" (block-coordinate Frank-Wolfe in the part marginals) or "cutting_plane" (the paper's Algorithm 1).
    tol: stop when the relative duality gap falls below it, whatever the solver.
    average: dual ascent; predict with a running average of the weights over about the last ``average`` passes, 1 for none.
    inner_passes: dual ascent; passes run at the end of each pass over the corpus.
    seed: dual ascent; order of the sentences within a pass.
    subproblem: cutting plane; "interior_point" (our own), or "cvxpy" or "cvxpy:NAME" with a conic solver that cvxpy has installed.
    max_idle: cutting plane; a cut is dropped after this many rounds without weight.
    threads: dual ascent; 1 to 256 threads, which share passes and certificates. Several make passes in small batches, with the same result
    for any number above 1.
    Raises ValueError: M302-M305, M359, M370 and M371 for settings out of range, M373 for several threads of cutting planes; before training M357
    for a solver that cvxpy does not have.
    """
    return MTLStruct(p, C, solver, tol, average, inner_passes, seed, subproblem, max_idle, threads)


@mtl_trainers("spacy_mtl.SSVM.v1")
def ssvm(
    C: float = 1.0,
    solver: str = "dual_ascent",
    tol: float = 1e-3,
    average: int = 1,
    inner_passes: int = 1,
    seed: int = 0,
    threads: int = 1,
) -> MTLStruct:
    """The structural SVM (l2 norm, every template weighs the same): MTLstruct at p = 2. Settings as there."""
    return MTLStruct(2.0, C, solver, tol, average, inner_passes, seed, threads=threads)
