"""Settings of exponentiated gradient."""

from dataclasses import dataclass

from spacy_mtl.errors import Errors
from spacy_mtl.settings import brief, is_choice, is_number, shown
from spacy_mtl.trainers.checks import check_one_thread, check_positive, check_range, check_whole

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
    threads: int = 1

    def __post_init__(self) -> None:
        check_positive("EG", C=self.C, tol=self.tol)
        check_whole("EG", 1, inner_passes=self.inner_passes)
        check_whole("EG", 0, seed=self.seed)
        if not is_choice(self.mode, MODES):
            raise ValueError(Errors.M306.format(mode=brief(self.mode)))
        check_whole("EG", 1, threads=self.threads)
        if self.mode == "online":
            check_one_thread("EG with mode = 'online'", self.threads)
        if isinstance(self.eta, str):
            if self.eta != "safe":
                raise ValueError(Errors.M307.format(eta=shown(self.eta)))
        elif self.eta is not None:
            if not is_number(self.eta) or not 0 < self.eta < float("inf"):
                raise ValueError(Errors.M307.format(eta=shown(self.eta)))
            check_range("EG", eta=self.eta)
        if self.start is not None and not is_number(self.start, 0, 1e15):
            raise ValueError(Errors.M308.format(start=shown(self.start)))

    @property
    def needs(self) -> frozenset[str]:  # type: ignore[override]
        """Sums over all outputs, and gold outputs for certificates."""
        return frozenset({"decode", "outputs", "directions", "marginals"})
