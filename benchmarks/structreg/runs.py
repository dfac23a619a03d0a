"""Trainings of the structure regularization benchmark: every mini-sample size from the same start, scores after every pass."""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median, stdev
from typing import Any

import numpy as np

from benchmarks.common.rows import Row, best_point, ratio
from benchmarks.common.significance import Counts, compare
from spacy_mtl.trainers.base import Trainer
from spacy_mtl.trainers.online.perceptron import Perceptron
from spacy_mtl.trainers.structreg import StructReg

from . import sensors
from .data import TASKS, Data
from .sensors import SensorData

#: Whole sentences: no structure regularization.
WHOLE = 0.0
SIZES = (WHOLE, 20.0, 10.0, 5.5, 3.5, 2.0, 1.0)
TRAINERS = ("crf", "perceptron")


@dataclass(frozen=True)
class Setting:
    """What is the same for all sizes. C: of the CRF. limit: sentences of the training part, 0 for all."""

    C: float
    passes: int
    limit: int = 0


#: C of the CRF as found on dev for whole sentences; passes after which its dev score on whole sentences had stopped to rise.
SETTINGS = {
    "tags": Setting(3.0, 8, 5000),
    "entities": Setting(3.0, 20),
    "entities-iob2": Setting(10.0, 20),
    "words": Setting(3.0, 12, 8000),
    "tags-rich": Setting(3.0, 6),
    sensors.NAME: Setting(10.0, 20),
}


def make_trainer(name: str, setting: Setting, seed: int) -> Trainer:
    """The trainer without structure regularization."""
    if name == "perceptron":
        return Perceptron(seed=seed)
    from spacy_mtl.trainers.crf.trainer import CRF

    # averaged, as the perceptron: the last weights of SGD are up or down by a point from one pass to the next
    return CRF(algorithm="sgd", C=setting.C, seed=seed, average=True)


def regularized(trainer: Trainer, size: float, seed: int) -> Trainer:
    return StructReg(trainer, size=size, seed=seed) if size else trainer


def load(task: str, corpora: Path, limit: int) -> "Data | SensorData":
    """A task ready to be trained."""
    return SensorData.load(corpora) if task == sensors.NAME else Data.load(task, corpora, limit)


def measure(data: "Data | SensorData", trainer: Trainer, passes: int) -> tuple[list[Row], Counts]:
    """Train; a point after every pass: CPU seconds since the beginning, scoring left out, and the scores of the weights then.

    Also what was right on test after the pass that is best on dev.
    """
    everything = np.arange(data.train.n)
    begin = time.process_time()
    training = trainer.begin(data.train)
    cpu, points = time.process_time() - begin, []
    for n in range(1, passes + 1):
        begin = time.process_time()
        training.step(everything)
        training.end_pass()
        weights = training.weights
        cpu += time.process_time() - begin
        points.append({"passes": n, "cpu": cpu, **{part: data.score(part, weights) for part in data.others}})
        if best_point(points, "dev") is points[-1]:
            counts = data.counts("test", weights)
    return points, counts


def warm_up(data: "Data | SensorData", trainer: str, setting: Setting) -> None:
    """Compile or load every kernel."""
    few = np.arange(min(3, data.train.n))
    for size in (WHOLE, 2.0):
        training = regularized(make_trainer(trainer, setting, 0), size, 0).begin(data.train)
        training.step(few)
        training.end_pass()
        data.score("dev", training.weights)


def run(who: dict[str, Any], sizes: Sequence[float], corpora: str, setting: dict[str, Any]) -> list[Row]:
    """All sizes of one task, trainer and seed, one after another: what else the machine does then is the same for all."""
    the_setting = Setting(**setting)
    return run_sizes(load(who["task"], Path(corpora), the_setting.limit), who, sizes, the_setting)


def run_fold(who: dict[str, Any], sizes: Sequence[float], corpora: str, setting: dict[str, Any]) -> list[Row]:
    """The same of one fold of the corpus."""
    task = TASKS[who["task"]]
    data = Data.of(task, task.in_folds(Path(corpora), who["fold"], who["folds"]))
    return run_sizes(data, who, sizes, Setting(**setting))


