"""Calibration: a temperature that makes scores log probabilities, and where it helps a map of the probabilities of decisions.

Max-margin trainers only care by how much one analysis is better than others, so exp(score) says nothing. The temperature T of
p(y | x) ~ exp(score(x, y) / T) is the one under which held-out gold is most probable (Platt 1999 with a single parameter, over structures). What is
still systematically wrong then, because the model is, is put right by a map of probabilities that ascends: an isotonic one (Zadrozny & Elkan 2002:
among decisions of about the same probability, how many are correct?) or, with three parameters, that of beta calibration (Kull et al. 2017).
"""

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from spacy_mtl.stored.fault import StoredValueError, shown
from spacy_mtl.stored.ranges import check_ascending
from spacy_mtl.stored.values import fields, mapping, number, numbers

#: The range of temperatures.
COLDEST, HOTTEST = 1e-3, 1e3
#: The most places of a map, and the fewest decisions behind each.
MOST_PLACES, FEWEST = 30, 50
#: The numbers of places that are tried, of an isotonic map.
_PLACES = (2, 4, 7, 12, 20, MOST_PLACES)
#: By so much (of its value) a map must lower the log loss of decisions that it was not made from, or it is left out.
WORTH = 0.002
#: Probabilities are kept this far from 0 and 1 where their logs are taken.
_MARGIN = 1e-6


@dataclass(frozen=True)
class Calibration:
    """temperature: what scores are divided by. given, mapped: places of the map, ascending, float64[K] each; between them it is linear."""

    temperature: float = 1.0
    given: np.ndarray = field(default_factory=lambda: np.empty(0))
    mapped: np.ndarray = field(default_factory=lambda: np.empty(0))

    def map(self, probabilities: np.ndarray) -> np.ndarray:
        """Mapped probabilities of decisions, as they come if there is no map; nan stays nan."""
        if not self.given.size:
            return probabilities
        return np.interp(probabilities, self.given, self.mapped).astype(probabilities.dtype)

    def to_dict(self) -> dict[str, Any]:
        return {"temperature": self.temperature, "given": self.given.tolist(), "mapped": self.mapped.tolist()}


#: Finds the places and values of a map of decisions from their probabilities and whether they are correct.
Fit = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
#: By kind of decision.
Calibrations = Mapping[str, Calibration]


def check_calibrations(value: Any, name: str, kinds: Collection[str]) -> dict[str, dict[str, Any]]:
    """Check what a file says of calibrations. kinds: of decisions, those that there may be. Raises StoredValueError."""
    probability = numbers(0, 1)
    checks = {"temperature": number(COLDEST, HOTTEST), "given": probability, "mapped": probability}
    for kind, item in mapping(value, name).items():
        if kind not in kinds:
            raise StoredValueError(f"{name} has one of {shown(kind)}; this component decides {' and '.join(kinds)}")
        found = fields(item, f"{kind} of {name}", checks)
        if len(found["given"]) != len(found["mapped"]) or len(found["given"]) > MOST_PLACES:
            raise StoredValueError(f"the map of {kind} of {name} has sides of different sizes, or too many places")
        check_ascending(np.array(found["given"]), f"given of {kind} of {name}")
        if found["mapped"] != sorted(found["mapped"]):
            raise StoredValueError(f"the map of {kind} of {name} does not ascend")
    return value


def read_calibrations(value: Mapping[str, Mapping[str, Any]]) -> dict[str, Calibration]:
    """Calibrations from what has been checked."""
    return {
        kind: Calibration(float(item["temperature"]), np.array(item["given"], float), np.array(item["mapped"], float))
        for kind, item in value.items()
    }


def fit_temperature(loss: Callable[[float], float]) -> float:
    """The temperature with the least loss. loss: the log loss of held-out gold, which is convex in 1 / temperature."""
    from scipy.optimize import minimize_scalar

    found = minimize_scalar(
        lambda log: loss(math.exp(log)), bounds=(math.log(COLDEST), math.log(HOTTEST)), method="bounded",
        options={"xatol": 1e-3},
    )  # fmt: skip
    return float(math.exp(found.x))


def fit_map(probabilities: np.ndarray, correct: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The map of decisions: places and values, float64[K] each, both ascending; empty where no map helps or there are few decisions.

    Which map it is, and whether it helps at all, is found out on the half of the decisions that it was not made from, for both halves.
    """
    best: Fit | None = None
    least = (1 - WORTH) * _log_loss(probabilities, correct)
    half = np.arange(probabilities.size) % 2 == 0
    fits: list[Fit] = [partial(_isotonic, n=n) for n in _PLACES if 2 * n * FEWEST <= probabilities.size]
    for fit in [*fits, _beta] if fits else []:
        loss = 0.0
        for made, tried in ((half, ~half), (~half, half)):
            places = fit(probabilities[made], correct[made])
            loss += _log_loss(np.interp(probabilities[tried], *places), correct[tried])
        if loss < least:
            best, least = fit, loss
    return best(probabilities, correct) if best else (np.empty(0), np.empty(0))


def _beta(probabilities: np.ndarray, correct: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The map logit q = a log p - b log(1 - p) + c, a and b at least 0, of the least log loss, at places that are quantiles of p."""
    from scipy.optimize import minimize
    from scipy.special import expit

    def both(p: np.ndarray) -> np.ndarray:
        sure = np.clip(p.astype(float), _MARGIN, 1 - _MARGIN)
        return np.column_stack([np.log(sure), -np.log1p(-sure), np.ones(sure.size)])

    x, sign = both(probabilities), np.where(correct, 1.0, -1.0)

    def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
        margins = sign * (x @ w)
        return float(np.logaddexp(0, -margins).sum()), -(sign * expit(-margins)) @ x

    w = minimize(loss, np.array([1.0, 1.0, 0.0]), jac=True, bounds=[(0, None), (0, None), (None, None)]).x
    given = np.unique(np.quantile(probabilities.astype(float), np.linspace(0, 1, MOST_PLACES)))
    return given, np.maximum.accumulate(expit(both(given) @ w))


def _isotonic(probabilities: np.ndarray, correct: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The isotonic map: decisions in n groups of about the same probability, of which neighbours whose shares of correct ones fall are joined."""
    order = np.argsort(probabilities, kind="stable")
    groups = np.array_split(order, n)
    sizes = np.array([group.size for group in groups], float)
    given = np.array([probabilities[group].mean() for group in groups])
    return _distinct(given, pool([correct[group].mean() for group in groups], sizes), sizes)


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


def _log_loss(probabilities: np.ndarray, correct: np.ndarray) -> float:
    sure = np.clip(probabilities, _MARGIN, 1 - _MARGIN)
    return float(-np.log(np.where(correct, sure, 1 - sure)).sum())


def calibration_error(probabilities: np.ndarray, correct: np.ndarray, bins: int = 15) -> float:
    """Expected calibration error (Nguyen & O'Connor 2015): the mean over bins of equally many decisions of |mean probability - share of correct|."""
    groups = [group for group in np.array_split(np.argsort(probabilities, kind="stable"), bins) if group.size]
    total = sum(group.size * abs(probabilities[group].mean() - correct[group].mean()) for group in groups)
    return float(total / max(probabilities.size, 1))


def brier_score(probabilities: np.ndarray, correct: np.ndarray) -> float:
    """The mean of (probability - correct)^2."""
    return float(np.mean((probabilities - correct) ** 2)) if probabilities.size else 0.0
