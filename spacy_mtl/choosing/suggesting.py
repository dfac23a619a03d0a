"""Which texts to annotate next: those of which a component is most unsure, for what they cost, and about what no text chosen before has told."""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from .uncertain import Unsure


@dataclass(frozen=True)
class Wanted:
    """How texts are chosen.

    n: how many. tokens: as many as fit into so many tokens, None for no limit. diversity: from 0 to 1; the value of a word falls by this share with
    each time that its form has been chosen before. per_token: whether a text's value is divided by its tokens, which is what its annotation costs.
    overhead: tokens that every text costs in addition.
    """

    n: int = 50
    tokens: int | None = None
    diversity: float = 0.5
    per_token: bool = True
    overhead: float = 0.0


@dataclass(frozen=True)
class Choice:
    """A text that was chosen: its number, and its value when it was."""

    number: int
    value: float


def choose(texts: Sequence[Unsure], sizes: Sequence[int], wanted: Wanted) -> list[Choice]:
    """Choose texts one after another, always the one with the highest value for its cost.

    sizes: tokens of each text. The sum of the values has diminishing returns, so that a text's value never grows, and most need not be computed again
    (lazy greedy selection: Minoux 1978, *Accelerated greedy algorithms for maximizing submodular set functions*).
    """
    numbered = _Forms(texts, 1 - wanted.diversity)
    costs = [size + wanted.overhead if wanted.per_token else 1.0 for size in sizes]
    heap = [(-numbered.value(k) / max(costs[k], 1.0), k, 0) for k in range(len(texts)) if sizes[k]]
    heapq.heapify(heap)
    chosen: list[Choice] = []
    left = wanted.tokens
    while heap and len(chosen) < wanted.n:
        value, k, known = heapq.heappop(heap)
        if left is not None and sizes[k] > left:
            continue
        if known < len(chosen):
            heapq.heappush(heap, (-numbered.value(k) / max(costs[k], 1.0), k, len(chosen)))
            continue
        numbered.take(k)
        chosen.append(Choice(k, -value))
        left = None if left is None else left - sizes[k]
    return chosen


class _Forms:
    """How often each form has been chosen, and what texts are worth now. keeps: the share of a word's value that stays each time."""

    def __init__(self, texts: Sequence[Unsure], keeps: float):
        sizes = [text.forms.size for text in texts]
        forms = np.concatenate([np.empty(0, np.uint64), *(text.forms for text in texts)])
        _, numbers = np.unique(forms, return_inverse=True)
        borders = np.cumsum([0, *sizes])
        self._numbers = [numbers[a:b] for a, b in pairwise(borders.tolist())]
        self._repeats = [_repeats(own) for own in self._numbers]
        self._values = [text.values for text in texts]
        self._counts = np.zeros(int(numbers.max(initial=-1)) + 1)
        self._keeps = keeps

    def value(self, k: int) -> float:
        """What text k is worth now; a form counts less each time that it comes again in the text, too."""
        times = self._counts[self._numbers[k]] + self._repeats[k]
        return float(np.sum(self._values[k] * self._keeps**times))

    def take(self, k: int) -> None:
        np.add.at(self._counts, self._numbers[k], 1)


def _repeats(numbers: np.ndarray) -> np.ndarray:
    """How often each number has come before, int64[k]."""
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    first = np.searchsorted(ordered, ordered)
    out = np.empty(numbers.size, np.int64)
    out[order] = np.arange(numbers.size) - first
    return out
