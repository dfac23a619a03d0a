"""Projected subgradient: the ball is never left, what is returned, and what stays when features or borders change."""

import numpy as np
import pytest

from spacy_mtl.trainers.base import fit
from spacy_mtl.trainers.l1m3n import subgradient as module
from spacy_mtl.trainers.l1m3n.trainer import L1M3N

from ..l1_reference import cut_elsewhere, flat, solve
from ..reference import random_problem

RADIUS = 1.5


def trainer(**settings):
    return L1M3N("subgradient", radius=RADIUS, tol=1e-9, **settings)


@pytest.mark.parametrize("batch_size", [0, 1, 4])
def test_weights_stay_in_the_ball(batch_size):
    def check(training):
        assert np.abs(flat(training.weights)).sum() <= RADIUS * (1 + 1e-5)
        assert np.abs(flat(training._course.weights)).sum() <= RADIUS * (1 + 1e-5)

    fit(trainer(batch_size=batch_size), random_problem(1), 20, check)


def test_one_batch_step_is_that_of_the_paper():
    """w_1 = P(eta g_0) with eta = radius / (sqrt(K) ||g_0||), for g_0 the mean of gold minus most violated outputs at 0."""
    from spacy_mtl.trainers.mtlstruct.cuts import add_cut, most_violated
    from spacy_mtl.trainers.shared.exact import double_work

    from ..l1_reference import project_l1_ball

    problem = random_problem(1)
    vector = problem.zeros()
    hinges, losses = np.empty(problem.n), np.empty(problem.n)
    work = double_work(problem)
    outputs = most_violated(problem.arrays, vector, problem.all_live(), work, hinges, losses)
    add_cut(problem.arrays, vector, outputs, 1 / problem.n)
    step = flat(vector)
    training = fit(trainer(learning_rate=3.0), problem, 1)
    size = 3 * RADIUS / np.sqrt(step.size)
    wanted = project_l1_ball(size * step / np.linalg.norm(step), RADIUS)
    np.testing.assert_allclose(flat(training._course.weights), wanted, atol=1e-6)
    assert training.loss == pytest.approx(hinges.sum())


def test_batch_returns_the_best_iterate():
    best = [np.inf]

    def check(training):
        primal = training.report().primal
        assert primal <= best[-1] + 1e-9
        best.append(primal)

    fit(trainer(learning_rate=3.0), random_problem(2, observed=True), 40, check)
    assert best[-1] < best[2]


def test_stochastic_returns_an_average():
    """With rates 2 / (t + 1) the average after three steps weighs the iterates 1 : 2 : 3."""
    problem = random_problem(1, n_sentences=3)
    seen = []

    def remember(*arguments):
        seen.append(flat(training._course.weights))

    training = trainer(batch_size=2).begin(problem)
    for _ in range(2):
        training.end_pass()
        remember()
    mean = flat(training.weights)
    assert not np.allclose(mean, seen[-1])
    assert training._course.tally[module.PASSES] == 2
    single = trainer(batch_size=2).begin(random_problem(1, n_sentences=2))
    single.end_pass()  # two sentences in one batch: batch mode, so the best, and that is where it began
    assert not flat(single.weights).any()


@pytest.mark.parametrize("seed", range(3))
def test_the_defaults_learn_from_noise(seed):
    """Steps of the size of the radius, 100, would be far too long: on noise they leave the hinges where they are at zero weights."""
    problem = random_problem(seed, n_sentences=40, n_templates=2)
    training = fit(L1M3N("subgradient"), problem, 60)
    optimum = solve(problem, "subgradient", training.settings.radius)[0]
    assert optimum > 0.05 * problem.hinges(problem.zeros()).mean()
    assert problem.hinges(training.weights).mean() < 1.5 * optimum


def test_the_order_is_the_seed():
    def weights(seed):
        return flat(fit(trainer(batch_size=1, seed=seed), random_problem(1), 3).weights)

    np.testing.assert_array_equal(weights(1), weights(1))
    assert (weights(1) != weights(2)).any()


def test_an_interrupt_inside_a_pass_leaves_weights_and_report_true(monkeypatch):
    problem = random_problem(1)
    training = fit(trainer(), problem, 7)
    original = module.subgradient_pass

    def interrupted(*arguments):
        original(*arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "subgradient_pass", interrupted)
    with pytest.raises(KeyboardInterrupt):
        training.end_pass()
    monkeypatch.setattr(module, "subgradient_pass", original)
    report = training.report()
    assert report.primal == pytest.approx(problem.hinges(training.weights).mean())
    assert report.dual <= solve(problem, "subgradient", RADIUS)[0] * (1 + 1e-6)
    while training.passes < 3000:
        training.end_pass()
    assert training.report().primal == pytest.approx(solve(problem, "subgradient", RADIUS)[0], rel=0.01)


@pytest.mark.parametrize("batch_size", [0, 2])
def test_sentences_cut_elsewhere(batch_size):
    """The weights stay; what was known of the optimum does not. Cutting anew before every pass does not keep it from learning."""
    problem = random_problem(3)
    n = problem.arrays.gold.size
    cuts = [cut_elsewhere(problem, starts) for starts in ([0, 1, n // 2, n], [0, n // 3, n - 1, n])]
    training = fit(trainer(batch_size=batch_size), problem, 50)
    before = flat(training.weights)
    training.recut(cuts[0])
    np.testing.assert_array_equal(flat(training.weights), before)
    assert training.report().dual == 0
    assert training.report().primal == pytest.approx(cuts[0].hinges(training.weights).mean())
    fresh = trainer(batch_size=batch_size, learning_rate=1.0).begin(problem)
    for k in range(2000):
        fresh.recut(cuts[k % 2])
        fresh.end_pass()
    for other in cuts:
        optimum = solve(other, "subgradient", RADIUS)[0]
        assert other.hinges(fresh.weights).mean() < 0.5 * (optimum + other.hinges(other.zeros()).mean())
