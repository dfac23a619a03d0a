"""Features of derivations: map directions and states in the parts to weight vectors, block by block.

A feature is an entry (row, column) of a weight matrix: a row that a template sees at a span, and the symbol of an item; or one that it sees at a
split, and the rule of an edge. Entries that recur in a sentence are summed before squaring.
"""

from typing import NamedTuple

import numpy as np

from spacy_mtl.kernels import subkernel
from spacy_mtl.structures import contract
from spacy_mtl.structures.contract import Scale, Weights, implements

from .outputs import add_output_parts
from .problem import GrammarProblem, items_of


class ChangedParts(NamedTuple):
    """The parts of a sentence of one kind that a direction changes.

    rows, lines, columns: of all parts of the sentence, as in :func:`.decode.score_table`. active: int64[k], which of them change; change:
    float32, by how much, for all.
    """

    rows: np.ndarray
    lines: np.ndarray
    columns: np.ndarray
    active: np.ndarray
    change: np.ndarray


@subkernel
def changed_items(problem, i, work):
    begin, end, _, _ = items_of(problem.first_item, problem.first_edge, i)
    lines, symbols = problem.span[begin:end], problem.symbol[begin:end]
    return ChangedParts(problem.span_rows, lines, symbols, work.active_items[: work.counts[0]], work.item_change)


@subkernel
def changed_edges(problem, i, work):
    _, _, begin, end = items_of(problem.first_item, problem.first_edge, i)
    lines, rules = problem.split[begin:end], problem.rule[begin:end]
    return ChangedParts(problem.split_rows, lines, rules, work.active_edges[: work.counts[1]], work.edge_change)


@subkernel
def add_entries(parts, live, scale, amount, matrix):
    """Add amount * scale[j] * change to the entries of active parts, for live templates j."""
    for k in parts.active:
        for j in live:
            row = parts.rows[parts.lines[k], j]
            if row >= 0:
                matrix[row, parts.columns[k]] += matrix.dtype.type(amount * scale[j] * parts.change[k])


@subkernel
def add_metric_entries(parts, live, metric, amount, matrix):
    """:func:`add_entries` with a factor for each single weight. metric: float32[R, K]."""
    for k in parts.active:
        for j in live:
            row = parts.rows[parts.lines[k], j]
            if row >= 0:
                matrix[row, parts.columns[k]] += np.float32(amount * parts.change[k]) * metric[row, parts.columns[k]]


@subkernel
def entry_products(parts, live, matrix, out):
    """Set out[j] to <change, matrix> over the entries of live templates j. out: float64[T]."""
    for j in live:
        total = 0.0
        for k in parts.active:
            row = parts.rows[parts.lines[k], j]
            if row >= 0:
                total += np.float64(parts.change[k]) * matrix[row, parts.columns[k]]
        out[j] = total


@subkernel
def sum_entries(parts, j, width, table, keys, values):
    """The entries of template j as ``row * width + column``, each once: fill keys (int64[k]) and values (float64[k]), return how many they are.

    table: int32, a power of 2 above twice the number of active parts, all -1; so it is left. Entries are found by open addressing.
    """
    count, last = 0, table.size - 1
    for k in parts.active:
        row = np.int64(parts.rows[parts.lines[k], j])
        if row < 0:
            continue
        key = row * width + parts.columns[k]
        at = (key * 2654435761) & last
        while table[at] >= 0 and keys[table[at]] != key:
            at = (at + 1) & last
        if table[at] < 0:
            table[at], keys[count], values[count] = count, key, 0.0
            count += 1
        values[table[at]] += parts.change[k]
    table[:] = -1
    return count


@subkernel
def room_for(n):
    """An empty table for :func:`sum_entries` of n active parts, and arrays for its keys and values."""
    size = 4
    while size < 2 * n:
        size *= 2
    return np.full(size, -1, np.int32), np.empty(n, np.int64), np.empty(n)


@subkernel
def entry_norms(parts, live, width, out):
    """Set out[j] to the squared norm of the entries of live templates j. out: float64[T]."""
    table, keys, values = room_for(parts.active.size)
    for j in live:
        total = 0.0
        for k in range(sum_entries(parts, j, width, table, keys, values)):
            total += values[k] * values[k]
        out[j] = total


@subkernel
def metric_norm(parts, live, metric):
    """sum of metric * entry^2 over the entries of live templates. metric: float32[R, K]."""
    table, keys, values = room_for(parts.active.size)
    flat, total = metric.reshape(metric.size), 0.0
    for j in live:
        for k in range(sum_entries(parts, j, metric.shape[1], table, keys, values)):
            total += flat[keys[k]] * values[k] * values[k]
    return total


