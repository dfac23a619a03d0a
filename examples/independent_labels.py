"""A structure of one's own: every position of a sentence gets a label by itself.

A structure tells trainers how to score the parts of a sentence and how to find the best output; that is the contract of
``spacy_mtl.structures.contract``. Here a part is a label at a position, a feature is a row of the weight matrix, and the best output takes the best
label of each position. Trained as a CRF this is logistic regression, by MTLStruct a multiclass SVM that weighs its templates.

To write one: (1) a NamedTuple of arrays that holds the corpus, (2) one for the scratch space of a sentence and one for the marginals, (3) functions
marked ``@implements(contract.NAME, Labels)``, which numba compiles into the trainers' loops. They stand below in the order of the contract's groups:
stop after any group and the trainers that need no more will train. (4) ``Problem`` hands it all to a trainer, (5) ``check_structure`` tells which
function is wrong. Try it without compiling: ``NUMBA_DISABLE_JIT=1 python examples/independent_labels.py``.
"""

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np

from spacy_mtl.kernels import subkernel
from spacy_mtl.structures import contract
from spacy_mtl.structures.contract import Scale, Weights, implements
from spacy_mtl.structures.problem import Blocks, Problem
from spacy_mtl.testing import check_structure


class Labels(NamedTuple):
    """N positions in S sentences. first: int64[S + 1], borders. gold: int32[N]. rows: int32[N, T], feature row of each template, -1 for none."""

    first: np.ndarray
    gold: np.ndarray
    rows: np.ndarray
    n_labels: int


class Marginals(NamedTuple):
    """A number for each part. labels: float[N, L]."""

    labels: np.ndarray


class Work(NamedTuple):
    """Of one sentence of at most n positions. scores: float32[n, L]. labels: int32[n], the output. change: float32[n, L], the direction."""

    scores: np.ndarray
    labels: np.ndarray
    change: np.ndarray


def label_problem(rows: np.ndarray, gold: np.ndarray, first: np.ndarray, blocks: np.ndarray, n_labels: int) -> Problem:
    """A training problem. Arrays as in :class:`Labels`; blocks: int64[T + 1], template j owns the rows ``blocks[j]:blocks[j + 1]``."""
    names = tuple(f"template {j}" for j in range(len(blocks) - 1))
    arrays = Labels(first, gold, rows, n_labels)
    owners = Blocks(blocks, np.zeros(1, np.int64), names)  # no templates of a second kind
    return Problem(arrays, owners, n_labels, 1, structure="bag of labels", outputs=every_labelling)


def every_labelling(arrays: Labels) -> Iterator[Iterator[np.ndarray]]:
    """For check_structure: all outputs of each sentence."""
    for size in np.diff(arrays.first):
        yield (np.array(labels) for labels in product(range(arrays.n_labels), repeat=size))


# --- score and decode ---


@implements(contract.n_sentences, Labels)
def n_sentences(problem):
    return problem.first.size - 1


@implements(contract.n_templates, Labels)
def n_templates(problem):
    return problem.rows.shape[1], 0


@implements(contract.new_work, Labels)
def new_work(problem):
    shape = (np.diff(problem.first).max(), problem.n_labels)
    return Work(np.zeros(shape, np.float32), np.zeros(shape[0], np.int32), np.zeros(shape, np.float32))


@subkernel
def positions(problem, i):
    """The positions of sentence i in the corpus: int64[n]. Their places in ``work`` are 0 to n - 1."""
    return np.arange(problem.first[i], problem.first[i + 1])


@implements(contract.score_scaled, Labels)
def score_scaled(problem, weights, live, scale, i, work):
    for k, t in enumerate(positions(problem, i)):
        work.scores[k] = 0
        for j in live.node:
            if problem.rows[t, j] >= 0:
                work.scores[k] += np.float32(scale.node[j]) * weights.node[problem.rows[t, j]]


@implements(contract.add_loss, Labels)
def add_loss(problem, i, work, amount):
    for k, t in enumerate(positions(problem, i)):
        work.scores[k] += np.float32(amount)
        work.scores[k, problem.gold[t]] -= np.float32(amount)


@implements(contract.decode, Labels)
def decode(problem, i, work, augmented):
    if augmented:
        contract.add_loss(problem, i, work, 1.0)
    best = 0.0
    for k, _ in enumerate(positions(problem, i)):
        work.labels[k] = work.scores[k].argmax()
        best += work.scores[k, work.labels[k]]
    return best


