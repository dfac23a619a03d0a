"""Settings of exponentiated gradient."""

from dataclasses import dataclass

import numpy as np

from spacy_mtl.errors import Errors
from spacy_mtl.trainers.checks import check_positive, check_whole

MODES = ("online", "batch", "batch_primal")


@dataclass(frozen=True)
class EGSettings:
    """See :func:`.trainer.eg` for what each setting means."""

    mode: str = "online"
    C: float = 1.0
    eta: float | str | None = None
    start: float | None = None
    tol: float = 1e-3
    inner_passes: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        check_positive("EG", C=self.C, tol=self.tol)
        check_whole("EG", 1, inner_passes=self.inner_passes)
        check_whole("EG", 0, seed=self.seed)
        if self.mode not in MODES:
            raise ValueError(Errors.M306.format(mode=self.mode))
        if isinstance(self.eta, str):
            if self.eta != "safe":
                raise ValueError(Errors.M307.format(eta=self.eta))
        elif self.eta is not None and not (np.isfinite(self.eta) and self.eta > 0):
            raise ValueError(Errors.M307.format(eta=self.eta))
        if self.start is not None and not (np.isfinite(self.start) and self.start >= 0):
            raise ValueError(Errors.M308.format(start=self.start))

    @property
    def needs(self) -> frozenset[str]:  # type: ignore[override]
        """Sums over all outputs; for the safe rate, the two outputs of a sentence that are furthest apart."""
        return frozenset({"decode", "directions", "marginals"} | ({"outputs"} if self.eta == "safe" else set()))
