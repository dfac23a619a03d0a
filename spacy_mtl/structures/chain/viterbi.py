"""Linear chains, max-product: Viterbi over part scores, constraints and costs."""

import numpy as np

from spacy_mtl.kernels import kernel, subkernel

#: Score of forbidden labels and transitions; finite, so that sums and differences never become nan.
FORBIDDEN = np.float32(-1e9)
#: With fewer labels, looking at all pairs is faster than :func:`viterbi_many`.
MANY = 64


@kernel
def add_rows(rows, matrix, live, out):
    """Set out[t] to the sum of matrix[rows[t, j]] over live columns j. rows: int32[n, T]; matrix: float32[R, K]; out: float32[n, K]."""
    width = matrix.shape[1]
    for t in range(rows.shape[0]):
        for y in range(width):
            out[t, y] = 0
        for k in range(live.size):
            row = rows[t, live[k]]
            if row >= 0:
                for y in range(width):
                    out[t, y] += matrix[row, y]


@subkernel
def add_scaled_rows(rows, matrix, live, scale, out):
    """:func:`add_rows` with block j of the matrix multiplied by ``scale[j]``. scale: float64[T]."""
    width = matrix.shape[1]
    for t in range(rows.shape[0]):
        for y in range(width):
            out[t, y] = 0
        for k in range(live.size):
            row = rows[t, live[k]]
            if row >= 0:
                factor = np.float32(scale[live[k]])
                for y in range(width):
                    out[t, y] += factor * matrix[row, y]


@kernel
def viterbi(nodes, pairs, best, back, labels):
    """Find the best label sequence, labels int32[n]; return its score.

    nodes: float32[n, L]; pairs: float32[n or 1, L, L], entry t scores (t - 1, t), and a single entry all positions. best: float32[n, L] and
    back: int32[n, L] are buffers. The score is summed in double precision: the largest score of each position is subtracted, so that scores stay
    exact however long the sequence is.
    """
    n, n_labels = nodes.shape
    shared = pairs.shape[0] == 1
    total = 0.0
    for y in range(n_labels):
        best[0, y] = nodes[0, y]
    for t in range(1, n):
        step = pairs[0 if shared else t]
        now, came = best[t], back[t]
        top = best[t - 1, 0]
        for y in range(1, n_labels):
            top = max(top, best[t - 1, y])
        total += top
        for y in range(n_labels):
            best[t - 1, y] -= top
        for y in range(n_labels):
            now[y], came[y] = best[t - 1, 0] + step[0, y], 0
        for x in range(1, n_labels):
            before = best[t - 1, x]
            for y in range(n_labels):  # contiguous and without branches, so it vectorizes
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
    return total + np.float64(best[n - 1, last])


@kernel
def row_bounds(step, least, most):
    """Set least[x] and most[x] (float[L]) to the smallest and the largest transition score from label x. step: float[L, L]."""
    for x in range(step.shape[0]):
        low, high = step[x, 0], step[x, 0]
        for y in range(1, step.shape[1]):
            low, high = min(low, step[x, y]), max(high, step[x, y])
        least[x], most[x] = low, high


@kernel
def viterbi_many(nodes, step, least, most, best, back, labels):
    """As :func:`viterbi` with pairs of a single entry ``step``, float32[L, L], for many labels, most of which can precede nothing at most positions.

    A label is passed over if even its best transition leads to less than every label is sure to get from others. The labels found are those of
    :func:`viterbi` bit by bit, also where there are ties. least, most: from :func:`row_bounds`.

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


@kernel
def constrain(nodes, pairs, start, end, step, open_left, open_right):
    """Add the FORBIDDEN masks to part scores of one piece, in place."""
    n, n_labels = nodes.shape
    for y in range(n_labels):
        if not open_left:
            nodes[0, y] += start[y]
        if not open_right:
            nodes[n - 1, y] += end[y]
    for k in range(pairs.shape[0]):
        for x in range(n_labels):
            for y in range(n_labels):
                pairs[k, x, y] += step[x, y]


@kernel
def add_cost(cost, gold, nodes, amount):
    """Add amount * cost[gold[t]] to nodes[t] where gold is known. cost: float32[L, L]; gold: int32[n]; nodes: float32[n, L]."""
    factor = np.float32(amount)
    for t in range(gold.size):
        if gold[t] >= 0:
            for y in range(nodes.shape[1]):
                nodes[t, y] += factor * cost[gold[t], y]


@kernel
def output_score(nodes, pairs, labels):
    """The score of a label sequence. Shapes as in :func:`viterbi`."""
    shared = pairs.shape[0] == 1
    total = 0.0
    for t in range(labels.size):
        total += nodes[t, labels[t]]
        if t:
            total += pairs[0 if shared else t, labels[t - 1], labels[t]]
    return total
