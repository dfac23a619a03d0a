"""Structure regularization by cross-validation: where a corpus is small, its test part alone says little.

The whole corpus is in folds; each is tested on once, by what was trained on the others but one, the next, where size and number of passes are chosen.
Means and deviations over seeds of the mean over folds. Otherwise as sizes.py.
"""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import mean, stdev
from typing import Annotated

import typer
from rich.progress import track

from benchmarks.common.measure import run_child
from benchmarks.common.rows import Row, append_rows, best_point, progress, read_rows, show

from .runs import SETTINGS, WHOLE, curve, missing
from .sizes import Names, Trainers

COLUMNS = {
    "shown": "size",
    "dev": "dev",
    "test": "test",
    "test_sd": "±",
    "cpu": "CPU s",
    "cpu_to": "CPU s to the dev score of whole",
}
CHOSEN = "by each dev fold"
_TASK, _TRAINER = Names("entities-iob2"), Trainers("crf")


def of_fold(rows: Sequence[Row]) -> dict[str, Row]:
    """The best point on dev of each size of one fold and seed, and of the sizes that cut the best: what is chosen without a look at test."""
    found = {name_of(row["size"]): best_point(row["points"], "dev") for row in rows}
    return found | {CHOSEN: best_point([point for name, point in found.items() if name != name_of(WHOLE)], "dev")}


def name_of(size: float) -> str:
    return f"{size:g}" if size else "whole"


def seconds_to_whole(rows: Sequence[Row]) -> dict[str, float | None]:
    """CPU seconds of each size until the mean dev score is the best one of whole sentences; None where it never is."""
    sizes = sorted({row["size"] for row in rows})
    curves = {size: curve([row for row in rows if row["size"] == size]) for size in sizes}
    target = best_point(curves[WHOLE], "dev")["dev"]
    return {
        name_of(size): next((point["cpu"] for point in points if point["dev"] >= target), None)
        for size, points in curves.items()
    }


def summarize_folds(rows: Sequence[Row]) -> list[Row]:
    """Means over folds and seeds; deviations over seeds of the mean over folds."""
    groups: dict[tuple[int, int], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["seed"], row["fold"]), []).append(row)
    found = {key: of_fold(group) for key, group in groups.items()}
    seeds, reached = sorted({seed for seed, _ in groups}), seconds_to_whole(rows)
    table = []
    for name in next(iter(found.values())):
        points = {key: sizes[name] for key, sizes in found.items()}
        scores = [mean(point["test"] for (of, _), point in points.items() if of == seed) for seed in seeds]
        row = {"shown": name, "test": mean(scores), "test_sd": stdev(scores) if len(scores) > 1 else 0.0}
        row |= {key: mean(point[key] for point in points.values()) for key in ("dev", "cpu")}
        table.append(row | {"cpu_to": reached.get(name)})
    return table


def folds(
    corpora: Annotated[
        Path, typer.Option(envvar="SPACY_MTL_CORPORA", exists=True, file_okay=False, help="Folder of the corpora.")
    ],
    task: Annotated[Names, typer.Option(help="Which corpus and labels.")] = _TASK,  # type: ignore[valid-type]
    trainer: Annotated[Trainers, typer.Option(help="What is wrapped.")] = _TRAINER,  # type: ignore[valid-type]
    size: Annotated[
        list[float] | None, typer.Option(help="Sizes besides whole sentences; 20, 10, 5.5 if not given.")
    ] = None,
    folds: Annotated[int, typer.Option(min=3, help="Parts of the corpus.")] = 7,
    seeds: Annotated[int, typer.Option(min=1, help="Trainings for each size and fold.")] = 5,
    passes: Annotated[int | None, typer.Option(help="Over the training part.")] = None,
    json: Annotated[
        Path | None, typer.Option(help="Add the rows to this file; what it has already is not measured again.")
    ] = None,
) -> None:
    """By cross-validation: every sentence is tested on once. For corpora whose test part alone says little."""
    sizes = [WHOLE, *(size or (20.0, 10.0, 5.5))]
    setting = asdict(SETTINGS[task.value]) | {"limit": 0} | ({"passes": passes} if passes else {})
    about = {"mode": "structreg-folds", "task": task.value, "trainer": trainer.value, "folds": folds, **setting}
    known, wanted = read_rows(json), [about | {"seed": s, "fold": k} for s in range(seeds) for k in range(folds)]
    for who in track(wanted, "trainings", console=progress):
        left = list(missing(known, who, sizes))
        if left:
            new = run_child(
                "benchmarks.structreg.runs:run_fold", who=who, sizes=left, corpora=str(corpora), setting=setting
            )
            known += [who | row for row in new]
            append_rows(json, [who | row for row in new])
    rows = [
        row
        for row in known
        if row["size"] in sizes and any(all(row.get(k) == v for k, v in who.items()) for who in wanted)
    ]
    show(
        f"{task.value}, {trainer.value}, C = {setting['C']:g}, {folds} folds, {seeds} seeds",
        COLUMNS,
        summarize_folds(rows),
    )
