"""The weights of a trained chain model: only non-zero rows of live templates, with eight bits per weight."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from spacy_mtl.models.dense import DenseBlock
from spacy_mtl.models.readable import ReadTemplates, chain_templates
from spacy_mtl.stored.arrays import Form
from spacy_mtl.stored.fault import StoredValueError
from spacy_mtl.stored.ranges import check_ascending, check_finite, check_range, check_shape
from spacy_mtl.stored.values import Check, integers, numbers, texts
from spacy_mtl.templates.grammar import Template, parse_template

#: Bits of a feature key; with a million rows, fewer than one in ten million look-ups of unknown features hits a row by chance.
KEY_BITS = 48
#: Scales keep the upper half of a float32, which has its whole range, so that weights stay exact enough for small C and rare features.
SCALE_SHIFT = np.uint32(16)
#: The largest absolute weight of a stored model: sums of any number of them are finite.
LARGEST = 1e20
#: The largest number in the report of a model, far above that of any training: learning on squares it and adds it to others.
LARGEST_NUMBER = 1e100
#: The largest number of rows of a stored model; hash tables number their rows with 32 bits.
MOST_ROWS = (1 << 31) - 1
#: Keys in a file: one byte plane after another. They are close to random, and the tables made of them take several times their size.
KEYS = Form("|u1", (KEY_BITS // 8, None), ratio=32, free=1 << 20)
#: Scales in a file: the upper half of a float32.
SCALES = Form("<u2", (None,))


@dataclass(frozen=True)
class TemplateRow:
    """One template in the report of a model. weight: mu. norm: ||w_j||. rows: the number of observations whose weights were kept."""

    #: The check of each column of a report in a file.
    CHECKS: ClassVar[dict[str, Check]] = {
        "text": texts,
        "weight": numbers(-LARGEST_NUMBER, LARGEST_NUMBER),
        "norm": numbers(-LARGEST_NUMBER, LARGEST_NUMBER),
        "rows": integers(0, MOST_ROWS),
    }

    text: str
    weight: float
    norm: float
    rows: int


@dataclass(frozen=True)
class ChainWeights:
    """Weights of a linear chain over ``labels``, ready to save.

    templates: all templates used in training. keys: uint64[R], ascending, the live observations of node templates. codes: int8[R, L] and
    scales: float32[R], weight = code * scale. pair_keys, pair_codes (int8[Rp, L * L]), pair_scales: the same for pair templates with an observation.
    step: float32[L, L], transition weights without observation. dense_codes: int8[D, L] and dense_scales: float32[D], the weights of the live dense
    templates, one after another, and dense_constants: float32[V, L], a constant of each of these.
    """

    ARRAYS: ClassVar = (
        "keys", "codes", "scales", "pair_keys", "pair_codes", "pair_scales", "step",
        "dense_codes", "dense_scales", "dense_constants",
    )  # fmt: skip
    #: Arrays that files of models without dense templates do not have.
    OPTIONAL: ClassVar = ("dense_codes", "dense_scales", "dense_constants")

    labels: tuple[str, ...] = ()
    templates: tuple[TemplateRow, ...] = ()
    keys: np.ndarray = field(default_factory=lambda: np.empty(0, np.uint64))
    codes: np.ndarray = field(default_factory=lambda: np.empty((0, 0), np.int8))
    scales: np.ndarray = field(default_factory=lambda: np.empty(0, np.float32))
    pair_keys: np.ndarray = field(default_factory=lambda: np.empty(0, np.uint64))
    pair_codes: np.ndarray = field(default_factory=lambda: np.empty((0, 0), np.int8))
    pair_scales: np.ndarray = field(default_factory=lambda: np.empty(0, np.float32))
    step: np.ndarray = field(default_factory=lambda: np.empty((0, 0), np.float32))
    dense_codes: np.ndarray = field(default_factory=lambda: np.empty((0, 0), np.int8))
    dense_scales: np.ndarray = field(default_factory=lambda: np.empty(0, np.float32))
    dense_constants: np.ndarray = field(default_factory=lambda: np.empty((0, 0), np.float32))

    @staticmethod
    def forms(n_labels: int) -> dict[str, Form]:
        """The arrays in a file, see :mod:`.store`."""
        return {
            "keys": KEYS,
            "codes": Form("|i1", (None, n_labels)),
            "scales": SCALES,
            "pair_keys": KEYS,
            "pair_codes": Form("|i1", (None, n_labels * n_labels)),
            "pair_scales": SCALES,
            "step": Form("<f4", (n_labels, n_labels)),
            "dense_codes": Form("|i1", (None, n_labels)),
            "dense_scales": SCALES,
            "dense_constants": Form("<f4", (None, n_labels)),
        }

    @property
    def is_trained(self) -> bool:
        return bool(self.labels)

    def check(self) -> None:
        """Refuse what prediction cannot rely on. Raises StoredValueError.

        Either there is nothing at all, or there are labels and valid templates, as many codes and scales as keys, keys in ascending order, finite
        weights.
        """
        texts = tuple(row.text for row in self.templates)
        chain_templates(texts)
        check_complete(self, bool(self.labels))
        check_shape(self.codes, (self.keys.size, len(self.labels)), "codes")
        check_shape(self.pair_codes, (self.pair_keys.size, len(self.labels) ** 2), "pair_codes")
        for name, keys, scales in (("", self.keys, self.scales), ("pair_", self.pair_keys, self.pair_scales)):
            check_shape(scales, keys.shape, f"{name}scales")
            check_keys(keys, f"{name}keys")
            check_finite(scales, f"{name}scales", LARGEST / 128)
        check_finite(self.step, "step", LARGEST)
        self._check_dense(chain_templates(texts).templates)

    def _check_dense(self, templates: Sequence[Template]) -> None:
        """Refuse blocks of vectors without weights for all of their numbers, or of several widths for vectors of the same kind."""
        dense = [
            (t.observations[0].place, row.rows)
            for row, t in zip(self.templates, templates, strict=True)
            if t.is_dense and row.rows
        ]
        n_rows = sum(n for _, n in dense)
        if len(set(dense)) > len({place for place, _ in dense}):
            raise StoredValueError("its templates read vectors of several widths")
        if self.dense_codes.size or n_rows:
            check_shape(self.dense_codes, (n_rows, len(self.labels)), "dense_codes")
            check_shape(self.dense_constants, (len(dense), len(self.labels)), "dense_constants")
        check_shape(self.dense_scales, (n_rows,), "dense_scales")
        check_finite(self.dense_scales, "dense_scales", LARGEST / 128)
        check_finite(self.dense_constants, "dense_constants", LARGEST)

    def dense_blocks(self) -> list[DenseBlock]:
        """The weights of the live dense templates."""
        rows = self.dense_codes * self.dense_scales[:, None]
        found: list[DenseBlock] = []
        at = 0
        for row in self.templates:
            template = parse_template(row.text)
            if template.is_dense and row.rows:
                found.append(DenseBlock(template, rows[at : at + row.rows], self.dense_constants[len(found)]))
                at += row.rows
        return found

    def with_dense(self, blocks: Sequence[DenseBlock]) -> "ChainWeights":
        """The same weights with those of dense templates in place of its own; their templates are live, and no other dense ones."""
        if not blocks and not self.dense_codes.size:
            return self
        n_labels, width = len(self.labels), {block.template.text: len(block.weights) for block in blocks}
        none = np.empty((0, n_labels), np.float32)
        codes, scales = quantize(np.concatenate([none, *(block.weights for block in blocks)]))
        constants = np.stack([block.constant for block in blocks]) if blocks else none
        templates = tuple(
            replace(row, rows=width.get(row.text, 0)) if parse_template(row.text).is_dense else row
            for row in self.templates
        )
        return replace(self, templates=templates, dense_codes=codes, dense_scales=scales, dense_constants=constants)

    def matrix(self, pair: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Keys uint64[R], codes [R, K] and scales float[R] of a matrix: of labels, or of observed label pairs. weight = code * scale."""
        return (self.pair_keys, self.pair_codes, self.pair_scales) if pair else (self.keys, self.codes, self.scales)

    def columns(self, pair: bool) -> list[str]:
        """What each of its K columns scores."""
        pairs = [f"{x} {y}" for x in self.labels for y in self.labels] if pair else []
        return pairs if pair else list(self.labels)

    def live_templates(self) -> ReadTemplates:
        """The templates that have weights. Raises StoredValueError if one of them is not valid."""
        return chain_templates(tuple(row.text for row in self.templates if row.rows))

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


