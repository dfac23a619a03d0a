"""Conditional random fields (Lafferty, McCallum & Pereira 2001): the log-loss rival of the max-margin trainers.

min_w  R(w) + C sum_i -log p(y_i | x_i),  p(y | x) proportional to exp(score(y))
"""

from dataclasses import dataclass

from ..errors import Errors
from ..registry import mtl_trainers
from ..structures.problem import Problem
from .averaged import check_switch
from .base import Trainer, Training, check_positive, check_whole

#: Algorithms for each penalty, the first one by default.
ALGORITHMS = {"l2": ("lbfgs", "sgd"), "l1": ("proximal",), "irw": ("lbfgs",)}


@dataclass(frozen=True)
class CRF(Trainer):
    """Settings of :func:`crf`."""

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

    def __post_init__(self) -> None:
        if self.penalty not in ALGORITHMS:
            raise ValueError(Errors.M315.format(penalty=self.penalty))
        known = sorted({name for names in ALGORITHMS.values() for name in names})
        if self.algorithm not in (None, *known):
            raise ValueError(Errors.M316.format(algorithm=self.algorithm))
        if self.method not in ALGORITHMS[self.penalty]:
            fitting = " or ".join(f"'{name}'" for name in ALGORITHMS[self.penalty])
            raise ValueError(Errors.M317.format(algorithm=self.algorithm, penalty=self.penalty, fitting=fitting))
        check_positive("CRF", C=self.C, tol=self.tol, epsilon=self.epsilon)
        check_whole("CRF", 1, inner_passes=self.inner_passes, memory=self.memory, rounds=self.rounds)
        check_whole("CRF", 0, warm_up=self.warm_up, seed=self.seed)
        if self.eta0 is not None:
            check_positive("CRF", eta0=self.eta0)
        check_switch("CRF", average=self.average)
        if self.method != "sgd" and (self.average or self.eta0 is not None):
            raise ValueError(Errors.M318.format(method=self.method))
        if self.method == "sgd" and self.inner_passes != 1:
            raise ValueError(Errors.M319.format(inner_passes=self.inner_passes))

    @property
    def method(self) -> str:
        """The algorithm, where none is given the first that fits the penalty."""
        return self.algorithm or ALGORITHMS[self.penalty][0]

    @property
    def needs(self) -> frozenset[str]:  # type: ignore[override]
        """Sums over all outputs; for l1, features with weights of their own."""
        return frozenset({"marginals", "log_partition"} | ({"features"} if self.penalty == "l1" else set()))

    @property
    def batch(self) -> bool:  # type: ignore[override]
        """Only SGD takes sentences as they come."""
        return self.method != "sgd"

    def _begin(self, problem: Problem) -> Training:
        if self.method == "sgd":
            from .crf_sgd import StochasticCRF

            return StochasticCRF(self, problem)
        if self.method == "proximal":
            from .crf_l1 import SparseCRF

            return SparseCRF(self, problem)
        if self.penalty == "irw":
            from .crf_irw import ReweightedCRF

            return ReweightedCRF(self, problem)
        from .crf_batch import BatchCRF

        return BatchCRF(self, problem)


@mtl_trainers("spacy_mtl.CRF.v1")
def crf(
    penalty: str = "l2",
    algorithm: str | None = None,
    C: float = 1.0,
    tol: float = 1e-3,
    inner_passes: int = 1,
    memory: int = 6,
    warm_up: int = 3,
    eta0: float | None = None,
    average: bool = False,
    rounds: int = 10,
    epsilon: float = 1e-3,
    seed: int = 0,
) -> CRF:
    """Conditional random fields, min R(w) + C sum_i -log p(y_i | x_i): the rival that most people know.

    penalty: "l2", R = 1/2 ||w||^2. "l1", R = 1/2 ||w||_1: single weights become 0 and are gone from the saved model. "irw", iteratively re-weighted
    templates: R = 1/2 sum_j ||w_j||^2 / mu_j, solved ``rounds`` times with mu_j <- ||w_j||^2 + ``epsilon`` in between.
    algorithm: null for the first that fits. l2: "lbfgs" (Nocedal 1980) or "sgd" with a rate that falls as 1/t. l1: "proximal", proximal quasi-Newton
    steps on a working set (Scheinberg & Tang 2016). irw: "lbfgs".
    C: weight of the losses, summed over sentences.
    tol: stop at this relative duality gap (all but "sgd", which has no dual).
    inner_passes: passes over the features for each pass of the corpus that spaCy counts (all but "sgd").
    memory: pairs of differences that "lbfgs" and "proximal" keep; they cost numbers for the parts (labels of positions), not weight vectors.
    warm_up: passes of SGD before "lbfgs" begins, 0 for none.
    eta0: "sgd", its first rate; null: the best of powers of 2 on a sample of the sentences (Bottou 2012, section 5.2).
    average: "sgd", average the weights from the second pass on (Polyak & Juditsky 1992).
    rounds, epsilon: of "irw".
    seed: order of the sentences within a pass of SGD.
    Raises ValueError: M302 C, tol, epsilon or eta0 out of range, M305 a whole number out of range, M315 and M316 an unknown penalty or algorithm,
    M317 one that does not fit the other, M318 settings of SGD for another algorithm, M319 inner passes of SGD, M320 an average that is neither
    true nor false.
    """
    return CRF(penalty, algorithm, C, tol, inner_passes, memory, warm_up, eta0, average, rounds, epsilon, seed)
