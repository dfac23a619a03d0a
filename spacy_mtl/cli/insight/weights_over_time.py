"""The weights of templates over the passes of a training, and beside those of another model, as tables and as a picture."""

from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from spacy_mtl.errors import Errors
from spacy_mtl.thresholds import LIVE

from ..shared.output import write_file

if TYPE_CHECKING:
    from rich.table import Table
    from spacy.language import Language

    from spacy_mtl.learning.history import History

#: Points of a line of the table, and lines of the picture.
POINTS, MOST_LINES = 24, 12
_LEVELS = "▁▂▃▄▅▆▇█"
Row = dict[str, Any]


def histories(nlp: "Language", model: str, names: Sequence[str]) -> "dict[str, History]":
    """The history of each of these components. Raises ValueError: M785 it has none, M614 what it has is none."""
    found = {}
    for name in names:
        history: History | None = getattr(nlp.get_pipe(name), "history", None)
        if history is None or not history.passes:
            raise ValueError(Errors.M785.format(model=model, component=name))
        found[name] = history
    return found


def path_table(component: str, history: "History", rows: Sequence[Row]) -> "Table":
    """A line for each of these templates: its share of the weights at first and last, how it went, and when it was dropped."""
    from rich.table import Table
    from rich.text import Text

    first, last = history.passes[0], history.passes[-1]
    table = Table(
        title=f"{component}: passes {first} to {last}", title_justify="left", box=None, pad_edge=False,
        header_style="bold",
    )  # fmt: skip
    table.add_column("Template")
    table.add_column("Pattern", overflow="fold")
    for heading in ("First %", "Last %"):
        table.add_column(heading, justify="right")
    table.add_column("")
    table.add_column("Dropped by pass", justify="right")
    shares, dropped = np.array(history.shares), history.dropped()
    number = {name: j for j, name in enumerate(history.names)}
    most = float(shares.max(initial=0.0)) or 1.0
    for row in rows:
        if (j := number.get(row["name"])) is not None:
            line = shares[:, j]
            cells = f"{100 * line[0]:.2f}", f"{100 * line[-1]:.2f}", _sparkline(line / most)
            table.add_row(Text(row["name"]), Text(row["pattern"]), *cells, str(dropped.get(row["name"], "")))
    return table


def _sparkline(line: np.ndarray) -> str:
    """Values in [0, 1] as bars; a space for what is not live."""
    at = np.unique(np.linspace(0, line.size - 1, min(line.size, POINTS)).round().astype(int))
    levels = np.minimum(line[at] * len(_LEVELS), len(_LEVELS) - 1).astype(int)
    return "".join(_LEVELS[k] if share > LIVE else " " for k, share in zip(levels, line[at], strict=True))


def path_json(history: "History") -> Row:
    """The history as plain values."""
    return {
        "passes": history.passes,
        "shares": {name: [float(each[j]) for each in history.shares] for j, name in enumerate(history.names)},
        "dropped": history.dropped(),
    }


def plot_paths(path: Path, found: "Mapping[str, History]", patterns: Mapping[str, Mapping[str, str]]) -> None:
    """Draw the shares of the templates that are heaviest in the end, and the line of equal weights, to a PNG or SVG file.

    patterns: of each component, the patterns of its templates by name. Raises ValueError (M704).
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 3.6 * len(found)), layout="constrained")
    for axes, (component, history) in zip(figure.subplots(len(found), squeeze=False)[:, 0], found.items(), strict=True):
        shares = 100 * np.array(history.shares)
        for j in np.argsort(-shares[-1], kind="stable")[:MOST_LINES]:
            name = history.names[j]
            axes.plot(history.passes, shares[:, j], linewidth=1.2, label=patterns[component].get(name) or name)
        equal = 100 / max(len(history.names), 1)
        axes.axhline(equal, color="black", linewidth=0.8, linestyle="--", label="equal weights")
        axes.set_title(component, fontsize=10, loc="left")
        axes.set_xlabel("passes", fontsize=8)
        axes.set_ylabel("% of the sum of template weights", fontsize=8)
        axes.tick_params(labelsize=8)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(fontsize=7, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    picture = BytesIO()
    fixed: dict[str, Any] = {"Date": None} if path.suffix == ".svg" else {}
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "spacy_mtl"}):
        figure.savefig(picture, format=path.suffix[1:], dpi=120, metadata=fixed)
    write_file(path, picture.getvalue())


def compared(rows: Sequence[Row], others: Sequence[Row]) -> list[Row]:
    """The templates of two models by their texts, those first whose shares of the weights differ most.

    Each has ``pattern``, ``share`` and ``other`` (of the sum of weights; None where a model does not have it) and ``difference``.
    """
    here, there = _shares(rows), _shares(others)
    found = [
        {
            "pattern": text,
            "share": here.get(text),
            "other": there.get(text),
            "difference": here.get(text, 0.0) - there.get(text, 0.0),
        }
        for text in dict.fromkeys([*here, *there])
    ]
    return sorted(found, key=lambda row: -abs(row["difference"]))


def _shares(rows: Sequence[Row]) -> dict[str, float]:
    total = sum(row["weight"] for row in rows) or 1.0
    return {row["pattern"] or row["name"]: row["weight"] / total for row in rows}


def comparison_table(component: str, rows: Sequence[Row], top: int) -> "Table":
    from rich.table import Table
    from rich.text import Text

    moved = sum(abs(row["difference"]) for row in rows) / 2
    title = f"{component}: {100 * moved:.1f}% of the weight is on other templates"
    table = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
    table.add_column("Pattern", overflow="fold")
    for heading in ("This %", "Other %", "Difference"):
        table.add_column(heading, justify="right")
    for row in rows[: top or None]:
        shares = ("none" if share is None else f"{100 * share:.2f}" for share in (row["share"], row["other"]))
        table.add_row(Text(row["pattern"]), *shares, f"{100 * row['difference']:+.2f}")
    return table
