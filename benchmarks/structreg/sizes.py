"""Score and training time against the size of the mini-samples, on the corpora's own parts."""

from dataclasses import asdict, replace
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import track

from benchmarks.common.measure import run_child
from benchmarks.common.rows import Row, append_rows, progress, read_rows, show

from . import sensors
from .data import TASKS
from .runs import SETTINGS, SIZES, TRAINERS, Setting, missing, summarize, verdict

COLUMNS = {
    "shown": "size",
    "seeds": "seeds",
    "passes": "passes",
    "dev": "dev",
    "dev_sd": "±",
    "test": "test",
    "test_sd": "±",
    "cpu": "CPU s",
    "cpu_sd": "±",
    "cpu_to": "CPU s to the dev score of whole",
    "difference_ahead": "test, against whole",
    "p_ahead": "p value",
}
VERDICT = {
    "task": "task",
    "trainer": "trainer",
    "chosen": "size",
    "test_whole": "test, whole",
    "test_cut": "test, cut",
    "gain": "gain",
    "cpu_whole": "CPU s, whole",
    "cpu_cut": "CPU s, cut",
    "cpu_to": "CPU s, cut, to the dev score of whole",
    "ratio": "times faster there",
    "p_ahead": "p value",
}
#: Headings of scores.
SCORES = {name: task.score for name, task in TASKS.items()} | {sensors.NAME: "accuracy"}
Names = Enum("Names", {name: name for name in SCORES}, type=str)  # type: ignore[misc]
Trainers = Enum("Trainers", {name: name for name in TRAINERS}, type=str)  # type: ignore[misc]


def settings_of(task: str, C: float | None, passes: int | None, limit: int | None, quick: bool) -> Setting:
    """The task's own settings but for what is given."""
    given = {"C": C, "passes": passes, "limit": limit}
    setting = replace(SETTINGS[task], **{key: value for key, value in given.items() if value is not None})
    return replace(setting, passes=3, limit=400) if quick else setting


def rows_of(rows: list[Row], wanted: Row) -> list[Row]:
    return [row for row in rows if all(row.get(key) == value for key, value in wanted.items())]


def report(title: str, rows: list[Row], sizes: list[float]) -> Row:
    """Print the table of one task and trainer; returns the chosen size against whole sentences."""
    summary = summarize(rows, sizes)
    show(title, COLUMNS, summary)
    return verdict(summary)


def sizes(
    corpora: Annotated[
        Path,
        typer.Option(
            envvar="SPACY_MTL_CORPORA", exists=True, file_okay=False, help="Folder with genia-pos/ and others."
        ),
    ],
    task: Annotated[list[Names] | None, typer.Option(help="One or more; all if not given.")] = None,  # type: ignore[valid-type]
    trainer: Annotated[list[Trainers] | None, typer.Option(help="One or more; all if not given.")] = None,  # type: ignore[valid-type]
    size: Annotated[list[float] | None, typer.Option(help="Mini-sample sizes besides whole sentences.")] = None,
    seeds: Annotated[int, typer.Option(help="Trainings for each size.")] = 5,
    C: Annotated[float | None, typer.Option("--C", help="Weight of the losses, CRF.")] = None,
    passes: Annotated[int | None, typer.Option(help="Over the training part.")] = None,
    limit: Annotated[int | None, typer.Option(help="Training sentences, 0 for all.")] = None,
    json: Annotated[
        Path | None, typer.Option(help="Add the rows to this file; what it has already is not measured again.")
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the tables to this .png or .svg.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="400 sentences, 3 passes, one seed, four sizes.")] = False,
) -> None:
    """A table for each task and trainer: means and deviations over seeds.

    Number of passes and size are those of the highest mean score on dev (the corpus's own, or the last tenth of the training file); the score on test
    is reported.
    """
    sizes = [SIZES[0], *(size or ((5.5, 2.0, 1.0) if quick else SIZES[1:]))]
    known = read_rows(json)
    wanted = [
        {
            "mode": "structreg",
            "task": name,
            "trainer": kind,
            "seed": seed,
            **asdict(settings_of(name, C, passes, limit, quick)),
        }
        for seed in range(1 if quick else seeds)
        for name in [entry.value for entry in task or Names]
        for kind in [entry.value for entry in trainer or Trainers]
    ]
    for about in track(wanted, "trainings", console=progress):
        left = list(missing(known, about, sizes))
        if left:
            setting = {key: about[key] for key in ("C", "passes", "limit")}
            who = {key: about[key] for key in ("task", "trainer", "seed")}
            found = run_child(
                "benchmarks.structreg.runs:run", who=who, sizes=left, corpora=str(corpora), setting=setting
            )
            known += [about | row for row in found]
            append_rows(json, [{"benchmark": "structreg"} | about | row for row in found])
    verdicts, curves = [], []
    for about in wanted:
        if about["seed"] == 0:
            same = {key: value for key, value in about.items() if key != "seed"}
            rows = [row for row in rows_of(known, same) if row["seed"] < (1 if quick else seeds)]
            who = {"task": about["task"], "trainer": about["trainer"]}
            limited = f"{about['limit']:,} training sentences" if about["limit"] else "all training sentences"
            of_crf = f", C = {about['C']:g}" if about["trainer"] == "crf" else ""
            title = (
                f"{who['task']} ({SCORES[who['task']]}), {who['trainer']}, {about['passes']} passes, {limited}{of_crf}"
            )
            verdicts.append(who | report(title, rows, sizes))
            curves.append(who | {"rows": summarize(rows, sizes)})
    show("Chosen on dev, against whole sentences", VERDICT, verdicts)
    if plot is not None:
        from .plot import draw

        draw(plot, curves)
