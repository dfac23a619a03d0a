"""MIRA steps against cvxpy over all outputs, the closed form of PA-I, and the same training with dense vectors."""

from dataclasses import replace
from itertools import product

import cvxpy as cp
import numpy as np
import pytest

from spacy_mtl.kernels import kernel
from spacy_mtl.structures import contract
from spacy_mtl.trainers.base import fit
from spacy_mtl.trainers.online.mira import MIRA, mira

from ..reference import LABELS, feature_vector, random_problem

ALL = 3**3  #: outputs of the longest sentence


def dense(weights: contract.Weights) -> np.ndarray:
    return np.concatenate([matrix.ravel() for matrix in weights]).astype(float)


@kernel
def best_outputs(arrays, weights, live, i, k, augmented):
    work = contract.new_work(arrays)
    contract.score_parts(arrays, weights, live, i, work)
    if augmented:
        contract.add_loss(arrays, i, work, 1.0)
    return contract.kbest(arrays, i, work, k)


def margins(problem, i, outputs) -> tuple[np.ndarray, np.ndarray]:
    """Phi(gold) - Phi(y) and the loss of each output y."""
    gold = problem.arrays.gold[problem.arrays.first[i] : problem.arrays.last[i]]
    phi = feature_vector(problem, i, gold)
    differences = np.stack([phi - feature_vector(problem, i, y) for y in outputs])
    return differences, np.array([np.sum(np.array(y) != gold) for y in outputs], float)


def all_outputs(problem, i):
    n = int(problem.arrays.last[i] - problem.arrays.first[i])
    return list(product(range(len(LABELS)), repeat=n))


def least_change(w: np.ndarray, differences: np.ndarray, losses: np.ndarray, C: float) -> np.ndarray:
    """argmin_v 1/2 ||v - w||^2 + C xi  s.t.  differences @ v >= losses - xi, xi >= 0."""
    v, xi = cp.Variable(w.size), cp.Variable(nonneg=True)
    objective = cp.Minimize(0.5 * cp.sum_squares(v - w) + C * xi)
    cp.Problem(objective, [differences @ v >= losses - xi]).solve(solver=cp.CLARABEL)
    return v.value


@pytest.mark.parametrize("observed", [False, True])
@pytest.mark.parametrize("C", [0.03, 10.0])
def test_with_all_outputs_each_step_is_the_least_change(C, observed):
    problem = random_problem(1, observed=observed)
    training = MIRA(k=ALL, C=C).begin(problem)
    w, hinges = np.zeros(dense(problem.zeros()).size), 0.0
    for i in [0, 3, 1, 2, 3, 5]:
        differences, losses = margins(problem, i, all_outputs(problem, i))
        hinges += (losses - differences @ w).max()
        training.step(np.array([i]))
        w = least_change(w, differences, losses, C)
        np.testing.assert_allclose(dense(training._state.w), w, atol=2e-4)
    training.end_pass()
    assert training.loss == pytest.approx(hinges, abs=1e-3)


@pytest.mark.parametrize("augmented", [False, True])
@pytest.mark.parametrize("k", [2, 5])
def test_a_step_keeps_to_the_margins_of_its_k_outputs(k, augmented):
    """Without a tight cap all k margins hold after the step; a constraint with room to spare has not pushed (cvxpy: the least change)."""
    problem = random_problem(2, n_sentences=9)
    training = MIRA(k=k, C=100.0, augmented=augmented).begin(problem)
    moved = 0
    for i in [*range(9), *range(9)]:
        before = dense(training._state.w)
        outputs, _ = best_outputs(problem.arrays, training._state.w, problem.all_live(), i, k, augmented)
        differences, losses = margins(problem, i, outputs)
        training.step(np.array([i]))
        after = dense(training._state.w)
        assert (differences @ after >= losses - 1e-4).all()
        np.testing.assert_allclose(after, least_change(before, differences, losses, 100.0), atol=2e-4)
        moved += int((after != before).any())
    assert 0 < moved < 18


@pytest.mark.parametrize("augmented", [False, True])
@pytest.mark.parametrize("observed", [False, True])
@pytest.mark.parametrize("C", [0.04, 10.0])
def test_k_1_is_passive_aggressive(C, observed, augmented):
    """The whole training, with the closed form tau = min(C, hinge / ||d||^2) and the mean of dense vectors."""
    problem = random_problem(3, n_sentences=8, observed=observed)
    training = MIRA(k=1, C=C, augmented=augmented).begin(problem)
    w, seen, total, taus = np.zeros(dense(problem.zeros()).size), [], 0.0, []
    for i in [*range(8), *range(8)]:
        (output,), _ = best_outputs(problem.arrays, training._state.w, problem.all_live(), i, 1, augmented)
        (d,), (loss,) = margins(problem, i, [output])
        hinge = loss - d @ w
        if hinge > 1e-6:
            taus.append(min(C, hinge / (d @ d)))
            w = w + taus[-1] * d
            total += hinge
        seen.append(w)
        training.step(np.array([i]))
        np.testing.assert_allclose(dense(training._state.w), w, atol=1e-5)
    np.testing.assert_allclose(dense(training.weights), np.mean(seen, axis=0), atol=1e-5)
    training.end_pass()
    assert training.loss == pytest.approx(total, abs=1e-4)
    assert (max(taus) == C) == (C < 1)


def test_comes_to_rest_where_margins_can_be_had():
    problem = random_problem(0, n_sentences=8)
    problem.arrays.rows[:, 0] = problem.arrays.gold
    training = fit(MIRA(k=3, C=10.0), problem, 300)
    assert training.loss == pytest.approx(0, abs=1e-2)
    assert problem.hinges(training._state.w).sum() == pytest.approx(0, abs=1e-2)


def test_report_and_seeds():
    problem = random_problem(1)
    one, two, three = (fit(MIRA(seed=seed), problem, 2) for seed in (5, 5, 6))
    np.testing.assert_array_equal(dense(one.weights), dense(two.weights))
    assert (dense(one.weights) != dense(three.weights)).any()
    report = one.report()
    assert np.isnan([report.primal, report.dual, report.gap]).all()
    assert report.live_templates == int((problem.block_norms(one.weights) > 0).sum())


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ({"k": 0}, "M305"),
        ({"k": 2.0}, "M305"),
        ({"C": 0.0}, "M302"),
        ({"C": float("inf")}, "M302"),
        ({"augmented": "no"}, "M320"),
        ({"seed": -1}, "M305"),
    ],
)
def test_settings_out_of_range_are_refused(settings, code):
    with pytest.raises(ValueError, match=code):
        mira(**settings)


def test_defaults_of_factory_and_settings_agree():
    assert mira() == MIRA()


def test_a_structure_without_kbest_is_refused():
    with pytest.raises(ValueError, match=r"M301.*kbest"):
        MIRA().begin(replace(random_problem(0), lacks=frozenset({"kbest"})))
