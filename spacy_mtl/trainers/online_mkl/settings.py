"""Settings of online multiple kernel learning."""

from collections.abc import Mapping
from dataclasses import dataclass

from spacy_mtl.errors import Errors
from spacy_mtl.settings import brief, is_choice, is_number, shown
from spacy_mtl.trainers.checks import check_positive, check_range, check_whole

from .prox import Regularizer

CHOICES = {
    "loss": ("hinge", "log"),
    "model": ("average", "last"),
    "schedule": ("sqrt", "strongly_convex"),
    "transition": ("fixed", "learned", "free"),
}
#: Summands of the regularizer.
NORMS = ("l2", "l21", "lq")
#: What each loss needs.
NEEDS = {
    "hinge": frozenset({"decode", "outputs", "directions"}),
    "log": frozenset({"decode", "outputs", "directions", "marginals"}),
}


@dataclass(frozen=True)
class OnlineMKLSettings:
    """See :func:`.trainer.online_mkl` for what each setting means."""

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
            if not is_choice(getattr(self, name), known):
                listed = ", ".join(f"'{choice}'" for choice in known)
                raise ValueError(Errors.M312.format(name=name, value=brief(getattr(self, name)), known=listed))
        check_positive("OnlineMKL", C=self.C, eta0=self.eta0, **({} if self.gamma is None else {"gamma": self.gamma}))
        check_whole("OnlineMKL", 0, seed=self.seed)
        if not is_number(self.q, 1) or self.q == float("inf"):
            raise ValueError(Errors.M311.format(q=shown(self.q)))
        check_range("OnlineMKL", q=self.q)
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
        given = {self.regularizer: 1.0} if isinstance(self.regularizer, str) else self.regularizer
        if not isinstance(given, Mapping) or not given or not all(is_choice(name, NORMS) for name in given):
            raise ValueError(Errors.M310.format(regularizer=shown(self.regularizer)))
        check_positive("OnlineMKL", **{f"the weight of '{name}'": weight for name, weight in given.items()})
        l2, l21, lq = (float(given.get(name, 0.0)) for name in ("l2", "l21", "lq"))
        return Regularizer(l2, l21, lq, float(self.q))

    @property
    def needs(self) -> frozenset[str]:  # type: ignore[override]
        """What the structure must offer: it depends on the loss."""
        return NEEDS[self.loss]

    @property
    def batch(self) -> bool:  # type: ignore[override]
        """An online method: it takes sentences as they come."""
        return False
