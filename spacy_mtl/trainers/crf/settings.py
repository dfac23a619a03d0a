"""Settings of conditional random fields: which penalties and algorithms there are, and which go together."""

from collections.abc import Iterable
from dataclasses import dataclass

from spacy_mtl.errors import Errors
from spacy_mtl.settings import brief, is_choice
from spacy_mtl.trainers.checks import check_one_thread, check_positive, check_switch, check_whole

#: Algorithms for each penalty, the first one by default.
ALGORITHMS = {"l2": ("lbfgs", "sgd"), "l1": ("proximal",), "irw": ("lbfgs",)}


def _either(names: Iterable[str]) -> str:
    return " or ".join(f"'{name}'" for name in names)


@dataclass(frozen=True)
class CRFSettings:
    """See :func:`.trainer.crf` for what each setting means."""

    penalty: str = "l2"
    algorithm: str | None = None
    C: float = 1.0
    tol: float = 1e-3
    inner_passes: int = 1
    memory: int = 6
    warm_up: int = 3
    eta0: float | None = None
    average: bool = False
    rounds: int = 10
    epsilon: float = 1e-3
    seed: int = 0
    threads: int = 1

    def __post_init__(self) -> None:
        if not is_choice(self.penalty, ALGORITHMS):
            raise ValueError(Errors.M315.format(penalty=brief(self.penalty), known=_either(ALGORITHMS)))
        known = sorted({name for names in ALGORITHMS.values() for name in names})
        if self.algorithm is not None and not is_choice(self.algorithm, known):
            raise ValueError(Errors.M316.format(algorithm=brief(self.algorithm), known=_either(known)))
        if self.method not in ALGORITHMS[self.penalty]:
            fitting = _either(ALGORITHMS[self.penalty])
            raise ValueError(Errors.M317.format(algorithm=self.algorithm, penalty=self.penalty, fitting=fitting))
        check_positive("CRF", C=self.C, tol=self.tol, epsilon=self.epsilon)
        check_whole("CRF", 1, inner_passes=self.inner_passes, memory=self.memory, rounds=self.rounds)
        check_whole("CRF", 0, warm_up=self.warm_up, seed=self.seed)
        if self.method == "sgd":
            check_one_thread("CRF with algorithm = 'sgd'", self.threads)
        check_whole("CRF", 1, threads=self.threads)
        if self.eta0 is not None:
            check_positive("CRF", eta0=self.eta0)
        check_switch("CRF", average=self.average)
        if self.method != "sgd" and (self.average or self.eta0 is not None):
            raise ValueError(Errors.M318.format(method=self.method))
        if self.method == "sgd" and self.inner_passes != 1:
            raise ValueError(Errors.M319.format(inner_passes=self.inner_passes))

    @property
    def method(self) -> str:
        """The algorithm; if none is given, the first one that fits the penalty."""
        return self.algorithm or ALGORITHMS[self.penalty][0]

    @property
    def needs(self) -> frozenset[str]:  # type: ignore[override]
        """Sums over all outputs; for certificates, gold outputs; for l1, weights that belong to one feature each."""
        certified = {"outputs"} if self.method != "sgd" else set()
        return frozenset(
            {"decode", "directions", "marginals"} | certified | ({"features"} if self.penalty == "l1" else set())
        )

    @property
    def batch(self) -> bool:  # type: ignore[override]
        """Whether it is a batch method: only SGD takes sentences as they come."""
        return self.method != "sgd"
