"""A trainer of one's own: passive-aggressive updates (PA-I of Crammer et al. 2006), with averaged weights.

For each sentence, the smallest change of the weights after which gold scores higher than the best other output by that output's
loss; C bounds the change.
"""

from dataclasses import dataclass

import numpy as np

from spacy_mtl.kernels import kernel
from spacy_mtl.registry import mtl_trainers
from spacy_mtl.structures.contract import curvature, decode, gold_direction, gold_score, new_work, score_parts
from spacy_mtl.structures.problem import Problem, shares
from spacy_mtl.trainers.base import Trainer
from spacy_mtl.trainers.shared.averaged import AveragedTraining
from spacy_mtl.trainers.shared.averaging import learn_output


@kernel
def learn_sentences(arrays, state, live, scale, order, C):
    """One update for each sentence of ``order`` (int64[k]); returns the sum of their hinge losses."""
    work = new_work(arrays)
    total = 0.0
    for i in order:
        score_parts(arrays, state.w, live, i, work)
        gold = gold_score(arrays, i, work)
        hinge = decode(arrays, i, work, True) - gold
        if hinge > 0:
            gold_direction(arrays, i, work)
            norm = curvature(arrays, live, scale, i, work)
            if norm > 0:
                learn_output(arrays, state, i, work, min(C, hinge / norm))
            total += hinge
        state.seen[0] += 1
    return total


class PassiveAggressiveTraining(AveragedTraining):
    """A training under way: passes, order and averaging come from the base class."""

    def __init__(self, problem: Problem, settings: "PassiveAggressive"):
        super().__init__(problem, settings.seed)
        self.C = settings.C

    def learn(self, problem: Problem, order: np.ndarray) -> float:
        """Show these sentences once."""
        scale = shares(problem, np.ones(problem.blocks.n))
        return learn_sentences(problem.arrays, self._state, problem.all_live(), scale, order, self.C)


@dataclass(frozen=True)
class PassiveAggressive(Trainer):
    """Settings, which cannot change while a training goes on."""

    needs = frozenset({"decode", "directions"})  # the groups of the contract that the kernel calls
    batch = False  # an online method: it takes sentences as they come
    C: float = 1.0
    seed: int = 0

    def _begin(self, problem: Problem) -> PassiveAggressiveTraining:
        return PassiveAggressiveTraining(problem, self)


@mtl_trainers("examples.PassiveAggressive.v1")
def passive_aggressive(C: float = 1.0, seed: int = 0) -> PassiveAggressive:
    """What a config names. C: the largest step. seed: order of the sentences within a pass."""
    return PassiveAggressive(C, seed)
