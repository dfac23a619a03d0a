"""The figures of Mao & Tsang on chains, drawn from rows. Need matplotlib (extra ``bench``)."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter, ScalarFormatter

from benchmarks.common.rows import Row

from .contestants import OURS

#: What stands together in a panel, by its title: corpus and templates. Draws are left out.
SUBJECTS: dict[str, Row] = {
    "Spanish": {"corpus": "esp", "scheme": "iob2"},
    "Dutch": {"corpus": "ned", "scheme": "iob2"},
    "PKU, TP2": {"corpus": "pku", "templates": "tp2.v1", "split": None},
}
TP1: Row = {"corpus": "pku", "templates": "tp1.v1", "split": None}
#: Chinese sentences that all constants were tried on.
LIMIT = 3000
#: Contestants, and their colours.
COLOURS = {
    "MTLStruct, p = 1": "C0",
    "MTLStruct, p = 2": "C1",
    "OnlineMKL last": "C2",
    "OnlineMKL": "C8",
    "crfsuite l2": "C3",
    "MIRA": "C4",
    "CRF l2": "C5",
    "CRF l1": "C6",
    "IRW-CRF": "C7",
}
#: Those that a limit stopped: their seconds are those of the limit.
STOPPED = ("CRF l2", "CRF l1", "IRW-CRF")
#: The smallest relative weight that is drawn.
FLOOR = 1e-7


def best_of(rows: Sequence[Row], **wanted: object) -> Row | None:
    """The row with these values that is best on dev."""
    found = [row for row in rows if all(row.get(key) == value for key, value in wanted.items())]
    return max(found, key=lambda row: row["f1_dev"]) if found else None


def relative(row: Row) -> np.ndarray:
    """Weights against the average one."""
    shares = np.array(row["shares"])
    return np.maximum(shares / shares.mean(), FLOOR)


def tidy(axes: Axes, title: str, **labels: str) -> None:
    axes.set(**labels)
    axes.set_title(title, loc="left", fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)


def legend(figure: Figure) -> None:
    """One below all panels, each contestant once."""
    pairs = [pair for axes in figure.axes for pair in zip(*axes.get_legend_handles_labels(), strict=True)]
    named = {label: handle for handle, label in reversed(pairs)}
    order = [name for name in COLOURS if name in named]
    figure.legend(
        [named[name] for name in order], order, loc="outside lower center", ncols=len(order), fontsize=8, frameon=False
    )


def plain(axis: Axis, subs: Sequence[float] = (1.0,)) -> None:
    """Numbers as they are on a logarithmic axis, and only powers of ten times these."""
    axis.set_major_locator(LogLocator(subs=subs))
    axis.set_major_formatter(ScalarFormatter())
    axis.set_minor_formatter(NullFormatter())


def shown(row: Row) -> str:
    """The name of a contestant, with the exponent of ours."""
    return f"{row['contestant']}, p = {row['p']:g}" if row["p"] else row["contestant"]


def of_subject(rows: Sequence[Row], subject: Row, limit: int = 0) -> list[Row]:
    """Rows of trainings with all templates."""
    wanted = {**subject, "selected": 0, "limit": limit}
    return [row for row in rows if all(row.get(key) == value for key, value in wanted.items())]


def panels(rows: Sequence[Row], subjects: dict[str, Row]) -> dict[str, list[Row]]:
    """The rows of each subject that there is a training of ours for."""
    found = {title: of_subject(rows, subject) for title, subject in subjects.items()}
    return {title: own for title, own in found.items() if best_of(own, contestant=OURS, p=1.0)}


def weights(path: Path, rows: Sequence[Row]) -> None:
    """Figures 2 and 5: the weight of every template against the average one, by MTLStruct at p = 1 and by OnlineMKL."""
    drawn = panels(rows, SUBJECTS | {"PKU, TP1": TP1})
    figure = Figure(figsize=(8, 2.6 * len(drawn)), layout="constrained")
    for axes, (title, own) in zip(figure.subplots(len(drawn), 1, squeeze=False)[:, 0], drawn.items(), strict=True):
        for names, p, style in (((OURS,), 1.0, "-"), (("OnlineMKL", "OnlineMKL last"), None, "--")):
            row = max((best_of(own, contestant=name, p=p) or {} for name in names), key=len)
            if row:
                axes.semilogy(relative(row), style, linewidth=1, label=f"{row['contestant']}, C = {row['C']:g}")
        axes.axhline(1.0, color="0.6", linewidth=0.8)
        tidy(axes, title, xlabel="template", ylabel="weight / average")
        axes.legend(fontsize=8, frameon=False)
    figure.savefig(path, dpi=90)


def exponents(path: Path, rows: Sequence[Row]) -> None:
    """Figure 7: weights at each p, from the largest to the smallest."""
    drawn = panels(rows, {title: SUBJECTS[title] for title in ("PKU, TP2", "Spanish")})
    figure = Figure(figsize=(4.5 * len(drawn), 3.2), layout="constrained")
    for axes, (title, own) in zip(figure.subplots(1, len(drawn), squeeze=False)[0], drawn.items(), strict=True):
        for p in sorted({row["p"] for row in own if row["contestant"] == OURS}):
            row = best_of(own, contestant=OURS, p=p)
            assert row is not None
            axes.semilogy(np.sort(relative(row))[::-1], linewidth=1, label=f"p = {p:.3g}")
        axes.axhline(1.0, color="0.6", linewidth=0.8)
        tidy(axes, f"{title}, weights by p", xlabel="template, by weight", ylabel="weight / average")
    figure.axes[0].legend(fontsize=8, frameon=False)
    figure.savefig(path, dpi=90)


def learning(path: Path, rows: Sequence[Row]) -> None:
    """Dev F1 against CPU seconds of training, each contestant at its best constant: Figure 4 and more, since every point is a stop."""
    drawn = panels(rows, SUBJECTS)
    figure = Figure(figsize=(4.2 * len(drawn), 3.4), layout="constrained")
    for axes, (title, own) in zip(figure.subplots(1, len(drawn), squeeze=False)[0], drawn.items(), strict=True):
        for name, p in dict.fromkeys((row["contestant"], row["p"]) for row in own if row["p"] in (None, 1.0, 2.0)):
            row = best_of(own, contestant=name, p=p)
            assert row is not None
            points = row.get("points") or [row]
            style, label = "o" if len(points) == 1 else "-", shown(row)
            xs, ys = ([point[key] for point in points] for key in ("cpu", "f1_dev"))
            axes.semilogx(xs, ys, style, color=COLOURS[label], label=label)
        plain(axes.xaxis)
        tidy(axes, f"{title}, all templates", xlabel="CPU seconds of training", ylabel="F1 on dev")
    legend(figure)
    figure.savefig(path, dpi=90)


def by_constant(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """The newest row of each constant, from the smallest, of contestants that were trained with several."""
    found: dict[str, dict[float, Row]] = {}
    for row in sorted(rows, key=lambda row: row["time"]):
        if shown(row) in COLOURS:
            found.setdefault(shown(row), {})[row["C"]] = row
    return {name: [own[C] for C in sorted(own)] for name, own in found.items() if len(own) > 1}


def constants(path: Path, rows: Sequence[Row]) -> None:
    """Figures 1 and 4: CPU seconds of training against C, and below it F1 on dev, which is Figure 3."""
    drawn = {
        title: by_constant(of_subject(rows, subject, LIMIT if subject["corpus"] == "pku" else 0))
        for title, subject in SUBJECTS.items()
    }
    drawn = {title: own for title, own in drawn.items() if own}
    figure = Figure(figsize=(4.2 * len(drawn), 5.4), layout="constrained")
    for column, (title, own) in zip(figure.subplots(2, len(drawn), squeeze=False).T, drawn.items(), strict=True):
        for axes, key in zip(column, ("cpu_all", "f1_dev"), strict=True):
            for name, line in own.items():
                if key == "f1_dev" or name not in STOPPED:
                    xs, ys = [row["C"] for row in line], [row[key] for row in line]
                    axes.plot(xs, ys, "o-", color=COLOURS[name], markersize=3, label=name)
        for axes, label in zip(column, ("CPU seconds of training", "F1 on dev"), strict=True):
            axes.set_xscale("log")
            tidy(axes, f"{title}, all templates", xlabel="C", ylabel=label)
        column[0].set_yscale("log")
        plain(column[0].yaxis, (1.0, 2.0, 5.0))
    legend(figure)
    figure.savefig(path, dpi=90)


def draw(folder: Path, rows: Sequence[Row]) -> list[Path]:
    """All figures that there are rows for."""
    rows = [row for row in rows if row.get("mode") == "search"]
    found = []
    for name, figure in (
        ("weights", weights),
        ("exponents", exponents),
        ("learning", learning),
        ("constants", constants),
    ):
        found.append(folder / f"mtlstruct-{name}.png")
        figure(found[-1], rows)
    return found
