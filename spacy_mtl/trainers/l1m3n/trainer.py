"""l1-M3N (Zhu, Xing and Zhang): max-margin learning with an l1 norm over single weights, sparse in features and in support vectors.

Three algorithms have the same solutions. If w* solves the first problem at C, it solves the others at the C' and the radius given:
em             min 1/2 ||w||_1^2 + C sum_i xi_i(w)           (P4)
cutting_plane  min 1/2 ||w||_1   + C' sum_i xi_i(w)          (P1)        C' = C / (2 ||w*||_1)
subgradient    min (1/n) sum_i xi_i(w)  s.t. ||w||_1 <= radius           radius = ||w*||_1
"""

from dataclasses import dataclass
from typing import ClassVar

from spacy_mtl.registry import mtl_trainers
from spacy_mtl.structures.problem import Problem
from spacy_mtl.trainers.base import Trainer, Training

from .settings import L1M3NSettings


@dataclass(frozen=True)
class L1M3N(L1M3NSettings, Trainer):  # type: ignore[override]
    """Settings of :func:`l1_m3n`, and the training that they begin."""

    offsets: ClassVar[bool] = True

    def _begin(self, problem: Problem) -> Training:
        if self.algorithm == "subgradient":
            from .subgradient import ProjectedSubgradient

            return ProjectedSubgradient(self, problem)
        if self.algorithm == "cutting_plane":
            from .cutting_plane import NSlackCuttingPlane

            return NSlackCuttingPlane(self, problem)
        if self.algorithm == "laplace":
            from .laplace import Laplace

            return Laplace(self, problem)
        from .em import EM

        return EM(self, problem)


@mtl_trainers("spacy_mtl.L1M3N.v1")
def l1_m3n(
    algorithm: str = "em",
    C: float = 1.0,
    tol: float = 1e-3,
    rounds: int = 15,
    inner_passes: int = 5,
    threshold: float = 1e-4,
    prior_lambda: float = 1.0,
    radius: float = 100.0,
    batch_size: int = 0,
    learning_rate: float = 1.0,
    eps: float = 1e-3,
    seed: int = 0,
    threads: int = 1,
) -> L1M3N:
    """Feature selection by an l1 norm, and its smooth relative, the Laplace M3N.

    algorithm: "em" (rounds of an M3N with a scale for each weight; the one for large corpora), "subgradient" (projected onto an l1 ball),
    "cutting_plane" (linear programs over the most violated outputs, by column generation; many rounds on large corpora), or "laplace" (the Laplace
    M3N with its variational penalty: as em, but small weights are shrunk and never exactly 0). The objectives are in this module's first lines.
    C: em, cutting_plane, laplace; weight of the sum of the sentences' hinge losses.
    tol: stop when the relative duality gap falls below it (em and laplace compute it after each round, subgradient after every tenth pass).
    rounds: em, laplace; how often the scales are estimated. Training ends after the last round, whatever its gap; it has converged only if that is
    within tol.
    inner_passes: em, laplace; passes over the corpus in each round. A pass of the training is one of these.
    threshold: em; after each round, weights below this share of the largest become exactly 0 for good. Up to 1e-4, the paper's value, this holds in
    all rounds. A larger value applies from the second half of the rounds on, or once the gap is below tol, and removes weights that
    contribute little; 0 keeps all.
    prior_lambda: laplace; the paper's lambda, of priors proportional to exp(-sqrt(lambda) |w_k|). The larger it is, the closer the penalty is to an
    l1 norm times sqrt(lambda).
    radius: subgradient; bound on ||w||_1, the paper's lambda.
    batch_size: subgradient; sentences in a step, 0 for all (batch), 1 for one at a time (stochastic). Each step projects the whole vector: on large
    corpora use hundreds.
    learning_rate: subgradient; factor of the step sizes (largest ||w||_2 so far) / sqrt(sum of the squared norms of all subgradients so far), which
    adapt to the scale of the features.
    eps: cutting_plane; an output becomes a cut if its hinge loss exceeds the slack in the linear program by more than this, or by less where tol
    needs it. Training also ends, with a warning (M338), where no new output is violated above the precision of the weights.
    seed: em, laplace, stochastic subgradient; order of the sentences within a pass.
    threads: em, laplace; 1 to 256 threads, which share passes and certificates. Several make passes in small batches, with the same optimum.
    Raises ValueError: M373 for several threads of subgradient and cutting_plane; M302, M305, M325, M326, M370, M371 for settings out of range.
    """
    return L1M3N(
        algorithm, C, tol, rounds, inner_passes, threshold, prior_lambda, radius, batch_size, learning_rate, eps, seed, threads
    )  # fmt: skip
