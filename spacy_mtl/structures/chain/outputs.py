"""Chain outputs as plain label arrays, of which cutting planes are made (see :mod:`.contract`), their losses; gold and part scores as states."""

import numpy as np

from spacy_mtl.structures import contract
from spacy_mtl.structures.contract import implements
from spacy_mtl.structures.offsets.chain import expected_offset, offset_of

from .problem import HELD, ChainProblem, ChainState, forbid, n_pair_parts
from .viterbi import output_score


@implements(contract.n_slots, ChainProblem)
def n_slots(problem):
    return problem.gold.size


@implements(contract.store_output, ChainProblem)
def store_output(problem, i, work, outputs):
    a, b = problem.first[i], problem.last[i]
    for t in range(a, b):
        outputs[t] = work.labels[t - a]


@implements(contract.load_output, ChainProblem)
def load_output(problem, i, outputs, work):
    a, b = problem.first[i], problem.last[i]
    for t in range(a, b):
        work.labels[t - a] = outputs[t]


@implements(contract.take_output, ChainProblem)
def take_output(problem, i, output, work):
    for t in range(output.size):
        work.labels[t] = output[t]


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


@implements(contract.output_loss, ChainProblem)
def output_loss(problem, i, work):
    a = problem.first[i]
    loss = 0.0
    for t in range(problem.last[i] - a):
        if problem.gold[a + t] >= 0:
            loss += problem.cost[problem.gold[a + t], work.labels[t]]
    return loss + contract.output_offset(problem, i, work)


@implements(contract.output_offset, ChainProblem)
def output_offset(problem, i, work):
    return offset_of(problem.offset, problem.offset_pairs, problem.first[i], problem.last[i], work.labels)


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


@implements(contract.expected_loss, ChainProblem)
def expected_loss(problem, state, i):
    total = 0.0
    for t in range(problem.first[i], problem.last[i]):
        if problem.gold[t] >= 0:
            for y in range(problem.start.size):
                total += problem.cost[problem.gold[t], y] * state.nodes[t, y]
    a, at = problem.first[i], problem.first[i] if problem.observed else i
    pairs = state.pairs[at : at + n_pair_parts(problem, i)]
    return total + expected_offset(problem.offset, problem.offset_pairs, a, problem.last[i], state.nodes, pairs)


@implements(contract.load_parts, ChainProblem)
def load_parts(problem, state, i, work):
    a, n = problem.first[i], problem.last[i] - problem.first[i]
    n_labels = problem.start.size
    work.nodes[:n] = state.nodes[a : a + n]
    at = a if problem.observed else i
    for k in range(n_pair_parts(problem, i)):
        work.pairs[k] = state.pairs[at + k].reshape(n_labels, n_labels)
    work.n_active[HELD] = 0
    forbid(problem, i, work)


@implements(contract.add_parts, ChainProblem)
def add_parts(problem, state, i, work, amount):
    a, n = problem.first[i], problem.last[i] - problem.first[i]
    n_labels = problem.start.size
    step = np.float32(amount)
    at = a if problem.observed else i
    for t in range(n):
        for y in range(n_labels):
            state.nodes[a + t, y] += step * work.nodes[t, y]
    for k in range(n_pair_parts(problem, i)):
        for z in range(n_labels * n_labels):
            state.pairs[at + k, z] += step * work.pairs[k, z // n_labels, z % n_labels]


@implements(contract.dot_state, ChainProblem)
def dot_state(problem, state, i, work):
    a, n = problem.first[i], problem.last[i] - problem.first[i]
    n_labels = problem.start.size
    at = a if problem.observed else i
    total = 0.0
    for t in range(n):
        for y in range(n_labels):
            total += np.float64(state.nodes[a + t, y]) * work.nodes[t, y]
    for k in range(n_pair_parts(problem, i)):
        for z in range(n_labels * n_labels):
            total += np.float64(state.pairs[at + k, z]) * work.pairs[k, z // n_labels, z % n_labels]
    return total
