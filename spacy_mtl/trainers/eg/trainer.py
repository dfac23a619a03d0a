"""Exponentiated gradient (Bartlett, Collins, Taskar, McAllester): the structural SVM's dual by multiplicative updates, with marginals for outputs.

max_a  F(a) = C sum_i E_{a_i}[loss] - 1/2 ||w||^2,   w = C sum_i (Phi(gold_i) - E_{a_i} Phi),   a_i(y) ~ exp(sum_{r in y} theta_{i,r})
"""

from dataclasses import dataclass
from typing import ClassVar

from spacy_mtl.registry import mtl_trainers
from spacy_mtl.structures.problem import Problem
from spacy_mtl.trainers.base import Trainer, Training

from .settings import EGSettings


@dataclass(frozen=True)
class EG(EGSettings, Trainer):  # type: ignore[override]
    """Settings of :func:`eg`, and the training that they begin."""

    offsets: ClassVar[bool] = True

    def _begin(self, problem: Problem) -> Training:
        if self.mode == "online":
            from .online import OnlineEG

            return OnlineEG(self, problem)
        from .batch import BatchEG

        return BatchEG(self, problem)


@mtl_trainers("spacy_mtl.EG.v1")
def eg(
    mode: str = "online",
    C: float = 1.0,
    eta: float | str | None = None,
    start: float | None = None,
    tol: float = 1e-3,
    inner_passes: int = 1,
    seed: int = 0,
    threads: int = 1,
) -> EG:
    """Exponentiated gradient for the structural SVM. The dual objective never falls: a step that would lower it is halved until it does not.

    mode: "online" updates one sentence at a time and needs far fewer passes than the others. "batch" (Figure 2 of the paper) updates all sentences at
    once and stores theta for every part; "batch_primal" takes the same steps but stores a weight vector instead, for corpora with more parts than
    weights.
    C: weight of the sum of the sentences' hinge losses.
    eta: learning rate. null: begins at 3 / C, is halved when the dual would fall and grows by 5% after a step that went well ("online": a rate of its
    own for each sentence). A number: begins there and never grows. "safe": the rate at which the dual provably cannot fall, see trainers/eg/rates.py;
    very slow.
    start: theta of a part begins at -start times its loss; null: at the value where the dual objective is highest.
    tol: stop when the relative duality gap falls below it.
    inner_passes: passes run at the end of each pass over the corpus.
    seed: "online"; order of the sentences within a pass.
    threads: 1 to 256 ("batch", "batch_primal"): the sentences are shared out, and each thread but the first has a weight vector of its own. The
    result depends on their number only by rounding.
    Raises ValueError: M373 several threads for "online"; M302, M305-M308, M370, M371 for settings out of range.
    """
    return EG(mode, C, eta, start, tol, inner_passes, seed, threads)
