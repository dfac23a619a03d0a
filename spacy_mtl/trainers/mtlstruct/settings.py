"""Settings of MTLstruct."""

from dataclasses import dataclass

from spacy_mtl.errors import Errors
from spacy_mtl.settings import brief, is_choice, is_number, shown
from spacy_mtl.trainers.checks import check_one_thread, check_positive, check_range, check_whole

from .subproblem.solvers import check_solver_name


@dataclass(frozen=True)
class MTLStructSettings:
    """See :func:`.trainer.mtl_struct` for what each setting means."""

    p: float = 1.0
    C: float = 1.0
    solver: str = "dual_ascent"
    tol: float = 1e-3
    average: int = 1
    inner_passes: int = 1
    seed: int = 0
    subproblem: str = "interior_point"
    max_idle: int = 20
    threads: int = 1

    def __post_init__(self) -> None:
        check_positive("MTLStruct", C=self.C, tol=self.tol)
        check_whole("MTLStruct", 1, average=self.average, inner_passes=self.inner_passes, max_idle=self.max_idle)
        check_whole("MTLStruct", 0, seed=self.seed)
        check_whole("MTLStruct", 1, threads=self.threads)
        check_solver_name(self.subproblem)
        if not is_number(self.p, 1) or self.p == float("inf"):
            raise ValueError(Errors.M303.format(p=shown(self.p)))
        check_range("MTLStruct", p=self.p)
        if not is_choice(self.solver, ("dual_ascent", "cutting_plane")):
            raise ValueError(Errors.M304.format(solver=brief(self.solver)))
        if self.solver == "cutting_plane":
            check_one_thread("MTLStruct with solver = 'cutting_plane'", self.threads)

    @property
    def weighs_by_norm(self) -> bool:
        """For p > 2, the template weight is the larger the smaller the weights of a template are."""
        return self.p > 2

    @property
    def needs(self) -> frozenset[str]:  # type: ignore[override]
        """Cutting planes are made of outputs; dual ascent steps from marginals towards them."""
        return frozenset({"decode", "outputs"} | ({"directions"} if self.solver == "dual_ascent" else set()))
