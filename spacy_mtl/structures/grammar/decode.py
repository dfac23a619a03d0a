"""Grammars as a structure: scores, decoding and losses of :mod:`.contract` over a :class:`.GrammarProblem`."""

import numpy as np

from spacy_mtl.kernels import subkernel
from spacy_mtl.structures import contract
from spacy_mtl.structures.contract import implements

from .derivations import best_root, find_best, sum_parts, trace_back
from .problem import GrammarProblem, items_of


@subkernel
def score_table(rows, lines, columns, matrix, live, scale, out):
    """Set out[k] to the sum over live templates j of scale[j] * matrix[rows[lines[k], j], columns[k]], where a row of -1 counts as 0.

    rows: int32[., T]; lines: int64[k]; columns: int32[k]; matrix: float32[R, K]; live: int64[.]; scale: float64[T]; out: float[.], in whose
    precision the sums are.
    """
    for k in range(lines.size):
        total = out.dtype.type(0)
        for j in live:
            row = rows[lines[k], j]
            if row >= 0:
                total += np.float32(scale[j]) * matrix[row, columns[k]]
        out[k] = total


@implements(contract.score_scaled, GrammarProblem)
def score_scaled(problem, weights, live, scale, i, work):
    begin, end, edge_begin, edge_end = items_of(problem.first_item, problem.first_edge, i)
    score_table(
        problem.span_rows, problem.span[begin:end], problem.symbol[begin:end], weights.node, live.node, scale.node, work.items
    )  # fmt: skip
    score_table(
        problem.split_rows, problem.split[edge_begin:edge_end], problem.rule[edge_begin:edge_end], weights.pair, live.pair,
        scale.pair, work.edges,
    )  # fmt: skip


@subkernel
def add_table(values, amount, out):
    """Add amount * values to out, float32[.] both."""
    step = np.float32(amount)
    for k in range(values.size):
        out[k] += step * values[k]


@implements(contract.add_loss, GrammarProblem)
def add_loss(problem, i, work, amount):
    begin, end, edge_begin, edge_end = items_of(problem.first_item, problem.first_edge, i)
    add_table(problem.item_cost[begin:end], amount, work.items)
    add_table(problem.edge_cost[edge_begin:edge_end], amount, work.edges)


@implements(contract.decode, GrammarProblem)
def decode(problem, i, work, augmented):
    if augmented:
        contract.add_loss(problem, i, work, 1.0)
    begin, end, edge_begin, edge_end = items_of(problem.first_item, problem.first_edge, i)
    left, right = problem.left[edge_begin:edge_end], problem.right[edge_begin:edge_end]
    find_best(work.items, work.edges, problem.first_edge[begin : end + 1], left, right, work.best, work.back)
    top = best_root(problem.root[begin:end], work.best)
    trace_back(top, work.back, left, right, work.output[: problem.first[i + 1] - problem.first[i]])
    return work.best[top]


@subkernel
def sum_output(problem, i, items, edges, output):
    """The sum of numbers of the parts of an output. items: float[a] and edges: float[b], of sentence i."""
    _, _, edge_begin, edge_end = items_of(problem.first_item, problem.first_edge, i)
    return sum_parts(items, edges, problem.left[edge_begin:edge_end], problem.right[edge_begin:edge_end], output)


@implements(contract.output_loss, GrammarProblem)
def output_loss(problem, i, work):
    begin, end, edge_begin, edge_end = items_of(problem.first_item, problem.first_edge, i)
    output = work.output[: problem.first[i + 1] - problem.first[i]]
    return sum_output(problem, i, problem.item_cost[begin:end], problem.edge_cost[edge_begin:edge_end], output)