@implements(contract.take_output, Labels)
def take_output(problem, i, output, work):
    work.labels[: output.size] = output


@implements(contract.output_loss, Labels)
def output_loss(problem, i, work):
    wrong = 0.0
    for k, t in enumerate(positions(problem, i)):
        wrong += work.labels[k] != problem.gold[t]
    return wrong


# --- outputs as arrays ---


@implements(contract.n_slots, Labels)
def n_slots(problem):
    return problem.gold.size


@implements(contract.gold_outputs, Labels)
def gold_outputs(problem):
    return problem.gold


@implements(contract.store_output, Labels)
def store_output(problem, i, work, outputs):
    for k, t in enumerate(positions(problem, i)):
        outputs[t] = work.labels[k]


@implements(contract.load_output, Labels)
def load_output(problem, i, outputs, work):
    for k, t in enumerate(positions(problem, i)):
        work.labels[k] = outputs[t]


@implements(contract.same_output, Labels)
def same_output(problem, i, work, outputs):
    same = True
    for k, t in enumerate(positions(problem, i)):
        same &= outputs[t] == work.labels[k]
    return same


@implements(contract.stored_score, Labels)
def stored_score(problem, i, outputs, work):
    total = 0.0
    for k, t in enumerate(positions(problem, i)):
        total += work.scores[k, outputs[t]]
    return total


# --- directions and steps ---


@implements(contract.gold_state, Labels)
def gold_state(problem):
    labels = np.zeros((problem.gold.size, problem.n_labels), np.float32)
    for t in range(problem.gold.size):
        labels[t, problem.gold[t]] = 1
    return Marginals(labels)


@implements(contract.set_vertex, Labels)
def set_vertex(problem, state, i, work):
    for k, t in enumerate(positions(problem, i)):
        state.labels[t] = 0
        state.labels[t, work.labels[k]] = 1


@implements(contract.expected_loss, Labels)
def expected_loss(problem, state, i):
    total = 0.0
    for t in positions(problem, i):
        total += state.labels[t].sum() - state.labels[t, problem.gold[t]]
    return total


@subkernel
def add_features(problem, vector, t, change, amount):
    """vector += amount * (features of position t) (x) change, over all templates. change: float[L]."""
    for row in problem.rows[t]:
        if row >= 0:
            for y in range(change.size):
                vector.node[row, y] += np.float32(amount * change[y])


@implements(contract.add_marginals, Labels)
def add_marginals(problem, vector, state, i, amount):
    for t in positions(problem, i):
        change = -state.labels[t]
        change[problem.gold[t]] += 1
        add_features(problem, vector, t, change, amount)


@implements(contract.set_direction, Labels)
def set_direction(problem, state, i, work):
    rise = 0.0
    for k, t in enumerate(positions(problem, i)):
        work.change[k] = -state.labels[t]
        work.change[k, work.labels[k]] += 1
        rise += (work.scores[k] * work.change[k]).sum()
    return rise


@implements(contract.set_difference, Labels)
def set_difference(problem, i, outputs, work):
    for k, t in enumerate(positions(problem, i)):
        work.change[k] = 0
        work.change[k, work.labels[k]] += 1
        work.change[k, outputs[t]] -= 1


@implements(contract.add_direction, Labels, Scale)
def add_direction(problem, vector, live, scale, i, work, amount):
    for k, t in enumerate(positions(problem, i)):
        for j in live.node:
            if problem.rows[t, j] >= 0:
                vector.node[problem.rows[t, j]] += np.float32(amount * scale.node[j]) * work.change[k]


@implements(contract.block_products, Labels)
def block_products(problem, vector, live, i, work, node, pair):
    for j in live.node:
        node[j] = 0
        for k, t in enumerate(positions(problem, i)):
            if problem.rows[t, j] >= 0:
                node[j] += (vector.node[problem.rows[t, j]] * work.change[k]).sum()


@implements(contract.block_curvatures, Labels)
def block_curvatures(problem, live, i, work, node, pair):
    for j in live.node:
        node[j] = 0
        for k, t in enumerate(positions(problem, i)):
            for m, u in enumerate(positions(problem, i)):  # a feature may recur in the sentence
                if problem.rows[t, j] >= 0 and problem.rows[t, j] == problem.rows[u, j]:
                    node[j] += (work.change[k] * work.change[m]).sum()


@implements(contract.move, Labels)
def move(problem, weights, live, scale, state, i, work, step):
    for k, t in enumerate(positions(problem, i)):
        state.labels[t] += np.float32(step) * work.change[k]
    contract.add_direction(problem, weights, live, scale, i, work, -step)


