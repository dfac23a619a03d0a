"""Maps: what makes probabilities of decisions agree with how many of them are correct, where it is known of held-out decisions.

First comes an adjustment (adjusting.py), then an isotonic map (Zadrozny & Elkan 2002: among decisions of about the same probability, how many are
correct?). Each is left out unless it helps on decisions that it was not made from.
"""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .adjusting import FEWEST, MARGIN, Adjustment, Traits, fit_adjustment

#: The most places of an isotonic map, and the numbers of places that are tried.
MOST_PLACES = 30
_PLACES = (2, 4, 7, 12, 20, MOST_PLACES)
#: What helps is found out on so many parts of the text. It must lower the log loss by so much of its value, and by so many standard errors.
FOLDS, WORTH, SURE = 5, 0.002, 2.0


class Outcomes(NamedTuple):
    """Decisions with known gold. probabilities: float64[D], before any map. correct: bool[D]. traits: what they are about."""

    probabilities: np.ndarray
    correct: np.ndarray
    traits: Traits

    @classmethod
    def joined(cls, parts: Sequence["Outcomes"]) -> "Outcomes":
        """Those of several texts, or models."""
        probabilities, correct, traits = zip(*parts, strict=True)
        return cls(np.concatenate(probabilities), np.concatenate(correct), Traits.joined(traits))

    def where(self, chosen: np.ndarray | slice) -> "Outcomes":
        """Some of the decisions."""
        return Outcomes(self.probabilities[chosen], self.correct[chosen], self.traits.where(chosen))


class Maps(NamedTuple):
    """An adjustment, or None. given, mapped: places of a map of adjusted probabilities, float64[K] each, both ascending; empty for none."""

    adjustment: Adjustment | None = None
    given: np.ndarray = np.empty(0)
    mapped: np.ndarray = np.empty(0)

    def of(self, probabilities: np.ndarray, traits: Traits) -> np.ndarray:
        """Mapped probabilities, float[D]."""
        found = probabilities if self.adjustment is None else self.adjustment.map(probabilities, traits)
        return np.interp(found, self.given, self.mapped) if self.given.size else found


#: Finds maps of decisions, from those that it may go on from.
Fit = Callable[[Outcomes, Maps], Maps]


def fit_maps(outcomes: Outcomes) -> Maps:
    """The maps that help; none where there are few decisions, or no mistakes, which would make all others certain.

    What helps is found out on each part of the text with what is made from the others. Parts are in one piece, since neighbours have much in common.
    """
    n = outcomes.correct.size
    if n < 4 * FEWEST or outcomes.correct.all():
        return Maps()
    part = np.arange(n) * FOLDS // n
    folds = [(outcomes.where(part != k), outcomes.where(part == k)) for k in range(FOLDS)]
    adjust = _best([partial(_adjusting, grouped=grouped) for grouped in (False, True)], folds, [Maps()] * FOLDS)
    adjusted = [adjust(made, Maps()) for made, _ in folds]
    places = [k for k in _PLACES if 2 * k * FEWEST <= n]
    return _best([partial(_isotonic, n=k) for k in places], folds, adjusted)(outcomes, adjust(outcomes, Maps()))


def _best(fits: Sequence[Fit], folds: Sequence[tuple[Outcomes, Outcomes]], before: Sequence[Maps]) -> Fit:
    """The best of some fits, or nothing new unless that is clearly better than the maps before, which are those of each fold."""
    fits = [_nothing_new, *fits]
    losses = np.array(
        [[_log_loss(fit(made, old), tried) for (made, tried), old in zip(folds, before, strict=True)] for fit in fits]
    )
    best = int(np.argmin(losses.sum(axis=1)))
    gains = losses[0] - losses[best]
    error = gains.std(ddof=1) / math.sqrt(FOLDS)
    return fits[best] if gains.mean() > max(SURE * error, WORTH * losses[0].mean()) else _nothing_new


def _log_loss(maps: Maps, outcomes: Outcomes) -> float:
    sure = np.clip(maps.of(outcomes.probabilities, outcomes.traits), MARGIN, 1 - MARGIN)
    return float(-np.log(np.where(outcomes.correct, sure, 1 - sure)).sum())


def _nothing_new(outcomes: Outcomes, before: Maps) -> Maps:
    return before


def _adjusting(outcomes: Outcomes, before: Maps, grouped: bool) -> Maps:
    return before._replace(adjustment=fit_adjustment(*outcomes, grouped))


def _isotonic(outcomes: Outcomes, before: Maps, n: int) -> Maps:
    """An isotonic map after the others: decisions in n groups of about the same probability, neighbours of which are joined where shares of correct
    ones fall.
    """
    probabilities, correct = before.of(outcomes.probabilities, outcomes.traits), outcomes.correct
    groups = np.array_split(np.argsort(probabilities, kind="stable"), n)
    sizes = np.array([group.size for group in groups], float)
    given = np.array([probabilities[group].mean() for group in groups])
    shares = pool([correct[group].mean() for group in groups], sizes)
    return Maps(before.adjustment, *_distinct(given, shares, sizes))


def pool(shares: Any, sizes: np.ndarray) -> np.ndarray:
    """The ascending numbers nearest to these shares, float64[n], by weighted squares: the pool-adjacent-violators algorithm."""
    blocks: list[tuple[float, float, int]] = []
    for share, size in zip(shares, sizes, strict=True):
        blocks.append((float(share), float(size), 1))
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            (a, n, k), (b, m, j) = blocks[-2:]
            blocks[-2:] = [((a * n + b * m) / (n + m), n + m, k + j)]
    return np.repeat([share for share, _, _ in blocks], [k for _, _, k in blocks])


def _distinct(given: np.ndarray, mapped: np.ndarray, sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same places with those of the same probability joined."""
    values, group = np.unique(np.clip(given, 0, 1), return_inverse=True)
    joined = np.bincount(group, mapped * sizes) / np.bincount(group, sizes)
    return values, np.clip(joined, 0, 1)
