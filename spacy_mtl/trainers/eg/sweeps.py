"""Exponentiated gradient on the dual of the structural SVM (Bartlett, Collins, Taskar, McAllester 2004): sweeps over the corpus.

Every sentence has a distribution a_i(y) ~ exp(sum_{r in y} theta_{i,r}). With its part marginals M, the dual objective is
F = C sum_i E_{M_i}[loss] - 1/2 ||w||^2,  w = C sum_i (Phi(gold_i) - E_{M_i} Phi),  and its gradient in part r is C (l_{i,r} + <w, phi_{i,r}>).
"""

import numpy as np

from spacy_mtl.kernels import kernel, subkernel
from spacy_mtl.structures.contract import (
    add_loss,
    add_marginals,
    add_offset,
    add_parts,
    decode,
    dot_state,
    expected_loss,
    load_parts,
    new_work,
    score_parts,
    set_marginals,
)

#: A difference this small relative to the scores that it was computed from is a rounding error of single precision.
RESOLUTION = 1e-6
#: The largest number of halvings of a step, after which it changes nothing.
MOST_HALVINGS = 40


@kernel
def expect_primal(arrays, z, live, amount, extra, state, vector, first, last):
    """Primal form: theta_{i,r} = <z, phi_{i,r}> + amount * l_{i,r} + extra * the offset of part r, which is also a part of l_{i,r}.

    Of the sentences first to last - 1, writes the marginals to ``state``, adds sum_i (Phi(gold_i) - E_{M_i} Phi) to ``vector``, and returns
    sum_i E_{M_i}[loss].
    """
    work = new_work(arrays)
    loss = 0.0
    for i in range(first, last):
        score_parts(arrays, z, live, i, work)
        add_loss(arrays, i, work, amount)
        add_offset(arrays, i, work, extra)
        set_marginals(arrays, state, i, work)
        add_marginals(arrays, vector, state, i, 1.0)
        loss += expected_loss(arrays, state, i)
    return loss


@kernel
def expect_dual(arrays, theta, state, vector, first, last):
    """Dual form: the same as :func:`expect_primal`, with theta stored for every part in the layout of the marginals."""
    work = new_work(arrays)
    loss = 0.0
    for i in range(first, last):
        load_parts(arrays, theta, i, work)
        set_marginals(arrays, state, i, work)
        add_marginals(arrays, vector, state, i, 1.0)
        loss += expected_loss(arrays, state, i)
    return loss


@kernel
def add_gradients(arrays, weights, live, loss, extra, theta, amount, first, last):
    """Add amount * (loss * l_{i,r} + extra * offset_{i,r} + <w, phi_{i,r}>) to theta_{i,r} for every part of the sentences first to last - 1.
    Offsets are also a part of l.

    Forbidden parts decrease by 1e9 * amount, so they stay forbidden without overflow.
    """
    work = new_work(arrays)
    for i in range(first, last):
        score_parts(arrays, weights, live, i, work)
        add_loss(arrays, i, work, loss)
        add_offset(arrays, i, work, extra)
        add_parts(arrays, theta, i, work, amount)


@kernel
def join_parts(old, theta, arrays, start, sentences, joined):
    """Set ``joined``, which is 0: theta of sentence sentences[i] of an old corpus, or -start * l without offsets where sentences[i] is -1.

    sentences: int64[S], sentences with the same parts in both corpora. theta, joined: states of the old and the new corpus.
    """
    work = new_work(arrays)
    for i in range(sentences.size):
        if sentences[i] >= 0:
            load_parts(old, theta, sentences[i], work)
        else:
            load_parts(arrays, joined, i, work)
            add_loss(arrays, i, work, -start)
            add_offset(arrays, i, work, start)
        add_parts(arrays, joined, i, work, 1.0)


