"""Primal, dual, gap and ``converged`` of both solvers are true at any p and C, on chains and trees, against an optimum over all outputs."""

import numpy as np
import pytest

from benchmarks.reliability import certificates
from benchmarks.reliability.enumerated import KINDS, flat, random_problem
from spacy_mtl.sequences import problem_from_arrays
from spacy_mtl.structures.contract import Weights
from spacy_mtl.thresholds import LIVE
from spacy_mtl.trainers.base import Report, fit, relative_gap
from spacy_mtl.trainers.mtlstruct.dual_ascent import Dual
from spacy_mtl.trainers.mtlstruct.trainer import MTLStruct
from spacy_mtl.trainers.shared.exact import exact_hinges
from spacy_mtl.trainers.shared.multiples import Objective, best_multiple

from ..reference import random_problem as six_sentences


@pytest.mark.parametrize("seed", range(60))
def test_reports_are_true(seed):
    """The first of the problems that ``python -m benchmarks.reliability --only certificates`` goes through."""
    _, faults = certificates.faults(certificates.case_of(seed))
    assert faults == []


@pytest.mark.filterwarnings("ignore:.*M332")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("p", "C"), [(p, 1e4) for p in certificates.EXPONENTS] + [(p, 1e6) for p in certificates.EXPONENTS if p <= 4]
)
def test_a_large_constant_is_solved_within_200_passes(p, C, kind):
    """By the solver that gets there: the same settings, from the user's side."""
    enumerated = random_problem(4, kind)
    training = fit(MTLStruct(p, C), enumerated.problem, 200)
    primal = enumerated.objective(flat(training.weights), p, C)
    optimum = min(enumerated.optimum(p, C))
    assert training.converged
    assert -1e-9 * primal <= primal - optimum <= 1e-3 * primal


@pytest.mark.filterwarnings("ignore:.*M332")
@pytest.mark.parametrize(
    ("seed", "kind", "p"),
    [(10, "chain", 4 / 3), (1, "projective trees", 3.0), (4, "projective trees", 10.0), (9, "projective trees", 4 / 3)],
)
def test_separable_problems_that_the_ascent_alone_does_not_solve_in_time(seed, kind, p):
    """Bounds of the primal that hold for some outputs only made the gap look as if it would soon be closed."""
    enumerated = random_problem(seed, kind, separable=True)
    training = fit(MTLStruct(p, 1e4), enumerated.problem, 120)
    assert training.converged
    assert enumerated.objective(flat(training.weights), p, 1e4) <= 1.0011 * min(enumerated.optimum(p, 1e4))


@pytest.mark.filterwarnings("ignore:.*M33[12]")
@pytest.mark.parametrize("solver", ["dual_ascent", "cutting_plane"])
def test_a_gigantic_constant_leaves_weights_that_separate(solver):
    problem = six_sentences(1)
    training = fit(MTLStruct(2.0, 1e9, solver), problem, 200)
    report = training.report()
    assert problem.hinges(training.weights).sum() < 1e-3
    assert report.gap >= 0
    assert report.dual == pytest.approx(0.70763, rel=2e-3)


def checked(*found):
    """A training that has had certificates of these primals and duals, at the first passes at which there are any."""
    training = MTLStruct(1.0, 0.01).begin(six_sentences(1))
    for primal, dual in found:
        training.passes, training._dual = training._check_at, Dual(dual, np.ones(training.mu.size))
        training._take_stock(Objective(primal, primal))
    return training


def test_a_primal_that_fluctuates_is_no_stall():
    """The dual has come half of the way: the weights of the last pass are just not as good as those of the pass before were."""
    training = checked((1.04, 1.0), (1.03, 1.01), (1.06, 1.02))
    assert training._planes is None


def test_a_dual_that_does_not_rise_is_a_stall_whatever_the_primal_does():
    with pytest.warns(UserWarning, match="M332"):
        training = checked((1.04, 1.0), (1.03, 1.01), (1.031, 1.0101))
    assert training._planes is not None


def test_a_cut_that_comes_again_ends_the_training_with_a_warning():
    """Single precision cannot reach this tol: the user is told, and ``converged`` is not claimed."""
    settings = MTLStruct(2.0, 100.0, "cutting_plane", tol=1e-12)
    with pytest.warns(UserWarning, match=r"M331.*tol is 1e-12.*larger tol"):
        training = fit(settings, six_sentences(1), 500)
    assert training.ended
    assert not training.converged
    passes = training.passes
    training.end_pass()
    assert training.passes == passes
    assert 0 <= training.report().gap < 1e-4


def test_a_report_between_passes_changes_nothing():
    """Nor does asking for the weights."""
    problem, runs = six_sentences(3), []
    for ask in (lambda training: None, lambda training: (training.report(), training.weights)):
        runs.append(fit(MTLStruct(4 / 3, 50.0, average=3, tol=1e-6), problem, 30, ask))
    plain, asked = runs
    for ours, theirs in zip(plain.weights, asked.weights, strict=True):
        assert np.array_equal(ours, theirs)
    assert np.array_equal(plain._w.node, asked._w.node)
    assert plain.report() == asked.report()


