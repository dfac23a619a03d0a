"""Linear chains, max-product: Viterbi over part scores, constraints and costs.

Of many labels, most transitions were never seen, and all score the same. So for most labels the best one before is the best of all;
for the others it is found among the transitions that score more than usual, which are listed, or is one of the next best labels.
"""

from typing import NamedTuple

import numpy as np

from spacy_mtl.kernels import kernel, subkernel

#: Score of forbidden labels and transitions; finite, so that sums and differences never become nan.
FORBIDDEN = np.float32(-1e9)
#: With fewer labels, looking at all pairs is faster than :func:`viterbi_many`.
MANY = 64
#: What is below this is forbidden.
NEVER = FORBIDDEN / np.float32(2)
#: The next best labels are tried one by one before the lists, this many; and after them, before all labels are.
FEW, MORE = 3, 16


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


@subkernel
def follow_back(best, back, labels):
    """Write the best sequence to ``labels`` and return the score of its last label, of equal ones the lowest. best: float[n, L]."""
    n, last = best.shape[0], 0
    for y in range(1, best.shape[1]):
        if best[n - 1, y] > best[n - 1, last]:
            last = y
    labels[n - 1] = last
    for t in range(n - 1, 0, -1):
        labels[t - 1] = back[t, labels[t]]
    return np.float64(best[n - 1, last])


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
    now, better = np.empty(n_labels, best.dtype), np.empty(n_labels, best.dtype)
    came, nearer = np.empty(n_labels, back.dtype), np.empty(n_labels, back.dtype)
    for y in range(n_labels):
        best[0, y] = nodes[0, y]
    for t in range(1, n):
        top = best[t - 1, 0]
        for y in range(1, n_labels):
            top = max(top, best[t - 1, y])
        total += top
        for y in range(n_labels):
            best[t - 1, y] -= top
        at = 0 if shared else t
        for y in range(n_labels):
            now[y], came[y] = best[t - 1, 0] + pairs[at, 0, y], 0
        for x in range(1, n_labels):
            before, step, this = best[t - 1, x], pairs[at, x], back.dtype.type(x)
            # it vectorizes: contiguous, without branches, and nothing is written where it was read
            for y in range(n_labels):
                score, other = before + step[y], now[y]
                better[y] = score if score > other else other
                nearer[y] = this if score > other else came[y]
            now, better, came, nearer = better, now, nearer, came
        for y in range(n_labels):
            best[t, y], back[t, y] = now[y] + nodes[t, y], came[y]
    return total + follow_back(best[:n], back, labels)


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


class Transitions(NamedTuple):
    """What :func:`viterbi_many` knows of transition scores step, float[L, L]; all empty where there are fewer labels than MANY.

    usual: float[L], a score for each label y; transitions to y that score more are listed. most: float[L], no transition from label x scores more.
    listed: int32[L, K] and counts: int32[L], the labels y whose transitions from x are listed, ``listed[x, :counts[x]]``; not all of them if
    ``counts[x] > K``. open: int32[L], a buffer.
    """

    usual: np.ndarray
    most: np.ndarray
    listed: np.ndarray
    counts: np.ndarray
    open: np.ndarray


