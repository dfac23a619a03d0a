"""Directions, marginals, the k best outputs and single weights, for one sentence. Arguments as in :mod:`.outputs`."""

import numpy as np

from spacy_mtl.kernels import kernel, subkernel
from spacy_mtl.structures import contract

from .outputs import clear, read

#: Ways of making a direction.
FROM_MARGINALS, FROM_STORED, FROM_GOLD = range(3)


@kernel
def gold_state(arrays):
    return contract.gold_state(arrays)


@kernel
def set_vertex(arrays, state, i, output):
    """Set M_i to the indicator of the output."""
    work = contract.new_work(arrays)
    contract.take_output(arrays, i, output, work)
    contract.set_vertex(arrays, state, i, work)


@kernel
def expect(arrays, state, i, vector):
    """E[loss]; and gold minus expected features, float64[D], by ``add_marginals``."""
    clear(vector)
    contract.add_marginals(arrays, vector, state, i, 1.0)
    out = np.zeros(vector.node.size + vector.pair.size)
    read(vector, out)
    return contract.expected_loss(arrays, state, i), out


@subkernel
def direct(arrays, at, way, state, slots, output, work):
    """Make a direction to ``output`` in ``work``; return the result of ``set_direction``, or 0 for the other ways."""
    contract.score_parts(arrays, at.weights, at.live, at.i, work)
    contract.take_output(arrays, at.i, output, work)
    rise = 0.0
    if way == FROM_MARGINALS:
        rise = contract.set_direction(arrays, state, at.i, work)
    elif way == FROM_STORED:
        contract.set_difference(arrays, at.i, slots, work)
    else:
        contract.gold_direction(arrays, at.i, work)
    return rise


@kernel
def direction(arrays, at, way, state, slots, output, vector, live, node, pair):
    """A direction as read by four functions, over ``live`` templates.

    Returns the result of ``set_direction``; Phi times scale, float64[D], by ``add_direction``; <weights_j, Phi_j> and ||Phi_j||^2 in node
    (float64[2, T]) and pair (float64[2, Tp]); and the curvature.
    """
    work = contract.new_work(arrays)
    rise = direct(arrays, at, way, state, slots, output, work)
    clear(vector)
    contract.add_direction(arrays, vector, live, at.scale, at.i, work, 1.0)
    contract.block_products(arrays, at.weights, live, at.i, work, node[0], pair[0])
    contract.block_curvatures(arrays, live, at.i, work, node[1], pair[1])
    bend = contract.curvature(arrays, live, at.scale, at.i, work)
    out = np.zeros(vector.node.size + vector.pair.size)
    read(vector, out)
    return rise, out, bend


@kernel
def move(arrays, at, state, output, vector, scale, step):
    """Make a step from the marginals towards ``output``, which changes state and vector."""
    work = contract.new_work(arrays)
    direct(arrays, at, FROM_MARGINALS, state, np.zeros(1, np.int32), output, work)
    contract.move(arrays, vector, at.live, scale, state, at.i, work, step)


@kernel
def sums(arrays, at, state, vector):
    """Log partitions by ``log_partition``, ``set_marginals`` (which sets M_i) and ``marginal_direction``, and that direction: float64[D]."""
    work = contract.new_work(arrays)
    found = np.zeros(3)
    contract.score_parts(arrays, at.weights, at.live, at.i, work)
    found[0] = contract.log_partition(arrays, at.i, work)
    contract.score_parts(arrays, at.weights, at.live, at.i, work)
    found[1] = contract.set_marginals(arrays, state, at.i, work)
    contract.score_parts(arrays, at.weights, at.live, at.i, work)
    found[2] = contract.marginal_direction(arrays, at.i, work)
    clear(vector)
    contract.add_direction(arrays, vector, at.live, at.scale, at.i, work, 1.0)
    out = np.zeros(vector.node.size + vector.pair.size)
    read(vector, out)
    return found, out


@kernel
def keep_scores(arrays, at, state, amount):
    """Add amount * part scores to state, by ``add_parts``."""
    work = contract.new_work(arrays)
    contract.score_parts(arrays, at.weights, at.live, at.i, work)
    contract.add_parts(arrays, state, at.i, work, amount)


@kernel
def scores_from(arrays, i, state, outputs):
    """Scores of outputs under the part scores of ``load_parts``, float64[K]."""
    work = contract.new_work(arrays)
    slots = np.zeros(contract.n_slots(arrays), np.int32)
    scores = np.zeros(outputs.shape[0])
    contract.load_parts(arrays, state, i, work)
    for k in range(outputs.shape[0]):
        contract.take_output(arrays, i, outputs[k], work)
        contract.store_output(arrays, i, work, slots)
        scores[k] = contract.stored_score(arrays, i, slots, work)
    return scores


@kernel
def state_products(arrays, at, state, vector):
    """<state, part scores> by ``dot_state``, and the features of the state, float64[D], by ``add_state``."""
    work = contract.new_work(arrays)
    contract.score_parts(arrays, at.weights, at.live, at.i, work)
    product = contract.dot_state(arrays, state, at.i, work)
    clear(vector)
    contract.add_state(arrays, vector, state, at.i, 1.0)
    out = np.zeros(vector.node.size + vector.pair.size)
    read(vector, out)
    return product, out


@kernel
def kbest(arrays, at, k):
    """The k best outputs and their scores."""
    work = contract.new_work(arrays)
    contract.score_parts(arrays, at.weights, at.live, at.i, work)
    return contract.kbest(arrays, at.i, work, k)


@kernel
def metric(arrays, at, way, state, slots, output, vector, factors):
    """A direction under a metric: Phi times factors, float64[D]; the curvature; and the entries of Phi."""
    work = contract.new_work(arrays)
    direct(arrays, at, way, state, slots, output, work)
    clear(vector)
    contract.add_direction(arrays, vector, at.live, factors, at.i, work, 1.0)
    bend = contract.curvature(arrays, at.live, factors, at.i, work)
    out = np.zeros(vector.node.size + vector.pair.size)
    read(vector, out)
    return out, bend, contract.direction_entries(arrays, at.i, work)
