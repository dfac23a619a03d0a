"""``python -m spacy mtl templates``: show which templates a trained component relies on."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spacy_mtl.errors import Errors
from spacy_mtl.thresholds import LIVE

from .insight.plot import check_plot, plot_templates
from .shared.messages import clear_errors
from .shared.options import Code
from .shared.output import check_files, make_console, write_json
from .shared.pipelines import load_pipeline

if TYPE_CHECKING:
    from rich.table import Table


Row = dict[str, Any]
#: The rows of each component, heaviest first.
Weights = dict[str, list[Row]]
#: The JSON file and the picture that are asked for.
Files = tuple[Path | None, Path | None]


def templates_cli(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="Pipeline name or directory.")],
    component: Annotated[str | None, typer.Option(help="Show only this component.")] = None,
    json_path: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write all templates to this file, as JSON.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the weights as bars, to a .png or .svg file.")
    ] = None,
    show_all: Annotated[bool, typer.Option("--all", help="Show templates with zero weight too.")] = False,
    code: Code = None,
    top: Annotated[int, typer.Option(min=0, help="Show only the N heaviest templates; 0 for no limit.")] = 0,
    path: Annotated[
        bool, typer.Option("--path", help="Show how the weights changed over the passes of the training.")
    ] = False,
    compare: Annotated[
        str | None, typer.Option(metavar="OTHER", help="Compare with the weights of another pipeline.")
    ] = None,
) -> None:
    """Show the weight of every template of a trained pipeline, how it came about, or how it differs from that in another pipeline."""
    with clear_errors():
        if path and compare is not None:
            raise ValueError(Errors.M786)
        if plot is not None:
            check_plot(plot)
        check_files([json_path, plot], [])
        weights = template_weights(model, component, code)
        if path:
            _show_paths(model, weights, (json_path, plot), top, code)
        elif compare is not None:
            _compare(model, weights, compare, (json_path, plot), top, code)
        else:
            _show_weights(model, weights, (json_path, plot), top, show_all)


def _show_weights(model: str, weights: Weights, files: Files, top: int, show_all: bool) -> None:
    json_path, plot = files
    if json_path is not None:
        write_json(json_path, _described(model, weights))
    if plot is not None:
        plot_templates(plot, weights, LIVE)
        typer.echo(f"Written: {plot}")
    console = make_console()
    for name, rows in weights.items():
        live = _live(rows)
        shown = (rows if show_all else live)[: top or None]
        console.print(_table(name, shown))
        cut = f", showing the {len(shown)} heaviest" if top and len(shown) < len(live) else ""
        dropped = "" if cut or show_all or len(live) == len(rows) else " (--all shows the others)"
        console.print(f"{len(live)} of {len(rows)} templates are live{cut}{dropped}")
        console.print(f"equal weights would be {_equal(rows):.4f} each")


def _show_paths(model: str, weights: Weights, files: Files, top: int, code: Path | None) -> None:
    from .insight.weights_over_time import histories, path_json, path_table, plot_paths

    json_path, plot = files
    found = histories(load_pipeline(model, code), model, list(weights))
    if json_path is not None:
        paths = {name: path_json(history) for name, history in found.items()}
        write_json(json_path, {"model": model, "components": paths})
    if plot is not None:
        patterns = {name: {row["name"]: row["pattern"] for row in rows} for name, rows in weights.items()}
        plot_paths(plot, found, patterns)
        typer.echo(f"Written: {plot}")
    console = make_console()
    for name, history in found.items():
        console.print(path_table(name, history, weights[name][: top or None]))
        n = len(history.dropped())
        console.print(f"{n} of {len(history.names)} templates were dropped by pass {history.passes[-1]}")


def _compare(model: str, weights: Weights, other: str, files: Files, top: int, code: Path | None) -> None:
    from .insight.weights_over_time import compared, comparison_table

    json_path, plot = files
    if plot is not None:
        raise ValueError(Errors.M787)
    others = template_weights(other, None, code)
    both = {name: compared(rows, others[name]) for name, rows in weights.items() if name in others}
    if not both and len(weights) == len(others) == 1:  # whatever they are called
        both = {name: compared(rows, *others.values()) for name, rows in weights.items()}
    if not both:
        raise ValueError(Errors.M703.format(component=", ".join(weights), model=other, names=", ".join(others)))
    if json_path is not None:
        write_json(json_path, {"model": model, "other": other, "components": both})
    console = make_console()
    for name, rows in both.items():
        console.print(comparison_table(name, rows, top))


def template_weights(model: str, component: str | None = None, code: Path | None = None) -> Weights:
    """Templates of every component that has them, or of the one named, heaviest first.

    Each row is one of ``template_weights()`` of the component (name, pattern, weight (mu), norm of its block, rows (features)) plus ``share``,
    the norm divided by the sum of all norms. Raises ValueError where the pipeline cannot be loaded or has no such templates (M701-M703), or a
    component is not trained (M475).
    """
    nlp = load_pipeline(model, code)
    found = {name: pipe for name, pipe in nlp.components if hasattr(pipe, "template_weights")}
    if not found:
        raise ValueError(Errors.M702.format(model=model, names=", ".join(nlp.component_names) or "none"))
    if component is not None and component not in found:
        raise ValueError(Errors.M703.format(component=component, model=model, names=", ".join(found)))
    chosen = [name for name in found if component in (None, name)]
    for name in chosen:
        if not getattr(found[name], "is_trained", True):
            raise ValueError(Errors.M475.format(name=name))
    return {name: _ranked(found[name].template_weights()) for name in chosen}


def _ranked(rows: list[Row]) -> list[Row]:
    total = math.fsum(row["norm"] for row in rows)
    shared = [{**row, "share": row["norm"] / total if total > 0 else 0.0} for row in rows]
    return sorted(shared, key=lambda row: -row["weight"])


def _live(rows: list[Row]) -> list[Row]:
    """Templates with more than a share of LIVE of all weights."""
    bound = LIVE * math.fsum(row["weight"] for row in rows)
    return [row for row in rows if row["weight"] > bound]


def _equal(rows: list[Row]) -> float:
    return math.fsum(row["weight"] for row in rows) / max(len(rows), 1)


def _table(component: str, rows: list[Row]) -> "Table":
    from rich.bar import Bar
    from rich.table import Table
    from rich.text import Text

    table = Table(title=component, title_justify="left", box=None, pad_edge=False, header_style="bold")
    # Text keeps "[-1,LOWER]" from being read as markup; long patterns are folded, not cut off
    table.add_column("Template")
    table.add_column("Pattern", overflow="fold")
    for name in ("Weight", "Norm %", "Rows"):
        table.add_column(name, justify="right")
    table.add_column("")
    top = max((row["weight"] for row in rows), default=0.0) or 1.0
    for row in rows:
        table.add_row(
            Text(row["name"]),
            Text(row["pattern"]),
            f"{row['weight']:.4f}",
            f"{100 * row['share']:.2f}",
            f"{row['rows']:,}",
            Bar(size=top, begin=0, end=row["weight"], width=20),
        )
    return table


def _described(model: str, weights: dict[str, list[Row]]) -> dict[str, Any]:
    components = {
        name: {"live_templates": len(_live(rows)), "n_templates": len(rows), "equal": _equal(rows), "templates": rows}
        for name, rows in weights.items()
    }
    return {"model": model, "components": components}
