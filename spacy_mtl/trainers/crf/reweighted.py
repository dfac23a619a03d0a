"""The CRF with iteratively re-weighted template penalties, the IRW-CRF that Mao & Tsang compare with."""

import numpy as np

from spacy_mtl.structures.problem import Problem
from spacy_mtl.thresholds import LIVE

from .batch import BatchCRF
from .settings import CRFSettings


class ReweightedCRF(BatchCRF):
    """min_w  1/2 sum_j ||w_j||^2 / mu_j + C sum_i -log p(y_i),  solved repeatedly with mu_j <- ||w_j||^2 + epsilon.

    The first round has mu = 1, the plain l2 penalty; each later round begins at the weights of the one before. This is the majorization-minimization
    scheme of the penalty 1/2 sum_j log(||w_j||^2 + epsilon). Reports are about the current round.
    """

    def __init__(self, settings: CRFSettings, problem: Problem):
        super().__init__(settings, problem)
        self.round = 0

    def _check(self) -> None:
        """Begin the next round if the current one has converged."""
        super()._check()
        if self.converged and self.round < self.settings.rounds:
            weights = self.weights
            self._go_on(self.problem, self.problem.block_norms(weights) ** 2 + self.settings.epsilon, weights)
            self.round += 1

    def _live(self, norms: np.ndarray) -> int:
        """The number of live templates. Re-weighting shrinks templates without ever reaching 0, so those far below the others count as dead."""
        return int(np.count_nonzero(self._space.mu > LIVE * self._space.mu.sum()))
