"""Features of trees: map directions and states in the parts to weight vectors, block by block.

Everything goes through the bundles: changes of parts are first summed in bundles, and features that recur in several bundles of a sentence are
summed before squaring.
"""

import numpy as np

from spacy_mtl.kernels import subkernel
from spacy_mtl.structures import contract
from spacy_mtl.structures.contract import Scale, Weights, implements

from .bundles import add_bundles, add_metric_bundles, bundle_products, factors_of, list_entries, sum_rows
from .problem import TreeProblem, arcs_of, siblings_of


@subkernel
def add_norms(templates, values, out):
    """Add the squared norm of the rows of template j to out[j]. templates: int64[k]; values: float64[k, K]; out: float64[T]."""
    for k in range(templates.size):
        total = 0.0
        for y in range(values.shape[1]):
            total += values[k, y] * values[k, y]
        out[templates[k]] += total


@subkernel
def norms_of(bundles, i, touched, change, live, n):
    """||Phi_j(direction)||^2 of the live templates, float64[n]."""
    norms = np.zeros(n)
    _, templates, values = sum_rows(bundles, i, touched, change, factors_of(live, np.ones(n), n))
    add_norms(templates, values, norms)
    return norms


@implements(contract.block_curvatures, TreeProblem)
def block_curvatures(problem, live, i, work, node, pair):
    nodes, pairs = work.node_touched[: work.counts[2]], work.pair_touched[: work.counts[3]]
    node_norms = norms_of(problem.node, i, nodes, work.node_change, live.node, problem.n_node)
    pair_norms = norms_of(problem.pair, i, pairs, work.pair_change, live.pair, problem.n_pair)
    for j in live.node:
        node[j] = node_norms[j]
    for j in live.pair:
        pair[j] = pair_norms[j]


@implements(contract.curvature, TreeProblem, Scale)
def curvature(problem, live, scale, i, work):
    nodes, pairs = work.node_touched[: work.counts[2]], work.pair_touched[: work.counts[3]]
    total = 0.0
    norms = norms_of(problem.node, i, nodes, work.node_change, live.node, problem.n_node)
    for j in live.node:
        total += scale.node[j] * norms[j]
    if problem.n_pair:
        norms = norms_of(problem.pair, i, pairs, work.pair_change, live.pair, problem.n_pair)
        for j in live.pair:
            total += scale.pair[j] * norms[j]
    return total


@subkernel
def weighted_norm(bundles, i, touched, change, live, n, metric):
    """sum_k metric_k Phi_k(direction)^2 over the weights of live templates. metric: float32[R, K]."""
    rows, _, values = sum_rows(bundles, i, touched, change, factors_of(live, np.ones(n), n))
    total = 0.0
    for k in range(rows.size):
        for y in range(values.shape[1]):
            total += metric[rows[k], y] * values[k, y] * values[k, y]
    return total


@implements(contract.curvature, TreeProblem, Weights)
def metric_curvature(problem, live, scale, i, work):
    nodes, pairs = work.node_touched[: work.counts[2]], work.pair_touched[: work.counts[3]]
    total = weighted_norm(problem.node, i, nodes, work.node_change, live.node, problem.n_node, scale.node)
    return total + weighted_norm(problem.pair, i, pairs, work.pair_change, live.pair, problem.n_pair, scale.pair)


@implements(contract.block_products, TreeProblem)
def block_products(problem, vector, live, i, work, node, pair):
    nodes, pairs = work.node_touched[: work.counts[2]], work.pair_touched[: work.counts[3]]
    node_sums, pair_sums = np.zeros(problem.n_node), np.zeros(problem.n_pair)
    bundle_products(problem.node, i, nodes, work.node_change, vector.node, node_sums)
    bundle_products(problem.pair, i, pairs, work.pair_change, vector.pair, pair_sums)
    for j in live.node:
        node[j] = node_sums[j]
    for j in live.pair:
        pair[j] = pair_sums[j]


@implements(contract.add_direction, TreeProblem, Scale)
def add_direction(problem, vector, live, scale, i, work, amount):
    nodes, pairs = work.node_touched[: work.counts[2]], work.pair_touched[: work.counts[3]]
    factors = factors_of(live.node, scale.node, problem.n_node)
    add_bundles(problem.node, i, nodes, work.node_change, factors, amount, vector.node)
    factors = factors_of(live.pair, scale.pair, problem.n_pair)
    add_bundles(problem.pair, i, pairs, work.pair_change, factors, amount, vector.pair)


@implements(contract.add_direction, TreeProblem, Weights)
def add_metric_direction(problem, vector, live, scale, i, work, amount):
    nodes, pairs = work.node_touched[: work.counts[2]], work.pair_touched[: work.counts[3]]
    factors = factors_of(live.node, np.ones(problem.n_node), problem.n_node)
    add_metric_bundles(problem.node, i, nodes, work.node_change, factors, scale.node, amount, vector.node)
    factors = factors_of(live.pair, np.ones(problem.n_pair), problem.n_pair)
    add_metric_bundles(problem.pair, i, pairs, work.pair_change, factors, scale.pair, amount, vector.pair)


@implements(contract.direction_entries, TreeProblem)
def direction_entries(problem, i, work):
    nodes, pairs = work.node_touched[: work.counts[2]], work.pair_touched[: work.counts[3]]
    node, node_values = list_entries(problem.node, i, nodes, work.node_change)
    pair, pair_values = list_entries(problem.pair, i, pairs, work.pair_change)
    return node, node_values, pair, pair_values


@implements(contract.move, TreeProblem)
def move(problem, weights, live, scale, state, i, work, step):
    (begin, _), (pair_begin, _) = (
        arcs_of(problem.first, problem.last, problem.first_arc, i),
        siblings_of(problem.first, problem.last, problem.first_arc, problem.siblings.first, i),
    )
    for k in range(work.counts[0]):
        for y in range(problem.n_labels):
            state.arcs[begin + work.active[k], y] += np.float32(step) * work.change[k, y]
    for k in range(work.counts[1]):
        state.siblings[pair_begin + work.sibling_active[k]] += np.float32(step) * work.sibling_change[k]
    contract.add_direction(problem, weights, live, scale, i, work, -step)


@subkernel
def add_all(problem, vector, i, work, amount):
    """Add amount * Phi(direction in ``work``) to vector, for all templates."""
    nodes, pairs = work.node_touched[: work.counts[2]], work.pair_touched[: work.counts[3]]
    add_bundles(problem.node, i, nodes, work.node_change, np.ones(problem.n_node), amount, vector.node)
    add_bundles(problem.pair, i, pairs, work.pair_change, np.ones(problem.n_pair), amount, vector.pair)
