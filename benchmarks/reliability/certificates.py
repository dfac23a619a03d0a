"""Primal, dual and gap of MTLStruct against an optimum over all outputs: random small problems, exponents of the norm, C and structures."""

import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from benchmarks.common.measure import run_child
from benchmarks.common.rows import Row
from spacy_mtl.trainers.base import Report, Training, fit
from spacy_mtl.trainers.mtlstruct.trainer import MTLStruct

from .enumerated import KINDS, Enumerated, flat, random_problem
from .plan import Plan

EXPONENTS = (1.0, 4 / 3, 2.0, 4.0, 100.0)
SOLVERS = ("dual_ascent", "cutting_plane")
TOL, PASSES = 1e-3, 400
#: How far above the optimum a dual may be, and how far the reported primal from that of the weights, both relative: rounding in double precision.
ROUNDING = 1e-9
#: Rounding of margins in double precision, summed in another order here; C multiplies it.
SCORES = 1e-13
AT_ONCE = 50
#: Of problems that can be separated: exponents, C, and the most passes to the optimum.
LARGE_EXPONENTS = (1.0, 1.1, 4 / 3, 1.5, 2.0, 3.0, 10.0, 100.0)
LARGE_C, LARGE_PASSES = 1e4, 200
RANDOM, LARGE = "MTLStruct", "MTLStruct, large C on separable data"


@dataclass(frozen=True)
class Case:
    """A problem and the settings of its training."""

    seed: int
    kind: str
    p: float
    C: float
    solver: str

    def __str__(self) -> str:
        return f"seed {self.seed}: {self.kind}, p = {self.p:.4g}, C = {self.C:.3g}, {self.solver}"


def case_of(seed: int) -> Case:
    """The case of a seed: every combination of structure, exponent and solver in turn, with C between 1e-4 and 1e6, on a logarithmic scale."""
    C = 10 ** float(np.random.default_rng([seed, 1]).uniform(-4, 6))
    return Case(seed, KINDS[seed % 3], EXPONENTS[seed // 3 % 5], C, SOLVERS[seed // 15 % 2])


def run(plan: Plan) -> Iterator[Row]:
    if plan.wants(RANDOM):
        yield _run_random(plan)
    if plan.wants(LARGE):
        yield _run_large(plan)


def _run_random(plan: Plan) -> Row:
    n = plan.size(200, 2000)
    failures, open_, passes = [], 0, []
    for first in range(plan.seed, plan.seed + n, AT_ONCE):
        found = run_child(f"{__name__}:check", first=first, n=min(AT_ONCE, plan.seed + n - first))
        failures += found["failures"]
        open_ += found["open"]
        passes += found["passes"]
    note = f"{n - open_:,} of {n:,} converged, in {sorted(passes)[len(passes) // 2]} passes (median), {max(passes)} at most"
    return plan.row("certificates", RANDOM, n, failures, not_converged=open_, most_passes=max(passes), note=note)


def _run_large(plan: Plan) -> Row:
    """Of the seeds, all as chains, and the first half as trees of both kinds too."""
    n = plan.size(2, 20)
    failures, switched, passes = [], 0, []
    for seed in range(plan.seed, plan.seed + n):
        kinds = KINDS if seed - plan.seed < max(1, n // 2) else KINDS[:1]
        found = run_child(f"{__name__}:check_large", seed=seed, kinds=list(kinds))
        failures += found["failures"]
        switched += found["switched"]
        passes += found["passes"]
    tried = len(passes)
    note = f"{sorted(passes)[tried // 2]} passes (median), {max(passes)} at most; {switched:,} of {tried:,} by cutting planes"
    return plan.row("certificates", LARGE, tried, failures, switched=switched, most_passes=max(passes), note=note)


def check_large(seed: int, kinds: list[str]) -> dict:
    """What is wrong after LARGE_PASSES passes on the separable problems of a seed; the passes of all, and how many went on with cutting planes."""
    failures, switched, passes = [], 0, []
    for kind in kinds:
        enumerated = random_problem(seed, kind, separable=True)
        for p in LARGE_EXPONENTS:
            case = Case(seed, kind, p, LARGE_C, "dual_ascent")
            optimum = min(enumerated.optimum(p, LARGE_C))
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                training = fit(MTLStruct(p, LARGE_C), enumerated.problem, LARGE_PASSES)
            primal = enumerated.objective(flat(training.weights), p, LARGE_C)
            if not training.converged:
                failures.append(
                    f"{case}: not converged after {training.passes} passes, {primal / optimum - 1:.2g} above the optimum"
                )
            elif primal - optimum > 1.001 * TOL * primal:
                failures.append(f"{case}: {primal / optimum - 1:.2g} above the optimum")
            switched += any("M332" in str(warning.message) for warning in told)
            passes.append(training.passes)
    return {"failures": failures, "switched": switched, "passes": passes}


def check(first: int, n: int) -> dict:
    """What is false in the reports of ``n`` cases; how many have not converged; and the passes of the others."""
    failures, open_, passes = [], 0, []
    for seed in range(first, first + n):
        case = case_of(seed)
        training, found = faults(case)
        failures += [f"{case}: {what}" for what in found]
        open_ += not training.converged
        passes += [training.passes] if training.converged else []
    return {"failures": failures, "open": open_, "passes": passes}


def faults(case: Case) -> tuple[Training, list[str]]:
    """Train with reports on the way and at the end; say what is false in them."""
    enumerated = random_problem(case.seed, case.kind)
    optimum, above = enumerated.optimum(case.p, case.C)
    found: list[str] = []

    def look(training: Training) -> None:
        if training.passes in (1, 3, 10, 30, 100) or training.finished:
            primal = enumerated.objective(flat(training.weights), case.p, case.C)
            slack = ROUNDING * primal + SCORES * case.C
            found.extend(false_of(training, training.report(), primal, slack, min(optimum, above), above))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # M331 and M332 say that it is slow
        training = fit(MTLStruct(case.p, case.C, case.solver, TOL), enumerated.problem, PASSES, look)
    return training, found


def false_of(
    training: Training, report: Report, primal: float, slack: float, optimum: float, above: float
) -> list[str]:
    """What is false in a report. primal: the objective of its weights, up to ``slack``. optimum: as far as known; above: a bound."""
    found = []
    if not all(map(math.isfinite, (report.primal, report.dual, report.gap))) or report.gap < 0:
        found.append(f"a gap of {report.gap}")
    if report.dual > above + ROUNDING * abs(above):
        found.append(f"the dual is {report.dual / above - 1:.2g} above the optimum")
    if abs(report.primal - primal) > slack:
        found.append(f"the primal is {report.primal}, and {primal} for the weights")
    if training.converged and primal - optimum > 1.001 * TOL * primal:
        found.append(f"converged at a gap of {1 - optimum / primal:.2g}")
    return found


__all__ = ["Case", "Enumerated", "case_of", "check", "faults", "run"]
