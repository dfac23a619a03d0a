"""Online multiple kernel learning (Martins, Smith, Xing, Aguiar and Figueiredo): settings.

min_theta  Omega(||theta_1||, ..., ||theta_M||) + C sum_i L_i(theta),  one sentence after another
"""

from dataclasses import dataclass

import numpy as np

from ..errors import Errors
from ..registry import mtl_trainers
from ..structures.problem import Problem
from .base import Trainer, Training, check_positive, check_whole
from .optim.prox import Regularizer

CHOICES = {
    "loss": ("hinge", "log"),
    "model": ("average", "last"),
    "schedule": ("sqrt", "strongly_convex"),
    "transition": ("fixed", "learned", "free"),
}
NEEDS = {"hinge": frozenset({"decode"}), "log": frozenset({"marginals", "log_partition"})}


@dataclass(frozen=True)
class OnlineMKL(Trainer):
    """Settings of :func:`online_mkl`."""

    regularizer: str | dict[str, float] = "l21"
    q: float = 1.5
    C: float = 1.0
    loss: str = "hinge"
    model: str = "average"
    eta0: float = 1.0
    schedule: str = "sqrt"
    gamma: float | None = None
    transition: str = "fixed"
    seed: int = 0

    def __post_init__(self) -> None:
        for name, known in CHOICES.items():
            if getattr(self, name) not in known:
                listed = ", ".join(f"'{choice}'" for choice in known)
                raise ValueError(Errors.M312.format(name=name, value=getattr(self, name), known=listed))
        check_positive("OnlineMKL", C=self.C, eta0=self.eta0, **({} if self.gamma is None else {"gamma": self.gamma}))
        check_whole("OnlineMKL", 0, seed=self.seed)
        if not (np.isfinite(self.q) and self.q >= 1):
            raise ValueError(Errors.M311.format(q=self.q))
        if self.schedule == "strongly_convex":
            self._check_strongly_convex()
        else:
            self.summands()

    def _check_strongly_convex(self) -> None:
        if not self.summands().l2 > 0:
            raise ValueError(Errors.M313.format(missing="the regularizer 'l2', alone or in a sum"))
        if self.transition == "free":
            raise ValueError(Errors.M313.format(missing="a regularizer of the transitions: transition = \"fixed\" or \"learned\""))  # fmt: skip

    def summands(self) -> Regularizer:
        """The regularizer as weights of its summands."""
        given = {self.regularizer: 1.0} if isinstance(self.regularizer, str) else dict(self.regularizer)
        if not given or not set(given) <= {"l2", "l21", "lq"}:
            raise ValueError(Errors.M310.format(regularizer=self.regularizer))
        check_positive("OnlineMKL", **{f"the weight of '{name}'": weight for name, weight in given.items()})
        return Regularizer(*(float(given.get(name, 0.0)) for name in ("l2", "l21", "lq")), float(self.q))

    @property
    def needs(self) -> frozenset[str]:  # type: ignore[override]
        """What the structure must offer: it depends on the loss."""
        return NEEDS[self.loss]

    @property
    def batch(self) -> bool:  # type: ignore[override]
        """An online method: it takes sentences as they come."""
        return False

    def _begin(self, problem: Problem) -> Training:
        from .online_mkl_training import OnlineMKLTraining

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
) -> OnlineMKL:
    """Online multiple kernel learning, the paper's Algorithm 1; its lambda is 1/(C n), n sentences.

    regularizer: of the norms b_m of the templates' blocks. "l2": 1/2 sum b_m^2, the plain SVM. "l21": 1/2 (sum b_m)^2, sparse kernel learning, as
    MTLstruct at p = 1. "lq": 1/q sum b_m^q, non-sparse. A sum is written with weights, as {"l21": 1.0, "l2": 0.1} (elastic).
    q: exponent of "lq", at least 1.
    C: weight of the sum of the sentences' losses.
    loss: "hinge" (loss-augmented decoding) or "log" (as in a CRF; needs marginals).
    model: predict with the "average" of the weights after each sentence, or with the "last".
    eta0: learning rate of the first sentence, and an upper bound of all.
    schedule: "sqrt", eta_t = eta0 / sqrt(t); or "strongly_convex", eta_t = min(eta0, 1/(sigma t)), for regularizers with a summand "l2":
    sigma is lambda times its weight (times 1 where the fixed transitions have less).
    gamma: the weights stay within this Euclidean norm; null for no bound.
    transition: templates of label pairs alone. "fixed": their kernel has weight 1, that is, they have a regularizer 1/2 b^2 of their own apart from
    the others; "learned": they are templates like the others; "free": they have no regularizer.
    seed: order of the sentences within a pass.
    Raises ValueError: M302 and M305 for settings out of range, M310 an unknown regularizer, M311 q, M312 an unknown choice, M313 a schedule that does
    not fit the regularizer.
    """
    return OnlineMKL(regularizer, q, C, loss, model, eta0, schedule, gamma, transition, seed)
