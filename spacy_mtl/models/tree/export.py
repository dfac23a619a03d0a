"""Reduce the weights of a tree training to the weights that a model keeps."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import log2

import numpy as np

from spacy_mtl.models.chain.export import ROW_BYTES, largest
from spacy_mtl.models.chain.weights import KEY_BITS, TemplateRow, by_key, quantize, short_keys, strongest
from spacy_mtl.models.few_left import FewLeft
from spacy_mtl.models.merge import Merged, OldRows, merge, merged_report
from spacy_mtl.models.store import compressed
from spacy_mtl.structures.tree.filter import FilterTables
from spacy_mtl.templates.grammar import Template
from spacy_mtl.thresholds import LIVE

from .prior import TreePrior
from .weights import TreeWeights

#: Number of rows that are compressed to estimate the size of all.
SAMPLE = 20_000


@dataclass(frozen=True)
class Side:
    """One weight matrix, float32[R, K], with its templates: mu, ||w_j||, keys uint64[R] and blocks int64[T + 1]. Rows after the last block are of an
    earlier model alone; then all rows are live.
    """

    templates: tuple[Template, ...]
    matrix: np.ndarray
    mu: np.ndarray
    norms: np.ndarray
    keys: np.ndarray
    blocks: np.ndarray
    joined: bool = False

    def sizes(self) -> np.ndarray:
        """The largest absolute weight of each row, float32[R], 0 for templates that are not live."""
        sizes = largest(self.matrix)
        if self.joined:
            return sizes
        for j in np.flatnonzero(self.mu <= LIVE * self.mu.sum()).tolist():
            sizes[self.blocks[j] : self.blocks[j + 1]] = 0
        return sizes

    def report(self, kept: np.ndarray) -> tuple[TemplateRow, ...]:
        """One report row for each template. kept: ascending row numbers."""
        counts = np.diff(np.searchsorted(kept, self.blocks)).tolist()
        lines = zip(self.templates, self.mu.tolist(), self.norms.tolist(), counts, strict=True)
        return tuple(TemplateRow(template.text, mu, norm, count) for template, mu, norm, count in lines)


def saved_bytes(side: Side, rows: np.ndarray, plain: int) -> float:
    """Estimate the bytes per row in a file, including its key, by compressing a sample of these rows in the order of the file.

    plain: bytes per row before compression, an upper bound. Keys are stored as differences, so rows take less the more there are of them.
    """
    if not rows.size:
        return plain
    sample = rows[:: -(-rows.size // SAMPLE)]
    some = side.matrix[sample[np.argsort(short_keys(side.keys[sample]))]]
    single = some.shape[1] == 1
    names = ("values",) if single else ("pair_codes", "pair_scales")
    arrays = (some.astype(np.float16),) if single else quantize(some)
    key = min(KEY_BITS, KEY_BITS - log2(rows.size) + 2) / 8
    return min(plain, key + sum(len(compressed(*each)[1]) for each in zip(names, arrays, strict=True)) / len(some))


def fitting(
    sides: Sequence[Side], plain: Sequence[int], taken: int, megabytes: float | None, few: FewLeft | None = None
) -> list[np.ndarray]:
    """The rows of each side to keep, ascending: the strongest that fit into a file of ``megabytes``; None keeps all.

    plain: bytes per row of each side before compression. taken: bytes that the filter takes. few: of the training, which is warned once (M433) if
    almost none fit.
    """
    sizes = [side.sizes() for side in sides]
    if megabytes is None:
        return strongest(sizes, plain, None)
    budget = max(int(megabytes * 1e6) - taken, 1)
    kept = strongest(sizes, plain, budget)
    saved = [saved_bytes(*each) for each in zip(sides, kept, plain, strict=True)]
    kept = strongest(sizes, saved, budget)
    n_kept, n_rows = sum(rows.size for rows in kept), sum(int(np.count_nonzero(size)) for size in sizes)
    (few or FewLeft()).check(megabytes, n_kept, n_rows, taken)
    return kept


def _merged(side: Side, old: OldRows) -> Merged:
    """The live rows of a side, with those of the earlier model."""
    return merge(side.matrix, side.keys, side.blocks, np.flatnonzero(side.sizes()), old)


def _joint_report(
    prior: TreePrior, sides: Sequence[Side], merged: Sequence[Merged], kept: Sequence[np.ndarray]
) -> list[TemplateRow]:
    """The report of the new weights with those of the earlier model. kept: the rows of each side that are kept."""
    lines: list[TemplateRow] = []
    for side, each, rows in zip(sides, merged, kept, strict=True):
        alone = int((rows >= each.blocks[-1]).sum())
        lines += merged_report(prior.rows_of(side.templates), prior.weight, side.report(rows), each, alone)
    return lines


def _halved(values: np.ndarray) -> np.ndarray:
    """float16; what is too large becomes the largest there is, since a model with infinite weights is not loaded."""
    largest = np.finfo(np.float16).max
    return np.clip(values, -largest, largest).astype(np.float16)


def export_tree(
    node: Side,
    pair: Side | None,
    labels: Sequence[str],
    tags: np.ndarray,
    tables: FilterTables | None,
    megabytes: float | None,
    prior: TreePrior | None = None,
    few: FewLeft | None = None,
) -> TreeWeights:
    """Make the weights for prediction; those of the earlier model that training went on from, if any, are added.

    node: weights of arcs and pairs, one column. pair: weights of labels, one column per label; None without labels. tags, tables: the filter.
    megabytes: size limit of the saved file without its header; the strongest rows that fit are kept, None keeps all. few: of the training, which is
    warned once (M433) if almost none fit.
    """
    values = np.empty(0, np.float16) if tables is None else _halved(np.concatenate(tables))
    taken = 0
    if megabytes is not None:
        taken = sum(len(compressed(*each)[1]) for each in (("filter_tags", tags), ("filter_values", values)))
    sides = [node] if pair is None else [node, pair]
    merged: list[Merged] = []
    if prior is not None:
        merged = [_merged(side, old) for side, old in zip(sides, (prior.node, prior.pair), strict=False)]
        sides = [
            replace(side, matrix=each.matrix, keys=each.keys, blocks=each.blocks, joined=True)
            for side, each in zip(sides, merged, strict=True)
        ]
    plain = [ROW_BYTES, ROW_BYTES + len(labels)][: len(sides)]
    kept = fitting(sides, plain, taken, megabytes, few)
    report = [line for side, rows in zip(sides, kept, strict=True) for line in side.report(rows)]
    if prior is not None:
        report = _joint_report(prior, sides, merged, kept)
    node = sides[0]
    keys, weights = by_key(node.keys[kept[0]], _halved(node.matrix[kept[0], 0]))
    arrays = [keys, weights]
    if pair is not None:
        pair = sides[1]
        arrays += by_key(pair.keys[kept[1]], *quantize(pair.matrix[kept[1]]))
    else:
        arrays += [np.empty(0, np.uint64), np.empty((0, len(labels)), np.int8), np.empty(0, np.float32)]
    return TreeWeights(tuple(labels), tuple(report), *arrays, tags, values)  # type: ignore[call-arg]
