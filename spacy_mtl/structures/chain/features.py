"""Features of chains: map directions and states in the parts to weight vectors, block by block."""

import numpy as np

from spacy_mtl.kernels import kernel, subkernel
from spacy_mtl.structures import contract
from spacy_mtl.structures.contract import implements

from .candidates import add_scaled, add_scaled_at, add_scaled_node
from .directions import follow
from .problem import N_PLACES, PLACES, ChainProblem, first_pair, n_pair_parts, split_live
from .vectors import add_vector, n_vectors, vector_norm2, vector_product


@kernel
def dot(x, y):
    total = 0.0
    for k in range(x.size):
        total += x[k] * y[k]
    return total


@subkernel
def block_norm2(rows, repeats, change, active, norms):
    """||sum_a change[a] at row rows[active[a]]||^2 of one template column: rows int32[n], norms float64[A] = ||change[a]||^2."""
    total = 0.0
    for a in range(active.size):
        if rows[active[a]] >= 0:
            total += norms[a]
    if repeats:
        for a in range(active.size):
            row = rows[active[a]]
            if row >= 0:
                for b in range(a):
                    if rows[active[b]] == row:
                        total += 2 * dot(change[a], change[b])
    return total


@subkernel
def node_norms(problem, live, i, work, out):
    """Write ||Phi_j(direction)||^2 of the live node blocks to ``out``, float64[blocks]."""
    a, n = problem.first[i], problem.last[i] - problem.first[i]
    count, n_templates = work.n_active[0], problem.rows.shape[1]
    active, change = work.active[:count], work.change[:count]
    norms = np.empty(count)
    for k in range(count):
        norms[k] = dot(change[k], change[k])
    plain, vectors = split_live(problem, live)
    for j in plain:
        out[j] = block_norm2(problem.rows[a : a + n, j], problem.repeats[i, j], change, active, norms)
    for j in vectors:
        out[j] = vector_norm2(problem.vectors, a, j - n_templates, active, change)


@subkernel
def pair_norms(problem, live, i, work, out):
    """Write ||Phi_j(direction)||^2 of the live pair templates to ``out``, float64[Tp]."""
    a, n_pairs = problem.first[i], n_pair_parts(problem, i)
    if live.pair.size == 0:
        return
    if work.n_active[N_PLACES] >= 0:
        norm = 0.0
        for k in range(work.n_active[N_PLACES]):
            norm += work.pair_change[0, work.n_active[PLACES + k]] ** 2
        for j in live.pair:
            out[j] = norm if problem.pair_rows[a, j] >= 0 else 0.0
        return
    places, norms = np.empty(n_pairs, np.int64), np.empty(n_pairs)
    change = np.empty((n_pairs, work.pair_change.shape[1]), np.float32)
    count = 0
    for k in range(n_pairs):
        norm = dot(work.pair_change[k], work.pair_change[k])
        if norm > 0:
            places[count], norms[count] = k, norm
            for z in range(change.shape[1]):
                change[count, z] = work.pair_change[k, z]
            count += 1
    for j in live.pair:
        out[j] = block_norm2(
            problem.pair_rows[a : a + n_pairs, j], problem.observed, change, places[:count], norms
        )  # fmt: skip


@implements(contract.block_curvatures, ChainProblem)
def block_curvatures(problem, live, i, work, node, pair):
    node_norms(problem, live, i, work, node)
    pair_norms(problem, live, i, work, pair)


@implements(contract.curvature, ChainProblem, contract.Scale)
def curvature(problem, live, scale, i, work):
    node, pair = np.empty(scale.node.size), np.empty(scale.pair.size)
    node_norms(problem, live, i, work, node)
    pair_norms(problem, live, i, work, pair)
    total, pairs = 0.0, 0.0
    for j in live.node:
        total += scale.node[j] * node[j]
    for j in live.pair:
        pairs += scale.pair[j] * pair[j]
    return total + pairs


@implements(contract.block_products, ChainProblem)
def block_products(problem, vector, live, i, work, node, pair):
    a, n_templates = problem.first[i], problem.rows.shape[1]
    plain, vectors = split_live(problem, live)
    for j in live.node:
        node[j] = 0
    for k in range(work.n_active[0]):
        t, change = a + work.active[k], work.change[k]
        for j in plain:
            if problem.rows[t, j] >= 0:
                node[j] += dot(change, vector.node[problem.rows[t, j]])
        for j in vectors:
            node[j] += vector_product(problem.vectors, t, j - n_templates, vector.node, change)
    for j in live.pair:
        pair[j] = 0
        for k in range(n_pair_parts(problem, i)):
            if problem.pair_rows[a + k, j] >= 0:
                pair[j] += dot(work.pair_change[k], vector.pair[problem.pair_rows[a + k, j]])


