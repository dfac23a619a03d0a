"""A corpus of label sequences as arrays, and the generic functions of :mod:`.contract` over it."""

from typing import NamedTuple

import numpy as np

from ..kernels import kernel
from . import contract
from .chain import add_cost, add_rows, constrain, output_score, viterbi
from .contract import implements


class ChainProblem(NamedTuple):
    """A corpus of N tokens in S pieces; L labels; T node templates, Tp pair templates.

    A piece is a sentence, or a run of tokens inside one: positions without gold are left out, and structure regularization cuts.

    first, last: int64[S], piece s is the tokens ``first[s]:last[s]``.
    open_left, open_right: bool[S], whether the piece is cut off there (so that start and end constraints do not apply).
    gold: int32[N], -1 where unknown.
    rows: int32[N, T] and pair_rows: int32[N, Tp], feature rows, -1 where none; pair row t scores (t - 1, t).
    repeats: bool[S, T], whether a feature of that template recurs inside the piece.
    observed: whether any pair template reads an observation (else all positions share one transition matrix).
    start, end: float32[L] and step: float32[L, L], 0 or FORBIDDEN.
    cost: float32[L, L], loss of predicting the column where the row is gold.
    """

    first: np.ndarray
    last: np.ndarray
    open_left: np.ndarray
    open_right: np.ndarray
    gold: np.ndarray
    rows: np.ndarray
    pair_rows: np.ndarray
    repeats: np.ndarray
    observed: bool
    start: np.ndarray
    end: np.ndarray
    step: np.ndarray
    cost: np.ndarray


class ChainState(NamedTuple):
    """Part marginals of the corpus. nodes: float32[N, L].

    pairs: float32[S, L * L], expected label-pair counts of each piece; float32[N, L * L], position by position, where pair templates
    read observations.
    """

    nodes: np.ndarray
    pairs: np.ndarray


class ChainWork(NamedTuple):
    """Scratch of one piece of at most n tokens.

    nodes: float32[n, L] scores. pairs: float32[n or 1, L, L] scores. labels: int32[n]. best: float32[n, L]. back: int32[n, L].
    active: int64[n] positions where the direction is not zero; change: float32[n, L] its node part, in the order of ``active``;
    pair_change: float32[n or 1, L * L].  n_active: int64[1].
    alpha: float64[n, L] and factors: float64[n or 1, L, L], scratch of :func:`.chain_sums.log_partition`.
    """

    nodes: np.ndarray
    pairs: np.ndarray
    labels: np.ndarray
    best: np.ndarray
    back: np.ndarray
    active: np.ndarray
    change: np.ndarray
    pair_change: np.ndarray
    n_active: np.ndarray
    alpha: np.ndarray
    factors: np.ndarray


@kernel
def find_repeats(first, last, rows, repeats):
    """repeats[s, j] = True where a row of column j occurs twice inside piece s."""
    top = 0
    for t in range(rows.shape[0]):
        for j in range(rows.shape[1]):
            top = max(top, rows[t, j])
    seen_in = np.full(top + 1, -1, np.int32)
    for s in range(first.size):
        for t in range(first[s], last[s]):
            for j in range(rows.shape[1]):
                row = rows[t, j]
                if row >= 0:
                    repeats[s, j] |= seen_in[row] == s
                    seen_in[row] = s


@implements(contract.n_sentences, ChainProblem)
def n_sentences(problem):
    return problem.first.size


@implements(contract.new_work, ChainProblem)
def new_work(problem):
    longest = 1
    for s in range(problem.first.size):
        longest = max(longest, problem.last[s] - problem.first[s])
    n_labels = problem.start.size
    n_pairs = longest if problem.observed else 1
    return ChainWork(
        np.zeros((longest, n_labels), np.float32),
        np.zeros((n_pairs, n_labels, n_labels), np.float32),
        np.zeros(longest, np.int32),
        np.zeros((longest, n_labels), np.float32),
        np.zeros((longest, n_labels), np.int32),
        np.zeros(longest, np.int64),
        np.zeros((longest, n_labels), np.float32),
        np.zeros((n_pairs, n_labels * n_labels), np.float32),
        np.zeros(1, np.int64),
        np.zeros((longest, n_labels)),
        np.zeros((n_pairs, n_labels, n_labels)),
    )


