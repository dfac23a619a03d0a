"""Pairs of models on the same data sets: by how much the errors of one are above those of the other."""

from collections.abc import Sequence

from benchmarks.common.rows import Row
from benchmarks.common.significance import t_interval

#: What the paper compares: sparse models with those that keep all weights, and the kinds of loss.
PAIRS = (
    ("l1-M3N", "M3N"), ("l1-M3N", "LapM3N"), ("LapM3N", "M3N"), ("l1-CRF", "l2-CRF"), ("l1-M3N", "l1-CRF"), ("M3N", "l2-CRF"),
)  # fmt: skip


def compare(rows: Sequence[Row]) -> list[Row]:
    """A row for each pair and number of sequences, of the data sets that both have: the mean difference and its 95% interval by t."""
    error = {(row["model"], row["size"], row["data_set"]): row["error"] for row in rows}
    sizes, data_sets = (sorted({key[k] for key in error}) for k in (1, 2))
    found = []
    for model, other in PAIRS:
        for size in sizes:
            both = [(error.get((model, size, k)), error.get((other, size, k))) for k in data_sets]
            differences = [a - b for a, b in both if a is not None and b is not None]
            if len(differences) > 1:
                found.append(_row(model, other, size, differences))
    return found


def _row(model: str, other: str, size: int, differences: list[float]) -> Row:
    mean, low, high = t_interval(differences)
    return {
        "benchmark": "synthetic_sparsity", "mode": "pairs", "model": model, "other": other, "size": size,
        "data_sets": len(differences), "difference": mean, "low": low, "high": high, "fewer": sum(d < 0 for d in differences),
    }  # fmt: skip