@kernel
def add_weights(total, other, amount, amounts):
    """Add amount * other to total, both Weights, and amount to amounts[1] (float64[2])."""
    factor = np.float32(amount)
    for r in range(total.node.shape[0]):
        for y in range(total.node.shape[1]):
            total.node[r, y] += factor * other.node[r, y]
    for r in range(total.pair.shape[0]):
        for y in range(total.pair.shape[1]):
            total.pair[r, y] += factor * other.pair[r, y]
    amounts[1] += amount


@subkernel
def current(states, side, i):
    """The marginals of sentence i and the place for the next ones: they alternate between two states, so that nothing is copied."""
    return (states[0], states[1]) if side[i] == 0 else (states[1], states[0])


@kernel
def replace(arrays, weights, old, new, i, C):
    """Update w for a change of the marginals of sentence i from ``old`` to ``new``."""
    add_marginals(arrays, weights, old, i, -C)
    add_marginals(arrays, weights, new, i, C)


@subkernel
def online_step(arrays, weights, live, theta, now, new, rate, i, C, least, work, other):
    """Make the step theta_i += rate C (l_i + <w, phi_i>), halved until the dual objective does not decrease; w is updated too.

    Returns (gap, rise, rate): the sentence's duality gap before the step divided by C, the increase of F (-1 if no step was made), and the rate
    used. Along the line from the old to the new marginals F is a parabola, so its increase is the mean of the slopes at both ends.
    """
    score_parts(arrays, weights, live, i, work)
    add_loss(arrays, i, work, 1.0)
    before = dot_state(arrays, now, i, work)
    gap = decode(arrays, i, work, False) - before
    if gap <= max(least, 0.1 * RESOLUTION * abs(before)):
        return max(gap, 0.0), -1.0, rate
    share = 1.0
    add_parts(arrays, theta, i, work, rate * C)
    for _ in range(MOST_HALVINGS):
        load_parts(arrays, theta, i, other)
        set_marginals(arrays, new, i, other)
        first = dot_state(arrays, new, i, work) - before
        if first <= 0:  # impossible for such a step: the sentence has reached the limit of single precision
            break
        replace(arrays, weights, now, new, i, C)
        score_parts(arrays, weights, live, i, other)
        add_loss(arrays, i, other, 1.0)
        last = dot_state(arrays, new, i, other) - dot_state(arrays, now, i, other)
        if first + last >= -RESOLUTION * first:
            return gap, max(0.5 * C * (first + last), 0.0), rate * share
        replace(arrays, weights, new, now, i, C)
        share *= 0.5
        add_parts(arrays, theta, i, work, -rate * share * C)
    add_parts(arrays, theta, i, work, -rate * share * C)
    return gap, -1.0, rate


@kernel
def online_pass(arrays, weights, live, theta, states, side, rates, order, C, growth, least, gaps):
    """Make one step for each sentence of ``order`` (int64[k]); return the increase of the dual objective.

    states: two states; the marginals of sentence i are in ``states[side[i]]`` (side: int64[S]). rates: float64[S], multiplied by ``growth`` after a
    successful step. least: sentences with a smaller gap are skipped. gaps: float64[S], entry i is set to the gap of sentence i before its step.
    """
    work, other = new_work(arrays), new_work(arrays)
    total = 0.0
    for i in order:
        now, new = current(states, side, i)
        gap, rise, rate = online_step(arrays, weights, live, theta, now, new, rates[i], i, C, least, work, other)
        gaps[i] = gap
        if rise >= 0:
            side[i] = 1 - side[i]
            total += rise
            rates[i] = rate if rate < rates[i] else rate * growth
        else:
            rates[i] = rate
    return total


@kernel
def gather(arrays, states, side, vector):
    """Add sum_i (Phi(gold_i) - E_{M_i} Phi) to vector; return sum_i E_{M_i}[loss]. States as in :func:`online_pass`."""
    loss = 0.0
    for i in range(side.size):
        now, _ = current(states, side, i)
        add_marginals(arrays, vector, now, i, 1.0)
        loss += expected_loss(arrays, now, i)
    return loss
