"""Contestants on the OCR letters: settings chosen, trained on one fold, tested on the others, as rows."""

import json
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any

import numpy as np

from benchmarks.common.measure import Clock
from benchmarks.common.rows import Row, find_row
from spacy_mtl.sequences import SequenceProblem, fit, problem_from_arrays
from spacy_mtl.trainers.base import Trainer, Training

from .data import Letters, Part, blocks, new_blocks

TRAINERS = {
    "MTLstruct": "spacy_mtl.trainers.mtlstruct.trainer:mtl_struct",
    "OnlineMKL": "spacy_mtl.trainers.online_mkl.trainer:online_mkl",
    "L1M3N": "spacy_mtl.trainers.l1m3n.trainer:l1_m3n",
    "CRF": "spacy_mtl.trainers.crf.trainer:crf",
    "RoughEM": "benchmarks.letters.rough_em:RoughEM",
}
#: The fold on which settings are chosen: never tested on, but where nothing else is trained on it.
CHOOSING = 0


@dataclass(frozen=True)
class Contestant:
    """A trainer with blocks. name: shown. kinds: blocks, see data.py. grid: settings to choose among. paper: its figure in the paper."""

    name: str
    kinds: str
    trainer: str
    settings: dict[str, Any] = field(default_factory=dict)
    grid: tuple[dict[str, Any], ...] = ({},)
    passes: int = 20
    paper: str = ""

    def make(self, **chosen: Any) -> Trainer:
        module, _, factory = TRAINERS[self.trainer].partition(":")
        return getattr(import_module(module), factory)(**{**self.settings, **chosen})

    def identity(self) -> Row:
        """What its rows have in common."""
        settings = json.dumps(self.settings, sort_keys=True)
        return {"contestant": self.name, "trainer": self.trainer, "blocks": self.kinds, "settings": settings}


def grid(**values: Sequence[Any]) -> tuple[dict[str, Any], ...]:
    """All combinations."""
    points: list[dict[str, Any]] = [{}]
    for name, choices in values.items():
        points = [{**point, name: choice} for point in points for choice in choices]
    return tuple(points)


@dataclass(frozen=True)
class Split:
    """What one run sees. train, test: word numbers."""

    train: np.ndarray
    test: np.ndarray


@dataclass(frozen=True)
class Plan:
    """Which words. choice: to choose settings on. folds: to report, one run each."""

    name: str
    choice: Split
    folds: dict[int, Split]


def warm_up(contestants: Sequence[Contestant], letters: Letters) -> None:
    """Train and test every kind of contestant on a few words once, so that no kernel is compiled or loaded while we measure."""
    few = np.arange(5)
    seen = set()
    for contestant in contestants:
        kind = (contestant.trainer, json.dumps(contestant.settings, sort_keys=True))
        if kind not in seen:
            seen.add(kind)
            run(replace(contestant, passes=1), letters, Split(few, few), contestant.grid[0])


def make_problem(contestant: Contestant, part: Part) -> SequenceProblem:
    return problem_from_arrays(blocks(contestant.kinds, part.pixels), part.labels, part.lengths)


def accuracy(contestant: Contestant, problem: SequenceProblem, training: Training, part: Part) -> float:
    """Share of letters read right, in percent."""
    found = problem.model(training.weights).predict(new_blocks(contestant.kinds, part.pixels), part.lengths)
    return 100 * float((found == part.labels).mean())


def non_zero(training: Training) -> int:
    """Weights that are not 0."""
    return sum(int(np.count_nonzero(matrix)) for matrix in training.weights)


def choose(contestant: Contestant, letters: Letters, split: Split, tell: Callable[[str], None]) -> Row:
    """The point of the grid that reads most letters of ``split.test`` right, trained on ``split.train``; of equals, the first."""
    if len(contestant.grid) == 1:
        return {"chosen": contestant.grid[0], "points": []}
    train, test = letters.part(split.train), letters.part(split.test)
    problem = make_problem(contestant, train)
    points = []
    for point in contestant.grid:
        training = fit(contestant.make(**point), problem, contestant.passes)
        score = accuracy(contestant, problem, training, test)
        points.append({**point, "accuracy": score})
        tell(f"{contestant.trainer}, {contestant.name}: {point} {score:.1f}")
    best = max(range(len(points)), key=lambda k: points[k]["accuracy"])
    return {"chosen": contestant.grid[best], "points": points}


def run(contestant: Contestant, letters: Letters, split: Split, chosen: dict[str, Any]) -> Row:
    """Train and test once. cpu: seconds from arrays to weights, of which "cpu_problem" for kernels."""
    train, test, clock = letters.part(split.train), letters.part(split.test), Clock()
    with clock("cpu"):
        with clock("cpu_problem"):
            problem = make_problem(contestant, train)
        training = fit(contestant.make(**chosen), problem, contestant.passes)
    with clock("cpu_predict"):
        score = accuracy(contestant, problem, training, test)
    mu = dict(zip(problem.blocks.names, training.template_weights.tolist(), strict=True))
    report = training.report()
    return {
        "accuracy": score,
        "passes": training.passes,
        "gap": None if np.isnan(report.gap) else report.gap,
        "primal": report.primal,
        "non_zero": non_zero(training),
        "mu": mu,
        "letters": {"train": int(train.lengths.sum()), "test": int(test.lengths.sum())},
        **clock.seconds,
    }


def runs(
    contestant: Contestant, letters: Letters, plan: Plan, known: list[Row], tell: Callable[[str], None]
) -> Iterator[tuple[Row, bool]]:
    """The row of every fold, and whether it is new. ``known``: rows of earlier runs, those of the same settings are not run again."""
    about = {"benchmark": "ocr", "plan": plan.name, "passes_wanted": contestant.passes, **contestant.identity()}
    asked = {**about, "mode": "choice", "grid": json.dumps(contestant.grid, sort_keys=True)}
    choice, is_new = find_row(known, asked), False
    if choice is None:
        choice, is_new = asked | choose(contestant, letters, plan.choice, tell), True
    yield choice, is_new
    for fold, split in plan.folds.items():
        wanted = {**about, "mode": "run", "fold": fold, "chosen": json.dumps(choice["chosen"], sort_keys=True)}
        row = find_row(known, wanted)
        if row is None:
            tell(f"{contestant.trainer}, {contestant.name}: fold {fold}, {choice['chosen']}")
            yield wanted | run(contestant, letters, split, choice["chosen"]), True
        else:
            yield row, False


def mean_row(contestant: Contestant, rows: Sequence[Row]) -> Row:
    """Mean and deviation over folds."""
    scores = [row["accuracy"] for row in rows]
    shares = [{name: value / (sum(row["mu"].values()) or 1) for name, value in row["mu"].items()} for row in rows]
    weights = {name: statistics.fmean(share[name] for share in shares) for name in shares[0]}
    return {
        **contestant.identity(),
        "accuracy": statistics.fmean(scores),
        "deviation": statistics.stdev(scores) if len(scores) > 1 else None,
        "paper": contestant.paper,
        "cpu": statistics.fmean(row["cpu"] for row in rows),
        "cpu_problem": statistics.fmean(row["cpu_problem"] for row in rows),
        "non_zero": round(statistics.fmean(row["non_zero"] for row in rows)),
        "runs": len(rows),
        "chosen": ", ".join(f"{name} = {value:g}" for name, value in json.loads(rows[0]["chosen"]).items()),
        "weights": ", ".join(f"{name} {value:.2f}" for name, value in weights.items()),
    }
