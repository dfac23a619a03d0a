"""MIRA: online large-margin learning from the k best outputs (Crammer & Singer 2003; McDonald, Crammer & Pereira 2005)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from spacy_mtl.registry import mtl_trainers
from spacy_mtl.structures.problem import Problem, shares
from spacy_mtl.trainers.base import Trainer
from spacy_mtl.trainers.checks import check_one_thread, check_positive, check_switch, check_whole
from spacy_mtl.trainers.shared.averaged import AveragedTraining

from .mira_steps import mira_pass


@dataclass(frozen=True)
class MIRA(Trainer):
    """Settings of :func:`mira`."""

    needs: ClassVar[frozenset[str]] = frozenset({"decode", "outputs", "directions", "kbest"})
    batch: ClassVar[bool] = False
    offsets: ClassVar[bool] = True

    k: int = 5
    C: float = 1.0
    augmented: bool = True
    seed: int = 0

    def __post_init__(self) -> None:
        check_whole("MIRA", 1, k=self.k)
        check_whole("MIRA", 0, seed=self.seed)
        check_positive("MIRA", C=self.C)
        check_switch("MIRA", augmented=self.augmented)

    def _begin(self, problem: Problem) -> "MIRATraining":
        return MIRATraining(problem, self)


class MIRATraining(AveragedTraining):
    """The training of MIRA.

    Its loss is the sum of the sentences' hinges, each before its update. A hinge is the largest violation of a margin by the k best outputs; with
    ``augmented`` no other output violates its margin more.
    """

    def __init__(self, problem: Problem, settings: MIRA):
        super().__init__(problem, settings.seed)
        self.settings = settings

    def learn(self, problem: Problem, order: np.ndarray) -> float:
        """Make one update for each sentence; return the sum of their hinges."""
        s = self.settings
        ones = shares(problem, np.ones(problem.blocks.n))
        return mira_pass(problem.arrays, self._state, problem.all_live(), ones, order, s.k, float(s.C), s.augmented)


@mtl_trainers("spacy_mtl.MIRA.v1")
def mira(k: int = 5, C: float = 1.0, augmented: bool = True, seed: int = 0, threads: int = 1) -> MIRA:
    """k-best MIRA with averaged weights.

    Each sentence makes the smallest change of the weights that ranks gold above its k best outputs with margins equal to their losses.

    k: number of outputs; k = 1 is the passive-aggressive algorithm PA-I, in closed form.
    C: weight of the sentence's loss against the change, min 1/2 ||w - w_t||^2 + C * hinge: the multipliers of a sentence sum to at most C
    in one update. In the dual of the structural SVM with the same C (SSVM.v1), this bound holds for all passes together; here every pass may
    add as much again, so a good C is smaller.
    augmented: use the k outputs with the highest score + loss, which violate their margins most; false for those with the highest score.
    seed: order of the sentences within a pass.
    threads: 1; this trainer does not work on several.
    Raises ValueError: M373 for several threads; M302, M305, M370, M371 for numbers out of range, M320 for an ``augmented`` that is
    neither true nor false.
    """
    check_one_thread("MIRA", threads)
    return MIRA(k, C, augmented, seed)
