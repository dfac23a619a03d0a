"""Grammars as a structure: log partition and marginals of items and edges, by the inside-outside algorithm over the forest."""

import numpy as np

from spacy_mtl.kernels import kernel, subkernel
from spacy_mtl.structures import contract
from spacy_mtl.structures.contract import implements

from .problem import GrammarProblem, items_of


@kernel
def sum_inside(items, edges, first, left, right, inside):
    """Set inside (float64[a]) to the log of the sum over the derivations of each item. Arguments as in :mod:`.derivations`."""
    for a in range(first.size - 1):
        low, high = first[a] - first[0], first[a + 1] - first[0]
        top = -np.inf if high > low else 0.0
        for e in range(low, high):
            top = max(top, edges[e] + inside[left[e]] + inside[right[e]])
        total = 0.0 if high > low else 1.0
        for e in range(low, high):
            total += np.exp(edges[e] + inside[left[e]] + inside[right[e]] - top)
        inside[a] = items[a] + top + np.log(total)


@kernel
def sum_roots(root, inside):
    """The log partition: the log of the sum over the derivations of all items that may cover the sentence. root: bool[a]."""
    top = -np.inf
    for a in range(root.size):
        if root[a]:
            top = max(top, inside[a])
    total = 0.0
    for a in range(root.size):
        if root[a]:
            total += np.exp(inside[a] - top)
    return top + np.log(total)


@kernel
def share_out(items, edges, first, left, right, root, inside, log_z, item_mass, edge_mass):
    """Set item_mass and edge_mass to probabilities, from the top: that of an item is split among its edges, in proportion to their derivations."""
    for a in range(root.size):
        item_mass[a] = np.exp(inside[a] - log_z) if root[a] else 0.0
    for a in range(root.size - 1, -1, -1):
        for e in range(first[a] - first[0], first[a + 1] - first[0]):
            share = np.exp(items[a] + edges[e] + inside[left[e]] + inside[right[e]] - inside[a])
            edge_mass[e] = item_mass[a] * share
            item_mass[left[e]] += edge_mass[e]
            item_mass[right[e]] += edge_mass[e]


@subkernel
def inside_of(problem, i, work):
    """Log sums over the derivations of each item, float64[a], and the log partition, under the scores in ``work``."""
    begin, end, edge_begin, edge_end = items_of(problem.first_item, problem.first_edge, i)
    inside = np.empty(end - begin)
    sum_inside(
        work.items, work.edges, problem.first_edge[begin : end + 1], problem.left[edge_begin:edge_end],
        problem.right[edge_begin:edge_end], inside,
    )  # fmt: skip
    return inside, sum_roots(problem.root[begin:end], inside)


@subkernel
def part_marginals(problem, i, work, items, edges):
    """Compute part marginals under the scores in ``work``; return the log partition. items: float32[a], edges: float32[b], of the sentence."""
    begin, end, edge_begin, edge_end = items_of(problem.first_item, problem.first_edge, i)
    inside, log_z = inside_of(problem, i, work)
    item_mass, edge_mass = np.empty(end - begin), np.empty(edge_end - edge_begin)
    share_out(
        work.items, work.edges, problem.first_edge[begin : end + 1], problem.left[edge_begin:edge_end],
        problem.right[edge_begin:edge_end], problem.root[begin:end], inside, log_z, item_mass, edge_mass,
    )  # fmt: skip
    for a in range(item_mass.size):
        items[a] = item_mass[a]
    for e in range(edge_mass.size):
        edges[e] = edge_mass[e]
    return log_z


@implements(contract.log_partition, GrammarProblem)
def log_partition(problem, i, work):
    _, log_z = inside_of(problem, i, work)
    return log_z


@implements(contract.set_marginals, GrammarProblem)
def set_marginals(problem, state, i, work):
    begin, end, edge_begin, edge_end = items_of(problem.first_item, problem.first_edge, i)
    return part_marginals(problem, i, work, state.items[begin:end], state.edges[edge_begin:edge_end])
