"""Adjustment: probabilities put right by what a decision is about, its label and its size.

A model may be too sure of long entities and not sure enough of names of places. The adjustment is beta calibration (Kull et al. 2017, section 3)
with an offset u and a slope v for each group of decisions:

    logit q = a log p - b log(1 - p) + c + the sum over the groups g of a decision of (u_g + v_g logit p)

Its numbers are those of the least log loss with a ridge around q = p, so that a group of few decisions stays close to all others.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from spacy_mtl.stored.fault import StoredValueError
from spacy_mtl.stored.values import fields, list_of, mapping_of, number

#: The fewest decisions of a group that has numbers of its own, the most labels that have, and the classes of sizes: 0, 1, 2, ..., and all above.
FEWEST, MOST_LABELS, SIZES = 50, 100, 6
#: Probabilities are kept this far from 0 and 1 where their logs are taken.
MARGIN = 1e-6
#: What the squares of the numbers weigh beside the log loss, and the largest number that a file may have.
_RIDGE, _MOST = 30.0, 1e3


class Traits(NamedTuple):
    """What D decisions are about.

    labels: int64[D], indices into ``names``; names may be empty where there are no labels. sizes: int64[D], the tokens (characters) of a span, the
    words from the head to the dependent of an arc (0 from the root), otherwise 1.
    """

    labels: np.ndarray
    sizes: np.ndarray
    names: Sequence[str] = ()

    @classmethod
    def of_labels(cls, labels: np.ndarray, names: Sequence[str]) -> "Traits":
        """Those of decisions on single positions."""
        return cls(labels.astype(np.int64), np.ones(labels.size, np.int64), names)

    @classmethod
    def of_spans(cls, spans: np.ndarray, names: Sequence[str]) -> "Traits":
        """spans: int64[D, 3], start, end and kind of each."""
        return cls(spans[:, 2], spans[:, 1] - spans[:, 0], names)

    @classmethod
    def joined(cls, parts: Sequence["Traits"]) -> "Traits":
        """Those of several models, whose labels may have other numbers."""
        names = list(dict.fromkeys(name for part in parts for name in part.names))
        number = {name: k for k, name in enumerate(names)}
        labels = [
            np.array([number[name] for name in part.names])[part.labels] if part.names else part.labels
            for part in parts
        ]
        return cls(np.concatenate(labels), np.concatenate([part.sizes for part in parts]), names)

    def where(self, chosen: np.ndarray | slice) -> "Traits":
        """Those of some of the decisions."""
        return Traits(self.labels[chosen], self.sizes[chosen], self.names)


@dataclass(frozen=True)
class Adjustment:
    """common: a, b and c. labels: u and v by label. sizes: float64[SIZES, 2], u and v by class of size."""

    common: tuple[float, float, float]
    labels: Mapping[str, tuple[float, float]]
    sizes: np.ndarray

    def map(self, probabilities: np.ndarray, traits: Traits) -> np.ndarray:
        """Adjusted probabilities, float64[D]; nan stays nan."""
        from scipy.special import expit

        a, b, c = self.common
        yes, no = _logs(probabilities)
        own = self.sizes[_classes(traits)]
        if traits.names and self.labels:
            own = own + np.array([self.labels.get(name, (0.0, 0.0)) for name in traits.names])[traits.labels]
        return expit(a * yes - b * no + c + own[:, 0] + own[:, 1] * (yes - no))

    def told(self) -> str:
        """What it takes into account, in words."""
        more = [f"{len(self.labels)} labels"] if self.labels else []
        more += ["sizes"] if self.sizes.any() else []
        return ", ".join(["probability", *more])

    def to_dict(self) -> dict[str, Any]:
        labels = {name: list(pair) for name, pair in self.labels.items()}
        return {"common": list(self.common), "labels": labels, "sizes": self.sizes.tolist()}

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> "Adjustment":
        """From what has been checked."""
        a, b, c = map(float, value["common"])
        labels = {name: (float(u), float(v)) for name, (u, v) in value["labels"].items()}
        return cls((a, b, c), labels, np.array(value["sizes"], float))


def check_adjustment(value: Any, name: str) -> Any:
    """Check what a file says of an adjustment, null for none. Raises StoredValueError."""
    if value is None:
        return None
    allowed = number(-_MOST, _MOST)
    pair = list_of(allowed, 2, 2)
    checks = {"common": list_of(allowed, 3, 3), "labels": mapping_of(pair), "sizes": list_of(pair, SIZES, SIZES)}
    if len(fields(value, name, checks)["labels"]) > MOST_LABELS:
        raise StoredValueError(f"{name} has more than {MOST_LABELS} labels")
    return value


def fit_adjustment(probabilities: np.ndarray, correct: np.ndarray, traits: Traits, grouped: bool) -> Adjustment:
    """The adjustment of the least log loss. correct: bool[D]. grouped: whether labels and sizes have numbers of their own."""
    from scipy.optimize import minimize
    from scipy.special import expit

    yes, no = _logs(probabilities)
    members = _members(traits) if grouped else np.empty((yes.size, 0))
    x = np.column_stack([yes, -no, np.ones(yes.size), members, members * (yes - no)[:, None]])
    sign = np.where(correct, 1.0, -1.0)
    nothing = np.zeros(x.shape[1])
    nothing[:2] = 1.0

    def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
        margins, off = sign * (x @ w), w - nothing
        value = np.logaddexp(0, -margins).sum() + _RIDGE * off @ off
        return float(value), 2 * _RIDGE * off - (sign * expit(-margins)) @ x

    bounds = [(0, _MOST)] * 2 + [(-_MOST, _MOST)] * (x.shape[1] - 2)
    w = minimize(loss, nothing, jac=True, bounds=bounds, method="L-BFGS-B").x
    k = members.shape[1]
    return _named(w[:3], np.column_stack([w[3 : 3 + k], w[3 + k :]]), traits if k else None)


def _named(common: np.ndarray, pairs: np.ndarray, traits: Traits | None) -> Adjustment:
    """The numbers by the names of the groups, in the order of :func:`_members`."""
    sizes, labels = np.zeros((SIZES, 2)), dict[str, tuple[float, float]]()
    if traits is not None:
        of_labels, of_sizes = _groups(traits)
        labels = {traits.names[y]: (float(u), float(v)) for y, (u, v) in zip(of_labels, pairs, strict=False)}
        sizes[of_sizes] = pairs[len(of_labels) :]
    a, b, c = common.tolist()
    return Adjustment((a, b, c), labels, sizes)


def _groups(traits: Traits) -> tuple[list[int], list[int]]:
    """The labels, most frequent first, and the classes of sizes that have numbers of their own; none of what is the same for all decisions."""
    found = []
    for numbers_of, most in (
        (traits.labels if traits.names else traits.labels[:0], MOST_LABELS),
        (_classes(traits), SIZES),
    ):
        counts = np.bincount(numbers_of)
        order = [k for k in np.argsort(-counts, kind="stable").tolist() if counts[k] >= FEWEST][:most]
        found.append(order if np.count_nonzero(counts) > 1 else [])
    return found[0], found[1]


def _members(traits: Traits) -> np.ndarray:
    """Which decisions are in which group, float64[D, G], 1 or 0."""
    labels, sizes = _groups(traits)
    columns = [*(traits.labels == y for y in labels), *(_classes(traits) == size for size in sizes)]
    return np.column_stack(columns).astype(float) if columns else np.empty((traits.sizes.size, 0))


def _classes(traits: Traits) -> np.ndarray:
    return np.minimum(traits.sizes, SIZES - 1)


def _logs(probabilities: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """log p and log(1 - p), float64[D] each."""
    sure = np.clip(probabilities.astype(float), MARGIN, 1 - MARGIN)
    return np.log(sure), np.log1p(-sure)
