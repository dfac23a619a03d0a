"""Chain outputs as plain label arrays: what a cutting plane is made of (see :mod:`.contract`)."""

import numpy as np

from ..kernels import kernel
from . import contract
from .chain import output_score
from .chain_problem import ChainProblem
from .contract import implements


@implements(contract.n_slots, ChainProblem)
def n_slots(problem):
    return problem.gold.size


@implements(contract.store_output, ChainProblem)
def store_output(problem, i, work, outputs):
    a, b = problem.first[i], problem.last[i]
    outputs[a:b] = work.labels[: b - a]


@implements(contract.load_output, ChainProblem)
def load_output(problem, i, outputs, work):
    a, b = problem.first[i], problem.last[i]
    work.labels[: b - a] = outputs[a:b]


@implements(contract.gold_outputs, ChainProblem)
def gold_outputs(problem):
    return problem.gold.copy()


@implements(contract.same_output, ChainProblem)
def same_output(problem, i, work, outputs):
    a = problem.first[i]
    for t in range(a, problem.last[i]):  # noqa: SIM110  a loop is what numba compiles best
        if outputs[t] != work.labels[t - a]:
            return False
    return True


@implements(contract.stored_score, ChainProblem)
def stored_score(problem, i, outputs, work):
    a, n = problem.first[i], problem.last[i] - problem.first[i]
    return output_score(work.nodes[:n], work.pairs[: n if problem.observed else 1], outputs[a : a + n])


@implements(contract.set_difference, ChainProblem)
def set_difference(problem, i, outputs, work):
    a, n = problem.first[i], problem.last[i] - problem.first[i]
    n_labels = problem.start.size
    count = 0
    work.pair_change[: n if problem.observed else 1] = 0
    for t in range(n):
        plus, minus = work.labels[t], outputs[a + t]
        if plus != minus:
            work.active[count] = t
            work.change[count] = 0
            work.change[count, plus] = 1
            work.change[count, minus] = -1
            count += 1
        if t:
            k = t if problem.observed else 0
            work.pair_change[k, work.labels[t - 1] * n_labels + plus] += 1
            work.pair_change[k, outputs[a + t - 1] * n_labels + minus] -= 1
    work.n_active[0] = count


@implements(contract.set_vertex, ChainProblem)
def set_vertex(problem, state, i, work):
    a, n = problem.first[i], problem.last[i] - problem.first[i]
    n_labels = problem.start.size
    if not problem.observed:
        state.pairs[i] = 0
    for t in range(n):
        state.nodes[a + t] = 0
        state.nodes[a + t, work.labels[t]] = 1
        if problem.observed:
            state.pairs[a + t] = 0
        if t:
            state.pairs[a + t if problem.observed else i, work.labels[t - 1] * n_labels + work.labels[t]] += 1


@kernel
def add_difference(rows, matrix, plus, minus, amount):
    """matrix[rows, plus] += amount and matrix[rows, minus] -= amount."""
    for j in range(rows.size):
        row = rows[j]
        if row >= 0:
            matrix[row, plus] += amount
            matrix[row, minus] -= amount


@kernel
def dot_difference(rows, matrix, plus, minus, dots):
    """dots[j] += matrix[rows[j], plus] - matrix[rows[j], minus]."""
    for j in range(rows.size):
        row = rows[j]
        if row >= 0:
            dots[j] += np.float64(matrix[row, plus]) - np.float64(matrix[row, minus])


@kernel
def label_pair(problem, labels, offset, t):
    """Column of the pair weights for the labels of positions t - 1 and t."""
    return labels[t - 1 - offset] * problem.start.size + labels[t - offset]


@implements(contract.add_output, ChainProblem)
def add_output(problem, vector, i, work, amount):
    a, b = problem.first[i], problem.last[i]
    for t in range(a, b):
        gold, label = problem.gold[t], work.labels[t - a]
        if gold != label:
            add_difference(problem.rows[t], vector.node, gold, label, np.float32(amount))
        if t > a:
            plus, minus = label_pair(problem, problem.gold, 0, t), label_pair(problem, work.labels, a, t)
            if plus != minus:
                add_difference(problem.pair_rows[t], vector.pair, plus, minus, np.float32(amount))


@implements(contract.dot_output, ChainProblem)
def dot_output(problem, vector, i, work, node_dots, pair_dots):
    a, b = problem.first[i], problem.last[i]
    for t in range(a, b):
        gold, label = problem.gold[t], work.labels[t - a]
        if gold != label:
            dot_difference(problem.rows[t], vector.node, gold, label, node_dots)
        if t > a:
            plus, minus = label_pair(problem, problem.gold, 0, t), label_pair(problem, work.labels, a, t)
            if plus != minus:
                dot_difference(problem.pair_rows[t], vector.pair, plus, minus, pair_dots)
