"""L1M3N: its algorithms against cvxpy over all outputs and against each other, the truth of their reports, and their settings."""

import functools
from dataclasses import replace

import numpy as np
import pytest

from spacy_mtl.trainers.base import fit
from spacy_mtl.trainers.l1m3n.settings import ALGORITHMS
from spacy_mtl.trainers.l1m3n.trainer import L1M3N, l1_m3n
from spacy_mtl.trainers.mtlstruct.trainer import MTLStruct

from ..l1_reference import flat, objective, solve
from ..reference import random_problem

pytestmark = pytest.mark.filterwarnings("ignore:.*M338")  # some ask for a tol below single precision
C = 0.7
SEEDS = [0, 1, 2]


@functools.cache
def problem_of(seed):
    return random_problem(seed, observed=seed == 2)


@functools.cache
def size_of_optimum(seed):
    """||w*||_1 of P4, which links the three problems."""
    return float(np.abs(solve(problem_of(seed), "em", C)[1]).sum())


def constant_of(algorithm, seed):
    """The constant with which ``algorithm`` has the solution that em has with C."""
    size = size_of_optimum(seed)
    return {"cutting_plane": C / (2 * size), "subgradient": size}.get(algorithm, C)


def settings(algorithm, seed, **more):
    constant = constant_of(algorithm, seed)
    if algorithm == "subgradient":
        return L1M3N(algorithm, radius=constant, learning_rate=0.2, **more)
    return L1M3N(algorithm, C=constant, **more)


@functools.cache
def optimum_of(algorithm, seed):
    return solve(problem_of(seed), algorithm, constant_of(algorithm, seed))[0]


CLOSE = {"em": {"rounds": 400, "tol": 1e-4}, "cutting_plane": {"eps": 1e-4}, "subgradient": {"tol": 1e-4}}
CLOSE["laplace"] = CLOSE["em"]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_each_reaches_the_optimum_of_its_problem(algorithm, seed):
    report = fit(settings(algorithm, seed, **CLOSE[algorithm]), problem_of(seed), 6000).report()
    optimum = optimum_of(algorithm, seed)
    assert report.primal == pytest.approx(optimum, rel=1e-3)
    assert report.dual == pytest.approx(optimum, rel=1e-3)
    assert report.primal >= optimum * (1 - 1e-6)
    assert report.dual <= optimum * (1 + 1e-6)


@pytest.mark.parametrize("batch_size", [1, 2])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_stochastic_subgradient_comes_close(seed, batch_size):
    report = fit(settings("subgradient", seed, batch_size=batch_size), problem_of(seed), 3000).report()
    assert report.primal == pytest.approx(optimum_of("subgradient", seed), rel=0.02)
    assert report.dual == pytest.approx(optimum_of("subgradient", seed), rel=0.02)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_three_meet(seed):
    """With the constants mapped through ||w*||_1, what em finds is optimal for the other two, and what subgradient finds is for em.

    (P1 may have more optima than those: at some C a whole edge from one l1 norm to another.)
    """
    problem = problem_of(seed)
    closer = {"em": {"rounds": 2000, "tol": 1e-6}, "cutting_plane": {"eps": 1e-4}, "subgradient": {"tol": 1e-4}}
    trained = {name: fit(settings(name, seed, **more), problem, 10000) for name, more in closer.items()}
    for name, training in trained.items():
        at_em = objective(problem, name, trained["em"].weights, constant_of(name, seed))
        at_zero = objective(
            problem, name, problem.zeros(), constant_of(name, seed)
        )  # what is at stake: a hinge may be a small rest of it
        assert at_em == pytest.approx(training.report().primal, abs=1e-3 * at_zero)
    at_subgradient = objective(problem, "em", trained["subgradient"].weights, C)
    assert at_subgradient == pytest.approx(trained["em"].report().primal, rel=1e-3)
    assert np.abs(flat(trained["em"].weights)).sum() == pytest.approx(size_of_optimum(seed), rel=1e-3)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("batch_size", [0, 1])
def test_report_is_true_of_the_weights(algorithm, batch_size):
    """primal is the objective of the weights one would predict with; dual bounds the optimum; at every pass."""
    seed = 1
    problem, constant = problem_of(seed), constant_of(algorithm, seed)
    optimum, n_checked = optimum_of(algorithm, seed), 0

    def check(training):
        nonlocal n_checked
        report, weights = training.report(), training.weights
        assert report.primal == pytest.approx(objective(problem, algorithm, weights, constant), rel=1e-4)
        assert report.primal >= optimum * (1 - 1e-6)
        assert report.dual <= optimum * (1 + 1e-6)
        assert report.gap == pytest.approx((report.primal - report.dual) / report.primal)
        assert report.live_templates == int((problem.block_norms(weights) > 0).sum())
        assert report.n_templates == problem.blocks.n
        assert (training.template_weights == (problem.block_norms(weights) > 0)).all()
        assert report.passes == training.passes
        n_checked += 1

    trainer = settings(algorithm, seed, tol=1e-9, inner_passes=3, eps=1e-6, batch_size=batch_size)
    check(trainer.begin(problem))
    fit(trainer, problem, 14, check)
    assert n_checked > 2


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_asking_for_a_report_leaves_the_training_as_it_is(algorithm):
    """But for rounding."""
    training = fit(settings(algorithm, 2, tol=1e-9, eps=1e-6), problem_of(2), 12)
    before = flat(training.weights)
    report, passes = training.report(), training.passes
    np.testing.assert_allclose(flat(training.weights), before, atol=1e-5)
    assert training.report() == report
    assert training.passes == passes


