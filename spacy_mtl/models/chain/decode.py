"""The best label sequences from the scores of parts, also where some positions are held to labels that they have already."""

from typing import NamedTuple

import numpy as np

from spacy_mtl.kernels import kernel
from spacy_mtl.structures.chain.viterbi import FORBIDDEN, constrain, own_buffer, viterbi, viterbi_many


class Chain(NamedTuple):
    """Transition weights and constraints as scores: start, end float32[L]; step, mask float32[L, L]."""

    start: np.ndarray
    end: np.ndarray
    step: np.ndarray
    mask: np.ndarray


class Considered(NamedTuple):
    """The label sequences that the best ones of some sentences were chosen from.

    starts, doc_starts: int64, borders of sentences and of documents among the N positions. nodes: float32[N, L] and pairs: float32[N, L, L], or
    [1, L, L] for all positions, all that decoding adds up, with transitions and constraints. labels: int32[N], what is predicted.
    """

    starts: np.ndarray
    doc_starts: np.ndarray
    nodes: np.ndarray
    pairs: np.ndarray
    labels: np.ndarray


@kernel
def forbid(nodes, positions, labels):
    """Forbid these labels (bool[L]) at these positions (bool[N]), by changing the scores ``nodes`` (float32[N, L])."""
    for t in range(positions.size):
        if positions[t]:
            for y in range(labels.size):
                if labels[y]:
                    nodes[t, y] += FORBIDDEN


@kernel
def decode_all(starts, nodes, pairs, chain, labels):
    """Run Viterbi on each sentence to fill ``labels`` int32[N]. nodes: float32[N, L]; pairs: float32[N, L, L], observed transitions, or None."""
    n_labels = nodes.shape[1]
    longest = 1
    for s in range(starts.size - 1):
        longest = max(longest, starts[s + 1] - starts[s])
    best, back = np.empty((longest, n_labels), np.float32), np.empty((longest, n_labels), np.int32)
    shared = np.empty((1, n_labels, n_labels), np.float32)
    for x in range(n_labels):
        for y in range(n_labels):
            shared[0, x, y] = chain.step[x, y] + chain.mask[x, y]
    for s in range(starts.size - 1):
        a, b = starts[s], starts[s + 1]
        if a == b:
            continue
        if pairs is None:
            constrain(nodes[a:b], shared[:0], chain.start, chain.end, chain.mask, False, False)
            viterbi(nodes[a:b], shared, best, back, labels[a:b])
        else:
            for t in range(a, b):
                for x in range(n_labels):
                    for y in range(n_labels):
                        pairs[t, x, y] += chain.step[x, y]
            constrain(nodes[a:b], pairs[a:b], chain.start, chain.end, chain.mask, False, False)
            viterbi(nodes[a:b], pairs[a:b], best, back, labels[a:b])


@kernel
def decode_many(starts, nodes, chain, shared, transitions, labels):
    """:func:`decode_all` for many labels, without observed transitions. shared: step + mask; transitions: of these scores."""
    n_labels = nodes.shape[1]
    longest = 1
    for s in range(starts.size - 1):
        longest = max(longest, starts[s + 1] - starts[s])
    best, back = np.empty((longest, n_labels), np.float32), np.empty((longest, n_labels), np.int32)
    own = own_buffer(transitions)
    no_pairs = np.empty((0, n_labels, n_labels), np.float32)
    for s in range(starts.size - 1):
        a, b = starts[s], starts[s + 1]
        if a < b:
            constrain(nodes[a:b], no_pairs, chain.start, chain.end, chain.mask, False, False)
            viterbi_many(nodes[a:b], shared, own, best, back, labels[a:b])


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