@pytest.mark.parametrize("seed", range(5))
def test_best_multiple_is_the_minimum_of_its_bound(seed):
    random = np.random.default_rng(seed)
    losses = random.integers(0, 4, 30).astype(float)
    hinges = np.maximum(0, losses + random.normal(-1, 2, 30))
    C, penalty = 10.0 ** random.integers(-3, 4), random.random()

    def bound(s):
        return s * s * penalty + C * np.maximum(0, losses + s * (hinges - losses)).sum()

    s, value = best_multiple(hinges, losses, penalty, C)
    assert value == pytest.approx(bound(s))
    assert value <= min(bound(t) for t in np.linspace(0, 20, 20001)) * (1 + 1e-12)


@pytest.mark.filterwarnings("ignore:.*M332")
def test_while_cutting_planes_begin_the_weights_of_the_ascent_are_kept():
    """The first cuts alone say little: whoever stops there gets the best weights so far."""
    enumerated = random_problem(4, KINDS[0])
    training = MTLStruct(4.0, 1e4).begin(enumerated.problem)
    primals, first = [], None
    while not training.finished and training.passes < 200:
        training.end_pass()
        report = training.report()
        primals.append(report.primal)
        assert report.primal == pytest.approx(enumerated.objective(flat(training.weights), 4.0, 1e4), rel=1e-6)
        assert 0 <= report.gap <= 1
        if first is None and training._planes is not None:
            first = len(primals) - 1
            assert any(matrix.any() for matrix in training.weights)
    assert first is not None
    assert len(primals) > first + 2
    assert max(primals[first:]) <= primals[first] * (1 + 1e-6)
    assert training.converged


@pytest.mark.filterwarnings("ignore:.*M33[12]")
@pytest.mark.parametrize("solver", ["dual_ascent", "cutting_plane"])
@pytest.mark.parametrize("p", [2.0, 3.0, 100.0])
def test_templates_that_matter_count_as_live_whatever_the_others_do(p, solver):
    """One template pulls hardly at all and one not at all; for p > 2 their mu are the largest."""
    random = np.random.default_rng(0)
    labels = random.integers(0, 3, 40)
    seen = np.eye(3)[labels] + 0.4 * random.normal(size=(40, 3))
    X = {"large": 1e3 * seen, "faint": 1e-6 * random.normal(size=(40, 2)), "empty": np.zeros((40, 1))}
    training = MTLStruct(p, 1e5, solver).begin(problem_from_arrays(X, labels, [4] * 10))
    while not training.finished and training.passes < 120:
        training.end_pass()
        norms, mu = training.problem.block_norms(training.weights), training.template_weights
        assert training.report().live_templates == (norms > 0).sum()
        assert (mu[norms > 0] > LIVE * mu.sum()).all()
    assert norms[0] > 0


@pytest.mark.filterwarnings("ignore:.*M332")
@pytest.mark.parametrize("p", [1.0, 4.0])
def test_reports_are_true_of_new_features_although_cutting_planes_had_begun(p):
    """30 sentences that can be separated, and then others of noise with the same outputs."""
    random, C = np.random.default_rng(3), 1e4
    labels = random.integers(0, 3, 120)
    first = np.concatenate(
        [np.eye(3)[labels] * 0.3 + random.normal(size=(120, 3)), random.normal(size=(120, 150))], axis=1
    )
    training = MTLStruct(p, C, tol=1e-4).begin(problem_from_arrays(first, labels, [4] * 30))
    while training._planes is None:
        training.end_pass()
    assert training._leading is None
    problem = problem_from_arrays(0.01 * random.normal(size=first.shape), labels, [4] * 30)
    training.rebind(problem, lambda weights: Weights(*(matrix.copy() for matrix in weights)))
    for _ in range(3):
        training.end_pass()
        report = training.report()
        assert report.gap >= 0
        true = training._penalty(training.weights) + C * exact_hinges(problem, training.weights).sum()
        assert report.primal == pytest.approx(true, rel=1e-6)


def test_no_gap_is_known_of_an_objective_that_is_no_number():
    assert relative_gap(0.0, 0.0) == 0
    assert relative_gap(4.0, 3.0) == 0.25
    for primal, dual in ((np.nan, -1.0), (np.nan, np.nan), (1.0, np.nan), (np.inf, 1.0)):
        assert not relative_gap(primal, dual) <= 1e300


def test_certificates_are_tried_when_the_gap_could_be_small_enough():
    """A certificate decodes the corpus, so after one that was too early the gap is given time to fall: more time if it is further from its aim."""
    training = MTLStruct(1.0, 1.0, tol=1e-3).begin(six_sentences(3))
    training._objective = 1.0

    def passes_of(gap):
        """Those after which a certificate is tried, where each finds this gap."""
        training._tried, found = None, []
        for training.passes in range(1, 24):
            if training._near_the_end():
                found.append(training.passes)
                training._tried = Report(1.0, 1 - gap, gap, 1, 1, training.passes)
        return found

    assert passes_of(0.5) == [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 18, 22]
    assert passes_of(1.1e-3) == list(range(1, 24))
    training._gaps[:] = 1.0
    assert passes_of(1.1e-3) == []


def test_a_training_remembers_its_last_certificate():
    training = fit(MTLStruct(1.0, 0.3, tol=1e-5), six_sentences(3), 400)
    assert training.converged
    assert training._tried == training.report()
    training.recut(training.problem)
    assert training._tried is None
