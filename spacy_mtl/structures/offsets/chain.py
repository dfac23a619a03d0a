"""Offsets of chains: constant scores of labels and label pairs, such as those of a model from which training goes on.

Those of gold are exactly 0 (see :mod:`.grid`): what a label gets at a position is what it has more than gold there, minus the
offset of the gold label pair that ends at the position.
"""

from typing import NamedTuple

import numpy as np

from spacy_mtl.kernels import subkernel

from .grid import checked, on_grid


class ChainOffset(NamedTuple):
    """Scores that do not come from the weights. nodes: float[N, L]. pairs: float[1, L, L], or [N, L, L] if pair templates read observations."""

    nodes: np.ndarray
    pairs: np.ndarray


def settle_offset(
    offset: ChainOffset, gold: np.ndarray, first: np.ndarray, last: np.ndarray, observed: bool
) -> ChainOffset:
    """The offset as a problem stores it: float32, exactly 0 in sum on the gold of each piece ``first[s]:last[s]`` (int64[S]). gold: int32[N].

    Raises ValueError (M260) for offsets of another shape, or that are not finite or too large.
    """
    n_labels = offset.nodes.shape[-1]
    shapes = (gold.size, n_labels), (gold.size if observed else 1, n_labels, n_labels)
    nodes, pairs = on_grid(4, *checked(offset, shapes))
    follows = np.concatenate([np.arange(a + 1, b) for a, b in zip(first.tolist(), last.tolist(), strict=True)])
    if observed:
        pairs[follows] -= pairs[follows, gold[follows - 1], gold[follows]][:, None, None]
    nodes[gold >= 0] -= nodes[gold >= 0, gold[gold >= 0]][:, None]
    if not observed:
        nodes[follows] -= pairs[0, gold[follows - 1], gold[follows]][:, None]
    return ChainOffset(nodes, pairs)


def cut_offset(
    nodes: np.ndarray | None, pairs: np.ndarray | None, gold: np.ndarray, begins: np.ndarray
) -> np.ndarray | None:
    """Node offsets float32[N, L], or None, with the gold label pairs that end at ``begins`` (int64[k], where pieces are cut) taken out again."""
    if nodes is None or pairs is None or pairs.shape[0] != 1 or not begins.size:
        return nodes
    nodes = nodes.copy()
    nodes[begins] += pairs[0, gold[begins - 1], gold[begins]][:, None]
    return nodes


@subkernel
def has_offset(offset):
    """Whether there are offsets. Here and below, ``offset`` is None if there are none, and kernels are compiled without."""
    return offset is not None


@subkernel
def add_offsets(offset, offset_pairs, first, last, amount, nodes, pairs):
    """Add amount * offset to the scores of the piece ``first:last``. nodes: float[n, L]; pairs: float[n or 1, L, L]."""
    if offset is None:
        return
    step, n_labels = np.float32(amount), offset.shape[1]
    for t in range(first, last):
        for y in range(n_labels):
            nodes[t - first, y] += step * offset[t, y]
    shared = offset_pairs.shape[0] == 1
    for t in range(0 if shared else first + 1, 1 if shared else last):
        for x in range(n_labels):
            for y in range(n_labels):
                pairs[t if shared else t - first, x, y] += step * offset_pairs[t, x, y]


@subkernel
def offset_of(offset, offset_pairs, first, last, labels):
    """The offset of an output of the piece ``first:last``. labels: int32[n]."""
    if offset is None:
        return 0.0
    total, shared = 0.0, offset_pairs.shape[0] == 1
    for t in range(first, last):
        total += offset[t, labels[t - first]]
        if t > first:
            total += offset_pairs[0 if shared else t, labels[t - first - 1], labels[t - first]]
    return total


@subkernel
def expected_offset(offset, offset_pairs, first, last, nodes, pairs):
    """E[offset] of the piece ``first:last``. nodes: float[N, L], marginals of the corpus; pairs: float[n or 1, L * L], those of the piece."""
    if offset is None:
        return 0.0
    total, n_labels = 0.0, offset.shape[1]
    for t in range(first, last):
        for y in range(n_labels):
            total += np.float64(offset[t, y]) * nodes[t, y]
    shared = offset_pairs.shape[0] == 1
    for t in range(0 if shared else first + 1, 1 if shared else last):
        for z in range(n_labels * n_labels):
            total += np.float64(offset_pairs[t, z // n_labels, z % n_labels]) * pairs[t if shared else t - first, z]
    return total
