"""Clusters by exchange: words move, one after another, to the cluster that makes the text most likely.

The model is the predictive class bigram of Uszkoreit and Brants (2008), *Distributed word clustering for large scale class-based language modeling*:
p(w | v) = p(w | c) p(c | v), with c the cluster of w and v the word before it; and at the same time that of the word behind it. With N(v, c) the
number of times that v stands beside a word of c, on one side, and f(x) = x log x, its log likelihood is

    sum of f(N(v, c)) over both sides  -  2 * sum of f(N(c))  +  what does not depend on the clusters.

A move changes the counts of a word's own neighbours only, so trying all clusters takes time in proportion to their number.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from spacy_mtl.kernels import kernel

from .neighbours import Text

#: x log x of smaller numbers is looked up.
_LISTED = 1 << 15
#: Words between two reports of progress, and at most between an interrupt and the end.
CHUNK = 2000


class Clusters(NamedTuple):
    """cluster: int32[V], of each word. sizes: int64[K], tokens of each cluster. left, right: int32[M, K], how often each neighbour stands on that
    side of the words of each cluster."""

    cluster: np.ndarray
    sizes: np.ndarray
    left: np.ndarray
    right: np.ndarray


@kernel
def x_log_x(x, listed):
    return listed[x] if x < listed.size else x * np.log(np.float64(x))


@kernel
def count_in(counts, first, words, times, w, cluster, sign):
    """Add the neighbours of word w to a cluster, or (sign -1) take them away."""
    for k in range(first[w], first[w + 1]):
        counts[words[k], cluster] += sign * times[k]


@kernel
def add_gains(counts, first, words, times, w, listed, gains):
    """Add to gains[c] what f(N(v, c)) grows by if word w joins cluster c, less what it would grow by in an empty cluster."""
    for k in range(first[w], first[w + 1]):
        row, n = words[k], times[k]
        alone = x_log_x(n, listed)
        for c in range(gains.size):
            x = counts[row, c]
            if x > 0:
                gains[c] += x_log_x(x + n, listed) - x_log_x(x, listed) - alone


@kernel
def exchange_words(begin, end, totals, left, right, clusters, listed):
    """Let the words from ``begin`` to ``end`` move. totals: int64[V]. left, right: :class:`.Neighbours`. Returns how many have moved."""
    gains = np.empty(clusters.sizes.size)
    moved = 0
    for w in range(begin, end):
        own, n = clusters.cluster[w], totals[w]
        count_in(clusters.left, left.first, left.words, left.times, w, own, -1)
        count_in(clusters.right, right.first, right.words, right.times, w, own, -1)
        clusters.sizes[own] -= n
        for c in range(gains.size):
            size = clusters.sizes[c]
            gains[c] = -2.0 * (x_log_x(size + n, listed) - x_log_x(size, listed))
        add_gains(clusters.left, left.first, left.words, left.times, w, listed, gains)
        add_gains(clusters.right, right.first, right.words, right.times, w, listed, gains)
        best = own
        for c in range(gains.size):
            if gains[c] > gains[best] + 1e-9:
                best = c
        moved += best != own
        clusters.cluster[w] = best
        clusters.sizes[best] += n
        count_in(clusters.left, left.first, left.words, left.times, w, best, 1)
        count_in(clusters.right, right.first, right.words, right.times, w, best, 1)
    return moved


def first_clusters(text: Text, n_clusters: int) -> Clusters:
    """Words in the order of their frequency are dealt to the clusters one by one."""
    cluster = (np.arange(len(text.words)) % n_clusters).astype(np.int32)
    sizes = np.bincount(cluster, text.counts, n_clusters).astype(np.int64)
    tables = []
    for side in (text.left, text.right):
        owner = np.repeat(cluster, np.diff(side.first)).astype(np.int64)
        counted = np.bincount(side.words * np.int64(n_clusters) + owner, side.times, text.n_neighbours * n_clusters)
        tables.append(counted.astype(np.int32).reshape(text.n_neighbours, n_clusters))
    return Clusters(cluster, sizes, *tables)


def likelihood(text: Text, clusters: Clusters) -> float:
    """The part of the log likelihood that depends on the clusters."""

    def total(x: np.ndarray) -> float:
        x = x[x > 0].astype(np.float64)
        return float((x * np.log(x)).sum())

    return total(clusters.left) + total(clusters.right) - 2 * total(clusters.sizes)


def exchange(
    text: Text,
    n_clusters: int,
    passes: int,
    enough: float = 0.005,
    progress: Callable[[int], None] = lambda n: None,
    stopped: Callable[[], bool] = lambda: False,
) -> tuple[Clusters, bool]:
    """Cluster the words of a text. passes: over all words at most. enough: stop when a pass moves a smaller share of them. progress: is told how many
    words have been looked at. stopped: whether to end now, asked after every CHUNK words.

    Returns the clusters and whether they were finished; if not, they are those of this moment. The result is the same every time.
    """
    x = np.arange(_LISTED, dtype=np.float64)
    listed = x * np.log(np.maximum(x, 1))
    clusters = first_clusters(text, n_clusters)
    n = len(text.words)
    for _ in range(passes):
        moved = 0
        for begin in range(0, n, CHUNK):
            end = min(begin + CHUNK, n)
            moved += exchange_words(begin, end, text.counts, text.left, text.right, clusters, listed)
            progress(end - begin)
            if stopped():
                return clusters, False
        if moved < enough * n:
            break
    return clusters, True