def run_sizes(
    data: "Data | SensorData", who: dict[str, Any], sizes: Sequence[float], the_setting: Setting
) -> list[Row]:
    """A row for each size: its points, one after every pass, and, where whole sentences are among the sizes, the difference from these on test.

    Each size at its pass that is best on dev; ahead: approximate randomization over sentences, and the interval of the paired bootstrap.
    """
    trainer, seed = who["trainer"], who["seed"]
    warm_up(data, trainer, the_setting)
    points, counts = {}, {}
    for k in np.random.default_rng(seed).permutation(len(sizes)):
        plain = make_trainer(trainer, the_setting, seed)
        points[k], counts[sizes[k]] = measure(data, regularized(plain, sizes[k], seed), the_setting.passes)
    rows: list[Row] = [{"size": sizes[k], "points": points[k]} for k in sorted(points)]
    for row in rows:
        if row["size"] != WHOLE and WHOLE in counts:
            row["ahead"] = compare(counts[row["size"]], counts[WHOLE])._asdict()
    return rows


# --- what came out ---


def curve(rows: Sequence[Row]) -> list[Row]:
    """Points of several seeds as one: means, and deviations where there are two seeds or more."""
    together = []
    for points in zip(*(row["points"] for row in rows), strict=True):
        point: Row = {"passes": points[0]["passes"], "seeds": len(rows)}
        for key in ("cpu", "dev", "test"):
            values = [point[key] for point in points]
            point |= {key: mean(values), f"{key}_sd": stdev(values) if len(values) > 1 else 0.0}
        together.append(point)
    return together


def summarize(rows: Iterable[Row], sizes: Sequence[float]) -> list[Row]:
    """A row for each size of one task and trainer: its curve, at the pass with the highest mean dev score.

    cpu_to: CPU seconds until the mean dev score is the best one of whole sentences; None where it never is.
    """
    rows = list(rows)
    curves = {size: curve([row for row in rows if row["size"] == size]) for size in sizes}
    target = best_point(curves[WHOLE], "dev")["dev"]
    return [
        {
            "size": size,
            "shown": f"{size:g}" if size else "whole",
            **best_point(points, "dev"),
            **against_whole([row for row in rows if row["size"] == size]),
            "cpu_to": next((point["cpu"] for point in points if point["dev"] >= target), None),
        }
        for size, points in curves.items()
        if points
    ]


def curves_of(rows: Sequence[Row]) -> list[Row]:
    """What is drawn of each task and trainer: the summary of the newest measurement."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in sorted(rows, key=lambda row: row["time"]):
        groups.setdefault((row["task"], row["trainer"]), []).append(row)
    found = []
    for (task, trainer), group in groups.items():
        newest = [row for row in group if row["commit"] == group[-1]["commit"]]
        sizes = sorted({row["size"] for row in newest})
        found.append({"task": task, "trainer": trainer, "rows": summarize(newest, sizes)})
    return found


def against_whole(rows: Sequence[Row]) -> Row:
    """Medians over seeds of the difference from whole sentences on test, and of its p value; nothing for whole sentences themselves."""
    found = [row["ahead"] for row in rows if "ahead" in row]
    return {f"{key}_ahead": median(one[key] for one in found) for key in ("difference", "p")} if found else {}


def verdict(summary: Sequence[Row]) -> Row:
    """The cut size with the highest dev score against whole sentences."""
    whole, best = summary[0], best_point([row for row in summary if row["size"]], "dev")
    return {
        "chosen": best["shown"],
        "test_whole": whole["test"],
        "test_cut": best["test"],
        "gain": best["test"] - whole["test"],
        "cpu_whole": whole["cpu"],
        "cpu_cut": best["cpu"],
        "cpu_to": best["cpu_to"],
        "ratio": ratio(best["cpu_to"], whole["cpu"]),
        "p_ahead": best.get("p_ahead"),
    }


def missing(rows: Sequence[Row], wanted: Row, sizes: Sequence[float]) -> Iterator[float]:
    """Sizes that no row with these values has been measured for."""
    known = {row["size"] for row in rows if all(row.get(key) == value for key, value in wanted.items())}
    return (size for size in sizes if size not in known)
