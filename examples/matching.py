"""A small structure: bipartite matching, the best pairing of n things on the left with n on the right.

It implements the groups ``decode``, ``outputs`` and ``directions`` and stops there: a sum over all matchings is a permanent, out of
reach. That is enough for the perceptron, MTLStruct, SSVM, OnlineMKL on the hinge loss and L1M3N by subgradients.
``independent_labels.py`` implements every group. Try it without compiling: ``NUMBA_DISABLE_JIT=1 python examples/matching.py``.
"""

from collections.abc import Iterator
from itertools import permutations
from typing import NamedTuple

import numpy as np

from spacy_mtl.kernels import subkernel
from spacy_mtl.structures import contract
from spacy_mtl.structures.contract import Scale, implements
from spacy_mtl.structures.problem import Blocks, Problem
from spacy_mtl.testing import check_structure


class Matching(NamedTuple):
    """S sentences of n things a side. first: int64[S + 1], borders of the things; edge: int64[S + 1], of the n * n edges, row by row.

    gold: int32[N], the partner of each thing on the left, from 0. rows: int32[E, T], feature row of each edge and template, -1 for none.
    """

    first: np.ndarray
    edge: np.ndarray
    gold: np.ndarray
    rows: np.ndarray


class Work(NamedTuple):
    """Of one sentence. scores, change: float32[n, n], scores and direction of its edges. partner: int32[n], the output."""

    scores: np.ndarray
    change: np.ndarray
    partner: np.ndarray


class Marginals(NamedTuple):
    """edges: float32[E], a number for each edge."""

    edges: np.ndarray


@subkernel
def hungarian(scores, n, partner):
    """The matching of highest score, partner int32[n], in O(n^3): rows join one by one, each along a shortest augmenting path (Kuhn 1955)."""
    u, v, row_of = (
        np.zeros(n + 1),
        np.zeros(n + 1),
        np.zeros(n + 1, np.int64),
    )  # potentials; row_of[b]: row of column b, from 1
    for a in range(1, n + 1):
        row_of[0], column, seen = a, 0, np.zeros(n + 1, np.bool_)
        slack, before = np.full(n + 1, np.inf), np.zeros(n + 1, np.int64)
        while row_of[column] != 0:
            seen[column], closest = True, -1
            for b in range(1, n + 1):
                if not seen[b]:
                    reduced = -scores[row_of[column] - 1, b - 1] - u[row_of[column]] - v[b]
                    if reduced < slack[b]:
                        slack[b], before[b] = reduced, column
                    if closest < 0 or slack[b] < slack[closest]:
                        closest = b
            step = slack[closest]
            for b in range(n + 1):
                if seen[b]:
                    u[row_of[b]] += step
                    v[b] -= step
                else:
                    slack[b] -= step
            column = closest
        while column != 0:
            row_of[column] = row_of[before[column]]
            column = before[column]
    for b in range(1, n + 1):
        partner[row_of[b] - 1] = b - 1


@subkernel
def size(problem, i):
    """Things a side of sentence i."""
    return problem.first[i + 1] - problem.first[i]


@subkernel
def gold_of(problem, i):
    """Partners in gold: int32[n], a view."""
    return problem.gold[problem.first[i] : problem.first[i + 1]]


@implements(contract.n_sentences, Matching)
def n_sentences(problem):
    return problem.first.size - 1


@implements(contract.n_templates, Matching)
def n_templates(problem):
    return problem.rows.shape[1], 0


@implements(contract.new_work, Matching)
def new_work(problem):
    n = np.diff(problem.first).max()
    return Work(np.zeros((n, n), np.float32), np.zeros((n, n), np.float32), np.zeros(n, np.int32))