@implements(contract.score_parts, ChainProblem)
def score_parts(problem, weights, live, i, work):
    a, b = problem.first[i], problem.last[i]
    n_labels = problem.start.size
    add_rows(problem.rows[a:b], weights.node, live.node, work.nodes)
    n_pairs = b - a if problem.observed else 1
    flat = work.pairs.reshape(work.pairs.shape[0], n_labels * n_labels)
    add_rows(problem.pair_rows[a : a + n_pairs], weights.pair, live.pair, flat)
    constrain(
        work.nodes[: b - a], work.pairs[:n_pairs], problem.start, problem.end, problem.step,
        problem.open_left[i], problem.open_right[i],
    )  # fmt: skip


@implements(contract.decode, ChainProblem)
def decode(problem, i, work, augmented):
    a, n = problem.first[i], problem.last[i] - problem.first[i]
    if augmented:
        add_cost(problem.cost, problem.gold[a : a + n], work.nodes)
    pairs = work.pairs[: n if problem.observed else 1]
    return viterbi(work.nodes[:n], pairs, work.best, work.back, work.labels)


@implements(contract.gold_score, ChainProblem)
def gold_score(problem, i, work):
    a, n = problem.first[i], problem.last[i] - problem.first[i]
    return output_score(work.nodes[:n], work.pairs[: n if problem.observed else 1], problem.gold[a : a + n])


@implements(contract.output_loss, ChainProblem)
def output_loss(problem, i, work):
    a = problem.first[i]
    loss = 0.0
    for t in range(problem.last[i] - a):
        if problem.gold[a + t] >= 0:
            loss += problem.cost[problem.gold[a + t], work.labels[t]]
    return loss


