"""Names of subproblem solvers: what they may be, checked where settings are made, and whether they are installed, checked before training."""

from spacy_mtl.errors import Errors

#: of cvxpy's, where none is named
DEFAULT_SOLVER = "CLARABEL"


def check_solver_name(solver: str) -> None:
    """Refuse (M359) what is neither "interior_point" nor "cvxpy" nor "cvxpy:NAME"; cvxpy itself knows which NAMEs are installed."""
    family, colon, name = solver.partition(":")
    if solver != "interior_point" and (family != "cvxpy" or bool(colon) != bool(name)):
        raise ValueError(Errors.M359.format(solver=solver))


def check_installed(solver: str) -> None:
    """Refuse (M357) a "cvxpy:NAME" whose NAME is not installed. Imports cvxpy, if the name asks for it."""
    family, _, name = solver.partition(":")
    if family == "cvxpy":
        import cvxpy

        installed = cvxpy.installed_solvers()
        if (name or DEFAULT_SOLVER) not in installed:
            raise ValueError(Errors.M357.format(solver=name or DEFAULT_SOLVER, installed=", ".join(sorted(installed))))
