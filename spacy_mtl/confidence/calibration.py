"""Calibration: a temperature that makes scores log probabilities, and where it helps maps of the probabilities of decisions.

Max-margin trainers only care by how much one analysis is better than others, so exp(score) says nothing. The temperature T of
p(y | x) ~ exp(score(x, y) / T) is the one under which held-out gold is most probable (Platt 1999 with a single parameter, over structures), but not
so low that fewer mistakes would be expected than were seen, or none. What is still systematically wrong then, because the model is, is put right
by maps (maps.py).
"""

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from spacy_mtl.stored.fault import StoredValueError, shown
from spacy_mtl.stored.ranges import check_ascending
from spacy_mtl.stored.values import fields, mapping, number, numbers

from .adjusting import MARGIN, Adjustment, Traits, check_adjustment
from .maps import MOST_PLACES, Maps

#: The range of temperatures.
COLDEST, HOTTEST = 1e-3, 1e3
#: A temperature that is lower by this factor tells whether a loss knows of mistakes: then it grows by more than this share, and this much.
COLDER, LOST = 10, 0.1


@dataclass(frozen=True)
class Calibration:
    """temperature: what scores are divided by. maps: of probabilities."""

    temperature: float = 1.0
    maps: Maps = field(default_factory=Maps)

    def map(self, probabilities: np.ndarray, traits: Traits) -> np.ndarray:
        """Mapped probabilities of decisions, of the same type, as they come if there is no map; nan stays nan."""
        return self.maps.of(probabilities, traits).astype(probabilities.dtype, copy=False)

    def to_dict(self) -> dict[str, Any]:
        adjustment, given, mapped = self.maps
        return {
            "temperature": self.temperature, "given": given.tolist(), "mapped": mapped.tolist(),
            "adjustment": None if adjustment is None else adjustment.to_dict(),
        }  # fmt: skip


#: By kind of decision.
Calibrations = Mapping[str, Calibration]


def check_calibrations(value: Any, name: str, kinds: Collection[str]) -> dict[str, dict[str, Any]]:
    """Check what a file says of calibrations. kinds: of decisions, those that there may be. Raises StoredValueError."""
    probability = numbers(0, 1)
    checks = {
        "temperature": number(COLDEST, HOTTEST), "given": probability, "mapped": probability, "adjustment": check_adjustment,
    }  # fmt: skip
    for kind, item in mapping(value, name).items():
        if kind not in kinds:
            raise StoredValueError(f"{name} has one of {shown(kind)}; this component decides {' and '.join(kinds)}")
        found = fields(item, f"{kind} of {name}", checks, missing={"adjustment": None})
        if len(found["given"]) != len(found["mapped"]) or len(found["given"]) > MOST_PLACES:
            raise StoredValueError(f"the map of {kind} of {name} has sides of different sizes, or too many places")
        check_ascending(np.array(found["given"]), f"given of {kind} of {name}")
        if found["mapped"] != sorted(found["mapped"]):
            raise StoredValueError(f"the map of {kind} of {name} does not ascend")
    return value


def read_calibrations(value: Mapping[str, Mapping[str, Any]]) -> dict[str, Calibration]:
    """Calibrations from what has been checked."""
    return {kind: Calibration(float(item["temperature"]), _read_maps(item)) for kind, item in value.items()}


def _read_maps(item: Mapping[str, Any]) -> Maps:
    adjustment = item.get("adjustment")  # earlier versions had none
    given, mapped = (np.array(item[key], float) for key in ("given", "mapped"))
    return Maps(None if adjustment is None else Adjustment.from_dict(adjustment), given, mapped)


def fit_temperature(loss: Callable[[float], float]) -> float:
    """The temperature with the least loss, to 0.1%. loss: the log loss of held-out gold.

    It is convex in 1 / temperature where gold is one analysis among all. Of morphological analyses and of constituents, gold is a sum over several
    label sequences or derivations; then it is a difference of convex functions, and a minimum may be a local one.
    """
    from scipy.optimize import minimize_scalar

    found = minimize_scalar(
        lambda log: loss(math.exp(log)), bounds=(math.log(COLDEST), math.log(HOTTEST)), method="bounded",
        options={"xatol": 1e-3},
    )  # fmt: skip
    return float(math.exp(found.x))


def not_too_sure(
    temperature: float, decided: Callable[[float], tuple[np.ndarray, np.ndarray]], loss: Callable[[float], float]
) -> float:
    """The temperature with the least loss, or a higher one where that loss knows of no mistake, and decisions would be too sure.

    Under Jeffreys' prior for the share of wrong decisions, k + 1/2 are expected to be wrong where k of n are: (k + 1/2) n / (n + 1), to be exact.
    Without it, held-out gold that is predicted without a mistake would be most probable under a temperature of 0, and every later decision certain.
    So it would where all mistakes are in sentences whose gold the model cannot make, which have no loss.
    decided: probabilities of decisions at a temperature, float[D], and which are right, bool[D]. Those that are certain, or as good as others, at any
    temperature are not counted in n. loss: the log loss of held-out gold.
    """
    from scipy.optimize import brentq

    probabilities, correct = decided(temperature)
    wrong = int(np.sum(~correct))
    if float(np.nansum(1 - probabilities[probabilities > 0.5].astype(float))) >= wrong + 0.5:
        return temperature
    colder = max(temperature / COLDER, COLDEST)
    if wrong and loss(colder) > (1 + LOST) * loss(temperature) + LOST:
        return temperature
    counted = ~(decided(colder)[0] <= 0.5) & (decided(HOTTEST)[0] < 1 - MARGIN)
    n, k = int(np.sum(counted)), int(np.sum(counted & ~correct))

    def surplus(log: float) -> float:
        found = decided(math.exp(log))[0][counted].astype(float)
        return float(np.nansum(1 - found)) - (k + 0.5) * n / (n + 1)

    low, high = math.log(temperature), math.log(HOTTEST)
    if surplus(low) >= 0:
        return temperature
    return HOTTEST if surplus(high) <= 0 else float(math.exp(brentq(surplus, low, high, xtol=1e-3)))


def calibration_error(probabilities: np.ndarray, correct: np.ndarray, bins: int = 15) -> float:
    """Expected calibration error (Nguyen & O'Connor 2015): the mean over bins of equally many decisions of |mean probability - share of correct|."""
    groups = [group for group in np.array_split(np.argsort(probabilities, kind="stable"), bins) if group.size]
    total = sum(group.size * abs(probabilities[group].mean() - correct[group].mean()) for group in groups)
    return float(total / max(probabilities.size, 1))


def brier_score(probabilities: np.ndarray, correct: np.ndarray) -> float:
    """The mean of (probability - correct)^2."""
    return float(np.mean((probabilities - correct) ** 2)) if probabilities.size else 0.0
