"""The dual objective per pass over the data: exponentiated gradient against cutting planes and dual ascent (Figure 4 of Bartlett et al. 2004).

The first sentences of a CoNLL-2002 training file, IOB2 tags (9 labels), or of a treebank, whose trees are those of a grammar; one template set and
one C for all. SMO, and EG that goes on from it, where label pairs have features of every position (``--templates edges``). Every contestant runs in a
process of its own on one core; seconds are CPU seconds.
"""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import track

from benchmarks.common.measure import run_child
from benchmarks.common.rows import Row, append_rows, progress, ratio, read_rows, show
from benchmarks.ner.data import Ours, as_settings
from benchmarks.ner.runs import compile_first, corpora_of

from .dual_curves import Contestant, as_task, contestants

SUMMARY = {
    "contestant": "contestant",
    "passes": "passes",
    "dual": "dual",
    "share": "% of the highest",
    "primal": "primal",
    "fall": "largest fall",
    "rate": "rate",
    "cpu": "CPU s",
    "cpu_pass": "CPU s a pass",
}
NOTE = (
    "largest fall: of the dual from one pass to the next, as a share of it; below 1e-6 is rounding in single precision."
)
COLORS = (
    "#3572b0", "#d1662a", "#4a9a5a", "#8858a8", "#b03a50", "#7a7a7a", "#c0a020", "#309090", "#000000", "#e377c2", "#17becf", "#8c564b",
)  # fmt: skip


def dual_objective(
    corpora: Annotated[
        Path, typer.Option(envvar="SPACY_MTL_CORPORA", exists=True, file_okay=False, help="Folder with conll2002/.")
    ],
    json: Annotated[Path | None, typer.Option(help="Add the rows to this file of JSON lines.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the curves: a .png or .svg file.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="100 sentences, 5 passes: a minute or two.")] = False,
    lang: Annotated[str, typer.Option(help="esp or ned.")] = "esp",
    sentences: Annotated[int, typer.Option(help="How many, from the beginning of the file.")] = 1000,
    templates: Annotated[str, typer.Option(help="ner.v1, conll2002.v1 or edges.")] = "ner.v1",
    C: Annotated[list[float] | None, typer.Option("--C", help="One or more; 1 if not given.")] = None,
    passes: Annotated[int, typer.Option(help="Over the data.")] = 20,
    eta: Annotated[list[float] | None, typer.Option(help="Further runs of online EG from these rates.")] = None,
    start: Annotated[list[float] | None, typer.Option(help="Further runs of online EG from these starts.")] = None,
    hybrid: Annotated[list[int] | None, typer.Option(help="Passes of SMO after which online EG goes on.")] = None,
    treebank: Annotated[bool, typer.Option("--treebank", help="Trees of ptb-sample instead of entities.")] = False,
) -> None:
    """The dual objective after each pass, exponentiated gradient against cutting planes and dual ascent; a picture on demand."""
    if plot is not None and plot.suffix not in (".png", ".svg"):
        raise SystemExit(f"--plot writes a .png or a .svg, not {plot}.")
    sentences, passes = (100, 5) if quick else (sentences, passes)
    if treebank:
        lang, templates = "ptb-sample", "constituents.v1"
        task, settings = "measure_trees", {"corpora": str(corpora), "sentences": sentences}
    else:
        ours = Ours(templates, scheme="iob2")
        data = replace(next(corpora_of(corpora, lang, False)), limit=sentences)
        compile_first(data, ours)
        task, settings = "measure", as_settings(data, ours)
    every = contestants(eta or [], start or [], hybrid or [] if templates == "edges" else None)
    found = [(value, compare(every, task, {**settings, "passes": passes}, value)) for value in C or [1.0]]
    for value, rows in found:
        append_rows(
            json, ({"benchmark": "dual_objective", "lang": lang, "templates": templates, **row} for row in rows)
        )
        title = f"{sentences} sentences, {lang}, {templates}, C = {value:g}"
        show(f"Dual objective after each pass: {title}", *table(rows))
        show(f"After the last pass: {title}", SUMMARY, rows, NOTE)
    if plot is not None:
        draw(plot, found)


def dual_plot(
    rows: Annotated[Path, typer.Argument(help="A file of rows.", exists=True, dir_okay=False)],
    plot: Annotated[Path, typer.Argument(help="A .png or .svg file.")],
    lang: Annotated[str, typer.Option(help="esp, ned or ptb-sample.")] = "esp",
    templates: Annotated[str, typer.Option(help="As in the rows.")] = "edges",
    C: Annotated[list[float] | None, typer.Option("--C", help="One or more; 1 if not given.")] = None,
) -> None:
    """Draw the curves that are kept in a file of rows; of a contestant that was measured more than once, the last."""
    known, found = read_rows(rows), []
    for value in C or [1.0]:
        about: Row = {"benchmark": "dual_objective", "lang": lang, "templates": templates, "C": value}
        own = {row["contestant"]: row for row in known if all(row.get(key) == about[key] for key in about)}
        if not own:
            raise SystemExit(f"{rows} has no row of {about}.")
        found.append((value, list(own.values())))
    draw(plot, found)


def compare(every: list[Contestant], task: str, settings: dict[str, Any], C: float) -> list[Row]:
    """A row of each contestant, its curve under "points". task, settings: the function of dual_curves that measures, and its arguments."""
    rows = []
    for contestant in track(every, f"C = {C:g}", console=progress):
        rows.append(run_child(f"benchmarks.trainers.dual_curves:{task}", **settings, **as_task(contestant), C=C))
    highest = max(row["dual"] for row in rows)
    for row in rows:
        row |= {"share": 100 * row["dual"] / highest, "cpu_pass": ratio(float(row["passes"]), row["cpu"])}
    return rows


def table(rows: list[Row]) -> tuple[dict[str, str], list[Row]]:
    """Columns and rows of the duals: a row a pass, a column a contestant."""
    columns = {"passes": "pass", **{row["contestant"]: row["contestant"] for row in rows}}
    lines: dict[int, Row] = {}
    for row in rows:
        for point in row["points"]:
            lines.setdefault(point["passes"], {"passes": point["passes"]})[row["contestant"]] = point["dual"]
    return columns, [lines[n] for n in sorted(lines)]


def draw(path: Path, found: list[tuple[float, list[Row]]]) -> None:
    """Dual against passes and against CPU seconds, a row of panels for each C."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 3.6 * len(found)), layout="constrained")
    panels = figure.subplots(len(found), 2, squeeze=False)
    for line, (C, rows) in zip(panels, found, strict=True):
        for axes, key, label in zip(line, ("passes", "cpu"), ("passes over the data", "CPU seconds"), strict=True):
            for row, color in zip(rows, COLORS * len(rows), strict=False):
                points: list[dict[str, Any]] = row["points"]
                values = [point["dual"] for point in points]
                axes.plot([point[key] for point in points], values, color=color, label=row["contestant"], linewidth=1.6)
            axes.set_ylim(bottom=0)  # some begin far below
            axes.set_xlabel(label, fontsize=9)
            axes.set_ylabel(f"dual objective, C = {C:g}", fontsize=9)
            axes.tick_params(labelsize=8)
            axes.spines[["top", "right"]].set_visible(False)
    lines, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(lines, labels, fontsize=8, frameon=False, loc="outside right upper")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)
