"""Directions between derivations and part marginals, stored in a GrammarWork as the changes of all parts and a list of those that are not zero."""

import numpy as np

from spacy_mtl.kernels import subkernel
from spacy_mtl.structures import contract
from spacy_mtl.structures.contract import implements

from .outputs import add_output_parts, product
from .problem import GrammarProblem, items_of
from .sums import part_marginals

#: A part whose marginal is this close to gold does not change; this is the resolution of float32.
SETTLED = 1e-7


@subkernel
def list_changes(change, least, active):
    """Write the places where |change| > least to active, and 0 to change elsewhere; return how many there are."""
    count = 0
    for k in range(change.size):
        if abs(change[k]) > least:
            active[count] = k
            count += 1
        else:
            change[k] = 0
    return count


@subkernel
def list_active(problem, i, work, least):
    """List the parts whose change is not zero, in ``work``."""
    begin, end, edge_begin, edge_end = items_of(problem.first_item, problem.first_edge, i)
    work.counts[0] = list_changes(work.item_change[: end - begin], least, work.active_items)
    work.counts[1] = list_changes(work.edge_change[: edge_end - edge_begin], least, work.active_edges)


@subkernel
def change_parts(problem, i, output, work, amount):
    """Add amount to the changes of an output's parts."""
    add_output_parts(problem, i, output, work.item_change, work.edge_change, amount)


@implements(contract.set_direction, GrammarProblem)
def set_direction(problem, state, i, work):
    begin, end, edge_begin, edge_end = items_of(problem.first_item, problem.first_edge, i)
    for a in range(end - begin):
        work.item_change[a] = -state.items[begin + a]
    for e in range(edge_end - edge_begin):
        work.edge_change[e] = -state.edges[edge_begin + e]
    change_parts(problem, i, work.output[: problem.first[i + 1] - problem.first[i]], work, 1.0)
    list_active(problem, i, work, 0.0)
    return product(work.item_change[: end - begin], work.items) + product(
        work.edge_change[: edge_end - edge_begin], work.edges
    )


@implements(contract.set_difference, GrammarProblem)
def set_difference(problem, i, outputs, work):
    begin, end, edge_begin, edge_end = items_of(problem.first_item, problem.first_edge, i)
    work.item_change[: end - begin] = 0
    work.edge_change[: edge_end - edge_begin] = 0
    change_parts(problem, i, work.output[: problem.first[i + 1] - problem.first[i]], work, 1.0)
    change_parts(problem, i, outputs[problem.first[i] : problem.first[i + 1]], work, -1.0)
    list_active(problem, i, work, 0.0)


@implements(contract.marginal_direction, GrammarProblem)
def marginal_direction(problem, i, work):
    log_z = part_marginals(problem, i, work, work.item_change, work.edge_change)
    change_parts(problem, i, problem.gold[problem.first[i] : problem.first[i + 1]], work, -1.0)
    list_active(problem, i, work, np.float64(SETTLED))
    return log_z


@subkernel
def move_parts(active, change, step, numbers):
    """Add step * change to the numbers of active parts."""
    for k in active:
        numbers[k] += np.float32(step) * change[k]


@implements(contract.move, GrammarProblem)
def move(problem, weights, live, scale, state, i, work, step):
    begin, end, edge_begin, edge_end = items_of(problem.first_item, problem.first_edge, i)
    move_parts(work.active_items[: work.counts[0]], work.item_change, step, state.items[begin:end])
    move_parts(work.active_edges[: work.counts[1]], work.edge_change, step, state.edges[edge_begin:edge_end])
    contract.add_direction(problem, weights, live, scale, i, work, -step)
