"""Score and training time against mini-sample size, drawn: a column for each task."""

from collections.abc import Sequence
from pathlib import Path

import matplotlib

from benchmarks.common.rows import Row

from .sizes import SCORES

matplotlib.use("Agg")
from matplotlib import pyplot as plt

NAMES = {"crf": "CRF (SGD)", "perceptron": "averaged perceptron"}


def draw(path: Path, curves: Sequence[Row]) -> None:
    """curves: task, trainer, and ``rows`` as from :func:`.runs.summarize`."""
    tasks = list(dict.fromkeys(curve["task"] for curve in curves))
    figure, axes = plt.subplots(2, len(tasks), figsize=(4 * len(tasks), 6), squeeze=False, sharex="col")
    for column, task in enumerate(tasks):
        for curve in (curve for curve in curves if curve["task"] == task):
            rows = sorted(curve["rows"], key=lambda row: row["size"] or float("inf"))
            for axis, key in zip(axes[:, column], ("test", "cpu"), strict=True):
                values, spread = [row[key] for row in rows], [row[f"{key}_sd"] for row in rows]
                axis.errorbar(range(len(rows)), values, spread, marker="o", capsize=3, label=NAMES[curve["trainer"]])
                axis.set_xticks(range(len(rows)), [row["shown"] for row in rows])
        axes[0, column].set(title=task, ylabel=f"test {SCORES[task]}, %")
        axes[1, column].set(xlabel="mini-sample size", ylabel="training, CPU s", ylim=(0, None))
    axes[0, 0].legend()
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    plt.close(figure)
