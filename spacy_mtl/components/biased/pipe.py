"""Precision against recall in prediction: a number that is added to the score of the labels in question, set by hand or tuned on development data."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from spacy.training import Example

from spacy_mtl.settings import is_number
from spacy_mtl.stored.values import Check, number

from ..protocol.settings import refuse

#: The largest bias, either way.
MOST_BIAS = 100.0
#: The biases that are tried. A margin has the size 1, and so has a factor of e between probabilities.
TRIED = tuple(round(0.1 * k, 1) for k in range(-20, 21))
#: The check of a bias in a file.
BIAS_CHECK: Check = number(-MOST_BIAS, MOST_BIAS)


class BiasPoint(NamedTuple):
    """What a bias gives. precision, recall and f are shares, from 0 to 1."""

    bias: float
    precision: float
    recall: float
    f: float


def bias_point(bias: float, right: int, n_found: int, n_gold: int, beta: float) -> BiasPoint:
    """The point of a bias, from counts. beta: recall counts beta times as much as precision."""
    precision, recall = right / max(n_found, 1), right / max(n_gold, 1)
    total = beta**2 * precision + recall
    return BiasPoint(bias, precision, recall, (1 + beta**2) * precision * recall / total if total else 0.0)


class BiasedPipe(ABC):
    """A component with a bias, which is saved in ``cfg`` with its model."""

    name: str
    cfg: dict[str, Any]

    @property
    def bias(self) -> float:
        """What is added to the score of the labels in question: above 0 more is found, below 0 less. May be set at any time."""
        return self.cfg["bias"]

    @bias.setter
    def bias(self, value: float) -> None:
        self.cfg["bias"] = checked_bias(self.name, value)

    @abstractmethod
    def biases_of_labels(self, bias: float) -> np.ndarray:
        """What each label gets of a bias, float32[L]."""

    def label_bias(self) -> np.ndarray | None:
        return self.biases_of_labels(self.bias) if self.bias else None

    @abstractmethod
    def bias_points(self, examples: Sequence[Example], beta: float) -> list[BiasPoint]:
        """Scores on these examples under each bias of TRIED. Raises ValueError: M402 without a token, M404 if the component is not trained."""

    def tune_bias(self, examples: Iterable[Example], beta: float = 1.0) -> list[BiasPoint]:
        """Set the bias with the highest F score on these examples, without training anew. beta: recall counts beta times as much as precision.

        Returns precision, recall and F of every bias that was tried. Raises ValueError: M402 and M404 as :meth:`bias_points`, M419 for a beta
        that is not above 0.
        """
        if not is_number(beta, 0, 1e3) or beta == 0:
            refuse(self.name, "beta", "a number above 0", beta)
        points = self.bias_points(list(examples), float(beta))
        self.bias = max(points, key=lambda point: (point.f, -abs(point.bias))).bias
        return points


def checked_bias(name: str, value: Any) -> float:
    """A bias that is in range. name: of the component. Raises ValueError (M419)."""
    if not is_number(value, -MOST_BIAS, MOST_BIAS):
        refuse(name, "bias", f"a number from -{MOST_BIAS:g} to {MOST_BIAS:g}", value)
    return float(value)
