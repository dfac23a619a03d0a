"""Settings of l1-M3N."""

from dataclasses import dataclass

from spacy_mtl.errors import Errors
from spacy_mtl.settings import brief, is_choice, is_number, shown
from spacy_mtl.trainers.checks import check_one_thread, check_positive, check_whole

ALGORITHMS = ("em", "subgradient", "cutting_plane", "laplace")
#: Those that train on one thread.
ON_ONE_THREAD = ("subgradient", "cutting_plane")
#: What all but "subgradient" need besides.
NEEDS = frozenset({"outputs", "directions", "metric"})


@dataclass(frozen=True)
class L1M3NSettings:
    """See :func:`.trainer.l1_m3n` for what each setting means."""

    algorithm: str = "em"
    C: float = 1.0
    tol: float = 1e-3
    rounds: int = 15
    inner_passes: int = 5
    threshold: float = 1e-4
    prior_lambda: float = 1.0
    radius: float = 100.0
    batch_size: int = 0
    learning_rate: float = 1.0
    eps: float = 1e-3
    seed: int = 0
    threads: int = 1

    def __post_init__(self) -> None:
        if not is_choice(self.algorithm, ALGORITHMS):
            raise ValueError(Errors.M325.format(algorithm=brief(self.algorithm), known=", ".join(ALGORITHMS)))
        positive = ("C", "tol", "prior_lambda", "radius", "learning_rate", "eps")
        check_positive("L1M3N", **{name: getattr(self, name) for name in positive})
        check_whole("L1M3N", 1, rounds=self.rounds, inner_passes=self.inner_passes)
        check_whole("L1M3N", 0, batch_size=self.batch_size, seed=self.seed)
        check_whole("L1M3N", 1, threads=self.threads)
        if self.algorithm in ON_ONE_THREAD:
            check_one_thread(f"L1M3N with algorithm = '{self.algorithm}'", self.threads)
        if not is_number(self.threshold, 0, 1) or self.threshold == 1:
            raise ValueError(Errors.M326.format(threshold=shown(self.threshold)))

    @property
    def needs(self) -> frozenset[str]:  # type: ignore[override]
        """Weights that belong to one feature each. Projected subgradients otherwise need only decoding."""
        return frozenset({"decode", "features"}) | (frozenset() if self.algorithm == "subgradient" else NEEDS)
