"""Dual ascent on several threads: the optimum of one thread, the same result for any number, and certificates as exact as ever."""

import numpy as np
import pytest

from benchmarks.reliability.enumerated import flat
from benchmarks.reliability.enumerated import random_problem as enumerated_problem
from spacy_mtl.structures.contract import Weights
from spacy_mtl.threads.crew import ALONE, Crew
from spacy_mtl.trainers.base import fit
from spacy_mtl.trainers.mtlstruct.trainer import MTLStruct, mtl_struct, ssvm
from spacy_mtl.trainers.online.mira import mira
from spacy_mtl.trainers.online.perceptron import perceptron
from spacy_mtl.trainers.online_mkl.trainer import online_mkl
from spacy_mtl.trainers.shared import batched_ascent
from spacy_mtl.trainers.shared.mixture import gather, mixture_loss

from ..reference import random_problem


def batches(monkeypatch):
    """Have small corpora be shared out, too."""
    monkeypatch.setattr(batched_ascent, "BATCHES", 1)


def many(observed=False):
    return random_problem(0, n_sentences=100, n_templates=9, observed=observed)


@pytest.mark.parametrize("observed", [False, True])
@pytest.mark.parametrize("p", [1.0, 1.5, 2.0, 4.0])
def test_the_result_is_the_same_for_any_number_of_threads(p, observed, monkeypatch):
    batches(monkeypatch)
    problem = many(observed)
    one, two, three = (fit(MTLStruct(p, 0.3, tol=1e-3, average=3, threads=n), problem, 30) for n in (1, 2, 3))
    assert two.report() == three.report()
    for found, wanted in zip(two.weights, three.weights, strict=True):
        assert np.array_equal(found, wanted)
    assert any(not np.array_equal(*both) for both in zip(one.weights, two.weights, strict=True))


@pytest.mark.parametrize("p", [1.0, 1.5, 2.0, 4.0])
def test_the_optimum_is_that_of_one_thread(p, monkeypatch):
    batches(monkeypatch)
    one, two = (fit(MTLStruct(p, 0.3, tol=1e-4, threads=n), many(), 3000) for n in (1, 2))
    assert one.converged
    assert two.converged
    assert two.report().primal == pytest.approx(one.report().primal, rel=2e-4)
    assert two.report().dual <= one.report().primal
    assert one.report().dual <= two.report().primal


@pytest.mark.filterwarnings("ignore:.*M332")  # a batch may be the whole corpus here
@pytest.mark.parametrize("kind", ["chain", "projective trees", "trees"])
@pytest.mark.parametrize(("p", "C"), [(1.0, 0.1), (1.5, 1.0), (2.0, 10.0)])
def test_certificates_hold_against_all_outputs(kind, p, C, monkeypatch):
    batches(monkeypatch)
    enumerated = enumerated_problem(3, kind)
    training = fit(MTLStruct(p, C, tol=1e-3, threads=2), enumerated.problem, 400)
    report = training.report()
    primal, optimum = enumerated.objective(flat(training.weights), p, C), min(enumerated.optimum(p, C))
    assert training.converged
    assert report.primal == pytest.approx(primal, rel=1e-6)
    assert report.dual <= optimum * (1 + 1e-9)
    assert primal - optimum <= 1e-3 * primal


def test_the_weights_are_those_of_the_mixtures_after_a_pass(monkeypatch):
    batches(monkeypatch)
    training = fit(MTLStruct(1.5, 0.3, tol=1e-9, threads=2), many(), 7)
    wanted = training.problem.zeros()
    gather(training.problem, training._atoms, wanted, 0.3 * training.mu)
    for found, expected in zip(training.weights, wanted, strict=True):
        assert np.allclose(found, expected, atol=1e-5)


def test_sums_over_mixtures_do_not_depend_on_threads():
    training = fit(MTLStruct(1.5, 0.3, tol=1e-9), many(True), 5)
    problem, atoms = training.problem, training._atoms
    outs: list[Weights] = [problem.zeros() for _ in range(2)]
    norms = [gather(problem, atoms, out, crew=crew) for out, crew in zip(outs, (ALONE, Crew(3)), strict=True)]
    assert np.array_equal(*norms)
    assert all(map(np.array_equal, *outs))
    assert mixture_loss(problem, atoms, Crew(3)) == pytest.approx(mixture_loss(problem, atoms), rel=1e-14)


def test_an_interrupted_pass_leaves_the_weights_of_its_mixtures(monkeypatch):
    batches(monkeypatch)
    training = fit(MTLStruct(1.5, 0.3, tol=1e-9, threads=2), many(), 3)

    def interrupted(*arguments):
        raise KeyboardInterrupt

    before = training.report().dual
    with monkeypatch.context() as patch:
        patch.setattr(batched_ascent, "batched_pass", interrupted)
        with pytest.raises(KeyboardInterrupt):
            training.end_pass()
    training._w.node[:] = 99.0  # whatever a pass has left there
    wanted = training.problem.zeros()
    gather(training.problem, training._atoms, wanted, 0.3 * training.mu)
    for found, expected in zip(training.weights, wanted, strict=True):
        assert np.array_equal(found, expected)
    training.end_pass()
    assert training.passes == 4
    assert training.report().dual >= before


def test_steps_that_overshoot_get_shorter(monkeypatch):
    """All sentences are the same, so that a batch of steps at full length would undo what one of them has gained."""
    batches(monkeypatch)
    monkeypatch.setattr(batched_ascent, "BATCH", 64)
    monkeypatch.setattr(batched_ascent, "SHORTER", 1.05)
    problem = random_problem(5, n_sentences=64, n_templates=2)
    training = fit(MTLStruct(2.0, 0.01, tol=1e-3, threads=2), problem, 400)
    assert training._passes.shorter > 1.05
    assert training.converged


@pytest.mark.parametrize("make", [online_mkl, perceptron, mira])
def test_trainers_of_one_thread_say_so_by_name(make):
    assert make(threads=1) == make()
    with pytest.raises(ValueError, match=rf"M373.*{type(make()).__name__} trains on one thread"):
        make(threads=2)


def test_threads_are_refused_where_they_make_no_sense():
    assert ssvm(threads=3).threads == mtl_struct(threads=3).threads == 3
    for wrong in (0, 2.5, "2", True, 257):
        with pytest.raises(ValueError, match=r"M305|M371"):
            mtl_struct(threads=wrong)
    with pytest.raises(ValueError, match=r"M373.*cutting_plane"):
        mtl_struct(solver="cutting_plane", threads=2)


def test_a_batch_begins_with_its_longest_sentences_and_keeps_them():
    problem = many()
    lengths, order = problem.arrays.last - problem.arrays.first, np.random.default_rng(0).permutation(problem.n)[:37]
    found = batched_ascent.longest_first(problem, order, 10)
    for begin in range(0, 37, 10):
        assert sorted(found[begin : begin + 10]) == sorted(order[begin : begin + 10])
        assert (np.diff(lengths[found[begin : begin + 10]]) <= 0).all()
