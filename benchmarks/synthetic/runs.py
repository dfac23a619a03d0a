"""Models on made-up chains: constants chosen on sequences nobody is tested on, error and weights that are not 0, as rows."""

import json
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any

import numpy as np

from benchmarks.common.measure import Clock
from benchmarks.common.rows import Row
from benchmarks.letters.runs import TRAINERS, grid
from spacy_mtl.sequences import SequenceProblem, fit
from spacy_mtl.structures.contract import Weights

from .data import N_FOLDS, N_RELEVANT, Chains, DataSet

#: Training ends by itself before, but where the constant is far too large.
ENOUGH = 200
#: How constants of the model that selects begin.
SELECT = "select_"


def powers(first: int, last: int) -> tuple[float, ...]:
    """Half powers of ten: 10^(first / 2) ... 10^(last / 2), two digits."""
    return tuple(float(f"{10 ** (k / 2):.1e}") for k in range(first, last + 1))


@dataclass(frozen=True)
class Model:
    """name: as in the paper. trainer: of TRAINERS. grid: constants, those that give fewer weights first. sparsest: choose the constants that leave
    the fewest weights of those whose error is within one standard error of the least, of equally few the least error.
    """

    name: str
    trainer: str
    settings: dict[str, Any] = field(default_factory=dict)
    grid: tuple[dict[str, Any], ...] = ({},)
    passes: int = ENOUGH
    sparsest: bool = False

    def train(self, chains: Chains, constants: dict[str, Any]) -> Weights:
        """Of all features."""
        module, _, factory = TRAINERS[self.trainer].partition(":")
        trainer = getattr(import_module(module), factory)(**{**self.settings, **constants})
        return fit(trainer, chains.problem(), self.passes).weights


@dataclass(frozen=True)
class Refitted(Model):
    """Features are selected first, by another model, whose constants are the grid's ``select_...``; then this one is trained on those left."""

    select: Model | None = None

    def train(self, chains: Chains, constants: dict[str, Any]) -> Weights:
        assert self.select is not None
        chosen = {name.removeprefix(SELECT): value for name, value in constants.items() if name.startswith(SELECT)}
        weights = self.select.train(chains, chosen)
        left = np.flatnonzero(weights.node.any(axis=1))
        if not left.size:
            return weights
        own = {name: value for name, value in constants.items() if not name.startswith(SELECT)}
        found = super().train(chains.only(left), own)
        weights.node[:] = 0
        weights.node[left], weights.pair[:] = found.node, found.pair
        return weights


EM = Model("l1-M3N", "L1M3N", {"algorithm": "em"}, grid(C=powers(-4, -1)))
#: Weights below this share of the largest are given up in the later rounds: constants alone leave some that pull little. Chosen on other data sets.
PRUNED = {"algorithm": "em", "threshold": 0.2}
#: The l1 norm shrinks what it keeps: the M3N on the features that are left does not. Threshold, grid and rule chosen on other data sets.
REFITTED = Refitted(
    "l1-M3N, refitted",
    "MTLstruct",
    {"p": 2.0},
    grid(select_C=(0.015, 0.03, 0.06, 0.12, 0.25), C=(0.001, 0.003)),
    select=replace(EM, settings={"algorithm": "em", "threshold": 0.1}),
    sparsest=True,
)
#: Figure 2.
MODELS = (
    Model("CRF", "CRF", {"C": 1e5}, passes=100),
    Model("l2-CRF", "CRF", {"penalty": "l2"}, grid(C=powers(-12, -2))),
    Model("l1-CRF", "CRF", {"penalty": "l1"}, grid(C=powers(-4, -1))),
    Model("M3N", "MTLstruct", {"p": 2.0}, grid(C=powers(-12, -2))),
    Model("LapM3N", "L1M3N", {"algorithm": "laplace"}, grid(prior_lambda=(10.0, 100.0), C=powers(-6, -1))),
    EM,
    replace(EM, name="l1-M3N, pruned", settings=PRUNED, grid=grid(C=(0.03, 0.06, 0.12, 0.25, 0.5)), sparsest=True),
    REFITTED,
)
#: Table 1 and Figure 5. The threshold of "em, pruned" is a share of the largest weight under which weights are given up.
ALGORITHMS = (
    Model("subgradient", "L1M3N", {"algorithm": "subgradient"}, grid(radius=(0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0))),
    Model(
        "cutting plane", "L1M3N", {"algorithm": "cutting_plane"}, grid(C=(0.005, 0.01, 0.015, 0.02, 0.03, 0.05, 0.1))
    ),
    replace(EM, name="em", grid=grid(C=(0.003, 0.01, 0.02, 0.03, 0.06, 0.1, 0.3, 1.0))),
    replace(EM, name="em, pruned", settings=PRUNED, grid=grid(C=(0.015, 0.03, 0.06, 0.12, 0.25, 0.5))),
    Model("LapM3N", "L1M3N", {"algorithm": "laplace", "prior_lambda": 10.0}, grid(C=powers(-6, 0))),
)


@dataclass(frozen=True)
class Outcome:
    """One training. error, choice: labels wrong, in percent, of the test and of the sequences to choose on. node: float32[N_FEATURES, 2]."""

    error: float
    choice: float
    node: np.ndarray
    cpu: float


def error(problem: SequenceProblem, weights: Weights, chains: Chains) -> float:
    """Labels wrong, in percent."""
    found = problem.model(weights).predict({"x": chains.rows()}, chains.lengths())
    return 100 * float((found != chains.y.ravel()).mean())


