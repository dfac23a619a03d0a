"""The dual objective of the structural SVM pass by pass, by whichever trainer maximizes it."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from benchmarks.common.measure import Clock
from benchmarks.ner.curves import make_problem, run_pass
from benchmarks.ner.data import Data, Ours
from spacy_mtl.structures.problem import Problem
from spacy_mtl.trainers.base import Trainer, Training
from spacy_mtl.trainers.eg.batch import BatchEG
from spacy_mtl.trainers.eg.online import OnlineEG
from spacy_mtl.trainers.eg.trainer import EG
from spacy_mtl.trainers.mtlstruct.trainer import MTLStruct

from .smo import SMO

#: Never reached: all passes are run.
TOL = 1e-12


@dataclass(frozen=True)
class Contestant:
    """A way to the optimum. trainer: EG, SMO or MTLStruct (at p = 2). settings: of the trainer, without C and the tolerance."""

    name: str
    trainer: str
    settings: dict[str, Any]

    def at(self, C: float) -> Trainer:
        known = {"EG": EG, "MTLStruct": MTLStruct, "SMO": SMO}
        return known[self.trainer](C=C, tol=TOL, **self.settings)


def contestants(etas: list[float], starts: list[float], hybrids: list[int] | None = None) -> list[Contestant]:
    """Those of the paper's Figure 4 and their rivals. etas, starts: further runs of online EG, as its two panels have them. hybrids: SMO, too, and so
    many of its passes before EG goes on; None for neither."""
    online: dict[str, Any] = {"mode": "online"}
    return [
        Contestant("EG online", "EG", online),
        *(Contestant(f"EG online, eta {eta:g}", "EG", {**online, "eta": eta}) for eta in etas),
        *(Contestant(f"EG online, start {start:g}", "EG", {**online, "start": start}) for start in starts),
        Contestant("EG batch", "EG", {"mode": "batch"}),
        Contestant("EG online, safe rates", "EG", {**online, "eta": "safe"}),
        Contestant("EG batch, safe rate", "EG", {"mode": "batch", "eta": "safe"}),
        Contestant("cutting plane", "MTLStruct", {"p": 2.0, "solver": "cutting_plane"}),
        Contestant("dual ascent", "MTLStruct", {"p": 2.0}),
        *([] if hybrids is None else [Contestant("SMO", "SMO", {})]),
        *(Contestant(f"EG online after {n} of SMO", "SMO", {"hybrid": n}) for n in hybrids or []),
    ]


def curve(problem: Problem, trainer: Trainer, passes: int) -> list[dict[str, Any]]:
    """A point before the first pass and one after each. cpu: of beginning and passes; measuring primal and dual is not counted."""
    clock = Clock()
    with clock("cpu"):
        training = trainer.begin(problem)
    points = [_point(training, clock)]
    while training.passes < passes and not training.finished:
        with clock("cpu"):
            run_pass(training)
        if training.passes > points[-1]["passes"]:  # a pass that finds the optimum reached is none
            points.append(_point(training, clock))
    return points


def _point(training: Training, clock: Clock) -> dict[str, Any]:
    report = training.report()
    point = {"passes": report.passes, "cpu": clock.seconds["cpu"], "primal": report.primal, "dual": report.dual}
    return {**point, "rate": rate_of(training)}


def rate_of(training: Training) -> float | None:
    """The present learning rate of exponentiated gradient, of many the median; None for other trainings."""
    if isinstance(training, OnlineEG):
        return float(np.median(training._rates))
    return float(training._rate) if isinstance(training, BatchEG) else None


def largest_fall(duals: list[float]) -> float:
    """The largest fall from one pass to the next, as a share of the dual objective it fell to; 0 where it never fell."""
    steps = np.diff(duals)
    shares = np.maximum(-steps, 0) / np.maximum(np.abs(duals[1:]), 1e-30)
    return float(shares.max(initial=0.0))


def measure_trees(
    corpora: str, sentences: int, name: str, trainer: str, settings: dict, C: float, passes: int
) -> dict[str, Any]:
    """One contestant on the problem of a grammar of constituents, without the rules that hardly any tree has: its curve, and how it ended."""
    from benchmarks.constituents.contestants import Ours as Grammar
    from benchmarks.constituents.contestants import problem_of

    contestant = Contestant(name, trainer, settings)
    few, problem = (problem_of(corpora, Grammar(limit=n), Clock()).problem for n in (5, sentences))
    curve(few, contestant.at(C), 2)  # so that no kernel is compiled or loaded while we measure
    points = curve(problem, contestant.at(C), passes)
    return {"contestant": name, "C": C, "sentences": problem.n, **summary(points), "points": points}


def measure(data: dict, ours: dict, name: str, trainer: str, settings: dict, C: float, passes: int) -> dict[str, Any]:
    """One contestant on the problem our recognizer poses: its curve, and how it ended."""
    contestant = Contestant(name, trainer, settings)
    problem = make_problem(Data(**data), Ours(**ours))
    few = problem.n if problem.n <= 20 else 20
    curve(make_few(data, ours, few), contestant.at(C), 2)  # so that no kernel is compiled or loaded while we measure
    points = curve(problem, contestant.at(C), passes)
    return {"contestant": name, "C": C, "sentences": problem.n, **summary(points), "points": points}


def make_few(data: dict, ours: dict, sentences: int) -> Problem:
    return make_problem(Data(**{**data, "limit": sentences}), Ours(**ours))


def summary(points: list[dict[str, Any]]) -> dict[str, Any]:
    """How a curve ended."""
    return {**points[-1], "fall": largest_fall([point["dual"] for point in points])}


def as_task(contestant: Contestant) -> dict[str, Any]:
    """What a child process is given."""
    return asdict(contestant)
