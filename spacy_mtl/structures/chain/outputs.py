"""Chain outputs as plain label arrays, of which cutting planes are made (see :mod:`.contract`); gold as part marginals."""

import numpy as np

from spacy_mtl.structures import contract
from spacy_mtl.structures.contract import implements
from spacy_mtl.structures.offsets.chain import expected_offset

from .problem import ChainProblem, ChainState, n_pair_parts
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
    if problem.offset.shape[0]:
        a, at = problem.first[i], problem.first[i] if problem.observed else i
        total += expected_offset(
            problem.offset,
            problem.offset_pairs,
            a,
            problem.last[i],
            state.nodes,
            state.pairs[at : at + n_pair_parts(problem, i)],
        )
    return total
