"""Projected subgradient steps on the mean structured hinge over an l1 ball (Zhu, Xing and Zhang, Algorithm 2; batch and stochastic)."""

from typing import NamedTuple

import numpy as np

from spacy_mtl.kernels import kernel, subkernel
from spacy_mtl.structures.contract import (
    Weights,
    add_output,
    decode,
    gold_score,
    n_sentences,
    new_work,
    output_loss,
    score_parts,
)

from .elements import largest
from .l1_ball import project_onto_l1_ball


class Course(NamedTuple):
    """The state of a training. Only kernels change it, so that it is consistent whenever a kernel returns.

    weights: the iterate. step: the step being built, zero between steps. kept: the best iterate (batch) or the average (stochastic).
    cuts: sum over passes of V(outputs found in the pass), float64. tally: float64[N_TALLY], see the constants.
    """

    weights: Weights
    step: Weights
    kept: Weights
    cuts: Weights
    tally: np.ndarray


#: Indices of the tally: passes and steps so far; sum of the squared norms of the steps' subgradients; passes in ``cuts`` and the sum of their
#: losses; hinge of the last pass (each sentence under the weights at the time); mean hinge of ``kept`` (batch); last threshold of the
#: projection; best lower bound; largest norm of an iterate.
PASSES, STEPS, NORMS, CUTS, LOSS, HINGE, BEST, THETA, BOUND, REACH = range(10)
N_TALLY = 10
#: Rounding of sums in double precision, relative.
ROUNDING = 1e-12
#: Iterates are projected onto a ball that is smaller by this factor: so much that rounding cannot take them out of the ball.
INSIDE = 1 - 2.0**-22


@kernel
def new_tally():
    """The tally of a training that has not begun."""
    tally = np.zeros(N_TALLY)
    tally[BEST] = np.inf
    return tally


@kernel
def forget_objective(tally):
    """Reset the tally for another objective, keeping only what concerns the steps."""
    tally[CUTS] = tally[LOSS] = tally[BOUND] = tally[THETA] = 0
    tally[BEST] = np.inf


@subkernel
def take_step(course, size, radius):
    """Make the step w <- P(w + size * step), and set step to 0."""
    for weights, step in zip(course.weights, course.step):  # noqa: B905  numba knows no strict zip
        for r in range(weights.shape[0]):
            for y in range(weights.shape[1]):
                if step[r, y] != 0:
                    weights[r, y] += np.float32(size) * step[r, y]
                    step[r, y] = 0
    course.tally[THETA] = project_onto_l1_ball(course.weights, radius, course.tally[THETA])


@kernel
def norm2(vector):
    """||v||^2 over both matrices."""
    total = 0.0
    for matrix in vector:
        for r in range(matrix.shape[0]):
            for y in range(matrix.shape[1]):
                total += np.float64(matrix[r, y]) * matrix[r, y]
    return total


@subkernel
def step_size(course, radius, hinge, norm):
    """The step size: largest norm of an iterate so far over sqrt(sum of ||g||^2 so far), distance over gradients (Ivgi, Hinder and Carmon 2023).

    hinge, norm: mean hinge and ||g|| of this step. Using the radius instead of that norm would be far too much if the optimum is spread over many
    weights: the norm of a border point with K weights can be as small as radius / sqrt(K). That is its initial value, unless the first step
    leads to a hinge of 0 on a shorter way, hinge / ||g||: in a large ball the optimum need not be near the border.
    """
    tally = course.tally
    if tally[REACH] == 0:
        tally[REACH] = min(radius / np.sqrt(float(course.weights.node.size + course.weights.pair.size)), hinge / norm)
    tally[REACH] = max(tally[REACH], np.sqrt(norm2(course.weights)))
    return tally[REACH] / np.sqrt(tally[NORMS])


@subkernel
def blend(mean, weights, rate):
    """Add rate * (weights - mean) to mean."""
    for total, matrix in zip(mean, weights):  # noqa: B905
        for r in range(matrix.shape[0]):
            for y in range(matrix.shape[1]):
                total[r, y] += np.float32(rate) * (matrix[r, y] - total[r, y])


@subkernel
def meet(arrays, course, live, i, share, work):
    """Find the most violated output of sentence i; add its subgradient times -share to ``step`` and times -1 to ``cuts``. Returns hinge and loss."""
    score_parts(arrays, course.weights, live, i, work)
    gold = gold_score(arrays, i, work)
    hinge = decode(arrays, i, work, True) - gold
    if hinge > 0:
        add_output(arrays, course.step, i, work, share)
        add_output(arrays, course.cuts, i, work, 1.0)
        return hinge, output_loss(arrays, i, work)
    return 0.0, 0.0


@subkernel
def keep(course, hinge):
    """Keep the iterate if its mean hinge is the best so far."""
    if hinge < course.tally[BEST]:
        course.tally[BEST] = hinge
        for kept, weights in zip(course.kept, course.weights):  # noqa: B905
            kept[:] = weights


@kernel
def lower_bound(course, n, radius):
    """Best lower bound so far on the mean hinge in the ball: (1/n) (loss - radius ||V||_inf) for the mean of the cuts, or 0, or an earlier bound."""
    tally = course.tally
    if tally[CUTS] > 0:
        bound = ((1 - ROUNDING) * tally[LOSS] - (1 + ROUNDING) * radius * largest(course.cuts)) / (n * tally[CUTS])
        tally[BOUND] = max(tally[BOUND], bound)
    return tally[BOUND]


@subkernel
def forget_cuts(course):
    """Start the mean of the cuts again: old cuts carry little information."""
    for matrix in course.cuts:
        matrix[:] = 0
    course.tally[CUTS] = course.tally[LOSS] = 0


@kernel
def subgradient_pass(arrays, course, live, order, batch_size, radius, rate):
    """Make steps over the sentences of ``order`` (int64[n], each once), ``batch_size`` at a time, with sizes rate * :func:`step_size`.

    With a single batch, ``kept`` becomes the best iterate *before* a step; otherwise the average of the iterates, in which later ones weigh more.
    """
    work, tally, n = new_work(arrays), course.tally, n_sentences(arrays)
    hinges, losses = 0.0, 0.0
    for first in range(0, order.size, batch_size):
        batch, before = order[first : first + batch_size], hinges
        for i in batch:
            hinge, loss = meet(arrays, course, live, i, 1.0 / batch.size, work)
            hinges += hinge
            losses += loss
        if batch.size == n:
            keep(course, hinges / n)
        square = norm2(course.step)
        tally[NORMS] += square
        tally[STEPS] += 1
        if square > 0:
            size = rate * step_size(course, radius, (hinges - before) / batch.size, np.sqrt(square))
            take_step(course, size, INSIDE * radius)
        if batch.size < n:
            blend(course.kept, course.weights, 2 / (tally[STEPS] + 1))
    tally[CUTS] += 1
    tally[LOSS] += losses
    tally[HINGE] = hinges
    tally[PASSES] += 1
    if np.log2(tally[PASSES]) % 1 == 0:
        lower_bound(course, n, radius)
        forget_cuts(course)
