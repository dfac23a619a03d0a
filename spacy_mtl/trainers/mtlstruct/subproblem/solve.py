"""The common interface to the solvers of Algorithm 1's working-set subproblem (Mao and Tsang)."""

import numpy as np

from spacy_mtl.errors import Errors

from .certificate import Subproblem, certify
from .conic import solve_conic
from .pnorm import solve_pnorm
from .qcqp import solve_qcqp

__all__ = ["Subproblem", "certify", "solve_subproblem"]


def solve_subproblem(
    Q: np.ndarray,
    q: np.ndarray,
    C: float,
    p: float,
    solver: str = "interior_point",
    start: np.ndarray | None = None,
    tol: float = 1e-9,
) -> Subproblem:
    """Find the optimal alpha over s cuts and mu over m templates, for the norm exponent p >= 1.

    Q: (m, s, s). q: (s,). C > 0. solver: "interior_point" (solve_qcqp at p = 1, solve_pnorm above), or "cvxpy" or
    "cvxpy:NAME" for a conic solver of cvxpy at any p. start: up to s alphas of an earlier round, if the solver can
    use them. tol: relative gap at which our own solvers stop. Raises ValueError for an unknown solver and for input that
    the solver refuses.
    """
    family, _, name = solver.partition(":")
    if family == "cvxpy":
        return solve_conic(Q, q, C, p, name or None)
    if solver != "interior_point":
        raise ValueError(Errors.M359.format(solver=solver))
    return solve_qcqp(Q, q, C, tol) if p == 1 else solve_pnorm(Q, q, C, p, tol, start=start)
