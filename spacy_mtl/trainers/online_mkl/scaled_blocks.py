"""A weight vector whose blocks can be scaled and set to zero in O(1) each, with its average over time.

theta_m = scale_m v_m. A block is set to zero by setting its scale to 0. The contents of v_m are then meaningless and are removed only when the
block becomes non-zero again: a log of the latest updates allows subtracting them from the few rows that they touched. Only a block with
updates that are no longer in the log is overwritten as a whole, so the work stays within a constant factor of that of the updates.
"""

from typing import NamedTuple

import numpy as np

from spacy_mtl.kernels import kernel, subkernel
from spacy_mtl.structures.contract import (
    Live,
    Scale,
    Weights,
    add_direction,
    gold_outputs,
    gold_state,
    load_output,
    n_sentences,
    set_direction,
)
from spacy_mtl.structures.problem import Problem

#: Number of updates in the log. A whole block is overwritten at most once in this many updates.
LOG = 256
#: A scale below this is multiplied into its block, since the entries of v_m grow as the scale decreases.
LEAST_SCALE = 1e-20
#: A scale is also multiplied into its block if an update of u_m were this many times that of v_m, per sentence: beyond that, the average would
#: suffer from single precision.
LARGEST_SUM = 10.0


class ScaledBlocks(NamedTuple):
    """theta in M = T + Tp blocks, node templates first.

    vector: v. past: u, without rows if there is no average: the sum of theta_m over all sentences so far is ``sums_m v_m - u_m``.
    node, pair: int64[T + 1] and int64[Tp + 1], rows of each block. scale: float64[M], 0 if theta_m is 0. resume: float64[M], the previous scale of
    a block whose scale is 0; the block resumes with it, so that rounding errors left in v_m stay as small relative to new updates as they
    were. sums: float64[M]. norms: float64[M], ||theta_m||. deep: bool[M], whether v_m has updates that are no longer in the log. steps: int64[1].
    """

    vector: Weights
    past: Weights
    node: np.ndarray
    pair: np.ndarray
    scale: np.ndarray
    resume: np.ndarray
    sums: np.ndarray
    norms: np.ndarray
    deep: np.ndarray
    steps: np.ndarray


class Log(NamedTuple):
    """The last K updates ``v_m += amount_m Phi_m(gold_i - M_i)``, so that they can be undone.

    sentence: int64[K], -1 if free. amounts: float64[K, M]. slots: int64[S], entry of each sentence, -1 if none. head: int64[1], the next entry.
    gold: int32[n_slots], gold outputs. state: M_i of each sentence in the log.
    """

    sentence: np.ndarray
    amounts: np.ndarray
    slots: np.ndarray
    head: np.ndarray
    gold: np.ndarray
    state: NamedTuple


def zero_blocks(problem: Problem, average: bool) -> ScaledBlocks:
    """Make theta = 0. average: whether to keep the sum over time too, which takes a second vector."""
    n, borders = problem.blocks.n, problem.blocks
    past = problem.zeros() if average else Weights(*(matrix[:0] for matrix in problem.zeros()))
    return ScaledBlocks(
        problem.zeros(), past, borders.node, borders.pair,
        np.zeros(n), np.ones(n), np.zeros(n), np.zeros(n), np.zeros(n, bool), np.zeros(1, np.int64),
    )  # fmt: skip


@kernel
def new_log(arrays, n_blocks):
    """Make an empty log for updates from sentences of this problem."""
    return Log(
        np.full(LOG, -1, np.int64), np.zeros((LOG, n_blocks)), np.full(n_sentences(arrays), -1, np.int64),
        np.zeros(1, np.int64), gold_outputs(arrays), gold_state(arrays),
    )  # fmt: skip


@subkernel
def averages(blocks):
    """Whether the sum over time is kept."""
    return blocks.past.node.shape[0] + blocks.past.pair.shape[0] > 0


@subkernel
def as_scale(blocks, values):
    """Turn float64[M] into factors for the blocks of both kinds."""
    n = blocks.node.size - 1
    return Scale(values[:n], values[n:])


@subkernel
def as_live(blocks, values):
    """The blocks with a non-zero value. values: float64[M]."""
    n = blocks.node.size - 1
    return Live(np.flatnonzero(values[:n]), np.flatnonzero(values[n:]))


# --- the log ---


@subkernel
def forget(blocks, log, k):
    """Free an entry of the log: the blocks of its update now have updates that are not in the log."""
    if log.sentence[k] >= 0:
        log.slots[log.sentence[k]] = -1
        log.sentence[k] = -1
        for m in range(blocks.deep.size):
            blocks.deep[m] |= log.amounts[k, m] != 0
            log.amounts[k, m] = 0


@subkernel
def claim(blocks, log, i):
    """Reserve an entry of the log for an update from sentence i, whose M_i can then be set."""
    if log.slots[i] >= 0:
        forget(blocks, log, log.slots[i])
    k = log.head[0]
    forget(blocks, log, k)
    log.sentence[k], log.slots[i] = i, k
    log.head[0] = (k + 1) % LOG


@subkernel
def logged_direction(arrays, log, i, work):
    """Set the direction from M_i to gold in ``work``."""
    load_output(arrays, i, log.gold, work)
    set_direction(arrays, log.state, i, work)


# --- updates ---


