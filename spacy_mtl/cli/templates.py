"""``python -m spacy mtl templates``: which templates a trained component relies on."""

import json
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import Errors
from .messages import clear_errors

if TYPE_CHECKING:
    from rich.table import Table

LIVE = 1e-5  # a template of no more weight than this counts as dropped
WIDTH = 140  # of tables that go to a file or a pipe

Row = dict[str, Any]


def templates_cli(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="Pipeline name or directory.")],
    component: Annotated[str | None, typer.Option(help="Only this component.")] = None,
    json_path: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write all templates there.")] = None,
    show_all: Annotated[bool, typer.Option("--all", help="Show templates without weight too.")] = False,
) -> None:
    """Show the weight of every template of a trained pipeline."""
    from rich.console import Console

    with clear_errors():
        weights = template_weights(model, component)
        if json_path is not None:
            _write_json(json_path, model, weights)
    console = Console(width=None if sys.stdout.isatty() else WIDTH)
    for name, rows in weights.items():
        console.print(_table(name, [row for row in rows if show_all or row["weight"] > LIVE]))
        hidden = "" if show_all or _live(rows) == len(rows) else " (--all shows the others)"
        console.print(f"{_live(rows)} of {len(rows)} templates are live{hidden}", highlight=False)


def template_weights(model: str, component: str | None = None) -> dict[str, list[Row]]:
    """Templates of each component that has them, or of one, heaviest first.

    Each row is ``template_weights()`` of the component: name, pattern, weight (mu), norm of its block, rows (features),
    and ``share``, its part of the sum of all norms. Raises ValueError where the pipeline cannot be loaded or has none
    (M701-M703).
    """
    import spacy

    try:
        nlp = spacy.load(model)
    except Exception as error:  # whatever a directory that is no pipeline makes of loading
        raise ValueError(Errors.M701.format(model=model, reason=_first_line(error))) from None
    found = {name: pipe for name, pipe in nlp.components if hasattr(pipe, "template_weights")}
    if not found:
        raise ValueError(Errors.M702.format(model=model, names=", ".join(nlp.component_names) or "none"))
    if component is not None and component not in found:
        raise ValueError(Errors.M703.format(component=component, model=model, names=", ".join(found)))
    chosen = [name for name in found if component in (None, name)]
    return {name: _ranked(found[name].template_weights()) for name in chosen}


def _ranked(rows: list[Row]) -> list[Row]:
    total = math.fsum(row["norm"] for row in rows)
    shared = [{**row, "share": row["norm"] / total if total > 0 else 0.0} for row in rows]
    return sorted(shared, key=lambda row: -row["weight"])


def _live(rows: list[Row]) -> int:
    return sum(row["weight"] > LIVE for row in rows)


def _table(component: str, rows: list[Row]) -> "Table":
    from rich.bar import Bar
    from rich.table import Table
    from rich.text import Text

    table = Table(title=component, title_justify="left", box=None, pad_edge=False, header_style="bold")
    # Text keeps "[-1,LOWER]" from being read as markup; patterns fold, so that none is cut off
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


def _write_json(path: Path, model: str, weights: dict[str, list[Row]]) -> None:
    from ..corpora.atomic import write_atomically

    components = {
        name: {"live_templates": _live(rows), "n_templates": len(rows), "templates": rows}
        for name, rows in weights.items()
    }
    text = json.dumps({"model": model, "components": components}, ensure_ascii=False, indent=2, default=float)
    try:
        write_atomically(path, (text + "\n").encode())
    except OSError as error:
        raise ValueError(Errors.M704.format(path=path, reason=error.strerror)) from None


def _first_line(error: Exception) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)
