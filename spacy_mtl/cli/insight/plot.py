"""Draw template weights as horizontal bars, heaviest first. Needs matplotlib (extra ``report``)."""

from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spacy_mtl.errors import Errors

from ..shared.output import write_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMATS = (".png", ".svg")
MOST_BARS = 30  # more would make the labels too small to read
BAR_HEIGHT, FRAME_HEIGHT, PANEL_WIDTH = 0.19, 1.1, 8.0  # inches
BLUE = "#3572b0"


def check_plot(path: Path) -> None:
    """Refuse a plot that cannot be drawn, before any work is done. Raises ValueError: M707 no matplotlib, M708 unknown ending."""
    if path.suffix not in FORMATS:
        raise ValueError(Errors.M708.format(path=path))
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise ValueError(Errors.M707) from None


def plot_templates(path: Path, weights: Mapping[str, Sequence[dict[str, Any]]], dropped: float) -> None:
    """Draw the live templates of each component, heaviest first, at most MOST_BARS of each, to a PNG or SVG file.

    weights: rows of :func:`~spacy_mtl.cli.templates.template_weights`, by component. dropped: templates with at most this
    share of the sum of the weights are not live. The same weights always give the same file.
    Raises ValueError where the file cannot be written (M704).
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    heights = [BAR_HEIGHT * min(len(rows), MOST_BARS) + FRAME_HEIGHT for rows in weights.values()]
    figure = Figure(figsize=(PANEL_WIDTH, sum(heights)), layout="constrained")
    panels = figure.subplots(len(heights), squeeze=False, height_ratios=heights)[:, 0]
    for axes, (name, rows) in zip(panels, weights.items(), strict=True):
        bound = dropped * sum(row["weight"] for row in rows)
        _bars(axes, name, [row for row in rows if row["weight"] > bound], len(rows))
    picture = BytesIO()
    fixed: dict[str, Any] = {"Date": None} if path.suffix == ".svg" else {}
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "spacy_mtl"}):
        figure.savefig(picture, format=path.suffix[1:], dpi=120, metadata=fixed)
    write_file(path, picture.getvalue())


def _bars(axes: "Axes", component: str, live: Sequence[dict[str, Any]], n_templates: int) -> None:
    shown = live[:MOST_BARS]
    total = sum(row["weight"] for row in live) or 1.0
    shares = [100 * row["weight"] / total for row in shown]
    names = [row["pattern"] or "label pair" for row in shown]
    places = range(len(shown))
    axes.barh(places, shares, color=BLUE, height=0.75)
    axes.set_yticks(places, [name.replace("%x", "") for name in names], fontsize=8, family="monospace")
    axes.axvline(100 / max(n_templates, 1), color="black", linewidth=0.8, linestyle="--")
    axes.invert_yaxis()
    axes.margins(y=0.01)
    rest = f"; the other {len(live) - len(shown)} share {100 - sum(shares):.0f}%" if len(live) > len(shown) else ""
    axes.set_xlabel(f"% of the sum of template weights{rest}; dashed: equal weights", fontsize=8)
    axes.tick_params(labelsize=8, length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.set_title(f"{component}: {len(live)} of {n_templates} templates are live", fontsize=10, loc="left")
