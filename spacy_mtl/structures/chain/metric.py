"""Operations on single weights of chain features: curvature and steps under a metric (a factor for each weight), and directions as sparse vectors."""

import numpy as np

from spacy_mtl.kernels import subkernel
from spacy_mtl.structures import contract
from spacy_mtl.structures.contract import implements

from .directions import follow
from .problem import ChainProblem, n_pair_parts, split_live
from .vectors import entries, n_vectors


@subkernel
def weighted_dot(x, y, metric):
    """sum_k metric[k] x[k] y[k]."""
    total = 0.0
    for k in range(x.size):
        total += metric[k] * x[k] * y[k]
    return total


@subkernel
def weighted_norm2(rows, repeats, change, active, metric):
    """sum_k metric_k (sum_a change[a] at row rows[active[a]])_k^2 of one template column. metric: float32[R, K]; change: float32[A, K]."""
    total = 0.0
    for a in range(active.size):
        row = rows[active[a]]
        if row >= 0:
            total += weighted_dot(change[a], change[a], metric[row])
            if repeats:
                for b in range(a):
                    if rows[active[b]] == row:
                        total += 2 * weighted_dot(change[a], change[b], metric[row])
    return total


@subkernel
def weighted_product(vectors, t, u, v, x, y, metric):
    """sum_k metric_k (phi(x_t) (x) x)_k (phi(x_u) (x) y)_k in block v of explicit features."""
    first, first_end = entries(vectors, t, v)
    second, second_end = entries(vectors, u, v)
    total = 0.0
    while first < first_end and second < second_end:
        if vectors.rows[first] < vectors.rows[second]:
            first += 1
        elif vectors.rows[first] > vectors.rows[second]:
            second += 1
        else:
            both = np.float64(vectors.values[first]) * vectors.values[second]
            total += both * weighted_dot(x, y, metric[vectors.rows[first]])
            first += 1
            second += 1
    return total


@subkernel
def weighted_vector_norm2(vectors, first, v, active, change, metric):
    """sum_k metric_k (sum_a phi(x_t) (x) change[a])_k^2 in block v, t = first + active[a]."""
    total = 0.0
    if vectors is None:
        return total
    for a in range(active.size):
        for b in range(a + 1):
            both = weighted_product(
                vectors, first + active[a], first + active[b], v, change[a], change[b], metric
            )  # fmt: skip
            total += both if a == b else 2 * both
    return total


@implements(contract.curvature, ChainProblem, contract.Weights)
def metric_curvature(problem, live, scale, i, work):
    a, count, n_templates = problem.first[i], work.n_active[0], problem.rows.shape[1]
    last, active, change = problem.last[i], work.active[:count], work.change[:count]
    plain, vectors = split_live(problem, live)
    total = 0.0
    for j in plain:
        total += weighted_norm2(problem.rows[a:last, j], problem.repeats[i, j], change, active, scale.node)
    for j in vectors:
        total += weighted_vector_norm2(problem.vectors, a, j - n_templates, active, change, scale.node)
    n_pairs = n_pair_parts(problem, i)
    places, moved = np.empty(n_pairs, np.int64), 0
    pair_change = np.empty((n_pairs, work.pair_change.shape[1]), np.float32)
    for k in range(n_pairs):
        if (work.pair_change[k] != 0).any():
            places[moved], pair_change[moved] = k, work.pair_change[k]
            moved += 1
    for j in live.pair:
        rows = problem.pair_rows[a : a + n_pairs, j]
        total += weighted_norm2(rows, problem.observed, pair_change, places[:moved], scale.pair)
    return total


@subkernel
def add_weighted(rows, live, metric, change, amount, matrix):
    """Add amount * metric[rows[j]] * change to matrix[rows[j]] for each live template j of one token."""
    for k in range(live.size):
        row = rows[live[k]]
        if row >= 0:
            for y in range(change.size):
                matrix[row, y] += np.float32(amount) * metric[row, y] * change[y]


@subkernel
def add_weighted_vector(vectors, t, v, metric, change, amount, matrix):
    """Add amount * metric * phi(x_t) (x) change to matrix block v, entry by entry."""
    if vectors is None:
        return
    begin, end = entries(vectors, t, v)
    for e in range(begin, end):
        row, value = vectors.rows[e], np.float32(amount * vectors.values[e])
        for y in range(change.size):
            matrix[row, y] += value * metric[row, y] * change[y]


@implements(contract.add_direction, ChainProblem, contract.Weights)
def add_metric_direction(problem, vector, live, scale, i, work, amount):
    a, n_templates = problem.first[i], problem.rows.shape[1]
    plain, vectors = split_live(problem, live)
    for k in range(work.n_active[0]):
        t = a + work.active[k]
        add_weighted(problem.rows[t], plain, scale.node, work.change[k], amount, vector.node)
        for j in vectors:
            add_weighted_vector(
                problem.vectors, t, j - n_templates, scale.node, work.change[k], amount, vector.node
            )  # fmt: skip
    for k in range(n_pair_parts(problem, i)):
        if (work.pair_change[k] != 0).any():
            add_weighted(problem.pair_rows[a + k], live.pair, scale.pair, work.pair_change[k], amount, vector.pair)
    follow(problem, vector, live, work, work.lists)


@subkernel
def list_rows(rows, factor, change, keys, values, count):
    """Write the entries of factor * change for each of ``rows``, from position ``count`` on; return the position after them."""
    for j in range(rows.size):
        if rows[j] >= 0:
            for y in range(change.size):
                if change[y] != 0:
                    keys[count] = np.int64(rows[j]) * change.size + y
                    values[count] = np.float64(factor) * change[y]
                    count += 1
    return count


@subkernel
def list_vector_rows(vectors, t, change, keys, values, count):
    """:func:`list_rows` for all vector blocks of position t."""
    if vectors is None:
        return count
    for v in range(n_vectors(vectors)):
        begin, end = entries(vectors, t, v)
        for e in range(begin, end):
            count = list_rows(vectors.rows[e : e + 1], vectors.values[e], change, keys, values, count)
    return count


@subkernel
def most_entries(problem, i, work):
    """Upper bounds on the numbers of entries in the node and the pair part of the direction."""
    a, node, pair = problem.first[i], 0, 0
    for k in range(work.n_active[0]):
        node += problem.rows.shape[1]
        for v in range(n_vectors(problem.vectors)):
            begin, end = entries(problem.vectors, a + work.active[k], v)
            node += end - begin
    for k in range(n_pair_parts(problem, i)):
        pair += np.count_nonzero(work.pair_change[k])
    return node * work.change.shape[1], pair * problem.pair_rows.shape[1]


@implements(contract.direction_entries, ChainProblem)
def direction_entries(problem, i, work):
    a, (n_node, n_pair) = problem.first[i], most_entries(problem, i, work)
    node, node_values = np.empty(n_node, np.int64), np.empty(n_node)
    pair, pair_values = np.empty(n_pair, np.int64), np.empty(n_pair)
    n_node = n_pair = 0
    for k in range(work.n_active[0]):
        t, change = a + work.active[k], work.change[k]
        n_node = list_rows(problem.rows[t], 1.0, change, node, node_values, n_node)
        n_node = list_vector_rows(problem.vectors, t, change, node, node_values, n_node)
    for k in range(n_pair_parts(problem, i)):
        n_pair = list_rows(problem.pair_rows[a + k], 1.0, work.pair_change[k], pair, pair_values, n_pair)
    return node[:n_node], node_values[:n_node], pair[:n_pair], pair_values[:n_pair]
