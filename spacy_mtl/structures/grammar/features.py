"""Features of derivations: map directions and states in the parts to weight vectors, block by block.

A feature is an entry (row, column) of a weight matrix: a row that a template sees at a span, and the symbol of an item; or one that it sees at a
split, and the rule of an edge. Entries that recur in a sentence are summed before squaring.
"""

import numpy as np

from spacy_mtl.kernels import subkernel
from spacy_mtl.structures import contract
from spacy_mtl.structures.contract import Scale, Weights, implements

from .outputs import add_output_parts
from .problem import GrammarProblem, items_of


@subkernel
def add_entries(rows, lines, columns, active, change, live, scale, amount, matrix):
    """Add amount * scale[j] * change to the entries of active parts, for live templates j. Arguments as in :func:`.decode.score_table`."""
    for k in active:
        for j in live:
            row = rows[lines[k], j]
            if row >= 0:
                matrix[row, columns[k]] += np.float32(amount * scale[j] * change[k])


@subkernel
def add_metric_entries(rows, lines, columns, active, change, live, metric, amount, matrix):
    """:func:`add_entries` with a factor for each single weight. metric: float32[R, K]."""
    for k in active:
        for j in live:
            row = rows[lines[k], j]
            if row >= 0:
                matrix[row, columns[k]] += np.float32(amount * change[k]) * metric[row, columns[k]]


@subkernel
def entry_products(rows, lines, columns, active, change, live, matrix, out):
    """Set out[j] to <change, matrix> over the entries of live templates j. out: float64[T]."""
    for j in live:
        total = 0.0
        for k in active:
            row = rows[lines[k], j]
            if row >= 0:
                total += np.float64(change[k]) * matrix[row, columns[k]]
        out[j] = total


@subkernel
def sum_entries(rows, lines, columns, active, change, j, width, table, keys, values):
    """The entries of template j as ``row * width + column``, each once: fill keys (int64[k]) and values (float64[k]), return how many they are.

    table: int32, a power of 2 above twice the number of active parts, all -1; so it is left. Entries are found by open addressing.
    """
    count, last = 0, table.size - 1
    for k in active:
        row = np.int64(rows[lines[k], j])
        if row < 0:
            continue
        key = row * width + columns[k]
        at = (key * 2654435761) & last
        while table[at] >= 0 and keys[table[at]] != key:
            at = (at + 1) & last
        if table[at] < 0:
            table[at], keys[count], values[count] = count, key, 0.0
            count += 1
        values[table[at]] += change[k]
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
def entry_norms(rows, lines, columns, active, change, live, width, out):
    """Set out[j] to the squared norm of the entries of live templates j. out: float64[T]."""
    table, keys, values = room_for(active.size)
    for j in live:
        total = 0.0
        for k in range(sum_entries(rows, lines, columns, active, change, j, width, table, keys, values)):
            total += values[k] * values[k]
        out[j] = total


@subkernel
def metric_norm(rows, lines, columns, active, change, live, metric):
    """sum of metric * entry^2 over the entries of live templates. metric: float32[R, K]."""
    table, keys, values = room_for(active.size)
    flat, total = metric.reshape(metric.size), 0.0
    for j in live:
        for k in range(sum_entries(rows, lines, columns, active, change, j, metric.shape[1], table, keys, values)):
            total += flat[keys[k]] * values[k] * values[k]
    return total


@implements(contract.add_direction, GrammarProblem, Scale)
def add_direction(problem, vector, live, scale, i, work, amount):
    begin, end, edge_begin, edge_end = items_of(problem.first_item, problem.first_edge, i)
    add_entries(
        problem.span_rows, problem.span[begin:end], problem.symbol[begin:end], work.active_items[: work.counts[0]],
        work.item_change, live.node, scale.node, amount, vector.node,
    )  # fmt: skip
    add_entries(
        problem.split_rows, problem.split[edge_begin:edge_end], problem.rule[edge_begin:edge_end],
        work.active_edges[: work.counts[1]], work.edge_change, live.pair, scale.pair, amount, vector.pair,
    )  # fmt: skip