def check_keys(keys: np.ndarray, name: str) -> None:
    """Refuse keys uint64[R] that are not strictly ascending, or have more than KEY_BITS bits: hash tables rely on it. Raises StoredValueError."""
    check_range(keys[-1:], 0, (1 << KEY_BITS) - 1, name)
    check_ascending(keys, name)
    check_range(np.array([keys.size]), 0, MOST_ROWS, f"the number of {name}")


def check_complete(weights: Any, trained: bool) -> None:
    """Refuse weights that are neither complete nor those of an untrained model, which has nothing at all. Raises StoredValueError."""
    if not trained and (
        weights.labels or weights.templates or any(getattr(weights, name).size for name in weights.ARRAYS)
    ):
        raise StoredValueError("it has weights but no labels, or no templates")
    if trained and not weights.templates:
        raise StoredValueError("it has labels but no templates")


def short_keys(keys: np.ndarray) -> np.ndarray:
    """The lowest KEY_BITS bits of feature keys uint64[R]."""
    return keys & np.uint64((1 << KEY_BITS) - 1)


def by_key(keys: np.ndarray, *arrays: np.ndarray) -> Sequence[np.ndarray]:
    """Short keys and arrays in ascending order of the keys; of colliding keys, the first is kept."""
    keys, first = np.unique(short_keys(keys), return_index=True)
    return [keys, *(array[first] for array in arrays)]
