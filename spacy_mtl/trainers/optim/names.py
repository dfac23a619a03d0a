"""Names of subproblem solvers, checked where settings are made: nothing heavy is imported for it."""

from ...errors import Errors


def check_solver_name(solver: str) -> None:
    """Refuse (M359) what is neither "interior_point" nor "cvxpy" nor "cvxpy:NAME"; cvxpy itself knows which NAMEs are installed."""
    family, colon, name = solver.partition(":")
    if solver != "interior_point" and (family != "cvxpy" or bool(colon) != bool(name)):
        raise ValueError(Errors.M359.format(solver=solver))
