"""The CRF with iteratively re-weighted template penalties, the IRW-CRF that Mao & Tsang compare with."""

import numpy as np

from spacy_mtl.structures.problem import Problem

from .batch import BatchCRF
from .settings import CRFSettings

#: A template is never removed while its squared norm is above this share of the largest.
LEFT_OVER = 1e-3


class ReweightedCRF(BatchCRF):
    """min_w  1/2 sum_j ||w_j||^2 / mu_j + C sum_i -log p(y_i),  solved repeatedly with mu_j <- ||w_j||^2 + epsilon.

    The first round has mu = 1, the plain l2 penalty; each later round begins at the weights of the one before. This is the majorization-minimization
    scheme of the penalty 1/2 sum_j log(||w_j||^2 + epsilon). Reports are about the current round, a convex problem; there is no bound for the
    penalty itself, which is not convex. ``converged`` refers to the last round.
    """

    def __init__(self, settings: CRFSettings, problem: Problem):
        super().__init__(settings, problem)
        self.round = 0

    def _check(self) -> None:
        """Begin the next round if the current one has converged, or has come as far as single precision goes."""
        super()._check()
        if self.finished and self.round < self.settings.rounds:
            weights = self.weights
            self._go_on(self.problem, self.problem.block_norms(weights) ** 2 + self.settings.epsilon, weights)
            self.round += 1

    def _dead(self, norms: np.ndarray) -> np.ndarray:
        """The templates that re-weighting has removed, bool[T + Tp]. norms: ||w_j||, float64[T + Tp].

        At the optimum of a round ||w_j|| / mu_j is the pull C ||V_j||. With mu_j = ||w_j||^2 + epsilon it falls with ||w_j|| where ||w_j||^2 is
        above epsilon: such templates hold themselves. Below, ``epsilon`` is most of mu_j, and the weights are what is left of a template that no
        longer counts. (With a C so small that all are below, none has been removed.)
        """
        squares = norms**2
        return (self.round > 0) & (squares <= min(self.settings.epsilon, LEFT_OVER * squares.max(initial=0)))

    @property
    def template_weights(self) -> np.ndarray:
        """mu_j; 0 for templates that re-weighting has removed, which prediction can do without."""
        norms = self.problem.block_norms(self.weights)
        return np.where(self._dead(norms) | (norms == 0), 0.0, self._space.mu)

    def _live(self, norms: np.ndarray) -> int:
        """The number of templates with weights that re-weighting has not removed."""
        return int(np.count_nonzero(~self._dead(norms) & (norms > 0)))
