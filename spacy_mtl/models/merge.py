"""Add the weights of an earlier model to those of a training that went on from it: w = w_old + w_new, observation by observation.

An observation is known by its key. Those that only one of the two models has are kept as they are.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from spacy_mtl.models.chain.weights import LARGEST_NUMBER, TemplateRow, short_keys


class OldRows(NamedTuple):
    """Weights of an earlier model. keys: uint64[R], ascending. rows: float32[R, K]."""

    keys: np.ndarray
    rows: np.ndarray


class Merged(NamedTuple):
    """Rows of both models.

    matrix: float32[M, K] and keys: uint64[M], first the new rows with weights, in their order, then those that only the earlier model has. blocks:
    int64[T + 1], borders of the templates among the former. shared: int64[T], how many rows of each template both have. products: float64[T],
    <w_old, w_new> of each template.
    """

    matrix: np.ndarray
    keys: np.ndarray
    blocks: np.ndarray
    shared: np.ndarray
    products: np.ndarray


def merge(matrix: np.ndarray, keys: np.ndarray, blocks: np.ndarray, kept: np.ndarray, old: OldRows) -> Merged:
    """The rows ``kept`` (int64, ascending) of a weight matrix, plus those of the earlier model with the same keys, and its other rows.

    matrix: float32[R, K]. keys: uint64[R], 0 for rows without observation, which have no counterpart. blocks: int64[T + 1].
    """
    rows, own, borders = matrix[kept], short_keys(keys[kept]), np.searchsorted(kept, blocks)
    place = np.minimum(np.searchsorted(old.keys, own), max(old.keys.size - 1, 0))
    found = np.flatnonzero((keys[kept] != 0) & (old.keys[place] == own)) if old.keys.size else np.empty(0, np.int64)
    # of keys that collide, the first row of a model is kept, so only that one may get the earlier weights
    found = found[np.unique(place[found], return_index=True)[1]] if found.size else found
    found = np.sort(found)
    earlier = old.rows[place[found]] if found.size else old.rows[:0]
    template = np.searchsorted(borders, found, side="right") - 1
    n = blocks.size - 1
    products = np.bincount(template, np.einsum("rk,rk->r", rows[found], earlier, dtype=np.float64), n)
    rows[found] += earlier
    alone = np.ones(old.keys.size, bool)
    alone[place[found]] = False
    return Merged(
        np.concatenate([rows, old.rows[alone]]), np.concatenate([keys[kept], old.keys[alone]]), borders,
        np.bincount(template, minlength=n), products,
    )  # fmt: skip


def merged_report(
    old: Sequence[TemplateRow], weight: float, new: Sequence[TemplateRow], merged: Merged, alone: int
) -> tuple[TemplateRow, ...]:
    """The report of both models' rows.

    old, new: of the same templates. weight: by which the earlier weights have been multiplied. alone: how many rows of the earlier model alone have
    been kept. A stored row does not say which template it is of: they are divided among the templates in proportion. A template's mu is the mean
    of both trainings.
    """
    left = np.maximum([row.rows for row in old] - merged.shared, 0)
    share = left * (alone / max(1, int(left.sum())))
    lines = []
    for before, row, product, more in zip(old, new, merged.products.tolist(), share.tolist(), strict=True):
        square = row.norm**2 + (weight * before.norm) ** 2 + 2 * product
        kept = row.rows + int(np.ceil(more))
        norm = min(max(square, 0.0) ** 0.5, LARGEST_NUMBER)  # a stranger's norm may be the largest already
        lines.append(TemplateRow(row.text, 0.5 * (before.weight + row.weight), norm, kept))
    return tuple(lines)
