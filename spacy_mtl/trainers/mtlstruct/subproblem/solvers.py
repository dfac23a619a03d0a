"""Checks of subproblem solvers: of their names, when settings are made, and of their installation, before training."""

from spacy_mtl.errors import Errors
from spacy_mtl.settings import brief

#: The solver of cvxpy that is used if none is named.
DEFAULT_SOLVER = "CLARABEL"


def check_solver_name(solver: str) -> None:
    """Refuse names other than "interior_point", "cvxpy" and "cvxpy:NAME". Raises ValueError (M359). Only cvxpy knows which NAMEs are installed."""
    family, colon, name = solver.partition(":") if isinstance(solver, str) else ("", "", "")
    if solver != "interior_point" and (family != "cvxpy" or bool(colon) != bool(name)):
        raise ValueError(Errors.M359.format(solver=brief(solver)))


def check_installed(solver: str) -> None:
    """Refuse a "cvxpy:NAME" whose NAME is not installed. Raises ValueError (M357). Imports cvxpy if the solver needs it."""
    family, _, name = solver.partition(":")
    if family == "cvxpy":
        import cvxpy

        installed = cvxpy.installed_solvers()
        if (name or DEFAULT_SOLVER) not in installed:
            raise ValueError(Errors.M357.format(solver=name or DEFAULT_SOLVER, installed=", ".join(sorted(installed))))
