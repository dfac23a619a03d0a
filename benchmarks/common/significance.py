"""Is one system better than another on the same test sentences? Approximate randomization and the paired bootstrap, for F1 and accuracy."""

import statistics
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import t

REPEATS = 10_000
#: Shuffles that are drawn at once: bounds the memory.
_BLOCK = 500


class Counts(NamedTuple):
    """What a score is made of, for each sentence: int64[n]. For accuracy, ``found`` and ``gold`` are both the number of items."""

    right: np.ndarray
    found: np.ndarray
    gold: np.ndarray

    def score(self) -> float:
        """F1 in percent (accuracy where ``found`` is ``gold``); 0 where nothing is right."""
        return float(_f1(self.right.sum(), self.found.sum(), self.gold.sum()))


def counted(sentences: Iterable[tuple[int, int, int]]) -> dict[str, list[list[int]]]:
    """What a contestant, in a process of its own, adds to its row so that it can be judged: right, found and gold of each sentence."""
    return {"counts": [list(column) for column in zip(*sentences, strict=True)]}


def take_counts(row: dict[str, Any]) -> Counts | None:
    """Take :func:`counted` out of a row, since there are too many of them to keep; None where a row has none."""
    found = row.pop("counts", None)
    return found and Counts(*(np.array(column, np.int64) for column in found))


def judged(row: dict[str, Any], ours: Counts | None) -> dict[str, Any]:
    """The row of a rival, with how far ours is ahead of it (:class:`Verdict`) in place of its counts; as it is where either has none."""
    theirs = take_counts(row)
    return row if ours is None or theirs is None else {**row, "ahead": compare(ours, theirs)._asdict()}


class Verdict(NamedTuple):
    """difference: score of the first minus the second, in points. p: two-sided. low, high: 95% interval of the difference by the bootstrap."""

    difference: float
    p: float
    low: float
    high: float


def compare(a: Counts, b: Counts, repeats: int = REPEATS, seed: int = 0) -> Verdict:
    """Approximate randomization (Noreen 1989) by exchanging the outputs of whole sentences, and percentiles of the paired bootstrap.

    p counts the shuffles whose difference is at least as large, and the observed one among them, so it is never 0. Raises ValueError where the two
    were not scored on the same sentences.
    """
    if a.gold.shape != b.gold.shape or (a.gold != b.gold).any():
        raise ValueError("The two systems were not scored on the same sentences.")
    rng = np.random.default_rng(seed)
    observed = a.score() - b.score()
    gold = a.gold.sum()
    total = np.array([(x.right.sum(), x.found.sum()) for x in (a, b)])
    moved = np.column_stack([b.right - a.right, b.found - a.found]).astype(float)
    table = np.column_stack([a.right, a.found, b.right, b.found, a.gold]).astype(float)
    n, as_large, drawn = len(a.gold), 0, []
    for begin in range(0, repeats, _BLOCK):
        size = min(_BLOCK, repeats - begin)
        change = rng.integers(0, 2, (size, n)).astype(float) @ moved
        first = _f1(total[0, 0] + change[:, 0], total[0, 1] + change[:, 1], gold)
        second = _f1(total[1, 0] - change[:, 0], total[1, 1] - change[:, 1], gold)
        as_large += int((np.abs(first - second) >= abs(observed) - 1e-9).sum())
        times = rng.multinomial(n, np.full(n, 1 / n), size).astype(float) @ table
        drawn.append(_f1(times[:, 0], times[:, 1], times[:, 4]) - _f1(times[:, 2], times[:, 3], times[:, 4]))
    low, high = np.percentile(np.concatenate(drawn), (2.5, 97.5))
    return Verdict(observed, (1 + as_large) / (1 + repeats), float(low), float(high))


def t_interval(differences: Sequence[float]) -> tuple[float, float, float]:
    """The mean of some differences and its 95% interval by Student's t, nan for fewer than two."""
    mean, n = statistics.fmean(differences), len(differences)
    half = float(t.ppf(0.975, n - 1)) * statistics.stdev(differences) / n**0.5 if n > 1 else float("nan")
    return mean, mean - half, mean + half


def _f1(right, found, gold):
    """Percent, elementwise; 0 where nothing is found or gold."""
    return 200 * right / np.maximum(found + gold, 1)
