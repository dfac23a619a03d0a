"""Precision against recall in prediction: a number that is added to the score of the labels in question, set by hand or tuned on development data."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, NamedTuple

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


#: A component that has a bias, and examples that it has not learnt from.
Fold = tuple[Any, Sequence[Example]]


def best_point(points: Sequence[BiasPoint]) -> BiasPoint:
    """That with the highest F; of several the one that is nearest to 0."""
    return max(points, key=lambda point: (point.f, -abs(point.bias)))


class BiasCounts(NamedTuple):
    """What is found in E examples under each of the B biases of TRIED. right, found: int64[E, B]. gold: int64[E]."""

    right: np.ndarray
    found: np.ndarray
    gold: np.ndarray

    @classmethod
    def of(cls, examples: Iterable[tuple[int, Sequence[tuple[int, int]]]]) -> "BiasCounts":
        """From what is gold in each example, and what is right and what is found under each bias."""
        gold, pairs = zip(*examples, strict=True)
        right, found = np.moveaxis(np.array(pairs, np.int64).reshape(len(gold), len(TRIED), 2), 2, 0)
        return cls(right, found, np.array(gold, np.int64))

    def and_also(self, other: "BiasCounts") -> "BiasCounts":
        """These and those of other examples."""
        return BiasCounts(*(np.concatenate(both) for both in zip(self, other, strict=True)))

    def points(self, beta: float) -> list[BiasPoint]:
        """The point of each bias. beta: recall counts beta times as much as precision."""
        right, found, gold = self.right.sum(0), self.found.sum(0), self.gold.sum()
        shares = (right / np.maximum(found, 1), right / max(gold, 1), f_scores(right, found, gold, beta))
        return [BiasPoint(*point) for point in zip(TRIED, *(share.tolist() for share in shares), strict=True)]

    def standard_error(self, one: int, other: int, beta: float) -> float:
        """Of the difference between the F scores of two biases, by the jackknife over examples (Efron 1982, chapter 3); infinite for one."""
        n, columns = len(self.gold), [one, other]
        if n == 1:
            return math.inf
        right, found = (counts[:, columns].sum(0) - counts[:, columns] for counts in (self.right, self.found))
        without = f_scores(right, found, (self.gold.sum() - self.gold)[:, None], beta)
        differences = without[:, 0] - without[:, 1]
        return float(np.sqrt((n - 1) / n * np.square(differences - differences.mean()).sum()))


def f_scores(right: np.ndarray, found: np.ndarray, gold: Any, beta: float) -> np.ndarray:
    """F scores of counts; 0 where nothing is right."""
    return (1 + beta**2) * right / np.maximum(beta**2 * gold + found, 1)


class BiasedPipe(ABC):
    """A component with a bias, which is saved in ``cfg`` with its model."""

    name: str
    cfg: dict[str, Any]
    free: ClassVar[tuple[str, ...]] = ("bias",)

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
    def bias_counts(self, examples: Sequence[Example]) -> BiasCounts:
        """What is found in these examples under each bias of TRIED. Raises ValueError: M402 without a token, M404 if the component is not trained."""

    def tune_bias(
        self, examples: Iterable[Example], beta: float = 1.0, sure: bool = False, folds: Iterable[Fold] = ()
    ) -> list[BiasPoint]:
        """Set the bias with the highest F score on these examples, without training anew. beta: recall counts beta times as much as precision.

        sure: keep the bias as it is where the gain over it (over the nearest bias that is tried) is below one standard error. folds: examples that
        count besides, each with a component of the same settings that has not learnt from them.
        Returns precision, recall and F of every bias that was tried. Raises ValueError: M402 and M404 as :meth:`bias_counts`, M419 for a beta
        that is not above 0.
        """
        if not is_number(beta, 0, 1e3) or beta == 0:
            refuse(self.name, "beta", "a number above 0", beta)
        counts = self.bias_counts(list(examples))
        for pipe, held_out in folds:
            counts = counts.and_also(pipe.bias_counts(held_out))
        points = counts.points(float(beta))
        best = points.index(best_point(points))
        now = int(np.abs(np.array(TRIED) - self.bias).argmin())
        if not sure or points[best].f - points[now].f > counts.standard_error(best, now, float(beta)):
            self.bias = points[best].bias
        return points


def checked_bias(name: str, value: Any) -> float:
    """A bias that is in range. name: of the component. Raises ValueError (M419)."""
    if not is_number(value, -MOST_BIAS, MOST_BIAS):
        refuse(name, "bias", f"a number from -{MOST_BIAS:g} to {MOST_BIAS:g}", value)
    return float(value)
