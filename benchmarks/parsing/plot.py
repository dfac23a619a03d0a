"""Pictures of dependency trees' templates. Need matplotlib (extra ``bench``)."""

from collections.abc import Mapping
from pathlib import Path

from matplotlib.figure import Figure


def plot_shares(path: Path, shares: Mapping[str, float]) -> None:
    """The weight of every template against the average one, from the largest to the smallest."""
    figure = Figure(figsize=(7, 3.5), layout="constrained")
    axes = figure.subplots()
    values = sorted((max(share * len(shares), 1e-8) for share in shares.values()), reverse=True)
    axes.semilogy(values, marker=".", linestyle="none")
    axes.axhline(1.0, color="0.6", linewidth=1)
    axes.set(xlabel="template", ylabel="weight / average weight")
    axes.set_title("Templates of arcs, p = 1", loc="left", fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=150)