@kernel
def pair_direction(problem, state, i, work):
    """The pair part of the direction into ``work.pair_change``; returns <pair scores, direction>."""
    a, n = problem.first[i], problem.last[i] - problem.first[i]
    n_labels = problem.start.size
    n_pairs = n if problem.observed else 1
    at = a if problem.observed else i
    change = work.pair_change
    for k in range(n_pairs):
        for z in range(n_labels * n_labels):
            change[k, z] = -state.pairs[at + k, z]
    for t in range(1, n):
        change[t if problem.observed else 0, work.labels[t - 1] * n_labels + work.labels[t]] += 1
    total = 0.0
    for k in range(n_pairs):
        for z in range(n_labels * n_labels):
            if change[k, z] != 0:
                total += work.pairs[k, z // n_labels, z % n_labels] * change[k, z]
    return total


@kernel
def node_direction(problem, state, i, work):
    """The node part of the direction into ``work.change``; returns <node scores, direction>."""
    a = problem.first[i]
    total, count = 0.0, 0
    for t in range(problem.last[i] - a):
        label = work.labels[t]
        if state.nodes[a + t, label] == 1:
            continue
        work.active[count] = t
        for y in range(work.change.shape[1]):
            d = (1 if y == label else 0) - state.nodes[a + t, y]
            work.change[count, y] = d
            total += work.nodes[t, y] * d
        count += 1
    work.n_active[0] = count
    return total


@implements(contract.set_direction, ChainProblem)
def set_direction(problem, state, i, work):
    return node_direction(problem, state, i, work) + pair_direction(problem, state, i, work)


@implements(contract.gold_state, ChainProblem)
def gold_state(problem):
    n_labels = problem.start.size
    nodes = np.zeros((problem.gold.size, n_labels), np.float32)
    pairs = np.zeros((problem.gold.size if problem.observed else problem.first.size, n_labels * n_labels), np.float32)
    for i in range(problem.first.size):
        for t in range(problem.first[i], problem.last[i]):
            nodes[t, problem.gold[t]] = 1
            if t > problem.first[i]:
                pairs[t if problem.observed else i, problem.gold[t - 1] * n_labels + problem.gold[t]] += 1
    return ChainState(nodes, pairs)


@kernel
def dot(x, y):
    total = 0.0
    for k in range(x.size):
        total += x[k] * y[k]
    return total


@kernel
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


@kernel
def pair_curvature(problem, live, scale, i, work):
    """The pair templates' share of :func:`curvature`."""
    a, n = problem.first[i], problem.last[i] - problem.first[i]
    n_pairs = n if problem.observed else 1
    places, norms = np.empty(n_pairs, np.int64), np.empty(n_pairs)
    change = np.empty((n_pairs, work.pair_change.shape[1]), np.float32)
    count = 0
    for k in range(n_pairs):
        norm = dot(work.pair_change[k], work.pair_change[k])
        if norm > 0:
            places[count], norms[count], change[count] = k, norm, work.pair_change[k]
            count += 1
    total = 0.0
    for k in range(live.pair.size):
        j = live.pair[k]
        rows = problem.pair_rows[a : a + n_pairs, j]
        total += scale.pair[j] * block_norm2(rows, problem.observed, change, places[:count], norms)
    return total


@implements(contract.curvature, ChainProblem)
def curvature(problem, live, scale, i, work):
    a, n = problem.first[i], problem.last[i] - problem.first[i]
    count = work.n_active[0]
    active, change = work.active[:count], work.change[:count]
    norms = np.empty(count)
    for k in range(count):
        norms[k] = dot(change[k], change[k])
    total = 0.0
    for k in range(live.node.size):
        j = live.node[k]
        total += scale.node[j] * block_norm2(problem.rows[a : a + n, j], problem.repeats[i, j], change, active, norms)
    return total + pair_curvature(problem, live, scale, i, work)


@kernel
def add_scaled(rows, live, scale, change, amount, matrix):
    """matrix[rows[j]] += amount * scale[j] * change for each live template j of one token."""
    for k in range(live.size):
        row = rows[live[k]]
        if row >= 0:
            factor = np.float32(amount * scale[live[k]])
            for y in range(change.size):
                matrix[row, y] += factor * change[y]


@implements(contract.move, ChainProblem)
def move(problem, weights, live, scale, state, i, work, step):
    a, n = problem.first[i], problem.last[i] - problem.first[i]
    for k in range(work.n_active[0]):
        t = a + work.active[k]
        for y in range(work.change.shape[1]):
            state.nodes[t, y] += np.float32(step) * work.change[k, y]
        add_scaled(problem.rows[t], live.node, scale.node, work.change[k], -step, weights.node)
    at = a if problem.observed else i
    for k in range(n if problem.observed else 1):
        for z in range(work.pair_change.shape[1]):
            state.pairs[at + k, z] += np.float32(step) * work.pair_change[k, z]
        add_scaled(problem.pair_rows[a + k], live.pair, scale.pair, work.pair_change[k], -step, weights.pair)


@kernel
def gold_minus(problem, state, t, difference):
    """difference[y] = 1{y = gold} - M[t, y]; returns whether any entry is not zero."""
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
    all_node, all_pair = np.arange(problem.rows.shape[1]), np.arange(problem.pair_rows.shape[1])
    ones = np.ones(max(all_node.size, all_pair.size))
    difference = np.empty(n_labels, np.float32)
    for t in range(a, a + n):
        if gold_minus(problem, state, t, difference):
            add_scaled(problem.rows[t], all_node, ones, difference, amount, vector.node)
    at = a if problem.observed else i
    change = np.empty(n_labels * n_labels, np.float32)
    for k in range(n if problem.observed else 1):
        change[:] = -state.pairs[at + k]
        for t in range(max(1, k), k + 1 if problem.observed else n):
            change[problem.gold[a + t - 1] * n_labels + problem.gold[a + t]] += 1
        add_scaled(problem.pair_rows[a + k], all_pair, ones, change, amount, vector.pair)


@implements(contract.expected_loss, ChainProblem)
def expected_loss(problem, state, i):
    total = 0.0
    for t in range(problem.first[i], problem.last[i]):
        if problem.gold[t] >= 0:
            for y in range(problem.start.size):
                total += problem.cost[problem.gold[t], y] * state.nodes[t, y]
    return total
