"""The EM algorithm: rounds, scales that become exactly 0, interrupts, features that change, sentences that are cut elsewhere."""

import numpy as np
import pytest

from spacy_mtl.trainers.base import fit
from spacy_mtl.trainers.l1m3n import em, laplace
from spacy_mtl.trainers.l1m3n.elements import multiply
from spacy_mtl.trainers.l1m3n.trainer import L1M3N
from spacy_mtl.trainers.mtlstruct.trainer import ssvm
from spacy_mtl.trainers.shared import batched_ascent
from spacy_mtl.trainers.shared.mixture import gather
from spacy_mtl.trainers.structreg import StructReg

from ..l1_reference import cut_elsewhere, flat, solve
from ..reference import random_problem

C = 0.7
PASSES = 5


def weights_of_state(training):
    """C b o V(M), made anew."""
    vector = training.problem.zeros()
    gather(training.problem, training._atoms, out=vector)
    multiply(vector, training._metric, 1.0)
    return flat(vector)


def test_the_first_round_is_the_m3n():
    problem = random_problem(1)
    training = fit(L1M3N(C=C, inner_passes=300, threshold=0.0), problem, 300)
    svm = fit(ssvm(C=C, tol=1e-7), problem, 300)
    np.testing.assert_allclose(flat(training.weights), flat(svm.weights), atol=1e-3)


def test_fifteen_rounds_are_a_training():
    training = fit(L1M3N(C=C, tol=1e-12, inner_passes=2), random_problem(2, observed=True), 1000)
    assert training.rounds == 15
    assert training.passes == 30
    assert training.ended
    assert not training.converged


def test_each_round_solves_an_m3n_with_scaled_features():
    """Between two rounds b_k becomes |w_k| / ||w||_1, and then w = C b o V(M) again."""
    training = fit(L1M3N(C=C, tol=1e-12, inner_passes=PASSES, threshold=0.0), random_problem(1), 2 * PASSES)
    before = np.abs(flat(training.weights))
    training.end_pass()
    np.testing.assert_allclose(flat(training._metric), C * before / before.sum(), rtol=1e-3, atol=1e-7)
    np.testing.assert_allclose(flat(training.weights), weights_of_state(training), atol=1e-6)


def test_scales_below_the_threshold_are_gone_for_good():
    training = fit(L1M3N(C=C, tol=1e-12, rounds=5, inner_passes=PASSES, threshold=0.3), random_problem(1), 3 * PASSES)
    gone = flat(training._metric) == 0
    weights = flat(training.weights)
    largest = np.abs(weights).max()
    assert gone.any()
    assert (weights[gone] == 0).all()
    assert (np.abs(weights[~gone]) >= 0.3 * largest * (1 - 1e-6)).all()
    for _ in range(2 * PASSES):
        training.end_pass()
        assert (flat(training.weights)[gone] == 0).all()


def test_a_large_threshold_waits_for_the_second_half_of_the_rounds():
    training = fit(L1M3N(C=C, tol=1e-12, rounds=6, inner_passes=PASSES, threshold=0.3), random_problem(1), 2 * PASSES)
    small = (np.abs(flat(training.weights)) < 0.3 * np.abs(flat(training.weights)).max()) & (
        flat(training.weights) != 0
    )
    assert small.any()
    for _ in range(PASSES):
        training.end_pass()
    weights = np.abs(flat(training.weights))
    assert (weights[weights > 0] >= 0.3 * weights.max() * (1 - 1e-6)).all()


@pytest.mark.parametrize("tol", [0.9, 0.2])
def test_a_large_threshold_acts_where_the_gap_ends_the_rounds_early(tol):
    """And the gap is small again after it."""
    training = fit(L1M3N(C=C, tol=tol, rounds=100, inner_passes=PASSES, threshold=0.3), random_problem(1), 500)
    assert training.converged
    assert training.rounds < 50
    assert training.report().gap <= tol
    weights = np.abs(flat(training.weights))
    assert (weights[weights > 0] >= 0.3 * weights.max() * (1 - 1e-6)).all()
    hinges = training.problem.hinges(training.weights).sum()
    assert training.report().primal == pytest.approx(0.5 * weights.sum() ** 2 + C * hinges, rel=1e-5)


