"""Conditional random fields (Lafferty, McCallum & Pereira 2001): the log-loss rival of the max-margin trainers.

min_w  R(w) + C sum_i -log p(y_i | x_i),  p(y | x) proportional to exp(score(y))
"""

from dataclasses import dataclass
from typing import ClassVar

from spacy_mtl.registry import mtl_trainers
from spacy_mtl.structures.problem import Problem
from spacy_mtl.trainers.base import Trainer, Training

from .settings import CRFSettings


@dataclass(frozen=True)
class CRF(CRFSettings, Trainer):  # type: ignore[override]
    """Settings of :func:`crf`, and the training that they begin."""

    offsets: ClassVar[bool] = True
    probabilistic: ClassVar[bool] = True

    def _begin(self, problem: Problem) -> Training:
        if self.method == "sgd":
            from .stochastic import StochasticCRF

            return StochasticCRF(self, problem)
        if self.method == "proximal":
            from .sparse import SparseCRF

            return SparseCRF(self, problem)
        if self.penalty == "irw":
            from .reweighted import ReweightedCRF

            return ReweightedCRF(self, problem)
        from .batch import BatchCRF

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
    threads: int = 1,
) -> CRF:
    """Conditional random fields, min R(w) + C sum_i -log p(y_i | x_i): the standard that other trainers are compared with.

    penalty: "l2", R = 1/2 ||w||^2. "l1", R = 1/2 ||w||_1: many single weights become 0 and are not saved. "irw", iteratively re-weighted templates:
    R = 1/2 sum_j ||w_j||^2 / mu_j, solved for mu = 1 and then ``rounds`` times more, each time with mu_j = ||w_j||^2 + ``epsilon``.
    algorithm: null for the default of the penalty. l2: "lbfgs" (Nocedal 1980; the default) or "sgd" with a rate that falls as 1/t. l1: "proximal",
    proximal quasi-Newton steps on a working set (Scheinberg & Tang 2016). irw: "lbfgs".
    C: weight of the sum of the sentences' losses.
    tol: stop at this relative duality gap (all but "sgd", which has no dual).
    inner_passes: passes run at the end of each pass over the corpus (all but "sgd").
    memory: pairs of differences that "lbfgs" and "proximal" keep. A pair takes a few numbers for each part (position and label), not weight vectors.
    warm_up: passes of SGD before "lbfgs" begins, 0 for none.
    eta0: "sgd", the first learning rate; null: the best of powers of 2 on a sample of the sentences (Bottou 2012, section 5.2).
    average: "sgd", average the weights from the second pass on (Polyak & Juditsky 1992).
    rounds, epsilon: of "irw".
    seed: order of the sentences within a pass of SGD.
    threads: 1 to 256 (all but "sgd"): the sentences are shared out, and each thread but the first has a weight vector of its own. The result
    depends on their number only by rounding. Warming up runs on one.
    Raises ValueError: M373 several threads for "sgd",
    M302 and M370 C, tol, epsilon or eta0 out of range, M305 and M371 a whole number out of range, M315 and M316 an unknown penalty or algorithm,
    M317 one that does not fit the other, M318 settings of SGD for another algorithm, M319 inner passes of SGD, M320 an average that is neither
    true nor false.
    """
    return CRF(penalty, algorithm, C, tol, inner_passes, memory, warm_up, eta0, average, rounds, epsilon, seed, threads)
