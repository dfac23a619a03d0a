"""Pictures of the results on handwritten letters. Need matplotlib (extra ``bench``)."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib.figure import Figure

from benchmarks.common.rows import Row


def _figure(title: str, width: float = 7, height: float = 4) -> tuple[Figure, "object"]:
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots()
    axes.set_title(title, loc="left", fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def plot_table(path: Path, means: Sequence[Row]) -> None:
    """Letters read right by each combination of kernels, for each trainer and in the paper."""
    figure, axes = _figure("Letters read right, trained on one fold of ten", height=4.5)
    names = list(dict.fromkeys(row["contestant"] for row in means))
    trainers = list(dict.fromkeys(row["trainer"] for row in means))
    height = 0.8 / (len(trainers) + 1)
    for k, trainer in enumerate(trainers):
        rows = [row for row in means if row["trainer"] == trainer]
        places = [names.index(row["contestant"]) + k * height for row in rows]
        values, errors = [row["accuracy"] for row in rows], [row["deviation"] or 0 for row in rows]
        axes.barh(places, values, height, xerr=errors, label=trainer)
    paper = {row["contestant"]: float(row["paper"].split()[0]) for row in means if row["paper"]}
    places = [names.index(name) + len(trainers) * height for name in paper]
    axes.barh(places, list(paper.values()), height, label="the paper", color="lightgray")
    axes.set_yticks([k + 0.4 - height / 2 for k in range(len(names))], names)
    axes.invert_yaxis()
    axes.set_xlim(65, 95)
    axes.set_xlabel("%")
    axes.legend(fontsize=8, loc="lower left")
    figure.savefig(path, dpi=150)


def plot_sizes(path: Path, by_size: Mapping[int, Sequence[Row]]) -> None:
    """Error against the number of training words."""
    figure, axes = _figure("Letters read wrong")
    sizes = list(by_size)
    for k, row in enumerate(by_size[sizes[0]]):
        errors = [100 - rows[k]["accuracy"] for rows in by_size.values()]
        spread = [rows[k]["deviation"] or 0 for rows in by_size.values()]
        axes.errorbar(sizes, errors, spread, marker="o", markersize=3, capsize=2, label=row["contestant"])
    axes.set_xticks(sizes)
    axes.set_xlabel("training words")
    axes.set_ylabel("%")
    axes.legend(fontsize=8)
    figure.savefig(path, dpi=150)


def plot_constants(path: Path, rows: Sequence[Row]) -> None:
    """Error against the constant, one curve for each algorithm."""
    figure, axes = _figure("Letters read wrong")
    for name in dict.fromkeys(row["contestant"] for row in rows):
        own = [row for row in rows if row["contestant"] == name]
        setting = own[0]["constant"].split(" = ")[0]
        values = [float(row["constant"].split(" = ")[1]) for row in own]
        errors, spread = [row["error"] for row in own], [row["deviation"] or 0 for row in own]
        axes.errorbar(values, errors, spread, marker="o", markersize=3, capsize=2, label=f"{name}, by {setting}")
    axes.set_xscale("log")
    axes.set_xlabel("constant")
    axes.set_ylabel("%")
    axes.legend(fontsize=8)
    figure.savefig(path, dpi=150)


def plot_objectives(path: Path, curves: Mapping[str, Sequence[tuple[int, float]]]) -> None:
    """Objective against passes over the training words, one curve for each method."""
    figure, axes = _figure("Objective of sparse kernel learning")
    for name, points in curves.items():
        axes.plot([passes for passes, _ in points], [value for _, value in points], label=name)
    axes.set_yscale("log")
    axes.set_xlabel("passes")
    axes.legend(fontsize=8)
    figure.savefig(path, dpi=150)
