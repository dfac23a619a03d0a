"""Pictures of groups of features. Need matplotlib (extra ``bench``)."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.common.rows import Row

#: Contestants of Figure 6: what weighs groups, and an SVM, whose norms are drawn.
WEIGHING = ("MTLStruct, p = 1", "SVM")
#: The smallest relative weight that is drawn.
FLOOR = 1e-6


def tidy(axes: Axes, title: str, **labels: str) -> None:
    axes.set(**labels)
    axes.set_title(title, loc="left", fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)


def chosen(rows: Sequence[Row], mode: str) -> list[Row]:
    """Those of the newest measurement of each treebank that were best on dev."""
    found = [row for row in rows if row["mode"] == mode and row["chosen"]]
    newest = {row["corpus"]: row["commit"] for row in sorted(found, key=lambda row: row["time"])}
    return [row for row in found if row["commit"] == newest[row["corpus"]]]


def weights(path: Path, rows: Sequence[Row]) -> None:
    """Figure 6 of Mao & Tsang: the weight of every group against the average one."""
    corpora = list(dict.fromkeys(row["corpus"] for row in rows))
    figure = Figure(figsize=(7, 2.6 * len(corpora)), layout="constrained")
    for axes, corpus in zip(figure.subplots(len(corpora), 1, squeeze=False)[:, 0], corpora, strict=True):
        for row in rows:
            if row["corpus"] == corpus and row["contestant"] in WEIGHING:
                shares = np.array(row["shares"])
                relative = np.maximum(shares / shares.mean(), FLOOR)
                axes.semilogy(np.sort(relative)[::-1], label=f"{row['contestant']}, C = {row['C']:g}")
        axes.axhline(1.0, color="0.6", linewidth=0.8)
        tidy(axes, corpus.capitalize(), xlabel="group, by weight", ylabel="weight / average")
        axes.legend(fontsize=8, frameon=False)
    figure.savefig(path, dpi=90)


def groups(path: Path, rows: Sequence[Row]) -> None:
    """Figure 2 of the OnlineMKL paper: the heaviest groups along the epochs, and UAS against the number of groups."""
    figure = Figure(figsize=(9, 3.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    (mkl,) = [row for row in rows if row["contestant"] == "OnlineMKL"]
    history = np.array(mkl["history"])
    for group in np.argsort(-history[-1])[:40]:
        left.plot(np.arange(1, len(history) + 1), history[:, group], linewidth=0.8)
    tidy(left, "OnlineMKL, the 40 heaviest groups", xlabel="epoch", ylabel="share of the weights")
    for name in dict.fromkeys(row["selected_by"] for row in rows if row["selected_by"]):
        own = sorted((row["groups"], row["uas_test"]) for row in rows if row["selected_by"] == name)
        right.plot(*zip(*own, strict=True), marker="o", markersize=3, label=f"selected by {name}")
    whole = next(row for row in rows if row["contestant"] == "SVM" and not row["selected_by"])
    right.axhline(whole["uas_test"], color="0.6", linewidth=0.8, label="SVM on all groups")
    tidy(right, "SVMs on selected groups", xlabel="groups", ylabel="UAS, test")
    right.legend(fontsize=8, frameon=False)
    figure.savefig(path, dpi=90)


def draw(folder: Path, rows: Sequence[Row]) -> list[Path]:
    """All pictures that there are rows for."""
    found = []
    for name, figure, mode in (("mtlstruct-arcs", weights, "trainers"), ("onlinemkl-groups", groups, "groups")):
        some = chosen(rows, mode)
        if some:
            found.append(folder / f"{name}.png")
            figure(found[-1], some)
    return found
