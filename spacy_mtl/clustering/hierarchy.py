"""A binary tree of clusters: clusters whose words have similar neighbours are joined first."""

from collections.abc import Callable

import numpy as np
from scipy.cluster.hierarchy import ward

from spacy_mtl.tables.clusters import LONGEST_PATH

from .exchange import Clusters

#: Clusters that are compared with all others between two reports of progress.
_CHUNK = 250
#: Decimal places of squared distances: the order in which a product is summed up, which is up to the machine, is not to matter.
_PLACES = 10


def paths_of(clusters: Clusters, progress: Callable[[int], None] = lambda n: None) -> list[str]:
    """The path of each cluster from the root, in 0s and 1s; those without words have none ("").

    Clusters are compared by how often the words of each cluster stand on either side of theirs: by the Hellinger distance between these
    distributions, joined by Ward's method. The more frequent branch is 0. Paths are cut after LONGEST_PATH bits. progress: is told how
    many clusters have been compared with all others.
    """
    live = np.flatnonzero(clusters.sizes)
    paths = [""] * clusters.sizes.size
    if live.size == 1:
        paths[live[0]] = "0"
    if live.size < 2:
        return paths
    joined = ward(_distances(np.sqrt(_distributions(clusters, live)), progress)).astype(np.float64)
    weights = [*clusters.sizes[live].tolist()]
    children: list[tuple[int, int]] = []
    for a, b in joined[:, :2].astype(int).tolist():
        children.append((a, b) if (weights[a], -a) >= (weights[b], -b) else (b, a))
        weights.append(weights[a] + weights[b])
    waiting = [(2 * live.size - 2, "")]
    while waiting:
        node, path = waiting.pop()
        if node < live.size:
            paths[live[node]] = path[:LONGEST_PATH]
        else:
            more, less = children[node - live.size]
            waiting += [(more, path + "0"), (less, path + "1")]
    return paths


def _distributions(clusters: Clusters, live: np.ndarray) -> np.ndarray:
    """The share of each cluster among the neighbours on either side, float64[K, 2 K + 4]; rare words and borders count by themselves."""
    m = clusters.left.shape[0]
    group = np.concatenate([clusters.cluster[: m - 2], clusters.sizes.size + np.arange(2)])
    sides = []
    for counts in (clusters.left, clusters.right):
        grouped = np.zeros((clusters.sizes.size + 2, counts.shape[1]))
        for row, times in zip(group.tolist(), counts, strict=True):
            grouped[row] += times
        shares = grouped[:, live].T
        sides.append(shares / np.maximum(shares.sum(axis=1, keepdims=True), 1))
    return np.concatenate(sides, axis=1) / 2


def _distances(points: np.ndarray, progress: Callable[[int], None]) -> np.ndarray:
    """Euclidean distances of each of K points, float64[K, D], to those behind it: float64[K * (K - 1) / 2], as scipy has them.

    By a product of matrices, since ``scipy.spatial.distance.pdist`` takes many times as long: minutes for 5,000 clusters.
    """
    norms = (points * points).sum(axis=1)
    rows = []
    for begin in range(0, len(points), _CHUNK):
        some = slice(begin, begin + _CHUNK)
        squares = norms[some, None] + norms[None, begin:] - 2 * (points[some] @ points[begin:].T)
        near = np.sqrt(np.maximum(squares.round(_PLACES), 0))
        rows += [row[k + 1 :] for k, row in enumerate(near)]
        progress(len(near))
    return np.concatenate(rows)