@implements(contract.kernel_norms, ChainProblem)
def kernel_norms(problem, weights, norms):
    kernelised_norms(problem.vectors, weights.node, norms[problem.rows.shape[1] :])


@subkernel
def kernelised_norms(vectors, matrix, norms):
    """Set norms[v] to the norm of block v of the matrix if it is kernelised."""
    if vectors is None:
        return
    own = vectors.own
    for v in range(own.shape[1]):
        if own.size and own[0, v] >= 0:
            total = 0.0
            for t in range(own.shape[0]):
                total += vector_product(vectors, t, v, matrix, matrix[own[t, v]])
            norms[v] = np.sqrt(max(total, 0.0))


@implements(contract.add_direction, ChainProblem, contract.Scale)
def add_direction(problem, vector, live, scale, i, work, amount):
    a, n_templates = problem.first[i], problem.rows.shape[1]
    plain, vectors = split_live(problem, live)
    for k in range(work.n_active[0]):
        t = a + work.active[k]
        add_scaled_node(
            problem.rows[t], problem.forms[t], plain, scale.node, work.change[k], amount, vector.node,
            problem.candidates,
        )  # fmt: skip
        for j in vectors:
            add_vector(problem.vectors, t, j - n_templates, work.change[k], amount * scale.node[j], vector.node)
    add_pair_direction(problem, vector.pair, live, scale, i, work, amount, work.lists)
    follow(problem, vector, live, work, work.lists)


@subkernel
def add_pair_direction(problem, matrix, live, scale, i, work, amount, lists):
    """The pair part of :func:`add_direction`."""
    a = problem.first[i]
    if live.pair.size == 0:
        return
    if lists is None:
        for k in range(first_pair(problem), n_pair_parts(problem, i)):
            add_scaled(problem.pair_rows[a + k], live.pair, scale.pair, work.pair_change[k], amount, matrix)
        return
    if work.n_active[N_PLACES] < 0:
        add_scaled(problem.pair_rows[a], live.pair, scale.pair, work.pair_change[0], amount, matrix)
    else:
        places = work.n_active[PLACES : PLACES + work.n_active[N_PLACES]]
        add_scaled_at(places, problem.pair_rows[a], live.pair, scale.pair, work.pair_change[0], amount, matrix)


@implements(contract.move, ChainProblem)
def move(problem, weights, live, scale, state, i, work, step):
    a = problem.first[i]
    for k in range(work.n_active[0]):
        t = a + work.active[k]
        for y in range(work.change.shape[1]):
            state.nodes[t, y] += np.float32(step) * work.change[k, y]
    at = a if problem.observed else i
    for k in range(n_pair_parts(problem, i)):
        for z in range(work.pair_change.shape[1]):
            state.pairs[at + k, z] += np.float32(step) * work.pair_change[k, z]
    contract.add_direction(problem, weights, live, scale, i, work, -step)


@subkernel
def add_node(problem, vector, t, change, amount):
    """Add amount * (features of position t) (x) change to vector, for all node blocks."""
    for j in range(problem.rows.shape[1]):
        row = problem.rows[t, j]
        if row >= 0:
            for y in range(change.size):
                vector.node[row, y] += np.float32(amount) * change[y]
    for v in range(n_vectors(problem.vectors)):
        add_vector(problem.vectors, t, v, change, amount, vector.node)


@subkernel
def add_pair(problem, vector, t, change, amount):
    """Add amount * (pair features of position t) (x) change to vector, for all pair templates."""
    for j in range(problem.pair_rows.shape[1]):
        row = problem.pair_rows[t, j]
        if row >= 0:
            for z in range(change.size):
                vector.pair[row, z] += np.float32(amount) * change[z]


@implements(contract.add_state, ChainProblem)
def add_state(problem, vector, state, i, amount):
    a, b = problem.first[i], problem.last[i]
    for t in range(a, b):
        if (state.nodes[t] != 0).any():
            add_node(problem, vector, t, state.nodes[t], amount)
    at = a if problem.observed else i
    for k in range(n_pair_parts(problem, i)):
        if (state.pairs[at + k] != 0).any():
            add_pair(problem, vector, a + k, state.pairs[at + k], amount)


