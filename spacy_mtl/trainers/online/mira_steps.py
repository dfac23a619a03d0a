"""MIRA (Crammer & Singer 2003; McDonald, Crammer & Pereira 2005): the smallest change of w that ranks gold above the k best outputs by their losses.

min_w 1/2 ||w - w_t||^2 + C xi   s.t.  <w, Phi(gold) - Phi(y_a)> >= loss_a - xi  for each of the k outputs y_a,  xi >= 0

Dual, with d_a = Phi(gold) - Phi(y_a), G_ab = <d_a, d_b>, b_a = loss_a - <w_t, d_a>:   max b'alpha - 1/2 alpha'G alpha,  alpha >= 0, sum alpha <= C,
and w = w_t + sum_a alpha_a d_a.
"""

import numpy as np

from spacy_mtl.kernels import kernel, subkernel
from spacy_mtl.structures.contract import (
    add_loss,
    add_offset,
    curvature,
    gold_direction,
    gold_score,
    kbest,
    n_slots,
    new_work,
    output_loss,
    output_offset,
    score_parts,
    set_difference,
    store_output,
    take_output,
)
from spacy_mtl.trainers.shared.averaging import learn_output

#: The subproblem is solved when no multiplier can increase its objective at a rate above this (losses are around 1).
PRECISION = 1e-7
#: The largest number of steps per multiplier; about ten are usual.
MOST_STEPS = 1000


@kernel
def hildreth(gram, gaps, cap, alpha, slopes):
    """Maximize gaps'alpha - 1/2 alpha'gram alpha over alpha >= 0, sum alpha <= cap.

    Hildreth's row actions: one multiplier at a time is increased as far as its constraint requires. The increase is taken from the multiplier with
    the smallest slope, or from what is left of the cap, which is the multiplier of gold, with the constraint 0 >= 0.

    gram: float64[k, k], positive semidefinite. gaps: float64[k]. Fills alpha and slopes (float64[k]), where slopes = gaps - gram alpha.
    """
    alpha[:] = 0
    slopes[:] = gaps
    left = cap
    for _ in range(MOST_STEPS * alpha.size):
        up, down = -1, -1
        most, least = 0.0, 0.0 if left > 0 else np.inf
        for a in range(alpha.size):
            if slopes[a] > most:
                up, most = a, slopes[a]
            if alpha[a] > 0 and slopes[a] < least:
                down, least = a, slopes[a]
        if most - least <= PRECISION:
            return
        bend = 0.0
        if up >= 0:
            bend += gram[up, up]
        if down >= 0:
            bend += gram[down, down]
        if up >= 0 and down >= 0:
            bend -= 2 * gram[up, down]
        room = left if down < 0 else alpha[down]
        step = room if most - least >= room * bend else (most - least) / bend
        if up < 0:
            left += step
        else:
            alpha[up] += step
            slopes -= step * gram[up]
        if down < 0:
            left -= step
        else:
            alpha[down] -= step
            slopes += step * gram[down]


@subkernel
def fill_gram(arrays, i, live, scale, outputs, stored, work, gram):
    """Set gram[a, b] to <Phi(gold) - Phi(y_a), Phi(gold) - Phi(y_b)>, by polarisation.

    outputs: int32[k, parts], from ``kbest``. scale: ones. stored: int32[n_slots], a buffer. gram: float64[k, k].
    """
    for a in range(gram.shape[0]):
        take_output(arrays, i, outputs[a], work)
        gold_direction(arrays, i, work)
        gram[a, a] = curvature(arrays, live, scale, i, work)
    for a in range(gram.shape[0]):
        take_output(arrays, i, outputs[a], work)
        store_output(arrays, i, work, stored)
        for b in range(a):
            take_output(arrays, i, outputs[b], work)
            set_difference(arrays, i, stored, work)
            apart = curvature(arrays, live, scale, i, work)
            gram[a, b] = gram[b, a] = (gram[a, a] + gram[b, b] - apart) / 2


@subkernel
def set_gaps(arrays, i, outputs, scores, gold, augmented, work, gaps):
    """Set gaps[a] to loss_a + score_a - score of gold; return the largest. augmented: whether the scores include the loss."""
    for a in range(gaps.size):
        gaps[a] = scores[a] - gold
        if not augmented:
            take_output(arrays, i, outputs[a], work)
            gaps[a] += output_loss(arrays, i, work) - output_offset(arrays, i, work)
    return gaps.max()


@subkernel
def mira_step(arrays, state, live, scale, i, k, cap, augmented, stored, work):
    """Make one update for sentence i; return the largest margin violation of the k best outputs, at least 0."""
    score_parts(arrays, state.w, live, i, work)
    gold = gold_score(arrays, i, work)
    if augmented:
        add_loss(arrays, i, work, 1.0)
    else:
        add_offset(arrays, i, work, 1.0)
    outputs, scores = kbest(arrays, i, work, k)
    gaps = np.empty(scores.size)
    violation = set_gaps(arrays, i, outputs, scores, gold, augmented, work, gaps)
    if violation <= 0:
        return 0.0
    gram = np.empty((gaps.size, gaps.size))
    fill_gram(arrays, i, live, scale, outputs, stored, work, gram)
    alpha, slopes = np.empty(gaps.size), np.empty(gaps.size)
    hildreth(gram, gaps, cap, alpha, slopes)
    for a in range(alpha.size):
        if alpha[a] > 0:
            take_output(arrays, i, outputs[a], work)
            learn_output(arrays, state, i, work, alpha[a])
    return violation


@kernel
def mira_pass(arrays, state, live, scale, order, k, cap, augmented):
    """Make one update for each sentence of ``order`` (int64[n]); return the sum of their violations.

    state: :class:`.averaging.Average`. live, scale: all templates, and ones. cap: C. augmented: whether the k outputs are those with
    the highest score + loss rather than the highest score.
    """
    work = new_work(arrays)
    stored = np.empty(n_slots(arrays), np.int32)
    total = 0.0
    for i in order:
        total += mira_step(arrays, state, live, scale, i, k, cap, augmented, stored, work)
        state.seen[0] += 1
    return total