@kernel
def new_transitions(n_labels):
    """An empty list of transitions; longer lists would take longer than looking at all labels."""
    n = n_labels if n_labels >= MANY else 0
    return as_transitions(np.zeros(2 * n, np.float32), np.zeros(n * (n // 8 + 2), np.int32))


@subkernel
def as_transitions(bounds, lists):
    """Two arrays as what :class:`Transitions` has. bounds: float[2 * L]; lists: int32[L * (L // 8 + 2)]."""
    n = bounds.size // 2
    k = n * (n // 8)
    return Transitions(bounds[:n], bounds[n:], lists[:k].reshape(n, n // 8), lists[k : k + n], lists[k + n :])


@subkernel
def own_buffer(transitions):
    """The same with a buffer of its own, for another thread."""
    return Transitions(
        transitions.usual, transitions.most, transitions.listed, transitions.counts, np.empty_like(transitions.open)
    )


@kernel
def list_transitions(step, transitions):
    """Fill ``transitions`` for the scores step, float[L, L]."""
    usual, most, listed, count = transitions.usual, transitions.most, transitions.listed, transitions.counts
    n, forbidden = count.size, transitions.open
    forbidden[:] = 0
    for x in range(n):
        for y in range(n):
            forbidden[y] += step[x, y] < NEVER
    for y in range(n):
        usual[y] = NEVER if 2 * forbidden[y] > n else 0
    for x in range(n):
        top, k = step[x, 0], 0
        for y in range(n):
            top = max(top, step[x, y])
            if step[x, y] > usual[y]:
                if k < listed.shape[1]:
                    listed[x, k] = y
                k += 1
        most[x], count[x] = top, k


@subkernel
def relist(score, x, y, transitions):
    """Take note of a new score of the transition from x to y."""
    transitions.most[x] = max(transitions.most[x], score)
    count = transitions.counts[x]
    if score > transitions.usual[y] and count <= transitions.listed.shape[1]:
        for k in range(count):
            if transitions.listed[x, k] == y:
                return
        if count < transitions.listed.shape[1]:
            transitions.listed[x, count] = y
        transitions.counts[x] += 1


@subkernel
def take(x, y, score, now, came):
    """Let x come before y if that is better than what does; of equal ones the lowest label wins."""
    if score > now[y] or (score == now[y] and x < came[y]):
        now[y], came[y] = score, x


@subkernel
def take_all(x, before, row, now, came):
    """:func:`take` for all labels y. row: float[L], scores of transitions from x."""
    for y in range(now.size):  # without branches, so it vectorizes
        score = before + row[y]
        better = (score > now[y]) | ((score == now[y]) & (x < came[y]))
        now[y] = score if better else now[y]
        came[y] = x if better else came[y]


@subkernel
def after(before, x):
    """The label after x in descending order of ``before`` (equal ones by number), -1 if there is none, and the largest score below that of x."""
    at, lower = before[x], -np.inf
    for z in range(before.size):
        lower = before[z] if lower < before[z] < at else lower
    for z in range(x + 1, before.size):
        if before[z] == at:
            return z, lower
    for z in range(before.size):
        if before[z] == lower:
            return z, lower
    return -1, lower


@subkernel
def keep_open(before, x, following, lower, step, transitions, now, n_open):
    """Leave the labels among the first ``n_open`` of ``open`` to which an unlisted transition from a label after x may be as good; return how many.

    Where the transition from x is no worse than usual, other labels with the score of x come too late.
    """
    labels, usual, count = transitions.open, transitions.usual, 0
    for k in range(n_open):
        y = labels[k]
        rest = lower if following < 0 or step[x, y] >= usual[y] else before[following]
        if now.dtype.type(rest + usual[y]) >= now[y] and rest > -np.inf:
            labels[count] = y
            count += 1
    return count


@subkernel
def try_next(before, step, transitions, now, came, x, n_open, most):
    """Try ``most`` labels after x for the open ones, or until none is open; return the last one tried and how many are open."""
    following, lower = after(before, x)
    n_open = keep_open(before, x, following, lower, step, transitions, now, n_open)
    while n_open and following >= 0 and most > 0:
        x, most = following, most - 1
        for k in range(n_open):
            y = transitions.open[k]
            take(x, y, before[x] + step[x, y], now, came)
        following, lower = after(before, x)
        n_open = keep_open(before, x, following, lower, step, transitions, now, n_open)
    return x, n_open


@subkernel
def take_listed(before, step, transitions, now, came):
    """:func:`take` for all listed transitions that can matter; return how many were looked at."""
    listed, count, looked = transitions.listed, transitions.counts, 0
    floor = now.min()
    for x in range(before.size):
        if count[x] and before[x] + transitions.most[x] >= floor:
            if count[x] > listed.shape[1]:
                take_all(x, before[x], step[x], now, came)
                looked += before.size
            else:
                looked += count[x]
                for k in range(count[x]):
                    y = listed[x, k]
                    take(x, y, before[x] + step[x, y], now, came)
    return looked


@subkernel
def best_before(before, step, transitions, now, came):
    """Set now[y] to max_x before[x] + step[x, y] and came[y] to the lowest such x; return how many transitions were looked at."""
    n = before.size
    x = 0
    for z in range(1, n):
        x = z if before[z] > before[x] else x
    for y in range(n):
        now[y], came[y], transitions.open[y] = before[x] + step[x, y], x, y
    x, n_open = try_next(before, step, transitions, now, came, x, n, FEW)
    looked = n + FEW * n_open + take_listed(before, step, transitions, now, came)
    x, n_open = try_next(before, step, transitions, now, came, x, n_open, MORE)
    for z in range(n if n_open else 0):
        for k in range(n_open):
            y = transitions.open[k]
            take(z, y, before[z] + step[z, y], now, came)
    return looked + (MORE + n) * n_open


@kernel
def viterbi_many(nodes, step, transitions, best, back, labels):
    """As :func:`viterbi` with pairs of a single entry ``step``, float[L, L], for many labels.

    The labels found are those of that function bit by bit, also where there are ties. transitions: of :func:`list_transitions`, for ``step``.
    Returns the score, and how many transitions have been looked at.
    """
    n, n_labels = nodes.shape
    total, looked = 0.0, 0
    for y in range(n_labels):
        best[0, y] = nodes[0, y]
    for t in range(1, n):
        top = best[t - 1, 0]
        for y in range(1, n_labels):
            top = max(top, best[t - 1, y])
        total += top
        for y in range(n_labels):
            best[t - 1, y] -= top
        looked += best_before(best[t - 1], step, transitions, best[t], back[t])
        for y in range(n_labels):
            best[t, y] += nodes[t, y]
    return total + follow_back(best[:n], back, labels), looked
