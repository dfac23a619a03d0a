"""CRF: every penalty and algorithm against cvxpy over all outputs, what the reports say, and settings."""

import functools
from itertools import product

import cvxpy as cp
import numpy as np
import pytest

from spacy_mtl.sequences import problem_from_arrays
from spacy_mtl.structures.chain.build import ChainFeatures, Constraints, chain_problem
from spacy_mtl.structures.problem import Blocks
from spacy_mtl.trainers.base import fit
from spacy_mtl.trainers.crf import batch, sparse
from spacy_mtl.trainers.crf.trainer import CRF, crf
from spacy_mtl.trainers.online_mkl.trainer import OnlineMKL

from ..reference import LABELS, block_slices, feature_vector, random_problem

C = 0.7


def log_losses(problem, w) -> list:
    """-log p(gold) of every sentence, as expressions of cvxpy in w."""
    gold = problem.arrays.gold
    losses = []
    for i in range(problem.n):
        truth = gold[problem.arrays.first[i] : problem.arrays.last[i]]
        outputs = product(range(len(LABELS)), repeat=truth.size)
        difference = np.stack([feature_vector(problem, i, y) - feature_vector(problem, i, truth) for y in outputs])
        losses.append(cp.log_sum_exp(difference @ w))
    return losses


@functools.cache
def optimum(seed: int, penalty: str):
    problem = random_problem(seed, observed=seed == 2)
    w = cp.Variable(block_slices(problem)[-1].stop)
    size = 0.5 * cp.sum_squares(w) if penalty == "l2" else 0.5 * cp.norm1(w)
    value = cp.Problem(cp.Minimize(size + C * sum(log_losses(problem, w)))).solve(solver=cp.CLARABEL)
    return problem, float(value)


def flat(weights) -> np.ndarray:
    return np.concatenate([weights.node.ravel(), weights.pair.ravel()]).astype(float)


def objective(problem, weights, penalty: str) -> float:
    w = flat(weights)
    size = 0.5 * w @ w if penalty == "l2" else 0.5 * np.abs(w).sum()
    return float(size + C * sum(loss.value for loss in log_losses(problem, w)))


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_lbfgs_reaches_the_optimum(seed):
    problem, value = optimum(seed, "l2")
    training = fit(CRF(C=C, tol=1e-6), problem, 200)
    report = training.report()
    assert report.primal == pytest.approx(value, rel=1e-4)
    assert report.primal == pytest.approx(objective(problem, training.weights, "l2"), rel=1e-4)
    assert report.dual <= value * (1 + 1e-5)
    assert report.gap < 1e-3


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_dual_is_a_bound_all_the_way(seed):
    problem, value = optimum(seed, "l2")
    reports = []
    fit(CRF(C=C, tol=1e-6), problem, 6, lambda training: reports.append(training.report()))
    known = [report for report in reports if not np.isnan(report.dual)]  # nothing is known of it while warming up
    assert len(known) >= 3
    assert all(report.dual <= value * (1 + 1e-5) and report.primal >= value * (1 - 1e-5) for report in known)
    assert known[-1].gap < known[0].gap


@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_sgd_comes_within_two_percent(seed, average):
    problem, value = optimum(seed, "l2")
    training = fit(CRF(C=C, algorithm="sgd", average=average), problem, 300)
    assert objective(problem, training.weights, "l2") <= 1.02 * value


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_l1_reaches_the_optimum_with_exact_zeros(seed):
    problem, value = optimum(seed, "l1")
    training = fit(CRF(C=C, penalty="l1", tol=1e-5), problem, 600)
    assert objective(problem, training.weights, "l1") == pytest.approx(value, rel=1e-3)
    assert training.report().primal == pytest.approx(value, rel=1e-3)
    assert (flat(training.weights) == 0).mean() > 0.2


@pytest.mark.parametrize("settings", [{}, {"algorithm": "sgd"}, {"penalty": "l1"}, {"penalty": "irw"}])
def test_rebinding_goes_on(settings):
    problem, _ = optimum(1, "l2")
    training = fit(CRF(C=C, **settings), problem, 4)
    before = training.report().primal
    training.rebind(random_problem(1), lambda weights: weights)
    training.converged = False
    for _ in range(10):
        training.step(np.arange(problem.n))
        training.end_pass()
    assert training.report().primal <= 1.05 * before


