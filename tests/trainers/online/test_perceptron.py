"""The averaged perceptron against the same in plain Python, with dense vectors and enumeration of all outputs."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from spacy_mtl.structures.contract import Weights
from spacy_mtl.structures.problem import Blocks
from spacy_mtl.trainers.base import fit
from spacy_mtl.trainers.online.perceptron import Perceptron, perceptron

from ..reference import LABELS, feature_vector, random_problem


def dense(weights: Weights) -> np.ndarray:
    return np.concatenate([matrix.ravel() for matrix in weights]).astype(float)


def best_output(problem, w: np.ndarray, i: int, margin: bool) -> tuple[int, ...]:
    """The best of all outputs; of several, the one with the least labels, seen from the end."""
    gold = problem.arrays.gold[problem.arrays.first[i] : problem.arrays.last[i]]

    def badness(labels):
        loss = np.sum(np.array(labels) != gold) if margin else 0
        return -(w @ feature_vector(problem, i, labels) + loss), labels[::-1]

    return min(product(range(len(LABELS)), repeat=gold.size), key=badness)


def plain_perceptron(problem, orders: list[np.ndarray], margin: bool) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """w, the mean of the w after each sentence, and the losses of each order."""
    w = np.zeros(dense(problem.zeros()).size)
    seen, losses = [], []
    for order in orders:
        losses.append(0)
        for i in order:
            gold = problem.arrays.gold[problem.arrays.first[i] : problem.arrays.last[i]]
            labels = best_output(problem, w, i, margin)
            w = w + feature_vector(problem, i, gold) - feature_vector(problem, i, labels)
            losses[-1] += int(np.sum(gold != labels))
            seen.append(w)
    return w, np.mean(seen, axis=0), losses


@pytest.mark.parametrize("observed", [False, True])
@pytest.mark.parametrize("margin", [False, True])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_equals_the_plain_perceptron(seed, margin, observed):
    """Two batches a pass, weights asked for in between."""
    problem = random_problem(seed, n_sentences=7, observed=observed)
    training = Perceptron(margin=margin, seed=seed).begin(problem)
    random, orders, found = np.random.default_rng(seed), [], []
    for _ in range(3):
        for batch in (np.arange(4), np.arange(4, 7)):
            orders.append(random.permutation(batch))
            training.step(batch)
            w, mean, losses = plain_perceptron(problem, orders, margin)
            np.testing.assert_array_equal(dense(training._state.w), w)
            np.testing.assert_allclose(dense(training.weights), mean, atol=1e-6)
        training.end_pass()
        found.append(training.loss)
    np.testing.assert_array_equal(found, np.sum(np.reshape(losses, (3, 2)), axis=1))
    assert training.passes == 3
    assert w.any()


@pytest.mark.parametrize("margin", [False, True])
def test_comes_to_rest_where_outputs_can_be_told_apart(margin):
    """The first template of the reference problem is informative but noisy; here it is the label itself."""
    problem = random_problem(0, n_sentences=8)
    problem.arrays.rows[:, 0] = problem.arrays.gold
    training = fit(Perceptron(margin=margin), problem, 40)
    assert training.loss == 0
    before = dense(training._state.w)
    training.step(np.arange(problem.n))
    np.testing.assert_array_equal(dense(training._state.w), before)
    if margin:
        assert not problem.hinges(training._state.w).any()


def test_confusions_that_cost_nothing_are_no_mistakes():
    problem = random_problem(1)
    free = replace(problem, arrays=problem.arrays._replace(cost=np.zeros((3, 3), np.float32)))
    training = fit(Perceptron(), free, 2)
    assert training.loss == 0
    assert not dense(training.weights).any()


def test_report_has_no_objective_but_counts_templates():
    problem = random_problem(1)
    training = Perceptron().begin(problem)
    assert training.report().live_templates == 0
    assert not dense(training.weights).any()
    training.step(np.arange(problem.n))
    training.end_pass()
    report = training.report()
    assert np.isnan([report.primal, report.dual, report.gap]).all()
    norms = problem.block_norms(training.weights)
    np.testing.assert_array_equal(training.template_weights, norms > 0)
    assert report.live_templates == (norms > 0).sum() > 0
    assert (report.n_templates, report.passes) == (problem.blocks.n, 1)
    assert not training.converged


def test_goes_on_with_features_indexed_anew():
    """Rows turned round inside their blocks, and one more row in every block, which stays 0."""
    problem = random_problem(2)
    straight, rebound = Perceptron().begin(problem), Perceptron().begin(problem)
    n_blocks = problem.blocks.n_node
    place = np.concatenate([5 * j + np.arange(4)[::-1] for j in range(n_blocks)])
    other = replace(
        problem,
        arrays=problem.arrays._replace(rows=place[problem.arrays.rows].astype(np.int32)),
        blocks=Blocks(np.arange(n_blocks + 1) * 5, problem.blocks.pair, problem.blocks.names),
    )

    def carry(weights):
        new = other.zeros()
        new.node[place], new.pair[:] = weights.node, weights.pair
        return new

    everything = np.arange(problem.n)
    for training in (straight, rebound):
        training.step(everything)
        training.end_pass()
    rebound.report()
    rebound.rebind(other, carry)
    for training in (straight, rebound):
        np.testing.assert_array_equal(dense(training.weights).any(), True)
        training.step(everything)
        training.end_pass()
    np.testing.assert_allclose(dense(rebound.weights), dense(carry(straight.weights)), atol=1e-6)
    assert rebound.loss == straight.loss


def test_same_seed_same_weights():
    problem = random_problem(3)
    one, two, three = (dense(fit(Perceptron(seed=seed), problem, 3).weights) for seed in (5, 5, 6))
    np.testing.assert_array_equal(one, two)
    assert (one != three).any()


@pytest.mark.parametrize(
    ("settings", "code"), [({"margin": 1}, "M320"), ({"seed": -1}, "M305"), ({"seed": 0.5}, "M305")]
)
def test_settings_out_of_range_are_refused(settings, code):
    with pytest.raises(ValueError, match=code):
        perceptron(**settings)


def test_defaults_of_factory_and_settings_agree():
    assert perceptron() == Perceptron()


def test_a_structure_without_decoding_is_refused():
    with pytest.raises(ValueError, match=r"M301.*decode"):
        Perceptron().begin(replace(random_problem(0), lacks=frozenset({"decode"})))
