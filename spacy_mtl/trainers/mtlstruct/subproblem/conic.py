"""The working-set subproblem as a second-order cone program for any conic solver of cvxpy, a check on our own solvers."""

import warnings
from typing import Any

import numpy as np

from spacy_mtl.errors import Errors
from spacy_mtl.trainers.mtlstruct.norms import dual_exponent, dual_norm_weights

from .certificate import (
    Subproblem,
    certify_scaled,
    check_subproblem,
    gram_norms,
    gram_products,
    natural_lengths,
    zero_solution,
)
from .solvers import DEFAULT_SOLVER, check_installed

_OPTIONS = {"CLARABEL": {"tol_gap_abs": 1e-12, "tol_gap_rel": 1e-12, "tol_feas": 1e-12}}


def _factors(Q: np.ndarray) -> list[np.ndarray]:
    """L_j (s, rank) with Q_j = L_j L_j', without directions that are only rounding errors."""
    factors = []
    for gram in Q:
        values, vectors = np.linalg.eigh(0.5 * (gram + gram.T))
        kept = values > 1e-14 * max(float(values[-1]), 0.0)
        factors.append(vectors[:, kept] * np.sqrt(values[kept]))
    return factors


def _program(cvxpy: Any, Q: np.ndarray, q: np.ndarray, radius: float, p: float) -> tuple[Any, Any, list[Any]]:
    """(problem, alpha, the m cone constraints t_j <= bound_j). At p = 1 one bound serves all templates."""
    alpha = cvxpy.Variable(q.size, nonneg=True)
    bound = cvxpy.Variable(1 if p == 1 else len(Q), nonneg=True)
    cones = []
    for j, factor in enumerate(_factors(Q)):
        norm = cvxpy.norm2(factor.T @ alpha) if factor.size else cvxpy.Constant(0.0)
        cones.append(norm <= bound[0 if p == 1 else j])
    norm = bound[0] if p == 1 else cvxpy.pnorm(bound, dual_exponent(p))
    objective = cvxpy.Maximize(q @ alpha - 0.5 * cvxpy.square(norm))
    return cvxpy.Problem(objective, [cvxpy.sum(alpha) <= radius, *cones]), alpha, cones


def _solve(problem: Any, cvxpy: Any, solver: str, m: int, s: int) -> None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "may be inaccurate": our own certificate measures that
            problem.solve(solver=solver, **_OPTIONS.get(solver, {}))
    except cvxpy.error.SolverError as error:
        raise ValueError(Errors.M358.format(solver=solver, m=m, s=s, reason=str(error).splitlines()[0])) from error
    if problem.status not in ("optimal", "optimal_inaccurate"):
        raise ValueError(Errors.M358.format(solver=solver, m=m, s=s, reason=f"status {problem.status}"))


def solve_conic(Q: np.ndarray, q: np.ndarray, C: float, p: float, solver: str | None = None) -> Subproblem:
    """Solve the subproblem at any p >= 1 with cvxpy. Arguments and result as in solve_qcqp and solve_pnorm.

    solver: the name of a solver in cvxpy, CLARABEL by default. At p = 1 mu are the multipliers of the cone constraints,
    clipped at 0 and divided by their sum; otherwise mu is equation 12. Raises ValueError for bad input, a solver that is
    not installed (naming those that are), or one that fails on second-order cones.
    """
    import cvxpy

    solver = solver or DEFAULT_SOLVER
    check_installed(f"cvxpy:{solver}")
    Q, q = check_subproblem(Q, q, C, p)
    if q.max() <= 0:
        return zero_solution(Q, q, C, p)
    m, s = Q.shape[:2]
    unit, loss = natural_lengths(gram_norms(Q), q, C, p)[1], float(q.max())
    problem, variable, cones = _program(cvxpy, Q * (unit / loss), q / loss, C / unit, p)
    _solve(problem, cvxpy, solver, m, s)
    alpha = unit * np.maximum(variable.value, 0.0)
    alpha *= min(1.0, C / max(float(alpha.sum()), 1e-300))
    if p == 1:
        mu = np.array([np.maximum(np.ravel(cone.dual_value), 0.0).sum() for cone in cones])
        mu = mu / mu.sum() if mu.sum() > 0 else np.full(m, 1.0 / m)
    else:
        mu = dual_norm_weights(gram_products(Q, alpha)[1], p)
    return certify_scaled(Q, q, C, p, alpha, mu, int(problem.solver_stats.num_iters or 0))
