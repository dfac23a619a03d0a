"""Block-coordinate Frank-Wolfe on the dual in the part marginals (Lacoste-Julien et al. 2013), with templates weighed.

For fixed template weights mu the dual is  D_mu(M) = -1/2 C^2 sum_j mu_j ||V_j(M)||^2 + C E_M[loss],  with w_j = C mu_j V_j(M).
"""

import numpy as np

from ...kernels import kernel
from ...structures.contract import curvature, decode, move, new_work, score_parts, set_direction


@kernel
def ascent_pass(arrays, weights, live, scale, state, order, gaps):
    """One step per sentence of ``order``: towards its most violated output, with the exact line search.

    scale: C mu_j of each template. order: int64[k]. gaps: float64[S], entry i becomes the Frank-Wolfe gap of sentence i before its step.
    """
    work = new_work(arrays)
    for k in range(order.size):
        i = order[k]
        score_parts(arrays, weights, live, i, work)
        decode(arrays, i, work, True)
        gap = set_direction(arrays, state, i, work)
        gaps[i] = gap
        if gap > 0:
            bend = curvature(arrays, live, scale, i, work)
            step = 1.0 if gap >= bend else gap / bend
            move(arrays, weights, live, scale, state, i, work, step)


def best_scaling(loss: float, norm: float, C: float) -> float:
    """max over 0 <= s <= 1 of D(s M): ``loss`` = E_M[loss], ``norm`` = ||V(M)||_{2,p*}. (s M mixes M with gold.)"""
    bend = (C * norm) ** 2
    s = 1.0 if bend <= C * loss else C * loss / bend
    return -0.5 * s * s * bend + s * C * loss


def relative_gap(primal: float, dual: float) -> float:
    """(primal - dual) / primal; 0 where the primal is 0."""
    return float((primal - dual) / primal) if primal > 0 else 0.0


class TemplateWeights:
    """Template weights mu for p = 1, re-estimated after each pass: multiplicative, with a step size of its own for each template.

    The variational formula mu_j = ||w_j|| / sum ||w|| is mu_j <- mu_j * (||V_j|| / mean)^1 with the mean weighted by mu. Larger powers have
    the same fixed points (live templates pull equally hard, dead ones less) but get there sooner; each template's power
    grows while its pull stays on one side of the mean and shrinks when it crosses (as in Rprop).
    """

    def __init__(self, n: int, floor: float):
        self.mu = np.full(n, 1 / n)
        self._floor = floor / n
        self._power = np.ones(n)
        self._side = np.zeros(n)

    def update(self, pull: np.ndarray) -> np.ndarray:
        """New weights float64[T], summing to 1, from the pulls ||V_j|| (float64[T])."""
        mean = float(self.mu @ pull)
        if mean == 0:
            return self.mu
        side = np.sign(pull - mean)
        self._power = np.clip(np.where(side == self._side, 1.25, 0.5) * self._power, 0.5, 6.0)
        self._side = side
        change = self._power * np.log(np.maximum(pull / mean, 1e-3))
        new = self.mu * np.exp(np.clip(change, -1.5, 1.5))
        new = np.maximum(new / new.sum(), self._floor)
        self.mu = new / new.sum()
        return self.mu
