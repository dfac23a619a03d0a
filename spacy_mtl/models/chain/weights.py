"""The weights of a trained chain model: only non-zero rows of live templates, with eight bits per weight."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

#: Bits of a feature key; with a million rows, fewer than one in ten million look-ups of unknown features hits a row by chance.
KEY_BITS = 48
#: Scales keep the upper half of a float32, which has its whole range, so that weights stay exact enough for small C and rare features.
SCALE_SHIFT = np.uint32(16)


@dataclass(frozen=True)
class TemplateRow:
    """One template in the report of a model. weight: mu. norm: ||w_j||. rows: the number of observations whose weights were kept."""

    text: str
    weight: float
    norm: float
    rows: int


@dataclass(frozen=True)
class ChainWeights:
    """Weights of a linear chain over ``labels``, ready to save.

    templates: all templates used in training. keys: uint64[R], ascending, the live observations of node templates. codes: int8[R, L] and
    scales: float32[R], weight = code * scale. pair_keys, pair_codes (int8[Rp, L * L]), pair_scales: the same for pair templates with an observation.
    step: float32[L, L], transition weights without observation.
    """

    ARRAYS: ClassVar = ("keys", "codes", "scales", "pair_keys", "pair_codes", "pair_scales", "step")

    labels: tuple[str, ...] = ()
    templates: tuple[TemplateRow, ...] = ()
    keys: np.ndarray = field(default_factory=lambda: np.empty(0, np.uint64))
    codes: np.ndarray = field(default_factory=lambda: np.empty((0, 0), np.int8))
    scales: np.ndarray = field(default_factory=lambda: np.empty(0, np.float32))
    pair_keys: np.ndarray = field(default_factory=lambda: np.empty(0, np.uint64))
    pair_codes: np.ndarray = field(default_factory=lambda: np.empty((0, 0), np.int8))
    pair_scales: np.ndarray = field(default_factory=lambda: np.empty(0, np.float32))
    step: np.ndarray = field(default_factory=lambda: np.empty((0, 0), np.float32))

    @property
    def is_trained(self) -> bool:
        return bool(self.labels)

    @property
    def fits(self) -> bool:
        """Whether the shapes and keys of the arrays are consistent."""
        n = len(self.labels)
        return (
            self.codes.shape == (self.keys.size, n)
            and self.scales.shape == self.keys.shape
            and self.pair_codes.shape == (self.pair_keys.size, n * n)
            and self.pair_scales.shape == self.pair_keys.shape
            and self.step.shape == (n, n)
            and are_keys(self.keys)
            and are_keys(self.pair_keys)
        )

    def node_rows(self) -> np.ndarray:
        """Weights of node templates, float32[R, L]."""
        return self.codes * self.scales[:, None]

    def pair_rows(self) -> np.ndarray:
        """Weights of pair templates, float32[Rp, L * L]."""
        return self.pair_codes * self.pair_scales[:, None]


def quantize(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Quantize rows float32[R, K] to codes int8[R, K] and scales float32[R] (of 16 significant bits).

    The error is below 1/200 of a row's largest weight.
    """
    exact = np.maximum(np.abs(rows).max(axis=1, initial=0) / 127, np.finfo(np.float32).tiny).astype(np.float32)
    rounded_up = (exact.view(np.uint32) + np.uint32(0xFFFF)) >> SCALE_SHIFT << SCALE_SHIFT
    scales = rounded_up.view(np.float32)
    return np.clip(np.rint(rows / scales[:, None]), -127, 127).astype(np.int8), scales


def strongest(sizes: Sequence[np.ndarray], costs: Sequence[float], budget: int | None) -> list[np.ndarray]:
    """The rows of each matrix to keep, as ascending row numbers: those with a size above 0, the largest first as long as they fit the budget.

    sizes: float[R] for each matrix. costs: bytes per row of each matrix. budget: total number of bytes, None for no limit.
    """
    live = [np.flatnonzero(size > 0) for size in sizes]
    counts = [rows.size for rows in live]
    if budget is None or np.dot(counts, costs) <= budget:
        return live
    size = np.concatenate([size[rows] for size, rows in zip(sizes, live, strict=True)])
    cost = np.repeat(costs, counts)
    most = min(size.size, int(budget / min(costs)) + 1)
    largest = np.argpartition(size, size.size - most)[size.size - most :]  # sorting millions of rows would take long
    order = largest[np.lexsort((largest, -size[largest]))]
    keep = np.zeros(size.size, bool)
    keep[order[np.cumsum(cost[order]) <= budget]] = True
    return [rows[kept] for rows, kept in zip(live, np.split(keep, np.cumsum(counts)[:-1]), strict=True)]


def are_keys(keys: np.ndarray) -> bool:
    """Whether keys uint64[R] are strictly ascending and have at most KEY_BITS bits, as hash tables require."""
    return not keys.size or bool(keys[-1] < 1 << KEY_BITS and np.all(keys[1:] > keys[:-1]))


def short_keys(keys: np.ndarray) -> np.ndarray:
    """The lowest KEY_BITS bits of feature keys uint64[R]."""
    return keys & np.uint64((1 << KEY_BITS) - 1)


def by_key(keys: np.ndarray, *arrays: np.ndarray) -> Sequence[np.ndarray]:
    """Short keys and arrays in ascending order of the keys; of colliding keys, the first is kept."""
    keys, first = np.unique(short_keys(keys), return_index=True)
    return [keys, *(array[first] for array in arrays)]
