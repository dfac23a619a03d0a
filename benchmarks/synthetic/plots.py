"""Pictures of the results on made-up chains. Need matplotlib (extra ``bench``)."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure

from benchmarks.common.rows import Row

from .data import N_FEATURES, N_RELEVANT


def plot_errors(path: Path, sizes: Sequence[int], lines: Sequence[Row]) -> None:
    """Error against the number of training sequences, one curve for each model."""
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    for line in lines:
        style = {"color": "black", "linestyle": ":"} if line["model"] == "generating CRF" else {"marker": "o"}
        axes.plot(sizes, [line[f"error_{size}"] for size in sizes], label=line["model"], markersize=3, **style)
    axes.set_title("Labels wrong on made-up chains", loc="left", fontsize=10)
    axes.set_xticks(sizes)
    axes.set_xlabel("training sequences")
    axes.set_ylabel("%")
    _finish(figure, [axes], path)


def plot_table(path: Path, rows: Sequence[Row]) -> None:
    """Error against weights that are not 0, and irrelevant ones among them, one curve for each algorithm."""
    figure = Figure(figsize=(10, 4), layout="constrained")
    panels = figure.subplots(1, 2, sharey=True)
    for axes, key, label in zip(panels, ("total", "irrelevant"), ("of 200", "irrelevant, of 140"), strict=True):
        for name in dict.fromkeys(row["model"] for row in rows):
            own = [row for row in rows if row["model"] == name]
            axes.plot([row[key] for row in own], [row["error"] for row in own], marker="o", markersize=3, label=name)
        axes.set_xlabel(f"weights that are not 0, {label}")
    panels[0].set_ylabel("labels wrong, %")
    _finish(figure, panels, path)


def plot_weights(path: Path, rows: Sequence[Row]) -> None:
    """The state weights of each model, one label's after the other's; features without relevance are on a grey ground."""
    figure = Figure(figsize=(8, 1.3 * len(rows)), layout="constrained")
    for axes, row in zip(figure.subplots(len(rows), 1, sharex=True, squeeze=False)[:, 0], rows, strict=True):
        weights = [value for label in row["weights"] for value in label]
        axes.bar(range(len(weights)), weights, width=1.0)
        for label in range(len(row["weights"])):
            start = label * N_FEATURES
            axes.axvspan(start + N_RELEVANT - 0.5, start + N_FEATURES - 0.5, color="0.93", zorder=0)
        axes.set_title(row["model"], loc="left", fontsize=9)
        axes.spines[["top", "right"]].set_visible(False)
    axes.set_xlabel("weight")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)


def _finish(figure: Figure, panels: Sequence, path: Path) -> None:
    for axes in panels:
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].legend(fontsize=8)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)