@implements(contract.add_direction, GrammarProblem, Scale)
def add_direction(problem, vector, live, scale, i, work, amount):
    add_entries(changed_items(problem, i, work), live.node, scale.node, amount, vector.node)
    add_entries(changed_edges(problem, i, work), live.pair, scale.pair, amount, vector.pair)


@implements(contract.add_direction, GrammarProblem, Weights)
def add_metric_direction(problem, vector, live, scale, i, work, amount):
    add_metric_entries(changed_items(problem, i, work), live.node, scale.node, amount, vector.node)
    add_metric_entries(changed_edges(problem, i, work), live.pair, scale.pair, amount, vector.pair)


@implements(contract.block_products, GrammarProblem)
def block_products(problem, vector, live, i, work, node, pair):
    entry_products(changed_items(problem, i, work), live.node, vector.node, node)
    entry_products(changed_edges(problem, i, work), live.pair, vector.pair, pair)


@implements(contract.block_curvatures, GrammarProblem)
def block_curvatures(problem, live, i, work, node, pair):
    entry_norms(changed_items(problem, i, work), live.node, problem.n_symbols, node)
    entry_norms(changed_edges(problem, i, work), live.pair, problem.n_rules, pair)


@implements(contract.curvature, GrammarProblem, Weights)
def metric_curvature(problem, live, scale, i, work):
    of_items = metric_norm(changed_items(problem, i, work), live.node, scale.node)
    of_edges = metric_norm(changed_edges(problem, i, work), live.pair, scale.pair)
    return of_items + of_edges


@subkernel
def list_entries(parts, width):
    """Entries ``row * width + column`` (int64[k]) of active parts, over all templates, and their values (float64[k]); they may be repeated."""
    room, count = parts.active.size * parts.rows.shape[1], 0
    keys, values = np.empty(room, np.int64), np.empty(room)
    for k in parts.active:
        for j in range(parts.rows.shape[1]):
            row = np.int64(parts.rows[parts.lines[k], j])
            if row >= 0:
                keys[count], values[count] = row * width + parts.columns[k], parts.change[k]
                count += 1
    return keys[:count], values[:count]


@implements(contract.direction_entries, GrammarProblem)
def direction_entries(problem, i, work):
    node, node_values = list_entries(changed_items(problem, i, work), problem.n_symbols)
    pair, pair_values = list_entries(changed_edges(problem, i, work), problem.n_rules)
    return node, node_values, pair, pair_values


@subkernel
def add_numbers(rows, lines, columns, numbers, amount, matrix):
    """Add amount * numbers to the entries of all parts, over all templates. numbers: float32[k]."""
    for k in range(lines.size):
        if numbers[k] != 0:
            for j in range(rows.shape[1]):
                row = rows[lines[k], j]
                if row >= 0:
                    matrix[row, columns[k]] += np.float32(amount * numbers[k])


@implements(contract.add_state, GrammarProblem)
def add_state(problem, vector, state, i, amount):
    begin, end, edge_begin, edge_end = items_of(problem.first_item, problem.first_edge, i)
    add_numbers(
        problem.span_rows, problem.span[begin:end], problem.symbol[begin:end], state.items[begin:end], amount, vector.node
    )  # fmt: skip
    add_numbers(
        problem.split_rows, problem.split[edge_begin:edge_end], problem.rule[edge_begin:edge_end],
        state.edges[edge_begin:edge_end], amount, vector.pair,
    )  # fmt: skip


@implements(contract.add_marginals, GrammarProblem)
def add_marginals(problem, vector, state, i, amount):
    contract.add_state(problem, vector, state, i, -amount)
    add_gold(problem, vector, i, amount)


@subkernel
def add_gold(problem, vector, i, amount):
    """Add amount * Phi(gold_i) to vector, for all templates."""
    begin, end, edge_begin, edge_end = items_of(problem.first_item, problem.first_edge, i)
    items, edges = np.zeros(end - begin, np.float32), np.zeros(edge_end - edge_begin, np.float32)
    add_output_parts(problem, i, problem.gold[problem.first[i] : problem.first[i + 1]], items, edges, 1.0)
    add_numbers(problem.span_rows, problem.span[begin:end], problem.symbol[begin:end], items, amount, vector.node)
    add_numbers(
        problem.split_rows, problem.split[edge_begin:edge_end], problem.rule[edge_begin:edge_end], edges, amount, vector.pair
    )  # fmt: skip
