"""What certificates tell of the optimum."""

from typing import NamedTuple

import numpy as np

from spacy_mtl.structures.problem import Problem
from spacy_mtl.trainers.base import relative_gap


class Dual(NamedTuple):
    """value: a lower bound of the optimum. pulls: ||V_j||, float64[T + Tp]."""

    value: float
    pulls: np.ndarray


class Known(NamedTuple):
    """The smallest bound of the primal and the largest dual of all certificates so far: what is known of the optimum."""

    bound: float = np.inf
    dual: float = 0.0

    @property
    def gap(self) -> float:
        return max(0.0, relative_gap(self.bound, self.dual))


def filled(problem: Problem) -> np.ndarray:
    """Whether each template has any feature, bool[T + Tp]."""
    return np.concatenate([np.diff(problem.blocks.node), np.diff(problem.blocks.pair)]) > 0
