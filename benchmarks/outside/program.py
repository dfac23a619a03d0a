"""Benchmarks of what a corpus does not know: ``python -m benchmarks.outside MODE --help``.

Settings were chosen on the development parts; each test part is scored for what was chosen, and for the same without.
"""

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.common.rows import append_rows, show

app = typer.Typer(help=__doc__, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)

CorporaOption = Annotated[
    Path, typer.Option("--corpora", envvar="SPACY_MTL_CORPORA", exists=True, file_okay=False, help="Folder of corpora.")
]
JsonOption = Annotated[Path | None, typer.Option("--json", help="Add the rows to this file of JSON lines.")]
#: Columns of the printed table.
COLUMNS = {
    "task": "task", "sentences": "sentences", "contestant": "contestant", "clusters": "clusters", "noisy": "noisy", "cost": "cost", "bias": "bias",
    "folds": "folds",
    "cpu": "CPU s", "ratio": "ratio", "cpu_table": "table CPU s", "f1_dev": "F1 dev", "f1_test": "F1 test", "difference": "difference",
    "significance": "p",
}  # fmt: skip


class TaskName(str, Enum):
    """Which corpus."""

    esp = "esp"
    wnut17 = "wnut17"
    ncbi = "ncbi"


TaskOption = Annotated[list[TaskName] | None, typer.Option("--task", help="All if not given.")]


@app.command()
def clusters(corpora: CorporaOption, json: JsonOption = None, task: TaskOption = None) -> None:
    """ner.v1 with and without: spaCy's lookups for Spanish and noisy English, clusters learned from abstracts for names of diseases."""
    from .training import CHOSEN, against

    for name in task or TaskName:
        rows = [
            {"benchmark": "outside", "mode": "clusters", **row}
            for row in against(str(corpora), name.value, *CHOSEN[name.value])
        ]
        append_rows(json, rows)
        show(f"Clusters, {name.value}", COLUMNS, rows)


@app.command()
def lists(corpora: CorporaOption, json: JsonOption = None, task: TaskOption = None) -> None:
    """Lists of the training corpus's own entities beside clusters: none, whole in training, and folded."""
    from dataclasses import replace

    from .training import CHOSEN, TASKS, train

    for name in task or TaskName:
        rows = [
            {"benchmark": "outside", "mode": "lists", "task": name.value, **row}
            for folds in (0, 1, 2, 5)
            for row in [train(str(corpora), TASKS[name.value], replace(CHOSEN[name.value][1], folds=folds))[0]]
        ]
        append_rows(json, rows)
        show(f"Lists of the corpus, {name.value}", COLUMNS, rows)


@app.command()
def costs(corpora: CorporaOption, json: JsonOption = None) -> None:
    """What dearer misses do where entities are sparse: single sentences of names of diseases and of posts, ner.v1 without clusters."""
    from .curves import ALL
    from .training import TASKS, Settings, train

    for name, size in (("ncbi", 100), ("ncbi", 500), ("ncbi", 0), ("wnut17", 500), ("wnut17", 0)):
        rows = [
            {"benchmark": "outside", "mode": "costs", "task": name, "sentences": size, **row}
            for cost in (1.0, 2.0)
            for row in [train(str(corpora), TASKS[name], Settings(cost=cost), size or ALL)[0]]
        ]
        append_rows(json, rows)
        show(f"Costs of a miss, {name}", COLUMNS, rows)


@app.command()
def curves(
    corpora: CorporaOption,
    json: JsonOption = None,
    task: TaskOption = None,
    sizes: Annotated[list[int] | None, typer.Option(help="Sentences of training; 0 for all.")] = None,
    spacy_updates: Annotated[int, typer.Option(help="Updates of spaCy's ner at most; 0 to leave it out.")] = 20000,
    c2: Annotated[
        list[float] | None, typer.Option("--c2", help="Of python-crfsuite, one or more to choose from.")
    ] = None,
) -> None:
    """Learning curves on single sentences: ner.v1 with and without clusters, python-crfsuite on the same observations, spaCy's own ner."""
    from .curves import C2, SIZES, curve

    for name in task or TaskName:
        for size in sizes or SIZES:
            rows = [
                {"benchmark": "outside", "mode": "curves", **row}
                for row in curve(str(corpora), name.value, size, spacy_updates, c2 or C2)
            ]
            append_rows(json, rows)
            show(f"Learning curve, {name.value}", COLUMNS, rows)
