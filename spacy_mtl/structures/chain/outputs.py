"""Chain outputs as plain label arrays, of which cutting planes are made (see :mod:`.contract`)."""

from spacy_mtl.structures import contract
from spacy_mtl.structures.contract import implements

from .problem import ChainProblem
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
