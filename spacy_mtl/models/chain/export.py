"""Reduce the weights of a chain training (every row of every template) to the weights that a model keeps."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from spacy_mtl.kernels import kernel
from spacy_mtl.models.few_left import FewLeft
from spacy_mtl.models.merge import Merged, merge, merged_report
from spacy_mtl.structures.contract import Weights
from spacy_mtl.structures.problem import Blocks
from spacy_mtl.templates.grammar import Template
from spacy_mtl.thresholds import LIVE

from .prior import ChainPrior
from .weights import ChainWeights, TemplateRow, by_key, quantize, strongest

#: Bytes of a row in a model file, before compression and in addition to its codes: 6 for the key, 2 for the scale.
ROW_BYTES = 8


@kernel
def largest(matrix):
    """Largest absolute weight of each row, float32[R]. A kernel, since numpy would copy a matrix that may fill half the memory."""
    out = np.zeros(matrix.shape[0], np.float32)
    for r in range(matrix.shape[0]):
        for y in range(matrix.shape[1]):
            out[r] = max(out[r], abs(matrix[r, y]))
    return out


class _Side(NamedTuple):
    """One weight matrix, float32[R, K]: keys uint64[R], template borders int64[T + 1] (rows after the last are of none), and a size of each row."""

    matrix: np.ndarray
    keys: np.ndarray
    blocks: np.ndarray
    sizes: np.ndarray

    def kept(self, rows: np.ndarray) -> Sequence[np.ndarray]:
        """Keys, codes and scales of these rows, in ascending order of keys."""
        return by_key(self.keys[rows], *quantize(self.matrix[rows]))


def export_chain(
    weights: Weights,
    mu: np.ndarray,
    norms: np.ndarray,
    blocks: Blocks,
    templates: Sequence[Template],
    keys: tuple[np.ndarray, np.ndarray],
    labels: Sequence[str],
    megabytes: float | None,
    prior: ChainPrior | None = None,
    taken: int = 0,
    few: FewLeft | None = None,
) -> ChainWeights:
    """Make the weights for prediction; those of the earlier model that training went on from, if any, are added.

    mu, norms: float64[T + Tp], template weights and ||w_j|| in the order of ``templates``, node templates first. keys: uint64[R] and uint64[Rp], of
    each row of the node and the pair matrix (including rows of templates without observation). megabytes: keep the strongest rows that fit into
    this size, before compression; None keeps all. taken: bytes of it that others take. few: of the training, which is warned once (M433) if almost
    none fit.
    """
    n_labels = len(labels)
    plain = np.zeros(len(weights.pair), bool)
    for j, template in enumerate(templates[blocks.n_node :]):
        plain[blocks.pair[j] : blocks.pair[j + 1]] = not template.observations
    step = weights.pair[plain].sum(axis=0).reshape(n_labels, n_labels).astype(np.float32)
    sizes = largest(weights.node), np.where(plain, 0, largest(weights.pair))
    dense = [
        template.is_dense for template in templates[: blocks.n_node]
    ]  # their weights are stored in a form of their own
    for j in np.flatnonzero((mu <= LIVE * mu.sum())[: blocks.n_node] | np.array(dense, bool)).tolist():
        sizes[0][blocks.node[j] : blocks.node[j + 1]] = 0
    sides = [_Side(weights.node, keys[0], blocks.node, sizes[0]), _Side(weights.pair, keys[1], blocks.pair, sizes[1])]
    merged: list[Merged] = []
    if prior is not None:
        olds = prior.node, prior.pair
        merged = [merge(*side[:3], np.flatnonzero(side.sizes), old) for side, old in zip(sides, olds, strict=True)]
        sides = [_Side(*each[:3], largest(each.matrix)) for each in merged]
        step += prior.step
    budget = None if megabytes is None else max(0, int(megabytes * 1e6) - taken)
    rows = strongest([side.sizes for side in sides], (ROW_BYTES + n_labels, ROW_BYTES + n_labels**2), budget)
    if megabytes is not None:
        n_rows = sum(int(np.count_nonzero(side.sizes)) for side in sides)
        (few or FewLeft()).check(megabytes, sum(map(len, rows)), n_rows, taken)
    counts = np.concatenate([_count(*each) for each in zip(rows, (side.blocks for side in sides), strict=True)])
    counts[blocks.n_node :] += _count(np.flatnonzero(plain), blocks.pair)
    report = tuple(
        TemplateRow(template.text, float(m), float(norm), int(count))
        for template, m, norm, count in zip(templates, mu, norms, counts, strict=True)
    )
    if prior is not None:
        report = _joint_report(prior, report, templates, blocks.n_node, merged, rows)
    arrays = [array for side, kept in zip(sides, rows, strict=True) for array in side.kept(kept)]
    return ChainWeights(tuple(labels), report, *arrays, step)  # type: ignore[call-arg]


def _joint_report(
    prior: ChainPrior, new: Sequence[TemplateRow], templates: Sequence[Template], n_node: int,
    merged: Sequence[Merged], kept: Sequence[np.ndarray],
) -> tuple[TemplateRow, ...]:  # fmt: skip
    """The report of the new weights with those of the earlier model. kept: the rows of each side that are kept."""
    old, parts = prior.rows_of(templates), (slice(0, n_node), slice(n_node, None))
    return tuple(
        line
        for part, each, rows in zip(parts, merged, kept, strict=True)
        for line in merged_report(old[part], prior.weight, new[part], each, int((rows >= each.blocks[-1]).sum()))
    )


def _count(rows: np.ndarray, borders: np.ndarray) -> np.ndarray:
    """The number of ``rows`` in each block."""
    return np.diff(np.searchsorted(np.sort(rows), borders))