@implements(contract.score_scaled, Matching)
def score_scaled(problem, weights, live, scale, i, work):
    n = size(problem, i)
    for k in range(n * n):
        work.scores[k // n, k % n] = 0
        for j in live.node:
            row = problem.rows[problem.edge[i] + k, j]
            if row >= 0:
                work.scores[k // n, k % n] += np.float32(scale.node[j]) * weights.node[row, 0]


@implements(contract.add_loss, Matching)
def add_loss(problem, i, work, amount):
    for a, b in enumerate(gold_of(problem, i)):
        work.scores[a, : size(problem, i)] += np.float32(amount)
        work.scores[a, b] -= np.float32(amount)


@implements(contract.decode, Matching)
def decode(problem, i, work, augmented):
    if augmented:
        contract.add_loss(problem, i, work, 1.0)
    n, score = size(problem, i), 0.0
    hungarian(work.scores, n, work.partner)
    for a in range(n):
        score += work.scores[a, work.partner[a]]
    return score


@implements(contract.take_output, Matching)
def take_output(problem, i, output, work):
    work.partner[: output.size] = output


@implements(contract.output_loss, Matching)
def output_loss(problem, i, work):
    return float((work.partner[: size(problem, i)] != gold_of(problem, i)).sum())


@implements(contract.n_slots, Matching)
def n_slots(problem):
    return problem.gold.size


@implements(contract.gold_outputs, Matching)
def gold_outputs(problem):
    return problem.gold


@implements(contract.store_output, Matching)
def store_output(problem, i, work, outputs):
    outputs[problem.first[i] : problem.first[i + 1]] = work.partner[: size(problem, i)]


@implements(contract.load_output, Matching)
def load_output(problem, i, outputs, work):
    work.partner[: size(problem, i)] = outputs[problem.first[i] : problem.first[i + 1]]


@implements(contract.same_output, Matching)
def same_output(problem, i, work, outputs):
    return (outputs[problem.first[i] : problem.first[i + 1]] == work.partner[: size(problem, i)]).all()


@implements(contract.stored_score, Matching)
def stored_score(problem, i, outputs, work):
    score = 0.0
    for a in range(size(problem, i)):
        score += work.scores[a, outputs[problem.first[i] + a]]
    return score


@implements(contract.gold_state, Matching)
def gold_state(problem):
    edges = np.zeros(problem.edge[-1], np.float32)
    for i in range(problem.first.size - 1):
        for a, b in enumerate(gold_of(problem, i)):
            edges[problem.edge[i] + a * size(problem, i) + b] = 1
    return Marginals(edges)


@implements(contract.set_vertex, Matching)
def set_vertex(problem, state, i, work):
    state.edges[problem.edge[i] : problem.edge[i + 1]] = 0
    for a in range(size(problem, i)):
        state.edges[problem.edge[i] + a * size(problem, i) + work.partner[a]] = 1


@implements(contract.expected_loss, Matching)
def expected_loss(problem, state, i):
    loss = float(size(problem, i))
    for a, b in enumerate(gold_of(problem, i)):
        loss -= state.edges[problem.edge[i] + a * size(problem, i) + b]
    return loss


@implements(contract.add_marginals, Matching)
def add_marginals(problem, vector, state, i, amount):
    n, gold = size(problem, i), gold_of(problem, i)
    for k in range(n * n):
        change = np.float32(amount) * ((gold[k // n] == k % n) - state.edges[problem.edge[i] + k])
        for row in problem.rows[problem.edge[i] + k]:
            if row >= 0:
                vector.node[row, 0] += np.float32(change)


@implements(contract.set_direction, Matching)
def set_direction(problem, state, i, work):
    n, rise = size(problem, i), 0.0
    for k in range(n * n):
        work.change[k // n, k % n] = (work.partner[k // n] == k % n) - state.edges[problem.edge[i] + k]
        rise += work.scores[k // n, k % n] * work.change[k // n, k % n]
    return rise


@implements(contract.set_difference, Matching)
def set_difference(problem, i, outputs, work):
    work.change[:] = 0
    for a in range(size(problem, i)):
        work.change[a, work.partner[a]] += 1
        work.change[a, outputs[problem.first[i] + a]] -= 1


@implements(contract.add_direction, Matching, Scale)
def add_direction(problem, vector, live, scale, i, work, amount):
    n = size(problem, i)
    for k in range(n * n):
        for j in live.node:
            row = problem.rows[problem.edge[i] + k, j]
            if row >= 0:
                vector.node[row, 0] += np.float32(amount * scale.node[j]) * work.change[k // n, k % n]


@implements(contract.block_products, Matching)
def block_products(problem, vector, live, i, work, node, pair):
    n = size(problem, i)
    for j in live.node:
        node[j] = 0
        for k in range(n * n):
            row = problem.rows[problem.edge[i] + k, j]
            if row >= 0:
                node[j] += vector.node[row, 0] * work.change[k // n, k % n]


@implements(contract.block_curvatures, Matching)
def block_curvatures(problem, live, i, work, node, pair):
    n = size(problem, i)
    for j in live.node:
        node[j], rows = 0, problem.rows[problem.edge[i] : problem.edge[i + 1], j]
        for k in range(n * n):
            for m in range(n * n):  # a feature may recur in the sentence
                if rows[k] >= 0 and rows[k] == rows[m]:
                    node[j] += work.change[k // n, k % n] * work.change[m // n, m % n]


@implements(contract.move, Matching)
def move(problem, weights, live, scale, state, i, work, step):
    n = size(problem, i)
    for k in range(n * n):
        state.edges[problem.edge[i] + k] += np.float32(step) * work.change[k // n, k % n]
    contract.add_direction(problem, weights, live, scale, i, work, -step)


def every_matching(arrays: Matching) -> Iterator[Iterator[np.ndarray]]:
    """For check_structure: all outputs of each sentence."""
    for n in np.diff(arrays.first):
        yield (np.array(partners, np.int32) for partners in permutations(range(n)))


def small_problem(seed: int = 2) -> Problem:
    """Three sentences of one to four things a side, two templates of four rows each."""
    random, sizes, blocks = np.random.default_rng(seed), np.array([3, 1, 4]), np.array([0, 4, 8])
    first, edge = (np.concatenate([[0], np.cumsum(counts)]) for counts in (sizes, sizes**2))
    rows = random.integers(-1, 4, (edge[-1], 2))
    rows = np.where(rows < 0, -1, rows + blocks[:-1]).astype(np.int32)
    gold = np.concatenate([random.permutation(n) for n in sizes]).astype(np.int32)
    owners = Blocks(blocks, np.zeros(1, np.int64), ("first", "second"))
    return Problem(Matching(first, edge, gold, rows), owners, 1, 1, structure="matching", outputs=every_matching)


if __name__ == "__main__":
    check_structure(small_problem())
    print("matching offers", ", ".join(sorted(small_problem().offers)))