def test_warming_up_goes_on_after_rebinding_and_recutting():
    problem, _ = optimum(1, "l2")
    training = CRF(C=C, warm_up=3).begin(problem)
    plain = CRF(C=C, warm_up=3).begin(problem)
    for k in range(6):
        for each in (training, plain):
            each.end_pass()
        training.rebind(problem, lambda weights: weights) if k % 2 else training.recut(problem)
        if k < 2:
            np.testing.assert_allclose(flat(training.weights), flat(plain.weights), rtol=1e-5, atol=1e-6)
            assert np.isnan(training.report().dual)
            assert np.isnan(training.report().gap)
    assert training.report().primal <= 1.05 * plain.report().primal


def test_sentences_in_order_of_length_count_as_one_each():
    """What a sentence counts is relative to the mean over the corpus, not over its beginning."""
    rng = np.random.default_rng(0)
    lengths = [2] * 500 + [20] * 100
    X = rng.normal(size=(sum(lengths), 2))
    y = (X[:, 0] > 0).astype(int)
    problem = problem_from_arrays(X, y, lengths)
    training = CRF(algorithm="sgd").begin(problem)
    whole = problem.cut(np.arange(problem.n), 1000.0, rng)
    assert training._share(whole, rng.permutation(problem.n)) == pytest.approx(1.0, rel=0.15)


def test_costs_do_not_decide_whether_a_log_loss_diverges():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    problem = problem_from_arrays(X, (X[:, 0] > 0).astype(int), [6] * 10, cost=0.001 * (1 - np.eye(2)))
    for trainer in (CRF(algorithm="sgd"), OnlineMKL(loss="log")):
        training = fit(trainer, problem, 3)
        assert not training.converged
        assert training.weights.node.any()


def test_a_rate_that_blows_up_is_stopped_and_the_best_pass_kept():
    problem, _ = optimum(0, "l2")
    with pytest.warns(UserWarning, match=r"\[M330\] CRF: pass"):
        training = fit(CRF(C=C, algorithm="sgd", eta0=1e12), problem, 20)
    assert training.ended
    assert not training.converged
    assert all(np.isfinite(matrix).all() for matrix in training.weights)


def test_needs_and_kind_follow_the_settings():
    assert CRF().batch
    assert not CRF(algorithm="sgd").batch
    assert "features" in CRF(penalty="l1").needs
    assert "features" not in CRF().needs


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ({"penalty": "l3"}, r"M315.*Choose 'l2' or 'l1' or 'irw'\."),
        ({"algorithm": "newton"}, "M316.*'lbfgs' or 'proximal' or 'sgd', or null"),
        ({"penalty": "l1", "algorithm": "lbfgs"}, "M317"),
        ({"eta0": 0.1}, "M318"),
        ({"algorithm": "sgd", "inner_passes": 2}, "M319"),
        ({"C": 0.0}, "M302"),
        ({"C": "1"}, "M302"),
        ({"memory": True}, "M305"),
        ({"algorithm": "sgd", "average": "no"}, "M320"),
        ({"memory": 0}, "M305"),
    ],
)
def test_settings_out_of_range_are_refused(settings, code):
    with pytest.raises(ValueError, match=code):
        crf(**settings)


@pytest.mark.parametrize("penalty", ["l2", "l1"])
def test_positions_without_gold_are_no_part_of_it(penalty, monkeypatch):
    """Nobody writes the marginals of a position that belongs to no piece: whatever is in the memory there must not count."""
    arrays = random_problem(2, observed=True).arrays
    gold = arrays.gold.copy()
    gold[[2, 7]] = -1
    starts = np.append(arrays.first, arrays.last[-1])
    blocks = Blocks(np.arange(0, 20, 4), np.array([0, 1, 3]), tuple("abcdef"))
    features = ChainFeatures(arrays.rows, arrays.pair_rows, True)
    problem = chain_problem(features, blocks, gold, starts, LABELS, Constraints.none(len(LABELS)))
    assert (arrays.last - arrays.first).sum() - (problem.arrays.last - problem.arrays.first).sum() == 2
    w = cp.Variable(block_slices(problem)[-1].stop)
    size = 0.5 * cp.sum_squares(w) if penalty == "l2" else 0.5 * cp.norm1(w)
    value = cp.Problem(cp.Minimize(size + C * sum(log_losses(problem, w)))).solve(solver=cp.CLARABEL)
    for module in (batch, sparse):
        monkeypatch.setattr(module.np, "empty_like", lambda array: np.full_like(array, np.nan))
    report = fit(CRF(C=C, penalty=penalty, tol=1e-6), problem, 200).report()
    assert report.primal == pytest.approx(value, rel=1e-4)
    assert report.gap < 1e-3
