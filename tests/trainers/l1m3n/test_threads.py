"""l1-M3N on several threads: the optimum of one thread, the same result for any number of several, and certificates as exact as ever."""

import numpy as np
import pytest

from benchmarks.reliability.enumerated import random_problem as enumerated_problem
from spacy_mtl.trainers.base import fit
from spacy_mtl.trainers.l1m3n.trainer import L1M3N, l1_m3n
from spacy_mtl.trainers.shared import batched_ascent
from spacy_mtl.trainers.shared.mixture import gather

from ..reference import random_problem


@pytest.fixture(autouse=True)
def _batches(monkeypatch):
    """Have small corpora be shared out, too."""
    monkeypatch.setattr(batched_ascent, "BATCHES", 1)


def many(observed=False):
    return random_problem(0, n_sentences=100, n_templates=9, observed=observed)


def assert_weights_are_those_of_the_mixtures(training):
    vector = training.problem.zeros()
    gather(training.problem, training._atoms, out=vector)
    for found, features, metric in zip(training.weights, vector, training._metric, strict=True):
        np.testing.assert_allclose(found, features * metric, atol=1e-5)


@pytest.mark.parametrize("observed", [False, True])
@pytest.mark.parametrize("algorithm", ["em", "laplace"])
def test_the_result_is_the_same_for_any_number_of_threads(algorithm, observed):
    one, two, three = (fit(L1M3N(algorithm, C=0.3, tol=1e-9, threads=n), many(observed), 20) for n in (1, 2, 3))
    assert two.report().primal == three.report().primal
    assert two.report().dual == pytest.approx(three.report().dual, rel=1e-12)
    for found, wanted in zip(two.weights, three.weights, strict=True):
        assert np.array_equal(found, wanted)
    assert any(not np.array_equal(*both) for both in zip(one.weights, two.weights, strict=True))


@pytest.mark.parametrize("algorithm", ["em", "laplace"])
def test_the_optimum_is_that_of_one_thread(algorithm):
    settings = {"C": 0.3, "tol": 1e-3, "rounds": 300, "inner_passes": 10, "threshold": 0.0}
    one, two = (fit(L1M3N(algorithm, **settings, threads=n), many(), 3000) for n in (1, 2))
    assert one.report().gap < 5e-3
    assert two.report().gap < 5e-3
    assert two.report().primal == pytest.approx(one.report().primal, rel=5e-3)
    assert two.report().dual <= one.report().primal
    assert one.report().dual <= two.report().primal


@pytest.mark.parametrize("kind", ["chain", "projective trees", "trees"])
@pytest.mark.filterwarnings("ignore:.*M337")  # a few rounds do not get to the optimum, and need not
def test_certificates_hold_against_all_outputs(kind):
    enumerated = enumerated_problem(3, kind)
    one, two = (fit(L1M3N(C=1.0, inner_passes=20, threads=n), enumerated.problem, 300) for n in (1, 2))
    for found in (one, two):
        weights = np.concatenate([matrix.ravel() for matrix in found.weights])
        outputs = enumerated.objective(weights, 2.0, 1.0) - 0.5 * float(weights @ weights)  # the losses alone
        assert found.report().primal == pytest.approx(outputs + 0.5 * np.abs(weights).sum() ** 2, rel=1e-5)
    assert max(one.report().dual, two.report().dual) <= min(one.report().primal, two.report().primal)


def test_the_weights_are_those_of_the_mixtures_after_a_pass():
    training = fit(L1M3N(C=0.3, tol=1e-9, threads=2), many(), 8)
    assert_weights_are_those_of_the_mixtures(training)


def test_an_interrupted_pass_leaves_the_weights_of_its_mixtures(monkeypatch):
    training = fit(L1M3N(C=0.3, tol=1e-9, threads=2), many(), 8)

    def interrupted(*arguments):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(batched_ascent, "batched_pass", interrupted)
        with pytest.raises(KeyboardInterrupt):
            training.end_pass()
    training._w.node[:] = 99.0  # whatever a pass has left there
    assert_weights_are_those_of_the_mixtures(training)
    training.end_pass()
    assert training.passes == 9
    assert_weights_are_those_of_the_mixtures(training)


def test_steps_that_overshoot_get_shorter(monkeypatch):
    monkeypatch.setattr(batched_ascent, "BATCH", 64)
    monkeypatch.setattr(batched_ascent, "SHORTER", 1.05)
    training = fit(L1M3N(C=0.01, tol=1e-9, threads=2), random_problem(5, n_sentences=64, n_templates=2), 30)
    assert training._passes.shorter > 1.05


def test_the_penalty_of_a_round_is_that_of_its_dual():
    training = fit(L1M3N(C=0.3, tol=1e-9, threads=2), many(), 8)
    wanted = 0.0
    for weights, metric in zip(training.weights, training._metric, strict=True):
        live = metric > 0
        wanted += 0.5 * float((weights[live].astype(float) ** 2 / metric[live]).sum())
    assert training._round_penalty() == pytest.approx(wanted, rel=1e-6)


def test_numbers_of_threads_are_checked():
    assert l1_m3n(threads=3).threads == l1_m3n("laplace", threads=3).threads == 3
    for wrong in (0, 2.5, "2", True, 257):
        with pytest.raises(ValueError, match=r"M305|M371"):
            l1_m3n(threads=wrong)
    for algorithm in ("subgradient", "cutting_plane"):
        with pytest.raises(ValueError, match=rf"M373.*'{algorithm}'.*one thread"):
            l1_m3n(algorithm, threads=2)