@implements(contract.add_direction, GrammarProblem, Weights)
def add_metric_direction(problem, vector, live, scale, i, work, amount):
    begin, end, edge_begin, edge_end = items_of(problem.first_item, problem.first_edge, i)
    add_metric_entries(
        problem.span_rows, problem.span[begin:end], problem.symbol[begin:end], work.active_items[: work.counts[0]],
        work.item_change, live.node, scale.node, amount, vector.node,
    )  # fmt: skip
    add_metric_entries(
        problem.split_rows, problem.split[edge_begin:edge_end], problem.rule[edge_begin:edge_end],
        work.active_edges[: work.counts[1]], work.edge_change, live.pair, scale.pair, amount, vector.pair,
    )  # fmt: skip


@implements(contract.block_products, GrammarProblem)
def block_products(problem, vector, live, i, work, node, pair):
    begin, end, edge_begin, edge_end = items_of(problem.first_item, problem.first_edge, i)
    entry_products(
        problem.span_rows, problem.span[begin:end], problem.symbol[begin:end], work.active_items[: work.counts[0]],
        work.item_change, live.node, vector.node, node,
    )  # fmt: skip
    entry_products(
        problem.split_rows, problem.split[edge_begin:edge_end], problem.rule[edge_begin:edge_end],
        work.active_edges[: work.counts[1]], work.edge_change, live.pair, vector.pair, pair,
    )  # fmt: skip


@implements(contract.block_curvatures, GrammarProblem)
def block_curvatures(problem, live, i, work, node, pair):
    begin, end, edge_begin, edge_end = items_of(problem.first_item, problem.first_edge, i)
    entry_norms(
        problem.span_rows, problem.span[begin:end], problem.symbol[begin:end], work.active_items[: work.counts[0]],
        work.item_change, live.node, problem.n_symbols, node,
    )  # fmt: skip
    entry_norms(
        problem.split_rows, problem.split[edge_begin:edge_end], problem.rule[edge_begin:edge_end],
        work.active_edges[: work.counts[1]], work.edge_change, live.pair, problem.n_rules, pair,
    )  # fmt: skip


@implements(contract.curvature, GrammarProblem, Weights)
def metric_curvature(problem, live, scale, i, work):
    begin, end, edge_begin, edge_end = items_of(problem.first_item, problem.first_edge, i)
    of_items = metric_norm(
        problem.span_rows, problem.span[begin:end], problem.symbol[begin:end], work.active_items[: work.counts[0]],
        work.item_change, live.node, scale.node,
    )  # fmt: skip
    of_edges = metric_norm(
        problem.split_rows, problem.split[edge_begin:edge_end], problem.rule[edge_begin:edge_end],
        work.active_edges[: work.counts[1]], work.edge_change, live.pair, scale.pair,
    )  # fmt: skip
    return of_items + of_edges


@subkernel
def list_entries(rows, lines, columns, active, change, width):
    """Entries ``row * width + column`` (int64[k]) of active parts, over all templates, and their values (float64[k]); they may be repeated."""
    keys, values, count = np.empty(active.size * rows.shape[1], np.int64), np.empty(active.size * rows.shape[1]), 0
    for k in active:
        for j in range(rows.shape[1]):
            row = np.int64(rows[lines[k], j])
            if row >= 0:
                keys[count], values[count] = row * width + columns[k], change[k]
                count += 1
    return keys[:count], values[:count]


@implements(contract.direction_entries, GrammarProblem)
def direction_entries(problem, i, work):
    begin, end, edge_begin, edge_end = items_of(problem.first_item, problem.first_edge, i)
    node, node_values = list_entries(
        problem.span_rows, problem.span[begin:end], problem.symbol[begin:end], work.active_items[: work.counts[0]],
        work.item_change, problem.n_symbols,
    )  # fmt: skip
    pair, pair_values = list_entries(
        problem.split_rows, problem.split[edge_begin:edge_end], problem.rule[edge_begin:edge_end],
        work.active_edges[: work.counts[1]], work.edge_change, problem.n_rules,
    )  # fmt: skip
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