@kernel
def add(arrays, blocks, amounts, i, work, sign):
    """Add sign * amount_m * Phi_m(direction in ``work``) to v_m if the amount is not 0, and the same times sums_m to u_m. amounts: float64[M]."""
    live = as_live(blocks, amounts)
    add_direction(arrays, blocks.vector, live, as_scale(blocks, amounts), i, work, sign)
    if averages(blocks):
        remembered = np.empty(amounts.size)
        for m in range(amounts.size):
            remembered[m] = amounts[m] * blocks.sums[m]
        add_direction(arrays, blocks.past, live, as_scale(blocks, remembered), i, work, sign)


@subkernel
def update(arrays, blocks, log, i, wanted, eta, work):
    """Add eta * Phi_m(direction in ``work``) to theta_m for the non-zero blocks of a mask bool[M], and log it. Sentence i must have a log entry."""
    amounts = log.amounts[log.slots[i]]
    for m in range(wanted.size):
        amounts[m] = eta / blocks.scale[m] if wanted[m] else 0.0
    add(arrays, blocks, amounts, i, work, 1.0)


@subkernel
def fold(matrix, past, begin, end, amount, factor):
    """For the rows from begin to end, subtract amount * v from u, then multiply v by factor. past: may have no rows."""
    remember, less, times = past.shape[0] > 0, np.float32(amount), np.float32(factor)
    for r in range(begin, end):
        for y in range(matrix.shape[1]):
            if remember:
                past[r, y] -= less * matrix[r, y]
            matrix[r, y] = times * matrix[r, y] if times != 0 else np.float32(0)


@subkernel
def fold_block(blocks, log, m, factor):
    """Multiply v_m by factor without changing the sum over time. Dividing the scale by factor then keeps theta_m; factor 0 clears v_m."""
    n = blocks.node.size - 1
    if m < n:
        fold(blocks.vector.node, blocks.past.node, blocks.node[m], blocks.node[m + 1], blocks.sums[m], factor)
    else:
        begin, end = blocks.pair[m - n], blocks.pair[m - n + 1]
        fold(blocks.vector.pair, blocks.past.pair, begin, end, blocks.sums[m], factor)
    blocks.sums[m] = 0
    for k in range(LOG):
        log.amounts[k, m] *= factor


@subkernel
def take_back(arrays, blocks, log, wanted, work):
    """Undo the logged updates of v_m for the blocks of a mask bool[M], without changing the sum over time."""
    amounts = np.empty(wanted.size)
    for k in range(LOG):
        if log.sentence[k] >= 0:
            some = False
            for m in range(wanted.size):
                amounts[m] = log.amounts[k, m] if wanted[m] else 0.0
                some |= amounts[m] != 0
            if some:
                logged_direction(arrays, log, log.sentence[k], work)
                add(arrays, blocks, amounts, log.sentence[k], work, -1.0)
                for m in range(wanted.size):
                    if wanted[m]:
                        log.amounts[k, m] = 0
    for m in range(wanted.size):
        if wanted[m]:
            blocks.sums[m] = 0


@subkernel
def wake(arrays, blocks, log, wanted, work):
    """Prepare the zero blocks of a mask bool[M] for updates: clear v_m and set a non-zero scale."""
    asleep, some = np.zeros(wanted.size, np.bool_), False
    for m in range(wanted.size):
        if wanted[m] and blocks.scale[m] == 0:
            if blocks.deep[m]:
                fold_block(blocks, log, m, 0.0)
                blocks.deep[m], blocks.scale[m] = False, 1.0
            else:
                asleep[m], some = True, True
    if some:
        take_back(arrays, blocks, log, asleep, work)
    for m in range(wanted.size):
        if asleep[m]:
            blocks.scale[m] = blocks.resume[m]


@subkernel
def rescale(blocks, log, before, after):
    """Multiply theta_m by after_m / before_m, so that its norm is after_m; count a sentence. before, after: float64[M]."""
    blocks.steps[0] += 1
    average = averages(blocks)
    for m in range(after.size):
        blocks.norms[m] = after[m]
        scale = blocks.scale[m]
        if scale == 0:
            continue
        if not after[m] > 0:
            blocks.resume[m], blocks.scale[m] = scale, 0.0
            continue
        scale *= after[m] / before[m]
        if scale < LEAST_SCALE or (average and blocks.sums[m] > LARGEST_SUM * blocks.steps[0] * scale):
            fold_block(blocks, log, m, scale)
            scale = 1.0
        blocks.scale[m] = scale
        blocks.sums[m] += scale


# --- reading theta ---


@kernel
def _write(matrix, past, borders, shares, past_share, out):
    for j in range(borders.size - 1):
        share = np.float32(shares[j])
        for r in range(borders[j], borders[j + 1]):
            for y in range(matrix.shape[1]):
                value = share * matrix[r, y] if share != 0 else np.float32(0)
                if past_share != 0:
                    value += past_share * past[r, y]
                out[r, y] = value


@kernel
def write_weights(blocks, out):
    """Write theta to ``out``, or its mean over all sentences so far if the sum over time is kept."""
    n = blocks.node.size - 1
    if averages(blocks):
        steps = max(blocks.steps[0], 1)
        shares, past_share = blocks.sums / steps, np.float32(-1.0 / steps)
    else:
        shares, past_share = blocks.scale, np.float32(0)
    _write(blocks.vector.node, blocks.past.node, blocks.node, shares[:n], past_share, out.node)
    _write(blocks.vector.pair, blocks.past.pair, blocks.pair, shares[n:], past_share, out.pair)
