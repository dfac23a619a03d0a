"""Online proximal multiple kernel learning: Algorithm 1 of Martins et al., in O(number of blocks) per sentence plus the sentence's own features."""

from typing import NamedTuple

import numpy as np

from spacy_mtl.kernels import kernel, subkernel
from spacy_mtl.structures.contract import (
    add_offset,
    block_curvatures,
    block_products,
    decode,
    gold_score,
    log_partition,
    n_sentences,
    new_work,
    score_parts,
    score_scaled,
    set_marginals,
    set_vertex,
)

from .prox import Regularizer, shrink
from .scaled_blocks import as_live, as_scale, claim, logged_direction, rescale, update, wake

#: A block of which a proximal step leaves less than this share is set to 0: in single precision, the next update would absorb the rest.
RESOLUTION = 1e-7


class Plan(NamedTuple):
    """The settings of the step that each sentence makes.

    step: lambda = 1/(C n). regularizer: of the blocks ``together`` (int64[k]). alone: int64[k'], blocks with 1/2 ||theta_m||^2 of their own.
    radius: bound on ||theta||; may be infinite. eta0, sigma: the learning rate is eta0/sqrt(t), or min(eta0, 1/(sigma t)) if sigma > 0.
    """

    step: float
    regularizer: Regularizer
    together: np.ndarray
    alone: np.ndarray
    radius: float
    eta0: float
    sigma: float


@kernel
def step_rate(plan, t):
    """eta_t, t = 1, 2, ..."""
    return min(plan.eta0, 1 / (plan.sigma * t)) if plan.sigma > 0 else plan.eta0 / np.sqrt(t)


@subkernel
def stepped_norms(arrays, blocks, eta, i, work, norms, touched):
    """Set norms[m] to ||theta_m + eta Phi_m(direction in ``work``)|| (equation 4), touched[m] to whether it changes. float64[M], bool[M]."""
    products, curvatures = np.zeros(norms.size), np.zeros(norms.size)
    dots, squares = as_scale(blocks, products), as_scale(blocks, curvatures)
    block_products(arrays, blocks.vector, as_live(blocks, blocks.scale), i, work, dots.node, dots.pair)
    block_curvatures(arrays, as_live(blocks, np.ones(norms.size)), i, work, squares.node, squares.pair)
    for m in range(norms.size):
        square = norms[m] ** 2 + eta * (2 * blocks.scale[m] * products[m] + eta * curvatures[m])
        norms[m] = np.sqrt(max(square, 0.0))
        touched[m] = curvatures[m] > 0


@subkernel
def restrain(plan, eta, norms):
    """Norms after the proximal steps and the projection (lines 6 to 9). norms: float64[M]; returns float64[M]."""
    after, together, tau = norms.copy(), np.empty(plan.together.size), eta * plan.step
    for k in range(together.size):
        together[k] = norms[plan.together[k]]
    shrink(together, plan.regularizer, tau)
    for k in range(together.size):
        after[plan.together[k]] = together[k]
    for m in plan.alone:
        after[m] /= 1 + tau
    square = 0.0
    for m in range(after.size):
        square += after[m] ** 2
    factor = plan.radius / np.sqrt(square) if square > plan.radius**2 else 1.0
    for m in range(after.size):
        after[m] = after[m] * factor if after[m] >= RESOLUTION * norms[m] else 0.0
    return after


@kernel
def learn(arrays, blocks, log, plan, i, moved, work, other):
    """Run lines 4 to 9 for sentence i, whose M_i is set if the loss has a gradient (``moved``)."""
    eta = step_rate(plan, blocks.steps[0] + 1)
    before, touched = blocks.norms.copy(), np.zeros(blocks.norms.size, np.bool_)
    if moved:
        logged_direction(arrays, log, i, work)
        stepped_norms(arrays, blocks, eta, i, work, before, touched)
    after = restrain(plan, eta, before)
    if moved:
        # blocks that end at 0 need no update: most zero blocks stay zero without being written to
        for m in range(after.size):
            touched[m] &= after[m] > 0
        wake(arrays, blocks, log, touched, other)
        update(arrays, blocks, log, i, touched, eta, work)
    rescale(blocks, log, before, after)


@kernel
def score(arrays, blocks, i, work):
    """Write part scores under theta to ``work``."""
    live = as_live(blocks, blocks.scale)
    score_scaled(arrays, blocks.vector, live, as_scale(blocks, blocks.scale), i, work)


@kernel
def hinge_pass(arrays, blocks, log, plan, order):
    """Make one step on the structured hinge of each sentence of ``order`` (int64[k]); return the sum of the losses, each before its step."""
    work, other = new_work(arrays), new_work(arrays)
    total = 0.0
    for k in range(order.size):
        i = order[k]
        score(arrays, blocks, i, work)
        gold = gold_score(arrays, i, work)
        loss = decode(arrays, i, work, True) - gold
        if loss > 0:
            claim(blocks, log, i)
            set_vertex(arrays, log.state, i, work)
        learn(arrays, blocks, log, plan, i, loss > 0, work, other)
        total += 0.0 if loss < 0 else loss  # below 0 by rounding; nan stays nan
    return total


@kernel
def log_pass(arrays, blocks, log, plan, order):
    """The same for the logistic loss, log partition minus gold score."""
    work, other = new_work(arrays), new_work(arrays)
    total = 0.0
    for k in range(order.size):
        i = order[k]
        score(arrays, blocks, i, work)
        gold = gold_score(arrays, i, work)
        add_offset(arrays, i, work, 1.0)
        claim(blocks, log, i)
        total += set_marginals(arrays, log.state, i, work) - gold
        learn(arrays, blocks, log, plan, i, True, work, other)
    return total


@kernel
def log_losses(arrays, weights, live):
    """Logistic loss of every sentence, float64[S]."""
    work = new_work(arrays)
    losses = np.empty(n_sentences(arrays))
    for i in range(losses.size):
        score_parts(arrays, weights, live, i, work)
        gold = gold_score(arrays, i, work)
        add_offset(arrays, i, work, 1.0)
        losses[i] = max(log_partition(arrays, i, work) - gold, 0.0)
    return losses
