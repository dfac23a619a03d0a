"""Labels that a document already has, as limits of the decoder, so that the rest of the sequence adapts to them."""

from typing import NamedTuple

import numpy as np

from spacy_mtl.structures.chain.viterbi import FORBIDDEN


class Held(NamedTuple):
    """Positions that may have some labels only. at: int64[K], ascending; labels: bool[K, L], at least one in each row."""

    at: np.ndarray
    labels: np.ndarray


def hold(nodes: np.ndarray, held: Held) -> None:
    """Rule all other labels out, by changing the scores ``nodes`` (float32[N, L]).

    A label that is left alone wins even where it is forbidden otherwise, as a tag is that a known word was never seen with.
    """
    scores = nodes[held.at]
    alone = held.labels & (held.labels.sum(axis=1, keepdims=True) == 1)
    nodes[held.at] = np.where(alone, np.float32(0), np.where(held.labels, scores, 2 * FORBIDDEN))


def one_label_each(numbers: np.ndarray, n_labels: int) -> Held | None:
    """Hold positions to these labels. numbers: int[N], -1 where any label may be. None if that is everywhere."""
    at = np.flatnonzero(numbers >= 0)
    return Held(at, np.arange(n_labels) == numbers[at, None]) if at.size else None