def test_without_threshold_nothing_is_dropped():
    training = fit(L1M3N(C=C, tol=1e-12, threshold=0.0), random_problem(1), 30)
    vector = training.problem.zeros()
    gather(training.problem, training._atoms, out=vector)
    assert ((flat(training.weights) != 0) == (flat(vector) != 0)).all()


def test_a_larger_threshold_leaves_fewer():
    counts = [
        np.count_nonzero(flat(fit(L1M3N(C=C, tol=1e-12, rounds=4, threshold=share), random_problem(1), 20).weights))
        for share in (0.0, 1e-3, 0.3)
    ]
    assert counts[0] > counts[1] > counts[2]


@pytest.mark.parametrize(
    ("algorithm", "owner", "kernel"),
    [
        *(("em", em, kernel) for kernel in ("prune", "l1_scales", "multiply")),
        ("laplace", em, "multiply"),
        *((algorithm, batched_ascent, "ascent_pass") for algorithm in ("em", "laplace")),
        ("laplace", laplace, "laplace_scales"),
    ],
)
def test_an_interrupt_inside_a_pass_leaves_no_torn_weights(monkeypatch, algorithm, owner, kernel):
    """Ctrl-C arrives when a kernel returns: the weights may then be half rewritten, and are made anew before anyone sees them."""
    passes = 5 if kernel in ("prune", "multiply") else 6  # a round ends, or begins, with the next
    training = fit(L1M3N(algorithm, C=C, tol=1e-12, inner_passes=3, rounds=300), random_problem(1), passes)
    original = getattr(owner, kernel)

    def interrupted(*arguments):
        original(*arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(owner, kernel, interrupted)
    with pytest.raises(KeyboardInterrupt):
        training.end_pass()
    monkeypatch.setattr(owner, kernel, original)
    np.testing.assert_allclose(flat(training.weights), weights_of_state(training), rtol=1e-4, atol=1e-6)
    for _ in range(300):
        training.end_pass()
    assert training.report().gap < 0.05


@pytest.mark.parametrize("algorithm", ["em", "laplace"])
def test_features_that_are_new_get_a_scale(algorithm):
    """After a rebind that knows nothing of the first block's weights, training comes to the same optimum."""
    problem = random_problem(1)
    training = fit(L1M3N(algorithm, C=C, tol=1e-5, rounds=2000), problem, 40)

    def forget(weights):
        weights.node[: problem.blocks.node[1]] = 0
        return weights

    training.converged = False
    training.rebind(random_problem(1), forget)
    assert (training._metric.node[: problem.blocks.node[1]] > 0).all()
    while not training.finished:
        training.end_pass()
    assert training.report().primal == pytest.approx(solve(problem, algorithm, C)[0], rel=1e-3)


@pytest.mark.parametrize("algorithm", ["em", "laplace"])
def test_sentences_cut_elsewhere(algorithm):
    """Scales stay, marginals begin anew, and training comes to the optimum of the new pieces."""
    problem = random_problem(3)
    n = problem.arrays.gold.size
    other = cut_elsewhere(problem, [0, 1, n // 2, n])
    training = fit(L1M3N(algorithm, C=C, tol=1e-4, rounds=2000, threshold=0.0), problem, 12)
    training.recut(other)
    assert not flat(training.weights).any()
    assert training.report().dual == 0
    assert training.report().primal == pytest.approx(C * n)
    while not training.finished:
        training.end_pass()
    assert training.report().primal == pytest.approx(solve(other, algorithm, C)[0], rel=1e-3)


def test_a_round_that_has_ended_gives_its_scales_before_sentences_are_cut_elsewhere():
    problem = random_problem(1)
    n = problem.arrays.gold.size
    training = fit(L1M3N(C=C, tol=1e-12, inner_passes=PASSES, threshold=0.0), problem, PASSES)
    before = np.abs(flat(training.weights))
    training.recut(cut_elsewhere(problem, [0, n // 2, n]))
    np.testing.assert_allclose(flat(training._metric), C * before / before.sum(), rtol=1e-3, atol=1e-7)
    assert not flat(training.weights).any()


@pytest.mark.parametrize("algorithm", ["em", "laplace"])
def test_rounds_as_long_as_draws_still_estimate_scales(algorithm):
    within = L1M3N(algorithm, C=0.1, inner_passes=5, rounds=50, threshold=0.0, tol=1e-12)
    training = fit(StructReg(within, size=2, redraw=5), random_problem(1, n_sentences=12), 20)
    assert np.unique(flat(training.inner._metric)).size > 2
