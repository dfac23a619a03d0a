"""CRFs and batch EG on several threads: the training of one thread up to rounding, the same in every run, and no torn sums."""

import numpy as np
import pytest

from spacy_mtl.structures.contract import Weights
from spacy_mtl.threads.crew import Crew
from spacy_mtl.trainers.base import fit
from spacy_mtl.trainers.crf.trainer import CRF, crf
from spacy_mtl.trainers.eg.trainer import EG, eg
from spacy_mtl.trainers.shared.exact import (
    _by_groups,
    exact_gibbs,
    exact_hinges,
    exact_largest,
    exact_loss,
    exact_norms,
)
from spacy_mtl.trainers.shared.gathering import Gathering

from .reference import random_problem

#: Trainers, and passes after which rounding has not led two trainings apart.
TRAINERS = {
    "lbfgs": (lambda n: CRF(C=0.3, warm_up=0, threads=n), 6),
    "proximal": (lambda n: CRF("l1", C=0.3, threads=n), 4),
    "irw": (lambda n: CRF("irw", C=0.3, warm_up=0, tol=0.05, threads=n), 12),
    "batch": (lambda n: EG("batch", C=0.3, threads=n), 6),
    "batch_primal": (lambda n: EG("batch_primal", C=0.3, threads=n), 6),
}


@pytest.mark.parametrize("observed", [False, True])
@pytest.mark.parametrize("name", TRAINERS)
def test_several_threads_do_what_one_does(name, observed):
    make, passes = TRAINERS[name]
    problem = random_problem(0, n_sentences=50, n_templates=5, observed=observed)
    one, *several = (fit(make(n), problem, passes) for n in (1, 2, 3, 7))
    for training in several:
        assert training.report().primal == pytest.approx(one.report().primal, rel=1e-3)
        for found, wanted in zip(training.weights, one.weights, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-2, atol=1e-3)


@pytest.mark.parametrize("name", TRAINERS)
def test_every_run_gives_the_same(name):
    make, passes = TRAINERS[name]
    problem = random_problem(1, n_sentences=50, n_templates=5)
    one, other = (fit(make(3), problem, passes) for _ in range(2))
    assert one.report() == other.report()
    for found, wanted in zip(one.weights, other.weights, strict=True):
        assert np.array_equal(found, wanted)


@pytest.mark.parametrize("size", [1, 2, 5])
@pytest.mark.parametrize("n", [0, 1, 3, 1000])
def test_every_sentence_is_summed_once(size, n):
    gather = Gathering(Crew(size))

    def add(out, first, last):
        out.node[2] += sum(range(first, last))
        out.pair[1, 1] += last - first
        return last - first

    for rows in (11, 11, 4):  # what is left of an earlier sum does not count
        vector = Weights(np.ones((rows, 3)), np.ones((2, 4)))
        assert gather(vector, n, add) == n
        assert vector.node[2].tolist() == [1 + n * (n - 1) / 2] * 3
        assert vector.pair[1, 1] == 1 + n
        assert (vector.node.sum(), vector.pair.sum()) == (3 * rows + 1.5 * n * (n - 1), 8 + n)


@pytest.mark.parametrize("size", [1, 3, 7])
def test_certificates_count_every_sentence_and_template_once(size):
    problem = random_problem(2, n_sentences=50, n_templates=5)
    training, crew = fit(CRF(C=0.3, warm_up=0), problem, 2), Crew(size)
    weights = training.weights
    np.testing.assert_allclose(exact_hinges(problem, weights, crew), problem.hinges(weights), rtol=1e-4, atol=1e-4)
    gibbs = exact_gibbs(problem, weights, crew)
    one = exact_gibbs(problem, weights)
    assert np.array_equal(gibbs.losses, one.losses)
    assert gibbs.losses.sum() == pytest.approx(training.loss, rel=1e-3)
    (whole,) = _by_groups(problem, one.marginals, Crew(1), lambda _, vector: vector)
    parts = _by_groups(problem, gibbs.marginals, crew, lambda _, vector: vector)
    for found, wanted in zip(zip(*parts, strict=True), whole, strict=True):
        np.testing.assert_allclose(sum(found), wanted, atol=1e-12)
    norms = exact_norms(problem, gibbs.marginals, crew=crew)
    np.testing.assert_allclose(norms, problem.block_norms(whole), rtol=1e-9)
    assert exact_largest(problem, gibbs.marginals, crew) == max(np.abs(matrix).max() for matrix in whole)
    assert exact_loss(problem, gibbs.marginals, crew) == pytest.approx(exact_loss(problem, one.marginals), rel=1e-12)


def test_an_error_of_one_thread_is_raised():
    def add(out, first, last):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        Gathering(Crew(3))(Weights(np.ones((4, 3)), np.ones((2, 4))), 10, add)


@pytest.mark.parametrize(
    ("make", "which"), [(lambda: crf(algorithm="sgd", threads=2), "sgd"), (lambda: eg("online", threads=2), "online")]
)
def test_methods_that_take_one_sentence_after_the_other_refuse_threads(make, which):
    with pytest.raises(ValueError, match=rf"M373.*'{which}'.*one thread"):
        make()


@pytest.mark.parametrize("make", [crf, lambda threads: eg("batch", threads=threads)])
@pytest.mark.parametrize(("threads", "code"), [(0, "M305"), (257, "M371"), (True, "M305")])
def test_numbers_of_threads_are_checked(make, threads, code):
    with pytest.raises(ValueError, match=code):
        make(threads=threads)
