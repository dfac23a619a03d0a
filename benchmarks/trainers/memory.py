"""Memory of all trainers side by side."""

import signal
from pathlib import Path
from typing import Annotated, Any

import typer

from benchmarks.common.measure import run_child
from benchmarks.common.rows import Row, append_rows, find_row, progress, ratio, read_rows, show

#: All others are compared with it.
FIRST = "MTLStruct, dual ascent"
#: Trainers by what they are called in the table: registered name and settings. "C" is added where the trainer has one.
TRAINERS: dict[str, tuple[str, dict[str, Any]]] = {
    FIRST: ("MTLStruct", {"C": 1.0}),
    "MTLStruct, average": ("MTLStruct", {"C": 1.0, "p": 4 / 3, "average": 6}),
    "MTLStruct, cutting plane": ("MTLStruct", {"C": 1.0, "solver": "cutting_plane"}),
    "SSVM": ("SSVM", {"C": 1.0}),
    "Perceptron": ("Perceptron", {}),
    "MIRA": ("MIRA", {"C": 1.0}),
    "OnlineMKL": ("OnlineMKL", {"C": 1.0}),
    "StructReg, MTLStruct": ("StructReg", {"trainer": {"@mtl_trainers": "spacy_mtl.MTLStruct.v1", "C": 1.0}}),
    "StructReg, Perceptron": ("StructReg", {"trainer": {"@mtl_trainers": "spacy_mtl.Perceptron.v1"}}),
    "CRF, l2": ("CRF", {"C": 1.0}),
    "CRF, l2, sgd": ("CRF", {"C": 1.0, "algorithm": "sgd"}),
    "CRF, l1": ("CRF", {"C": 1.0, "penalty": "l1"}),
    "CRF, irw": ("CRF", {"C": 1.0, "penalty": "irw"}),
    "EG, online": ("EG", {"C": 1.0}),
    "EG, batch, primal form": ("EG", {"C": 1.0, "mode": "batch_primal"}),
    "EG, batch, dual form": ("EG", {"C": 1.0, "mode": "batch"}),
    "L1M3N, em": ("L1M3N", {"C": 0.03, "algorithm": "em", "inner_passes": 1}),
    "L1M3N, laplace": ("L1M3N", {"C": 0.03, "algorithm": "laplace", "inner_passes": 1}),
    "L1M3N, subgradient": ("L1M3N", {"algorithm": "subgradient"}),
    "L1M3N, cutting plane": ("L1M3N", {"C": 0.03, "algorithm": "cutting_plane"}),
}
MEMORY = {
    "contestant": "trainer",
    "peak_mb": "peak MB",
    "times": "times dual ascent",
    "cpu_pass": "CPU s, last pass",
    "cpu": "CPU s in all",
    "passes": "passes",
    "note": "note",
}


def memory(
    corpora: Annotated[
        Path, typer.Option(envvar="SPACY_MTL_CORPORA", exists=True, file_okay=False, help="Folder with conll2002/.")
    ],
    json: Annotated[
        Path | None, typer.Option(help="Add the rows to this file of JSON lines; what it has is not run again.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="1,000 sentences.")] = False,
    plot: Annotated[Path | None, typer.Option(help="Draw the table: a .png or .svg file.")] = None,
    lang: Annotated[str, typer.Option(help="esp or ned.")] = "esp",
    templates: Annotated[str, typer.Option(help="conll2002.v1 or ner.v1.")] = "conll2002.v1",
    passes: Annotated[int, typer.Option(min=1, help="Of each trainer.")] = 2,
    trainer: Annotated[list[str] | None, typer.Option(help="Names as in the table; all if not given.")] = None,
    limit: Annotated[float, typer.Option(help="CPU seconds of a training; what takes more is given up.")] = 600,
) -> None:
    """Peak resident memory from Docs to usable weights, features included, and the CPU of a pass."""
    from benchmarks.ner.runs import corpora_of, our_settings

    ours, data = our_settings(templates), next(corpora_of(corpora, lang, quick))
    known, rows = read_rows(json), []
    for name in TRAINERS:
        if trainer and name not in (*trainer, FIRST):
            continue
        about: Row = {"benchmark": "trainers", "mode": "memory", "lang": lang, "limit": data.limit}
        about |= {"templates": templates, "passes_wanted": passes, "contestant": name}
        row = find_row(known, about)
        if row is None:
            progress.print(f"[dim]{name} ...[/dim]")
            row = about | measure(data, ours, name, passes, limit)
            append_rows(json, [row])
        rows.append(row)
        row["times"] = ratio(rows[0].get("peak_mb"), row.get("peak_mb"))
    show(f"Memory of trainers, {lang}, {templates}, {passes} passes", MEMORY, rows)
    if plot is not None:
        draw(rows, plot)


def measure(data: Any, ours: Any, name: str, passes: int, limit: float) -> Row:
    """One trainer in a process of its own; only a note where it was given up."""
    from benchmarks.ner.data import as_settings

    kind, settings = TRAINERS[name]
    task = {
        **as_settings(data, ours),
        "trainer": {"@mtl_trainers": f"spacy_mtl.{kind}.v1", **settings},
        "passes": passes,
    }
    run_child("benchmarks.trainers.runs:compile_kernels", **task)
    try:
        return run_child("benchmarks.trainers.runs:memory", **task, limit=limit)
    except RuntimeError as error:
        if not str(error).split(";")[0].endswith(f"exit code {-signal.SIGXCPU}"):
            raise
        return {"note": f"more than {limit:g} CPU s"}


def draw(rows: list[Row], path: Path) -> None:
    """A bar for each trainer, and a line at twice the first."""
    from matplotlib.figure import Figure

    rows = [row for row in rows if row.get("peak_mb")]
    figure = Figure(figsize=(7, 0.3 * len(rows) + 1), layout="constrained")
    axes = figure.subplots()
    axes.barh([row["contestant"] for row in rows], [row["peak_mb"] for row in rows])
    axes.axvline(2 * rows[0]["peak_mb"], color="gray", linestyle=":")
    axes.invert_yaxis()
    axes.set_xlabel(f"peak MB; dotted: twice {FIRST}")
    axes.spines[["top", "right"]].set_visible(False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)
