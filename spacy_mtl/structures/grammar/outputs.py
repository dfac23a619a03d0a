"""Derivations as plain arrays, and states: marginals of the corpus as numbers for each part."""

import numpy as np

from spacy_mtl.kernels import subkernel
from spacy_mtl.structures import contract
from spacy_mtl.structures.contract import implements

from .decode import add_table, sum_output
from .derivations import add_parts_of
from .problem import GrammarProblem, GrammarState, items_of


@implements(contract.take_output, GrammarProblem)
def take_output(problem, i, output, work):
    work.output[: output.size] = output


@implements(contract.n_slots, GrammarProblem)
def n_slots(problem):
    return problem.gold.size


@implements(contract.gold_outputs, GrammarProblem)
def gold_outputs(problem):
    return problem.gold


@implements(contract.store_output, GrammarProblem)
def store_output(problem, i, work, outputs):
    for t in range(problem.first[i], problem.first[i + 1]):
        outputs[t] = work.output[t - problem.first[i]]


@implements(contract.load_output, GrammarProblem)
def load_output(problem, i, outputs, work):
    for t in range(problem.first[i], problem.first[i + 1]):
        work.output[t - problem.first[i]] = outputs[t]


@implements(contract.same_output, GrammarProblem)
def same_output(problem, i, work, outputs):
    for t in range(problem.first[i], problem.first[i + 1]):  # noqa: SIM110  a loop is what numba compiles best
        if outputs[t] != work.output[t - problem.first[i]]:
            return False
    return True


@implements(contract.stored_score, GrammarProblem)
def stored_score(problem, i, outputs, work):
    return sum_output(problem, i, work.items, work.edges, outputs[problem.first[i] : problem.first[i + 1]])


@subkernel
def add_output_parts(problem, i, output, items, edges, amount):
    """Add amount to the numbers of an output's parts. items: float[a] and edges: float[b], of sentence i."""
    _, _, edge_begin, edge_end = items_of(problem.first_item, problem.first_edge, i)
    add_parts_of(items, edges, problem.left[edge_begin:edge_end], problem.right[edge_begin:edge_end], output, amount)


@subkernel
def set_indicator(problem, state, i, output):
    """Set M_i to the indicator of an output."""
    begin, end, edge_begin, edge_end = items_of(problem.first_item, problem.first_edge, i)
    state.items[begin:end] = 0
    state.edges[edge_begin:edge_end] = 0
    add_output_parts(problem, i, output, state.items[begin:end], state.edges[edge_begin:edge_end], 1.0)


@implements(contract.gold_state, GrammarProblem)
def gold_state(problem):
    state = GrammarState(np.zeros(problem.symbol.size, np.float32), np.zeros(problem.rule.size, np.float32))
    for i in range(problem.first.size - 1):
        set_indicator(problem, state, i, problem.gold[problem.first[i] : problem.first[i + 1]])
    return state


@implements(contract.set_vertex, GrammarProblem)
def set_vertex(problem, state, i, work):
    set_indicator(problem, state, i, work.output[: problem.first[i + 1] - problem.first[i]])


@subkernel
def product(a, b):
    """<a, b> in double precision, over the length of a."""
    total = 0.0
    for k in range(a.size):
        total += np.float64(a[k]) * b[k]
    return total


@implements(contract.expected_loss, GrammarProblem)
def expected_loss(problem, state, i):
    begin, end, edge_begin, edge_end = items_of(problem.first_item, problem.first_edge, i)
    of_items = product(problem.item_cost[begin:end], state.items[begin:end])
    return of_items + product(problem.edge_cost[edge_begin:edge_end], state.edges[edge_begin:edge_end])


@implements(contract.load_parts, GrammarProblem)
def load_parts(problem, state, i, work):
    begin, end, edge_begin, edge_end = items_of(problem.first_item, problem.first_edge, i)
    work.items[: end - begin] = state.items[begin:end]
    work.edges[: edge_end - edge_begin] = state.edges[edge_begin:edge_end]


@implements(contract.add_parts, GrammarProblem)
def add_parts(problem, state, i, work, amount):
    begin, end, edge_begin, edge_end = items_of(problem.first_item, problem.first_edge, i)
    add_table(work.items[: end - begin], amount, state.items[begin:end])
    add_table(work.edges[: edge_end - edge_begin], amount, state.edges[edge_begin:edge_end])


@implements(contract.dot_state, GrammarProblem)
def dot_state(problem, state, i, work):
    begin, end, edge_begin, edge_end = items_of(problem.first_item, problem.first_edge, i)
    return product(state.items[begin:end], work.items) + product(state.edges[edge_begin:edge_end], work.edges)
