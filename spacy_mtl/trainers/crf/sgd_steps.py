"""Stochastic gradient descent on the log loss: updates are sparse, and scalars keep track of weight decay and averaging (Bottou 2012).

f(w) = lambda/2 ||w||^2 + (1/n) sum_i -log p(y_i),  lambda = 1/(C n), is the objective divided by C n. Step t (counted in sentences):
w <- w / (1 + eta_t lambda) - eta_t grad,  eta_t = eta_0 (1 + lambda eta_0 t)^(-power).
"""

from typing import NamedTuple

import numpy as np

from spacy_mtl.kernels import kernel
from spacy_mtl.structures.contract import (
    Live,
    Scale,
    Weights,
    add_direction,
    add_offset,
    gold_score,
    log_partition,
    marginal_direction,
    new_work,
    score_parts,
    score_scaled,
)


class Iterates(NamedTuple):
    """Weights and their average, each as a vector and scalars.

    v: the weights are ``scalars[SCALE] * v``.
    u: the sum of the weights after each averaged step is ``scalars[SUM] * v + scalars[SHARE] * u``; without rows if there is no average.
    scalars: float64[5], indexed by the constants below.
    """

    v: Weights
    u: Weights
    scalars: np.ndarray


#: Indices of the scalars: factor of the weights; sentences seen; sum of the averaged factors; factor of u; number of averaged steps.
SCALE, SEEN, SUM, SHARE, COUNT = range(5)


class Rate(NamedTuple):
    """Learning rate. ``skip``: steps before this many sentences are not averaged."""

    eta0: float
    decay: float
    power: float
    skip: float


@kernel
def blank_scalars():
    """The scalars of zero weights and a zero average."""
    return np.array([1.0, 0.0, 0.0, 1.0, 0.0])


@kernel
def multiply(weights, factor):
    """Multiply weights by a factor, in place."""
    for matrix in weights:
        for r in range(matrix.shape[0]):
            for y in range(matrix.shape[1]):
                matrix[r, y] *= factor


@kernel
def settle(iterates):
    """Multiply the scalars into the vectors, so that v becomes the weights and u the average."""
    scalars = iterates.scalars
    if scalars[COUNT] > 0:
        total, share = np.float32(scalars[SUM] / scalars[COUNT]), np.float32(scalars[SHARE] / scalars[COUNT])
        for mean, matrix in zip(iterates.u, iterates.v):  # noqa: B905
            for r in range(mean.shape[0]):
                for y in range(mean.shape[1]):
                    mean[r, y] = total * matrix[r, y] + share * mean[r, y]
        scalars[SHARE] = scalars[COUNT]
        scalars[SUM] = 0
    if scalars[SCALE] != 1:
        multiply(iterates.v, np.float32(scalars[SCALE]))
        scalars[SCALE] = 1


@kernel
def fill(scale, value):
    """Set the same factor for every template."""
    scale.node[:] = value
    scale.pair[:] = value


@kernel
def descend(arrays, iterates, live, scale, rate, order, share):
    """Make one step for each sentence of ``order`` (int64[k]); return the sum of -log p(y_i), each before its step.

    scale: a buffer, one factor per template. share: the fraction of a full sentence that each of these is (1, except for pieces).
    """
    work = new_work(arrays)
    scalars = iterates.scalars
    averaging = iterates.u.node.shape[0] + iterates.u.pair.shape[0] > 0
    ones = Scale(np.ones(scale.node.size), np.ones(scale.pair.size))
    loss = 0.0
    for k in range(order.size):
        i = order[k]
        fill(scale, scalars[SCALE])
        score_scaled(arrays, iterates.v, live, scale, i, work)
        gold = gold_score(arrays, i, work)
        add_offset(arrays, i, work, 1.0)
        loss += marginal_direction(arrays, i, work) - gold
        eta = rate.eta0 * (1 + rate.decay * rate.eta0 * scalars[SEEN]) ** -rate.power
        scalars[SCALE] /= 1 + eta * rate.decay * share
        step = -eta / scalars[SCALE]
        add_direction(arrays, iterates.v, live, ones, i, work, step)
        if averaging and scalars[SEEN] >= rate.skip:
            if scalars[SUM] != 0:
                add_direction(arrays, iterates.u, live, ones, i, work, -step * scalars[SUM] / scalars[SHARE])
            scalars[SUM] += scalars[SCALE]
            scalars[COUNT] += 1
        scalars[SEEN] += share
    return loss


@kernel
def log_losses(arrays, weights, live, order):
    """The sum of -log p(y_i) over the sentences of ``order`` (int64[k])."""
    work = new_work(arrays)
    loss = 0.0
    for k in range(order.size):
        score_parts(arrays, weights, live, order[k], work)
        gold = gold_score(arrays, order[k], work)
        add_offset(arrays, order[k], work, 1.0)
        loss += log_partition(arrays, order[k], work) - gold
    return loss


@kernel
def mean_size(arrays, weights, order):
    """Mean of log(number of outputs) over the sentences of ``order`` (int64[k]), their mean loss before training."""
    nothing = Live(np.empty(0, np.int64), np.empty(0, np.int64))
    return log_losses(arrays, weights, nothing, order) / max(1, order.size)