# --- marginals and log partition ---


@subkernel
def probabilities(scores, out):
    """out = softmax(scores); returns the log of its denominator. float[L] both."""
    top = scores.max()
    total = np.exp(scores.astype(np.float64) - top).sum()
    out[:] = np.exp(scores.astype(np.float64) - top) / total
    return top + np.log(total)


@implements(contract.set_marginals, Labels)
def set_marginals(problem, state, i, work):
    log_z = 0.0
    for k, t in enumerate(positions(problem, i)):
        log_z += probabilities(work.scores[k], state.labels[t])
    return log_z


@implements(contract.marginal_direction, Labels)
def marginal_direction(problem, i, work):
    log_z = 0.0
    for k, t in enumerate(positions(problem, i)):
        log_z += probabilities(work.scores[k], work.change[k])
        work.change[k, problem.gold[t]] -= 1
    return log_z


@implements(contract.load_parts, Labels)
def load_parts(problem, state, i, work):
    for k, t in enumerate(positions(problem, i)):
        work.scores[k] = state.labels[t]


@implements(contract.add_parts, Labels)
def add_parts(problem, state, i, work, amount):
    for k, t in enumerate(positions(problem, i)):
        state.labels[t] += np.float32(amount) * work.scores[k]


@implements(contract.dot_state, Labels)
def dot_state(problem, state, i, work):
    total = 0.0
    for k, t in enumerate(positions(problem, i)):
        total += (state.labels[t] * work.scores[k]).sum()
    return total


@implements(contract.add_state, Labels)
def add_state(problem, vector, state, i, amount):
    for t in positions(problem, i):
        add_features(problem, vector, t, state.labels[t], amount)


# --- k-best ---


@implements(contract.kbest, Labels)
def kbest(problem, i, work, k):
    outputs, scores = np.zeros((1, 0), np.int32), np.zeros(1)
    for n, _ in enumerate(positions(problem, i)):  # the best of n positions, each with every label of the next
        grown = (scores.reshape(-1, 1) + work.scores[n]).ravel()
        best = np.argsort(-grown)[:k]
        longer = np.empty((best.size, n + 1), np.int32)
        for b in range(best.size):
            longer[b, :n] = outputs[best[b] // problem.n_labels]
            longer[b, n] = best[b] % problem.n_labels
        outputs, scores = longer, grown[best]
    return outputs, scores


# --- single weights as a metric ---


@implements(contract.direction_entries, Labels)
def direction_entries(problem, i, work):
    keys, values = (
        np.empty(problem.rows.shape[1] * work.change.size, np.int64),
        np.empty(problem.rows.shape[1] * work.change.size),
    )
    count = 0
    for k, t in enumerate(positions(problem, i)):
        for row in problem.rows[t]:
            for y in range(problem.n_labels):
                if row >= 0 and work.change[k, y] != 0:
                    keys[count], values[count] = row * problem.n_labels + y, work.change[k, y]
                    count += 1
    return keys[:count], values[:count], keys[:0], values[:0]


@implements(contract.add_direction, Labels, Weights)
def add_metric_direction(problem, vector, live, scale, i, work, amount):
    for k, t in enumerate(positions(problem, i)):
        for j in live.node:
            row = problem.rows[t, j]
            if row >= 0:
                vector.node[row] += np.float32(amount) * scale.node[row] * work.change[k]


@implements(contract.curvature, Labels, Weights)
def metric_curvature(problem, live, scale, i, work):
    total = 0.0
    for j in live.node:
        for k, t in enumerate(positions(problem, i)):
            for m, u in enumerate(positions(problem, i)):
                row = problem.rows[t, j]
                if row >= 0 and row == problem.rows[u, j]:
                    total += (scale.node[row] * work.change[k] * work.change[m]).sum()
    return total


def small_problem(seed: int = 0) -> Problem:
    """Three sentences of up to four positions, three labels, two templates of three rows each."""
    random = np.random.default_rng(seed)
    first, blocks = np.array([0, 2, 6, 9]), np.array([0, 3, 6])
    rows = random.integers(-1, 3, (9, 2))
    rows = np.where(rows < 0, -1, rows + blocks[:-1]).astype(np.int32)
    return label_problem(rows, random.integers(0, 3, 9).astype(np.int32), first, blocks, 3)


if __name__ == "__main__":
    check_structure(small_problem())
    print("bag of labels offers", ", ".join(sorted(small_problem().offers)))
