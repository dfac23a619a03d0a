"""Reduce the weights of a chain training (every row of every template) to the weights that a model keeps."""

from collections.abc import Sequence

import numpy as np

from spacy_mtl.kernels import kernel
from spacy_mtl.structures.contract import Weights
from spacy_mtl.structures.problem import Blocks
from spacy_mtl.templates.grammar import Template
from spacy_mtl.thresholds import LIVE

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


def _kept(matrix: np.ndarray, keys: np.ndarray, rows: np.ndarray) -> Sequence[np.ndarray]:
    """Keys, codes and scales of these rows, in ascending order of keys."""
    return by_key(keys[rows], *quantize(matrix[rows]))


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
    """Make the weights for prediction.

    mu, norms: float64[T + Tp], template weights and ||w_j|| in the order of ``templates``, node templates first. keys: uint64[R] and uint64[Rp], of
    each row of the node and the pair matrix (including rows of templates without observation). megabytes: keep the strongest rows that fit into
    this size, before compression; None keeps all.
    """
    n_labels = len(labels)
    plain = np.zeros(len(weights.pair), bool)
    edge = templates[blocks.n_node :]
    for j, template in enumerate(edge):
        plain[blocks.pair[j] : blocks.pair[j + 1]] = not template.observations
    step = weights.pair[plain].sum(axis=0).reshape(n_labels, n_labels).astype(np.float32)
    sizes = largest(weights.node), np.where(plain, 0, largest(weights.pair))
    dead = mu <= LIVE * mu.sum()
    for j in np.flatnonzero(dead[: blocks.n_node]).tolist():
        sizes[0][blocks.node[j] : blocks.node[j + 1]] = 0
    budget = None if megabytes is None else int(megabytes * 1e6)
    node, pair = strongest(sizes, (ROW_BYTES + n_labels, ROW_BYTES + n_labels**2), budget)
    pair_rows = np.concatenate([np.flatnonzero(plain), pair])
    counts = np.concatenate([_count(node, blocks.node), _count(pair_rows, blocks.pair)])
    report = tuple(
        TemplateRow(template.text, float(m), float(norm), int(count))
        for template, m, norm, count in zip(templates, mu, norms, counts, strict=True)
    )
    node_arrays, pair_arrays = _kept(weights.node, keys[0], node), _kept(weights.pair, keys[1], pair)
    return ChainWeights(tuple(labels), report, *node_arrays, *pair_arrays, step)  # type: ignore[call-arg]


def _count(rows: np.ndarray, borders: np.ndarray) -> np.ndarray:
    """The number of ``rows`` in each block."""
    ordered = np.sort(rows)
    return np.diff(np.searchsorted(ordered, borders))
