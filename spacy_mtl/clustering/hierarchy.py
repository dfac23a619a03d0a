"""A binary tree of clusters: clusters whose words have similar neighbours are joined first."""

import numpy as np
from scipy.cluster.hierarchy import ward

from spacy_mtl.tables.clusters import LONGEST_PATH

from .exchange import Clusters


def paths_of(clusters: Clusters) -> list[str]:
    """The path of each cluster from the root, int 0s and 1s; those without words have none ("").

    Clusters are compared by how often the words of each cluster stand on either side of theirs: by the Hellinger distance between these
    distributions, joined by Ward's method. The more frequent branch is 0. Paths are cut after LONGEST_PATH bits.
    """
    live = np.flatnonzero(clusters.sizes)
    paths = [""] * clusters.sizes.size
    if live.size == 1:
        paths[live[0]] = "0"
    if live.size < 2:
        return paths
    joined = ward(np.sqrt(_distributions(clusters, live))).astype(np.float64)
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
        np.add.at(grouped, group, counts)
        shares = grouped[:, live].T
        sides.append(shares / np.maximum(shares.sum(axis=1, keepdims=True), 1))
    return np.concatenate(sides, axis=1) / 2
