"""The working-set subproblem of Algorithm 1 at p = 1: the QCQP of equation 6 of Mao and Tsang."""

import numpy as np

from .certificate import Subproblem, check_subproblem, zero_solution
from .interior_point import interior_point


def solve_qcqp(Q: np.ndarray, q: np.ndarray, C: float, tol: float = 1e-9, max_iter: int = 100) -> Subproblem:
    """max_{a >= 0, sum a <= C, theta} q'a - theta  s.t.  1/2 a'Q_j a <= theta for every template j.

    Q: (m, s, s) positive semi-definite Gram matrices of the cuts, one per template, in any scale and of any rank.
    q: (s,) losses of the cuts. tol: relative duality gap at which to stop. max_iter: predictor-corrector steps. mu are
    the multipliers of the m constraints and sum to 1. If rounding stops progress first, the best pair found is
    returned with its true gap. Raises ValueError for wrong shapes, values that are not finite, or C <= 0.
    """
    Q, q = check_subproblem(Q, q, C, 1.0)
    if q.max() <= 0:
        return zero_solution(Q, q, C, 1.0)
    return interior_point(Q, q, C, 1.0, tol, max_iter)
