"""What ``spacy train`` costs: ``python -m benchmarks.door MODE --help``. Whole processes on one core, CPU seconds, kernels cached."""

from pathlib import Path
from typing import Annotated

import typer

from benchmarks.common.measure import run_child
from benchmarks.common.rows import Row, append_rows, progress, show

from . import processes
from .quickstart import quickstart as first_minutes
from .tasks import TASKS

app = typer.Typer(help=__doc__, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
CorporaOption = Annotated[Path, typer.Option(help="The folder that the corpora are in.", envvar="SPACY_MTL_CORPORA")]
TaskOption = Annotated[list[str], typer.Option("--task", help=f"Of {', '.join(TASKS)}; again for another.")]
JsonOption = Annotated[Path | None, typer.Option("--json", help="Add the rows to this file of JSON lines.")]
_COLUMNS = {
    "task": "task",
    "contestant": "contestant",
    "cpu": "CPU s",
    "ratio": "times in memory",
    "score": "dev score",
    "passes": "passes",
    "evaluations": "evaluations",
    "pipeline_mb": "MB",
}


@app.command()
def train(
    corpora: CorporaOption,
    task: TaskOption = list(TASKS),  # noqa: B006
    documents: Annotated[
        int,
        typer.Option(help="Of the training corpus, and a quarter as many to score on; 0 for all.", min=0),
    ] = 0,
    repeats: Annotated[int, typer.Option(help="Of each process, in turn.", min=1)] = 1,
    json: JsonOption = None,
) -> None:
    """The whole process of ``spacy train``, and the same training in memory, with as many passes over the same documents."""
    rows: list[Row] = []
    for name in task:
        for _ in range(repeats):
            about: Row = {"benchmark": "door", "mode": "train", "task": name, "documents": documents}
            found = processes.door(name, str(corpora), documents)
            memory = run_child(
                "benchmarks.door.processes:in_memory",
                name=name,
                corpora=str(corpora),
                passes=found["passes"],
                documents=documents,
            )
            rows += [{**about, **found, "ratio": found["cpu"] / memory["cpu"]}, {**about, **memory}]
            progress.print(f"{name}: {found['cpu']:.1f} s, in memory {memory['cpu']:.1f} s", highlight=False)
    show("spacy train, the whole process", _COLUMNS, rows)
    append_rows(json, rows)


@app.command()
def crfsuite(corpora: CorporaOption, json: JsonOption = None) -> None:
    """python-crfsuite's whole process on Spanish entities: files read, features in Python, default stop, model written."""
    row: Row = {
        "benchmark": "door",
        "mode": "train",
        "task": "ner",
        "documents": 0,
        **processes.crfsuite("ner", str(corpora)),
    }
    show("python-crfsuite, the whole process", _COLUMNS, [row])
    append_rows(json, [row])


@app.command()
def rivals(
    corpora: CorporaOption,
    repeats: Annotated[int, typer.Option(help="Of each process, in turn.", min=1)] = 3,
    json: JsonOption = None,
) -> None:
    """The whole processes of ``spacy train`` and of python-crfsuite on Spanish entities, in turn: which part of its CPU seconds ours takes.

    Ours with all epochs of the config, and with the first alone.
    """
    about: Row = {"benchmark": "door", "mode": "rivals", "task": "ner", "documents": 0}
    rows: list[Row] = []
    for _ in range(repeats):
        whole = processes.door("ner", str(corpora))
        first = processes.door("ner", str(corpora), epochs=1) | {"contestant": "spacy train, first epoch"}
        theirs = processes.crfsuite("ner", str(corpora))
        found = [{**about, **ours, "share": ours["cpu"] / theirs["cpu"]} for ours in (whole, first)]
        append_rows(json, [*found, {**about, **theirs}])
        rows += [*found, {**about, **theirs}]
        progress.print(f"spacy train {whole['cpu']:.1f} s, crfsuite {theirs['cpu']:.1f} s", highlight=False)
    columns = {"contestant": "contestant", "cpu": "CPU s", "score": "dev score", "share": "of its CPU s"}
    show("The whole processes, in turn", columns, rows)


@app.command()
def quickstart(json: JsonOption = None) -> None:
    """All of ``spacy project run quickstart`` in a fresh clone of what is committed, with nothing compiled."""
    row: Row = {"benchmark": "door", "mode": "quickstart", **first_minutes()}
    show(
        "Quickstart in a fresh clone",
        {"contestant": "", "cpu": "CPU s", "score": "F1", "kernel_files": "kernels"},
        [row],
    )
    append_rows(json, [row])
