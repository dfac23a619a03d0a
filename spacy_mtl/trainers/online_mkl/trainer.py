"""Online multiple kernel learning (Martins, Smith, Xing, Aguiar and Figueiredo): settings.

min_theta  Omega(||theta_1||, ..., ||theta_M||) + C sum_i L_i(theta),  one sentence after another
"""

from dataclasses import dataclass
from typing import ClassVar

from spacy_mtl.registry import mtl_trainers
from spacy_mtl.structures.problem import Problem
from spacy_mtl.trainers.base import Trainer, Training
from spacy_mtl.trainers.checks import check_one_thread

from .settings import OnlineMKLSettings


@dataclass(frozen=True)
class OnlineMKL(OnlineMKLSettings, Trainer):  # type: ignore[override]
    """Settings of :func:`online_mkl`, and the training that they begin."""

    offsets: ClassVar[bool] = True

    def _begin(self, problem: Problem) -> Training:
        from .training import OnlineMKLTraining

        return OnlineMKLTraining(self, problem)


@mtl_trainers("spacy_mtl.OnlineMKL.v1")
def online_mkl(
    regularizer: str | dict[str, float] = "l21",
    q: float = 1.5,
    C: float = 1.0,
    loss: str = "hinge",
    model: str = "average",
    eta0: float = 1.0,
    schedule: str = "sqrt",
    gamma: float | None = None,
    transition: str = "fixed",
    seed: int = 0,
    threads: int = 1,
) -> OnlineMKL:
    """Online multiple kernel learning, the paper's Algorithm 1; its lambda is 1/(C n), n sentences.

    regularizer: of the norms b_m of the templates' blocks. "l2": 1/2 sum b_m^2, the plain SVM. "l21": 1/2 (sum b_m)^2, sparse kernel learning, as
    MTLstruct at p = 1. "lq": 1/q sum b_m^q, non-sparse. A sum is written with weights, as {"l21": 1.0, "l2": 0.1} (elastic).
    q: exponent of "lq", at least 1.
    C: weight of the sum of the sentences' losses.
    loss: "hinge" (loss-augmented decoding) or "log" (as in a CRF; needs marginals).
    model: predict with the "average" of the weights after each sentence, or with the "last".
    eta0: learning rate of the first sentence; no later one exceeds it.
    schedule: "sqrt", eta_t = eta0 / sqrt(t); or "strongly_convex", eta_t = min(eta0, 1/(sigma t)), for regularizers with a summand "l2": sigma is
    lambda times the weight of that summand (at most 1 where the transitions are "fixed").
    gamma: bound on the Euclidean norm of the weights; null for none.
    transition: how templates that score label pairs alone are regularized. "fixed": by 1/2 b^2, separately (their kernel has weight 1);
    "learned": as the other templates; "free": not at all.
    seed: order of the sentences within a pass.
    threads: 1; this trainer does not work on several.
    Raises ValueError: M373 for several threads,
    M302, M305, M370 and M371 for settings out of range, M310 an unknown regularizer, M311 q, M312 an unknown choice, M313 a schedule that does
    not fit the regularizer.
    """
    check_one_thread("OnlineMKL", threads)
    return OnlineMKL(regularizer, q, C, loss, model, eta0, schedule, gamma, transition, seed)