@subkernel
def gold_minus(problem, state, t, difference):
    """Set difference[y] to 1{y = gold} - M[t, y]; return whether any entry is non-zero."""
    gold = problem.gold[t]
    any_left = False
    for y in range(difference.size):
        difference[y] = -state.nodes[t, y]
        if y == gold:
            difference[y] += 1
        any_left |= difference[y] != 0
    return any_left


@implements(contract.add_marginals, ChainProblem)
def add_marginals(problem, vector, state, i, amount):
    a, n = problem.first[i], problem.last[i] - problem.first[i]
    n_labels = problem.start.size
    difference = np.empty(n_labels, np.float32)
    for t in range(a, a + n):
        if gold_minus(problem, state, t, difference):
            add_node(problem, vector, t, difference, amount)
    at = a if problem.observed else i
    change = np.empty(n_labels * n_labels, np.float32)
    for k in range(n_pair_parts(problem, i)):
        for z in range(change.size):
            change[z] = -state.pairs[at + k, z]
        for t in range(max(1, k), k + 1 if problem.observed else n):
            change[problem.gold[a + t - 1] * n_labels + problem.gold[a + t]] += 1
        add_pair(problem, vector, a + k, change, amount)


@subkernel
def add_difference(rows, matrix, plus, minus, amount):
    """Add amount to matrix[rows, plus] and subtract it from matrix[rows, minus]."""
    for j in range(rows.size):
        row = rows[j]
        if row >= 0:
            matrix[row, plus] += amount
            matrix[row, minus] -= amount


@subkernel
def dot_difference(rows, matrix, plus, minus, dots):
    """Add matrix[rows[j], plus] - matrix[rows[j], minus] to dots[j]."""
    for j in range(rows.size):
        row = rows[j]
        if row >= 0:
            dots[j] += np.float64(matrix[row, plus]) - np.float64(matrix[row, minus])


@subkernel
def label_pair(problem, labels, offset, t):
    """The column of the pair weights for the labels of positions t - 1 and t."""
    return labels[t - 1 - offset] * problem.start.size + labels[t - offset]


@subkernel
def swap(problem, plus, minus):
    """A vector float32[L] with +1 at ``plus`` and -1 at ``minus``."""
    change = np.zeros(problem.start.size, np.float32)
    change[plus] += 1
    change[minus] -= 1
    return change


@subkernel
def add_vectors(problem, vector, t, plus, minus, amount):
    """:func:`add_difference` for the vector blocks of position t."""
    for v in range(n_vectors(problem.vectors)):
        add_vector(problem.vectors, t, v, swap(problem, plus, minus), amount, vector.node)


@subkernel
def dot_vectors(problem, vector, t, plus, minus, dots):
    """:func:`dot_difference` for the vector blocks of position t."""
    for v in range(n_vectors(problem.vectors)):
        dots[problem.rows.shape[1] + v] += vector_product(
            problem.vectors, t, v, vector.node, swap(problem, plus, minus)
        )


@implements(contract.add_output, ChainProblem)
def add_output(problem, vector, i, work, amount):
    a, b = problem.first[i], problem.last[i]
    for t in range(a, b):
        gold, label = problem.gold[t], work.labels[t - a]
        if gold != label:
            add_difference(problem.rows[t], vector.node, gold, label, vector.node.dtype.type(amount))
            if n_vectors(problem.vectors):
                add_vectors(problem, vector, t, gold, label, amount)
        if t > a:
            plus, minus = label_pair(problem, problem.gold, 0, t), label_pair(problem, work.labels, a, t)
            if plus != minus:
                add_difference(problem.pair_rows[t], vector.pair, plus, minus, vector.pair.dtype.type(amount))


@implements(contract.dot_output, ChainProblem)
def dot_output(problem, vector, i, work, node_dots, pair_dots):
    a, b = problem.first[i], problem.last[i]
    for t in range(a, b):
        gold, label = problem.gold[t], work.labels[t - a]
        if gold != label:
            dot_difference(problem.rows[t], vector.node, gold, label, node_dots)
            if n_vectors(problem.vectors):
                dot_vectors(problem, vector, t, gold, label, node_dots)
        if t > a:
            plus, minus = label_pair(problem, problem.gold, 0, t), label_pair(problem, work.labels, a, t)
            if plus != minus:
                dot_difference(problem.pair_rows[t], vector.pair, plus, minus, pair_dots)
