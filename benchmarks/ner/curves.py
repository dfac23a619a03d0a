"""How training converges: the duality gap pass by pass, the two solvers against each other, the price of weighing templates."""

from dataclasses import replace
from typing import Any

import numpy as np
from spacy.training import Example

from benchmarks.common.measure import Clock, median
from spacy_mtl.models.chain.model import weights_later
from spacy_mtl.structures.problem import Problem
from spacy_mtl.trainers.base import Training
from spacy_mtl.trainers.mtlstruct.trainer import MTLStruct

from .data import Data, Ours
from .ours import warm_up


def run_pass(training: Training) -> None:
    """Show everything once."""
    training.step(np.arange(training.problem.n))
    training.end_pass()


def describe(training: Training, clock: Clock) -> dict[str, Any]:
    """Objective values now. The certificate's own time counts under "cpu_certificates"."""
    with clock("cpu_certificates"):
        report = training.report()
    return {
        "passes": report.passes,
        "cpu": clock.seconds["cpu"],
        "primal": report.primal,
        "dual": report.dual,
        "gap": report.gap,
        "live_templates": report.live_templates,
    }


def make_problem(data: Data, ours: Ours) -> Problem:
    """The problem our recognizer poses; kernels are warm afterwards."""
    warm_up(data, ours)
    nlp, ner = replace(ours, inner_passes=1).pipeline(data)
    examples = data.part(nlp, "train").examples()
    nlp.initialize(lambda: examples)
    nlp.update(examples)
    assert ner._learner is not None
    assert ner._learner.training is not None
    return ner._learner.training.problem


# --- the gap ---


def gap(data: dict, ours: dict, target: float, budget: float) -> list[dict[str, Any]]:
    """Train until the relative gap is at most ``target`` or ``budget`` CPU seconds are spent.

    A point after each of the first passes, then ever fewer. cpu: from Docs in memory, features included, certificates and scoring not.
    """
    the_data, settings = Data(**data), replace(Ours(**ours), inner_passes=1)
    warm_up(the_data, settings)
    nlp, ner = settings.pipeline(the_data)
    train, testa = (the_data.part(nlp, part).examples() for part in ("train", "testa"))
    clock = Clock()
    with clock("cpu"):
        nlp.initialize(lambda: train)
        nlp.update(train)
    learner = ner._learner
    assert learner is not None
    assert learner.training is not None
    points: list[dict[str, Any]] = []
    while True:
        points.append(describe(learner.training, clock))
        weights_later(ner.model, lambda: learner.export(settings.megabytes), ner.chain_constraints())
        points[-1]["f1_testa"] = f1(nlp, testa)
        if points[-1]["gap"] <= target or learner.training.finished or clock.seconds["cpu"] >= budget:
            return points
        wait = max(1, learner.training.passes // 8)
        with clock("cpu"):
            for _ in range(wait):
                run_pass(learner.training)


def f1(nlp: Any, examples: list[Example]) -> float:
    return 100 * nlp.evaluate(examples)["ents_f"]


def reached(points: list[dict[str, Any]], gap: float) -> float | None:
    """CPU seconds of the first point with at most this gap."""
    return next((point["cpu"] for point in points if point["gap"] <= gap), None)


# --- what weighing costs ---


def norms(data: dict, ours: dict, passes: int) -> list[dict[str, Any]]:
    """CPU seconds a pass at p = 1 and at p = 2, where templates weigh the same, on one problem."""
    settings = Ours(**ours)
    problem = make_problem(Data(**data), settings)
    rows = []
    for p in (2.0, 1.0):
        training = MTLStruct(p=p, C=settings.C).begin(problem)
        seconds = []
        for _ in range(passes):
            clock = Clock()
            with clock("cpu"):
                run_pass(training)
            seconds.append(clock.seconds["cpu"])
        rows.append({"p": p, "cpu": sum(seconds), "cpu_pass": median(seconds), "cpu_passes": seconds})
    return rows


# --- the two solvers ---


def cutting_plane(problem: Problem, C: float, budget: float, tol: float) -> list[dict[str, Any]]:
    """Rounds of Algorithm 1 for so many CPU seconds. Its primal costs nothing extra: the round after needs the same decoding."""
    training = MTLStruct(p=1.0, C=C, solver="cutting_plane", tol=tol).begin(problem)
    points: list[dict[str, Any]] = []
    clock = Clock()
    while not training.finished and clock.seconds["cpu"] < budget:
        with clock("cpu"):
            run_pass(training)
            training.report()
        points.append(describe(training, clock))
    return points


def dual_ascent(problem: Problem, C: float, primal: float, budget: float) -> list[dict[str, Any]]:
    """Passes of dual ascent until the primal is at most ``primal``. Certificates are not counted."""
    training = MTLStruct(p=1.0, C=C, tol=1e-6).begin(problem)
    points: list[dict[str, Any]] = []
    clock = Clock()
    while not points or (points[-1]["primal"] > primal and clock.seconds["cpu"] < budget):
        with clock("cpu"):
            run_pass(training)
        points.append(describe(training, clock))
    return points


def solvers(data: dict, ours: dict, C: float, budget: float, tol: float) -> dict[str, Any]:
    """Both solvers on one problem: curves, and the CPU seconds to the lowest primal that Algorithm 1 came to."""
    the_data = Data(**data)
    problem = make_problem(the_data, Ours(**ours))
    cutting_plane_warm_up(the_data, Ours(**ours))
    theirs = cutting_plane(problem, C, budget, tol)
    best = min(theirs, key=lambda point: point["primal"])
    ours_points = dual_ascent(problem, C, best["primal"], budget)
    there = next((point["cpu"] for point in ours_points if point["primal"] <= best["primal"]), None)
    return {
        "C": C,
        "primal": best["primal"],
        "cpu_cutting_plane": best["cpu"],
        "rounds": best["passes"],
        "cpu_dual_ascent": there,
        "passes": ours_points[-1]["passes"],
        "cutting_plane": theirs,
        "dual_ascent": ours_points,
    }


def cutting_plane_warm_up(data: Data, ours: Ours) -> None:
    """Compile or load what only Algorithm 1 uses."""
    problem = make_problem(replace(data, limit=20), ours)
    cutting_plane(problem, 1.0, 1e9, 0.5)