@pytest.mark.parametrize("algorithm", ["em", "cutting_plane", "subgradient"])
def test_solutions_are_sparse(algorithm):
    weights = flat(fit(settings(algorithm, 0, **CLOSE[algorithm]), problem_of(0), 6000).weights)
    reference = solve(problem_of(0), "em", C)[1]
    assert np.count_nonzero(weights) <= 2 * np.count_nonzero(np.abs(reference) > 1e-5) + 1
    assert np.count_nonzero(weights) < weights.size / 5


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_batches_do_not_change_the_result(algorithm):
    problem, trainer = problem_of(1), settings(algorithm, 1, tol=1e-9, batch_size=2)
    whole, parts = trainer.begin(problem), trainer.begin(problem)
    for _ in range(4):
        whole.step(np.arange(problem.n))
        for i in reversed(range(problem.n)):
            parts.step(np.array([i]))
        whole.end_pass()
        parts.end_pass()
    np.testing.assert_array_equal(flat(whole.weights), flat(parts.weights))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_converged_training_stays_as_it_is(algorithm):
    training = fit(settings(algorithm, 1, tol=0.05, rounds=300, eps=0.1), problem_of(1), 3000)
    assert training.converged
    before, passes = flat(training.weights), training.passes
    training.end_pass()
    np.testing.assert_array_equal(flat(training.weights), before)
    assert training.passes == passes


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_rebinding_to_the_same_features_changes_little(algorithm):
    trainer = settings(algorithm, 1, tol=1e-9, eps=1e-6)
    straight, rebound = trainer.begin(problem_of(1)), trainer.begin(problem_of(1))
    for _ in range(60):
        straight.end_pass()
        rebound.end_pass()
        rebound.rebind(random_problem(1), lambda weights: weights)
    assert rebound.report().primal == pytest.approx(straight.report().primal, rel=0.01)
    np.testing.assert_allclose(
        flat(rebound.weights), flat(straight.weights), atol=0.02 * np.abs(flat(straight.weights)).max()
    )


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_interrupt_keeps_what_was_learnt(algorithm):
    def interrupt(training):
        if training.passes == 2:
            raise KeyboardInterrupt

    training = fit(settings(algorithm, 2, eps=1e-6, tol=1e-9), problem_of(2), 50, interrupt)
    assert training.passes == 2
    assert flat(training.weights).any()


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ({"algorithm": "simplex"}, "M325"),
        ({"C": 0.0}, "M302"),
        ({"C": float("inf")}, "M302"),
        ({"tol": -1.0}, "M302"),
        ({"radius": 0.0}, "M302"),
        ({"learning_rate": 0.0}, "M302"),
        ({"prior_lambda": 0.0}, "M302"),
        ({"eps": float("nan")}, "M302"),
        ({"rounds": 0}, "M305"),
        ({"inner_passes": 1.5}, "M305"),
        ({"batch_size": -1}, "M305"),
        ({"seed": -1}, "M305"),
        ({"threshold": 1.0}, "M326"),
        ({"threshold": -0.1}, "M326"),
        ({"threshold": float("nan")}, "M326"),
    ],
)
def test_settings_out_of_range_are_refused(settings, code):
    with pytest.raises(ValueError, match=code):
        l1_m3n(**settings)


def test_the_factory_has_the_defaults_of_the_settings():
    assert l1_m3n() == L1M3N()
    assert l1_m3n("laplace", 2.0, prior_lambda=3.0) == L1M3N("laplace", 2.0, prior_lambda=3.0)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("missing", ["decode", "features"])
def test_a_structure_that_lacks_what_is_needed_is_refused(algorithm, missing):
    problem = problem_of(0)
    with pytest.raises(ValueError, match=rf"M301.*{missing}"):
        L1M3N(algorithm).begin(replace(problem, lacks=frozenset({missing})))


def test_one_weight_a_block_is_mtlstruct_at_p_1():
    """Where every weight is a template of its own (one label pair, one row), P4 is what MTLstruct minimizes at p = 1."""
    problem = problem_of(1)
    em = fit(settings("em", 1, **CLOSE["em"]), problem, 6000).report()
    blocks = fit(MTLStruct(p=1.0, C=C, tol=1e-4), problem, 4000).report()
    assert blocks.primal < em.primal  # ||w||_{2,1} <= ||w||_1: blocks are larger here
