"""From training weights (every row of every template) to the weights a model keeps."""

from collections.abc import Sequence

import numpy as np

from ..structures.contract import Weights
from ..structures.problem import Blocks
from ..templates.grammar import Template
from .weights import ChainWeights, TemplateRow, by_key, quantize, strongest


def rows_that_fit(megabytes: float | None, width: int) -> int | None:
    """How many rows of ``width`` labels fit a model file of that size: 6 bytes of key, 2 of scale, 1 a weight; None for no limit."""
    return None if megabytes is None else int(megabytes * 1e6 / (8 + width))


def _kept(
    matrix: np.ndarray, keys: np.ndarray, budget: int | None
) -> tuple[tuple[np.ndarray, np.ndarray, np.ndarray], np.ndarray]:
    """(keys, codes, scales) in ascending order of keys, and the numbers of the rows kept."""
    rows = strongest(np.maximum(matrix.max(axis=1, initial=0), -matrix.min(axis=1, initial=0)), budget)
    codes, scales = quantize(matrix[rows])
    ordered = by_key(keys[rows], codes, scales)
    return (ordered[0], ordered[1], ordered[2]), rows


def export_chain(
    weights: Weights,
    mu: np.ndarray,
    norms: np.ndarray,
    blocks: Blocks,
    templates: Sequence[Template],
    keys: tuple[np.ndarray, np.ndarray],
    labels: Sequence[str],
    megabytes: float | None,
) -> ChainWeights:
    """The model for prediction.

    mu, norms: float64[T + Tp], template weights and ||w_j||, node templates first, as ``templates``. keys: uint64[R] and uint64[Rp], of each row
    of the node and the pair matrix (rows of templates without observation included). megabytes: keep the strongest rows that fit; None keeps all.
    """
    n_labels = len(labels)
    node, node_rows = _kept(weights.node, keys[0], rows_that_fit(megabytes, n_labels))
    plain = np.zeros(len(weights.pair), bool)
    edge = templates[blocks.n_node :]
    for j, template in enumerate(edge):
        plain[blocks.pair[j] : blocks.pair[j + 1]] = not template.observations
    step = weights.pair[plain].sum(axis=0).reshape(n_labels, n_labels).astype(np.float32)
    where = np.flatnonzero(~plain)
    pair, kept = _kept(weights.pair[where], keys[1][where], rows_that_fit(megabytes, n_labels**2))
    pair_rows = np.concatenate([np.flatnonzero(plain), where[kept]])
    counts = np.concatenate([_count(node_rows, blocks.node), _count(pair_rows, blocks.pair)])
    report = tuple(
        TemplateRow(template.text, float(m), float(norm), int(count))
        for template, m, norm, count in zip(templates, mu, norms, counts, strict=True)
    )
    return ChainWeights(tuple(labels), report, *node, *pair, step)


def _count(rows: np.ndarray, borders: np.ndarray) -> np.ndarray:
    """How many of ``rows`` lie in each block."""
    ordered = np.sort(rows)
    return np.diff(np.searchsorted(ordered, borders))
