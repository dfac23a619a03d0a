"""Viterbi for chains of many labels, whose transitions are the same at all positions: most labels of a position can precede nothing.

A label is passed over if even its best transition leads to less than every label is sure to get from others. The labels found are those of
:func:`.viterbi.viterbi` bit by bit, also where there are ties.
"""

import numpy as np

from spacy_mtl.kernels import kernel

#: With fewer labels, looking at all pairs is faster.
MANY = 64


@kernel
def row_bounds(step, least, most):
    """Set least[x] and most[x] (float32[L]) to the smallest and the largest transition score from label x. step: float32[L, L]."""
    for x in range(step.shape[0]):
        low, high = step[x, 0], step[x, 0]
        for y in range(1, step.shape[1]):
            low, high = min(low, step[x, y]), max(high, step[x, y])
        least[x], most[x] = low, high


@kernel
def viterbi_many(nodes, step, least, most, best, back, labels):
    """As :func:`.viterbi.viterbi` with pairs of a single entry ``step``, float32[L, L]; least, most: from :func:`row_bounds`.

    Returns the score, and how many labels have been looked at as predecessors.
    """
    n, n_labels = nodes.shape
    total, looked = 0.0, 0
    for y in range(n_labels):
        best[0, y] = nodes[0, y]
    for t in range(1, n):
        now, came = best[t], back[t]
        top = best[t - 1, 0]
        for y in range(1, n_labels):
            top = max(top, best[t - 1, y])
        total += top
        floor = np.float32(-np.inf)  # what every label gets at least
        for x in range(n_labels):
            best[t - 1, x] -= top
            floor = max(floor, best[t - 1, x] + least[x])
        for y in range(n_labels):
            now[y], came[y] = np.float32(-np.inf), 0
        for x in range(n_labels):
            before = best[t - 1, x]
            if before + most[x] < floor:
                continue
            looked += 1
            for y in range(n_labels):
                score = before + step[x, y]
                better = score > now[y]
                now[y] = score if better else now[y]
                came[y] = x if better else came[y]
        for y in range(n_labels):
            now[y] += nodes[t, y]
    last = 0
    for y in range(1, n_labels):
        if best[n - 1, y] > best[n - 1, last]:
            last = y
    labels[n - 1] = last
    for t in range(n - 1, 0, -1):
        labels[t - 1] = back[t, labels[t]]
    return total + np.float64(best[n - 1, last]), looked
