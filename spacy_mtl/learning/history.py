"""The history of a training: the weights of its templates after each pass, and what evaluations found. Prediction does not need it."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from spacy_mtl.errors import Errors
from spacy_mtl.stored.fault import StoredValueError
from spacy_mtl.stored.json import read_json
from spacy_mtl.stored.values import distinct_texts, fields, integers, list_of, mapping, number, numbers, optional
from spacy_mtl.thresholds import LIVE
from spacy_mtl.trainers.base import Report

from .learner import Learner

#: The most passes and evaluations that are kept; beyond them every second one is dropped.
MOST = 64
#: The largest file, in bytes.
MOST_BYTES = 1 << 22
#: The most shares that are kept, so that they fit into a file.
_SHARES = 300_000
#: The most passes and templates, and the largest size of an objective.
_PASSES, _TEMPLATES, _LARGEST = 1 << 40, 1 << 14, 1e300


@dataclass(frozen=True)
class Evaluation:
    """What an evaluation during training found. passes: before it. primal, dual, gap: as in :class:`.Report`. score: of the dev corpus.

    A number is None where it is not known.
    """

    passes: int
    primal: float | None
    dual: float | None
    gap: float | None
    score: float | None


@dataclass
class History:
    """names: of T templates. passes: numbers of the passes that are kept, ascending. shares: of each, float32[T], weights that sum to 1.

    A training that goes on from an earlier model counts on from its passes.
    """

    names: tuple[str, ...] = ()
    passes: list[int] = field(default_factory=list)
    shares: list[np.ndarray] = field(default_factory=list)
    evaluations: list[Evaluation] = field(default_factory=list)
    #: Passes before the training at hand.
    _before: int = 0
    #: Passes of the training at hand that have been looked at.
    _seen: int = 0

    def begins(self) -> None:
        """Note that a training begins, in addition to what is there."""
        self._before, self._seen = self.passes[-1] if self.passes else 0, 0

    def take(self, learner: Learner) -> None:
        """Keep the weights of the templates after a pass that has not been seen yet."""
        weights = _weights(learner)
        if not weights or learner.passes == self._seen or len(weights) > _TEMPLATES:
            return
        values = np.array(list(weights.values()))
        total = values.sum()
        if not np.isfinite(total):
            return
        if tuple(weights) != self.names:
            self.names, self.passes, self.shares, self.evaluations, self._before = tuple(weights), [], [], [], 0
        self._seen = learner.passes
        self.passes.append(self._before + self._seen)
        self.shares.append((values / total if total > 0 else values).astype(np.float32))
        if len(self.passes) > max(2, min(MOST, _SHARES // len(weights))):
            self.passes, self.shares = _thinned(self.passes), _thinned(self.shares)

    def begins_like(self, other: "History") -> bool:
        """Whether this may be the same training as another's, or a part of it: it has the same templates with the same weights at first."""
        if self.names != other.names or self.passes[:1] != other.passes[:1]:
            return False
        return bool(self.shares) and np.array_equal(self.shares[0].round(5), other.shares[0].round(5))

    def evaluated(self, report: Report | None, score: float | None) -> None:
        """Keep what an evaluation found."""
        if report is None:
            return
        known = (report.primal, report.dual, report.gap, score)
        self.evaluations.append(Evaluation(self._before + self._seen, *map(_finite, known)))
        if len(self.evaluations) > MOST:
            self.evaluations = _thinned(self.evaluations)

    def dropped(self) -> dict[str, int]:
        """The first pass that is kept after which each of today's dropped templates had no weight any more, by name."""
        if not self.shares:
            return {}
        live = np.array(self.shares) > LIVE
        last = {name: np.flatnonzero(live[:, j]) for j, name in enumerate(self.names) if not live[-1, j]}
        return {name: self.passes[at[-1] + 1 if at.size else 0] for name, at in last.items()}

    def to_bytes(self) -> bytes:
        """As JSON."""
        lines = {
            "names": self.names,
            "passes": self.passes,
            "shares": [[round(float(share), 6) for share in each] for each in self.shares],
            "evaluations": [asdict(each) for each in self.evaluations],
        }
        return json.dumps(lines, ensure_ascii=False, allow_nan=False).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> "History":
        """Read what :meth:`to_bytes` wrote. Raises StoredValueError for anything else."""
        if len(data) > MOST_BYTES:
            raise StoredValueError(f"it is larger than {MOST_BYTES >> 20} megabytes")
        found = fields(read_json(data, "it"), "it", _CHECKS)
        names, passes, shares = tuple(found["names"]), found["passes"], found["shares"]
        if len(passes) != len(shares) or any(len(each) != len(names) for each in shares):
            raise StoredValueError("it does not have a share for each template and pass")
        if any(b <= a for a, b in pairwise(passes)):
            raise StoredValueError("its passes do not ascend")
        told = [Evaluation(**each) for each in found["evaluations"]]
        return cls(names, passes, [np.array(each, np.float32) for each in shares], told, passes[-1] if passes else 0)


class Remembered:
    """The history of a component, read from what it was saved with only when somebody asks. data: None for an empty one. where: it comes from."""

    def __init__(self, data: bytes | None = None, where: str | Path = ""):
        self._data, self._where = data, where
        self._history = History() if data is None else None

    @classmethod
    def beside(cls, model: Path) -> "Remembered":
        """What is beside a model file: nothing of a file that cannot be read, and no more of one that is too large than it takes to refuse it."""
        path = model.with_name("history")
        try:
            with path.open("rb") as file:
                return cls(file.read(MOST_BYTES + 1), path)
        except OSError:
            return cls()

    @property
    def history(self) -> History:
        """Raises ValueError (M614) where what was saved is no history."""
        if self._history is None:
            try:
                self._history = History.from_bytes(self._data or b"")
            except StoredValueError as fault:
                raise ValueError(Errors.M614.format(where=self._where, fault=fault)) from None
        return self._history

    def for_training(self) -> History:
        """The history to go on with: a new one where the saved one cannot be read."""
        try:
            return self.history
        except ValueError:
            self._history = History()
            return self._history

    def to_bytes(self) -> bytes | None:
        """What to save; None for nothing. What has not been looked at stays as it is."""
        if self._history is None:
            return self._data
        return self._history.to_bytes() if self._history.passes else None


def _weights(learner: Learner) -> dict[str, float]:
    """The weights of all templates by name, summed over the trainings of a learner."""
    weights: dict[str, float] = {}
    for training in learner.trainings:
        for name, weight in zip(training.problem.blocks.names, training.template_weights.tolist(), strict=True):
            weights[name] = weights.get(name, 0.0) + weight
    return weights


def _thinned(items: list[Any]) -> list[Any]:
    """Every second one, and the last."""
    return [*items[:-1:2], items[-1]]


def _finite(value: float | None) -> float | None:
    return float(value) if value is not None and math.isfinite(value) else None


def _evaluation(value: Any, name: str) -> Mapping[str, Any]:
    known = optional(number(-_LARGEST, _LARGEST))
    checks = {"passes": number(0, _PASSES), "primal": known, "dual": known, "gap": known, "score": known}
    return fields(mapping(value, name), name, checks)


def _names(value: Any, name: str) -> Sequence[str]:
    if len(distinct_texts(value, name)) > _TEMPLATES:
        raise StoredValueError(f"it has more than {_TEMPLATES} templates")
    return value


_CHECKS = {
    "names": _names,
    "passes": integers(0, _PASSES),
    "shares": list_of(numbers(0, 1.001), most=MOST),
    "evaluations": list_of(_evaluation, most=MOST),
}
