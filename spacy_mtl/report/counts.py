"""Tables of labels with confidence intervals, and confusion matrices."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .pairs import Compared, OwnName

#: Resamples of the documents, and how many are held at a time; the intervals have 95 percent of them.
RESAMPLES, AT_ONCE = 1000, 50
LEVEL = 95
#: The most labels of a table and of a matrix.
MOST_LABELS, MOST_COLUMNS = 200, 16
#: The name of the row over all labels, and of what is left of a matrix.
ALL, OTHERS = OwnName("all"), OwnName("others")


@dataclass(frozen=True)
class LabelRow:
    """One label, or all. gold, predicted: numbers of pieces. precision, recall, f1, and the limits of the interval of F1: in percent."""

    label: str
    gold: int
    predicted: int
    precision: float
    recall: float
    f1: float
    low: float
    high: float


@dataclass(frozen=True)
class Matrix:
    """rows: labels in gold. columns: predicted ones. counts: int64[rows, columns]."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    counts: np.ndarray


def label_rows(documents: Sequence[Compared], seed: int = 0) -> list[LabelRow]:
    """A row for all labels, and one for each, the most frequent first. Intervals are percentiles of F1 over resamples of documents (bootstrap)."""
    totals: Counter[str] = Counter()
    for each in documents:
        for label, (right, extra, missed) in each.counts.items():
            totals[label] += right + extra + missed
    labels = [label for label, _ in totals.most_common(MOST_LABELS)]
    number = {label: j + 1 for j, label in enumerate(labels)}
    counts = np.zeros((len(documents), len(labels) + 1, 3))
    for i, each in enumerate(documents):
        for label, numbers in each.counts.items():
            counts[i, 0] += numbers
            if label in number:
                counts[i, number[label]] += numbers
    low, high = _intervals(counts, seed)
    sums = counts.sum(axis=0)
    return [
        _row(name, sums[j], float(low[j]), float(high[j]))
        for j, name in enumerate([ALL, *labels])
        if j or len(labels) != 1
    ]


def _row(label: str, numbers: np.ndarray, low: float, high: float) -> LabelRow:
    right, extra, missed = numbers.astype(int).tolist()
    precision, recall = _share(right, right + extra), _share(right, right + missed)
    return LabelRow(
        label,
        right + missed,
        right + extra,
        precision,
        recall,
        _share(2 * right, 2 * right + extra + missed),
        low,
        high,
    )


def _share(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 0.0


def _intervals(counts: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The limits of F1 of each label, float64[L] twice. counts: float64[D, L, 3]."""
    n, rng = len(counts), np.random.default_rng(seed)
    flat, found = counts.reshape(n, -1), []
    for _ in range(0, RESAMPLES, AT_ONCE):
        drawn = rng.multinomial(n, np.full(n, 1 / n), size=AT_ONCE) if n else np.zeros((AT_ONCE, 0))
        right, extra, missed = np.moveaxis((drawn @ flat).reshape(AT_ONCE, -1, 3), 2, 0)
        whole = 2 * right + extra + missed
        found.append(np.divide(200 * right, whole, out=np.zeros_like(whole), where=whole > 0))
    tail = (100 - LEVEL) / 2
    low, high = np.percentile(np.concatenate(found), [tail, 100 - tail], axis=0)
    return low, high


def confusion_matrix(documents: Sequence[Compared]) -> Matrix:
    """The labels that are confused most, as many as fit; all others are one."""
    pairs: Counter[tuple[str, str]] = Counter()
    for each in documents:
        pairs.update(each.confusions)
    weight: Counter[str] = Counter()
    for (gold, predicted), n in pairs.items():
        if gold != predicted:
            weight[gold] += n
            weight[predicted] += n
        else:
            weight[gold] += 0
    kept = [label for label, _ in weight.most_common(MOST_COLUMNS)]
    ordered = sorted(kept, key=lambda label: (isinstance(label, OwnName), -pairs[label, label], label))
    labels = (*ordered, OTHERS) if len(weight) > len(kept) else tuple(ordered)
    number = {label: j for j, label in enumerate(ordered)}
    counts = np.zeros((len(labels), len(labels)), np.int64)
    for (gold, predicted), n in pairs.items():
        counts[number.get(gold, -1), number.get(predicted, -1)] += n
    rows, columns = (np.flatnonzero(counts.any(axis=axis)) for axis in (1, 0))
    return Matrix(tuple(labels[k] for k in rows), tuple(labels[k] for k in columns), counts[np.ix_(rows, columns)])


def most_confused(documents: Sequence[Compared], n: int = 12) -> list[tuple[str, str, int]]:
    """The most frequent errors: gold, predicted and how often."""
    pairs: Counter[tuple[str, str]] = Counter()
    for each in documents:
        pairs.update({pair: k for pair, k in each.confusions.items() if pair[0] != pair[1]})
    return [(gold, predicted, k) for (gold, predicted), k in pairs.most_common(n)]
