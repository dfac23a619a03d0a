"""The Laplace M3N (Zhu, Xing and Zhang 2008), the pseudo-sparse relative of the l1 M3N: small weights are shrunk but never exactly 0.

min_w sum_k R(w_k) + C sum_i xi_i(w) with R of :mod:`.laplace_penalty`, by rounds of an l2 M3N with prior variances
s_k <- sqrt((w_k^2 + s_k) / lambda). R is the penalty whose stationary points this variational update finds. It is not the negative logarithm of a
Laplace prior, and the posterior distribution of the weights, over which the paper averages, is not kept.
"""

from spacy_mtl.structures.contract import Weights
from spacy_mtl.trainers.shared.mixture import whole_mixture_vector

from .elements import largest
from .em import AdaptiveM3N
from .laplace_penalty import best_laplace_scaling, laplace_penalty
from .scales import laplace_scales


class Laplace(AdaptiveM3N):
    """The Laplace M3N with the variational penalty: scales are the variances of the weights' priors."""

    def start_scale(self) -> float:
        """The variance to which a weight of 0 converges, 1 / lambda."""
        return self.settings.C / self.settings.prior_lambda

    def new_scale(self) -> float:
        return self.start_scale()

    def rescale(self, vector: Weights) -> None:
        laplace_scales(vector, self._metric, self.settings.C, self.settings.prior_lambda)

    def penalty(self, weights: Weights) -> float:
        """sum_k R(w_k)."""
        return float(laplace_penalty(weights, self.settings.prior_lambda))

    def bound(self, loss: float) -> float:
        """1/2 sum_k log(1 - C^2 V_k^2 / lambda) + C E_M[loss]."""
        vector = whole_mixture_vector(self.problem, self._atoms, self._crew)
        return best_laplace_scaling(vector, loss, largest(vector), self.settings.C, self.settings.prior_lambda)