def run(model: Model, constants: dict[str, Any], data: DataSet, fold: np.ndarray) -> Outcome:
    """Train on a fold, test on all others."""
    chains, clock = data.sequences.part(fold), Clock()
    with clock("cpu"):
        weights = model.train(chains, constants)
    problem = chains.problem()
    tested, chosen = error(problem, weights, data.others(fold)), error(problem, weights, data.choice)
    return Outcome(tested, chosen, weights.node.copy(), clock.seconds["cpu"])


def choose(model: Model, data: DataSet, folds: Sequence[np.ndarray]) -> tuple[dict[str, Any], list[Outcome]]:
    """The constants with the least error on the sequences to choose on, of equals the first (see also ``sparsest``), and their outcomes."""
    outcomes = [[run(model, point, data, fold) for fold in folds] for point in model.grid]
    rows = [summary(found) for found in outcomes]
    best = min(range(len(rows)), key=lambda k: rows[k]["error_choice"])
    if model.sparsest:
        most = rows[best]["error_choice"] + rows[best]["error_choice_se"]
        near = [k for k, row in enumerate(rows) if row["error_choice"] <= most]
        best = min(near, key=lambda k: (rows[k]["total"], rows[k]["error_choice"]))
    return model.grid[best], outcomes[best]


def generating_error(data: DataSet) -> float:
    """Error of the model that the data come from: Viterbi under its own weights, on all sequences."""
    problem = data.sequences.problem()
    weights = problem.zeros()
    weights.node[:], weights.pair[:] = data.node, data.step.reshape(1, -1)
    return error(problem, weights, data.sequences)


def counts(node: np.ndarray) -> dict[str, float]:
    """Weights that are not 0, of all 200 and of the 140 of features without relevance."""
    return {"total": int(np.count_nonzero(node)), "irrelevant": int(np.count_nonzero(node[N_RELEVANT:]))}


def mean_node(outcomes: Sequence[Outcome]) -> np.ndarray:
    """State weights in the mean over folds, float[N_FEATURES, 2]."""
    return np.mean([outcome.node for outcome in outcomes], axis=0)


def summary(outcomes: Sequence[Outcome]) -> Row:
    """Means over folds; "average_...": of the weights averaged over folds first, as the paper counts."""
    each = [counts(outcome.node) for outcome in outcomes]
    choices = [outcome.choice for outcome in outcomes]
    average = counts(mean_node(outcomes))
    return {
        "error": statistics.fmean(outcome.error for outcome in outcomes),
        "error_choice": statistics.fmean(choices),
        "error_choice_se": statistics.stdev(choices) / len(choices) ** 0.5 if len(choices) > 1 else 0.0,
        **{name: statistics.fmean(count[name] for count in each) for name in ("total", "irrelevant")},
        **{f"average_{name}": int(count) for name, count in average.items()},
        "cpu": statistics.fmean(outcome.cpu for outcome in outcomes),
        "runs": len(outcomes),
    }


def shown(constants: dict[str, Any]) -> str:
    return ", ".join(f"{name} = {value:g}" for name, value in constants.items())


def errors(models: Sequence[Model], data: DataSet, size: int, n_folds: int | None = None) -> Iterator[Row]:
    """Figure 2 on one data set: a row for each model, trained on about ``size`` sequences. n_folds: of all, train on these only."""
    folds = data.folds(N_FOLDS[size])[:n_folds]
    for model in models:
        constants, outcomes = choose(model, data, folds)
        yield {"model": model.name, "size": size, "chosen": json.dumps(constants), **summary(outcomes)}


def sparsity(models: Sequence[Model], data: DataSet, n_folds: int | None = None) -> Iterator[Row]:
    """Table 1 and Figure 5: a row for each algorithm and constant, 100 sequences for training."""
    for model in models:
        for constants in model.grid:
            outcomes = [run(model, constants, data, fold) for fold in data.folds(N_FOLDS[100])[:n_folds]]
            yield {"model": model.name, "constant": shown(constants), **summary(outcomes)}


def mark_best(rows: Sequence[Row]) -> None:
    """Of each algorithm, mark the constant with the least error on the sequences to choose on, and the sparsest within one standard error of it."""
    for name in dict.fromkeys(row["model"] for row in rows):
        own = [row for row in rows if row["model"] == name]
        least = min(own, key=lambda row: row["error_choice"])
        near = [row for row in own if row["error_choice"] <= least["error_choice"] + least["error_choice_se"]]
        sparsest = min(near, key=lambda row: row["total"])
        for row in own:
            marks = {"best": row is least, "sparsest": row is sparsest}
            row["best"] = ", ".join(mark for mark, is_it in marks.items() if is_it)


def by_size(models: Sequence[Model], rows: Sequence[Row]) -> list[Row]:
    """A row for each model: error for each number of training sequences, mean and deviation over data sets."""
    out = []
    for name in [*(model.name for model in models), "generating CRF"]:
        line: Row = {"model": name}
        for size in sorted({row["size"] for row in rows}):
            found = [row for row in rows if row["model"] == name and row["size"] == size]
            if not found:
                continue
            values = [row["error"] for row in found]
            line[f"error_{size}"] = statistics.fmean(values)
            line[f"deviation_{size}"] = statistics.stdev(values) if len(values) > 1 else None
            line[f"irrelevant_{size}"] = statistics.fmean(row.get("irrelevant", 0) for row in found)
        if len(line) > 1:
            line["cpu"] = statistics.fmean(row.get("cpu", 0) for row in rows if row["model"] == name)
            out.append(line)
    return out
