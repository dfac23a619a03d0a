"""Steps between outputs with weights that are held: the same weights, outputs and scores as without, for few labels and for many."""

import numpy as np
import pytest

from spacy_mtl.kernels import kernel
from spacy_mtl.structures import contract
from spacy_mtl.structures.chain.build import ChainFeatures, Constraints, chain_problem
from spacy_mtl.structures.problem import Blocks, block_starts, shares


@kernel
def steps(arrays, weights, live, scale, state, every, pace, order, held, outputs, scores, curvatures):
    """For each sentence of ``order``: its best output, a step towards it from its stored one or (every so often) from its marginals.

    outputs: int32[K + 1, N], what is stored before and after each step; the first is given.
    """
    work = contract.new_work(arrays)
    if held:
        contract.hold_weights(arrays, weights, live, work)
    for k in range(order.size):
        i = order[k]
        contract.score_parts(arrays, weights, live, i, work)
        scores[k] = contract.decode(arrays, i, work, True)
        if (k + 1) % every == 0:
            contract.set_direction(arrays, state, i, work)
        else:
            contract.set_difference(arrays, i, outputs[k], work)
        curvatures[k] = contract.curvature(arrays, live, scale, i, work)
        outputs[k + 1] = outputs[k]
        contract.store_output(arrays, i, work, outputs[k + 1])
        contract.add_direction(arrays, weights, live, scale, i, work, -pace)


def problem_of(n_labels, forbidden):
    """Sentences of 1 to 7 words, features that recur, two templates of label pairs, and transitions that may be forbidden."""
    random = np.random.default_rng(n_labels)
    starts = block_starts(random.integers(1, 8, 30))
    n = int(starts[-1])
    rows = random.integers(0, 12, (n, 2)).astype(np.int32) + np.array([0, 12], np.int32)
    pair_rows = np.tile(np.array([0, 1], np.int32), (n, 1))
    blocks = Blocks(np.array([0, 12, 24]), np.array([0, 1, 2]), ("a", "b", "c", "d"))
    allowed = Constraints.none(n_labels)
    gold = random.integers(0, n_labels, n)
    if forbidden:
        allowed.step[:] = random.random((n_labels, n_labels)) < 0.4
        allowed.step[gold[:-1], gold[1:]] = True
    return chain_problem(
        ChainFeatures(rows, pair_rows, False), blocks, gold, starts, [f"y{y}" for y in range(n_labels)], allowed
    )


SCALE = np.array([0.5, 1.0, 0.25, 2.0])


def run(problem, held, first, live, every, pace):
    """Weights, outputs, scores and curvatures. The first outputs may have forbidden transitions."""
    weights = type(first)(*(matrix.copy() for matrix in first))
    order = np.random.default_rng(0).integers(0, problem.n, 90)
    outputs = np.zeros((order.size + 1, problem.arrays.gold.size), np.int32)
    outputs[0] = np.random.default_rng(2).integers(0, problem.arrays.start.size, problem.arrays.gold.size)
    found = outputs, np.empty(order.size), np.empty(order.size)
    steps(problem.arrays, weights, live, shares(problem, SCALE), problem.gold_state(), every, pace, order, held, *found)
    return (*weights, *found)


@pytest.mark.parametrize("learnt", [True, False])
@pytest.mark.parametrize("everything", [True, False])
@pytest.mark.parametrize("forbidden", [False, True])
@pytest.mark.parametrize("n_labels", [3, 70])
def test_held_weights_change_nothing(n_labels, forbidden, everything, learnt):
    """Also where all transitions are alike at first, and few are much better later."""
    pace = 0.25 if learnt else 8.0
    problem = problem_of(n_labels, forbidden)
    random = np.random.default_rng(1)
    first = type(problem.zeros())(*(random.normal(size=m.shape).round(1).astype(np.float32) for m in problem.zeros()))
    first.pair[:] *= learnt
    live = problem.live(np.array([True, everything, True, everything]))
    for one, other in zip(*(run(problem, held, first, live, 3, pace) for held in (True, False)), strict=True):
        np.testing.assert_array_equal(one, other)


def features(problem, labels):
    """Phi of all sentences, in the shape of the weights."""
    arrays, (node, pair) = problem.arrays, (matrix.astype(float) for matrix in problem.zeros())
    for a, b in zip(arrays.first, arrays.last, strict=True):
        for t in range(a, b):
            node[arrays.rows[t], labels[t]] += 1
            if t > a:
                pair[:, labels[t - 1] * arrays.start.size + labels[t]] += 1
    return node, pair


@pytest.mark.parametrize("n_labels", [3, 70])
def test_steps_are_those_between_the_features_of_outputs(n_labels):
    """Some transitions occur more than once, in one output or in both."""
    problem = problem_of(n_labels, True)
    *weights, outputs, _, curvatures = run(problem, True, problem.zeros(), problem.all_live(), 1000, 0.25)
    expected = [matrix.astype(float) for matrix in problem.zeros()]
    for k, curvature in enumerate(curvatures):
        change = [
            new - old for new, old in zip(features(problem, outputs[k + 1]), features(problem, outputs[k]), strict=True)
        ]
        lengths = [*(np.sum(change[0][r : r + 12] ** 2) for r in (0, 12)), *(np.sum(change[1] ** 2, axis=1))]
        assert curvature == pytest.approx(SCALE @ lengths)
        for j, (matrix, row) in enumerate([(0, slice(0, 12)), (0, slice(12, 24)), (1, 0), (1, 1)]):
            expected[matrix][row] -= 0.25 * SCALE[j] * change[matrix][row]
    assert (outputs[0] != outputs[-1]).any()
    for matrix, exact in zip(weights, expected, strict=True):
        np.testing.assert_allclose(matrix, exact, atol=1e-5)
