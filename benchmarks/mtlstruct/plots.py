"""The figures of Mao & Tsang on chains, drawn from rows. Need matplotlib (extra ``bench``)."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, ScalarFormatter

from benchmarks.common.rows import Row

from .contestants import OURS

LANGS = {"esp": "Spanish", "ned": "Dutch", "pku": "PKU"}
#: Contestants of Figure 4, and their colours.
COLOURS = {"MTLStruct, p = 1": "C0", "MTLStruct, p = 2": "C1", "OnlineMKL last": "C2", "crfsuite l2": "C3"}
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


def weights(path: Path, rows: Sequence[Row]) -> None:
    """Figure 5: the weight of every template against the average one, by MTLStruct at p = 1 and by OnlineMKL."""
    langs = [lang for lang in LANGS if best_of(rows, corpus=lang, selected=0, contestant=OURS, p=1.0)]
    figure = Figure(figsize=(8, 2.6 * len(langs)), layout="constrained")
    for axes, lang in zip(figure.subplots(len(langs), 1, squeeze=False)[:, 0], langs, strict=True):
        for name, p, style in ((OURS, 1.0, "-"), ("OnlineMKL", None, "--")):
            row = best_of(rows, corpus=lang, selected=0, contestant=name, p=p)
            if row:
                axes.semilogy(relative(row), style, linewidth=1, label=f"{name}, C = {row['C']:g}")
        axes.axhline(1.0, color="0.6", linewidth=0.8)
        tidy(axes, LANGS[lang], xlabel="template", ylabel="weight / average")
        axes.legend(fontsize=8, frameon=False)
    figure.savefig(path, dpi=90)


def exponents(path: Path, rows: Sequence[Row], lang: str = "esp") -> None:
    """Figure 7: weights at each p, from the largest to the smallest."""
    figure = Figure(figsize=(6, 3.2), layout="constrained")
    axes = figure.subplots()
    for p in sorted({row["p"] for row in rows if row["contestant"] == OURS}):
        row = best_of(rows, corpus=lang, selected=0, contestant=OURS, p=p)
        if row:
            axes.semilogy(np.sort(relative(row))[::-1], linewidth=1, label=f"p = {p:.3g}")
    axes.axhline(1.0, color="0.6", linewidth=0.8)
    tidy(axes, f"{LANGS[lang]}, weights by p", xlabel="template, by weight", ylabel="weight / average")
    axes.legend(fontsize=8, frameon=False)
    figure.savefig(path, dpi=90)


def learning(path: Path, rows: Sequence[Row]) -> None:
    """Dev F1 against CPU seconds of training, each contestant at its best constant: Figure 4 and more, since every point is a stop."""
    langs = [lang for lang in LANGS if best_of(rows, corpus=lang, selected=0, contestant=OURS, p=1.0)]
    figure = Figure(figsize=(4.2 * len(langs), 3.4), layout="constrained")
    for axes, lang in zip(figure.subplots(1, len(langs), squeeze=False)[0], langs, strict=True):
        for name, p in dict.fromkeys((row["contestant"], row["p"]) for row in rows if row["p"] in (None, 1.0, 2.0)):
            row = best_of(rows, corpus=lang, selected=0, contestant=name, p=p)
            if row is None:
                continue
            points = row.get("points") or [row]
            style, label = "o" if len(points) == 1 else "-", f"{name}, p = {p:g}" if p else name
            axes.semilogx([point["cpu"] for point in points], [point["f1_dev"] for point in points], style, label=label)
        axes.xaxis.set_major_formatter(ScalarFormatter())
        axes.xaxis.set_minor_formatter(NullFormatter())
        tidy(axes, f"{LANGS[lang]}, all templates", xlabel="CPU seconds of training", ylabel="F1 on dev")
    figure.axes[0].legend(fontsize=8, frameon=False)
    figure.savefig(path, dpi=90)


def by_constant(rows: Sequence[Row], lang: str) -> dict[str, list[Row]]:
    """The newest row of each constant, from the smallest, of contestants of Figure 4 that were trained with several."""
    found: dict[str, dict[float, Row]] = {}
    for row in sorted(rows, key=lambda row: row["time"]):
        name = f"{row['contestant']}, p = {row['p']:g}" if row["p"] else row["contestant"]
        if row["corpus"] == lang and row["selected"] == 0 and name in COLOURS:
            found.setdefault(name, {})[row["C"]] = row
    return {name: [own[C] for C in sorted(own)] for name, own in found.items() if len(own) > 1}


def constants(path: Path, rows: Sequence[Row]) -> None:
    """Figure 4: CPU seconds of training against C, and below it F1 on dev, which is Figure 3 for entities."""
    langs = [lang for lang in LANGS if by_constant(rows, lang)]
    figure = Figure(figsize=(4.2 * len(langs), 5.4), layout="constrained")
    for column, lang in zip(figure.subplots(2, len(langs), squeeze=False).T, langs, strict=True):
        for name, own in by_constant(rows, lang).items():
            for axes, key in zip(column, ("cpu_all", "f1_dev"), strict=True):
                axes.plot(
                    [row["C"] for row in own],
                    [row[key] for row in own],
                    "o-",
                    color=COLOURS[name],
                    markersize=3,
                    label=name,
                )
        for axes, label in zip(column, ("CPU seconds of training", "F1 on dev"), strict=True):
            axes.set_xscale("log")
            tidy(axes, f"{LANGS[lang]}, all templates", xlabel="C", ylabel=label)
        column[0].set_yscale("log")
        column[0].set_ylim(bottom=5)
    figure.axes[0].legend(fontsize=8, frameon=False)
    figure.savefig(path, dpi=90)


def draw(folder: Path, rows: Sequence[Row]) -> list[Path]:
    """All figures that there are rows for."""
    rows = [row for row in rows if row.get("mode") == "search" and row.get("limit") == 0 and row["scheme"] != "biluo"]
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
