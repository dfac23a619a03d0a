import numpy as np
import pytest

from spacy_mtl.trainers.mtlstruct.subproblem.certificate import gram_products
from spacy_mtl.trainers.mtlstruct.subproblem.conic import solve_conic
from spacy_mtl.trainers.mtlstruct.subproblem.pnorm import accelerated_gradient, dual_norm_weights, solve_pnorm
from spacy_mtl.trainers.mtlstruct.subproblem.qcqp import solve_qcqp

EXPONENTS = [1.05, 4 / 3, 2.0, 4.0, 100.0]


@pytest.mark.parametrize("C", [1e-3, 10.0])
@pytest.mark.parametrize("p", EXPONENTS)
def test_agrees_with_a_conic_solver(random_cuts, p, C):
    for seed in range(3):
        cuts = random_cuts(seed)
        ours, theirs = solve_pnorm(cuts.Q, cuts.q, C, p), solve_conic(cuts.Q, cuts.q, C, p)
        assert ours.dual == pytest.approx(theirs.dual, rel=1e-6)
        assert ours.primal == pytest.approx(theirs.dual, rel=1e-6)
        assert ours.mu == pytest.approx(theirs.mu, rel=1e-3, abs=1e-4)


@pytest.mark.parametrize("p", EXPONENTS)
def test_weights_are_equation_12_at_the_optimum(random_cuts, p):
    cuts = random_cuts(5, m=10, s=15)
    result = solve_pnorm(cuts.Q, cuts.q, 0.05, p)
    assert result.relative_gap <= 2e-9
    assert result.mu == pytest.approx(dual_norm_weights(gram_products(cuts.Q, result.alpha)[1], p), rel=1e-3, abs=1e-6)


@pytest.mark.parametrize("p", EXPONENTS)
def test_one_cut_by_hand(p):
    """alpha = q / ||t||_{p*}^2 of the unit cut."""
    norms, q = np.array([1.0, 2.0, 0.0]), 0.4
    dual_norm = np.linalg.norm(norms, p / (p - 1))
    result = solve_pnorm((norms**2).reshape(3, 1, 1), np.array([q]), 10.0, p)
    assert result.alpha == pytest.approx([q / dual_norm**2], rel=1e-4)
    assert result.primal == pytest.approx(0.5 * (q / dual_norm) ** 2, rel=1e-8)


def test_p_near_1_nears_the_qcqp(random_cuts):
    cuts = random_cuts(6)
    limit = solve_qcqp(cuts.Q, cuts.q, 0.1)
    near = solve_pnorm(cuts.Q, cuts.q, 0.1, 1.0001)
    assert near.primal == pytest.approx(limit.primal, rel=1e-3)
    assert near.mu == pytest.approx(limit.mu, abs=1e-2)


def test_p_2_weighs_all_templates_alike(random_cuts):
    cuts = random_cuts(7)
    result = solve_pnorm(cuts.Q, cuts.q, 0.1, 2.0)
    assert result.mu.tolist() == [1.0] * 6
    merged = solve_pnorm(cuts.Q.sum(axis=0, keepdims=True), cuts.q, 0.1, 2.0)
    assert result.primal == pytest.approx(merged.primal, rel=1e-8)


@pytest.mark.parametrize("p", [4 / 3, 2.0, 4.0])
def test_projected_gradient_alone_is_right(random_cuts, p):
    """On well conditioned cuts the gradient method needs no help."""
    cuts = random_cuts(8, m=6, s=8, dims=(60, 80))
    alone = accelerated_gradient(cuts.Q, cuts.q, 0.01, p, 1e-7, 500)
    assert alone.relative_gap <= 1e-7
    assert alone.dual == pytest.approx(solve_pnorm(cuts.Q, cuts.q, 0.01, p).dual, rel=1e-7)


@pytest.mark.parametrize("p", [1.5, 2.0, 3.0])
def test_acceleration_and_restarts_keep_it_to_30_steps(random_cuts, p):
    """Without momentum, or with the restart rule reversed, the first of these take 40 and more."""
    for seed in range(4):
        cuts = random_cuts(seed, m=6, s=12, dims=(60, 80))
        result = accelerated_gradient(cuts.Q, cuts.q, 1.0, p, 1e-6, 30)
        assert result.relative_gap <= 1e-6


def test_a_warm_start_saves_steps(random_cuts):
    cuts = random_cuts(9, m=6, s=12, dims=(60, 80))
    before = solve_pnorm(cuts.Q[:, :11, :11], cuts.q[:11], 0.01, 4 / 3)
    cold = accelerated_gradient(cuts.Q, cuts.q, 0.01, 4 / 3, 1e-6, 10)
    warm = accelerated_gradient(cuts.Q, cuts.q, 0.01, 4 / 3, 1e-6, 10, np.append(before.alpha, 0.0))
    assert warm.gap < cold.gap


def test_a_start_may_be_short_or_infeasible(random_cuts):
    cuts = random_cuts(10)
    expected = solve_pnorm(cuts.Q, cuts.q, 0.1, 1.5).primal
    for start in (np.array([1.0]), np.zeros(8), np.full(8, -3.0), np.full(8, 1e9)):
        assert solve_pnorm(cuts.Q, cuts.q, 0.1, 1.5, start=start).primal == pytest.approx(expected, rel=1e-8)


def test_huge_and_tiny_units(random_cuts):
    cuts = random_cuts(11)
    for p in EXPONENTS:
        plain = solve_pnorm(cuts.Q, cuts.q, 0.1, p).primal
        assert solve_pnorm(1e12 * cuts.Q, cuts.q, 1e-13, p).primal == pytest.approx(1e-12 * plain, rel=1e-7)
        assert solve_pnorm(1e-12 * cuts.Q, cuts.q, 1e11, p).primal == pytest.approx(1e12 * plain, rel=1e-7)


def test_cuts_without_loss():
    result = solve_pnorm(np.ones((2, 3, 3)), np.zeros(3), 1.0, 4.0)
    assert result.primal == result.dual == 0


def test_bad_input_is_refused():
    Q, q = np.ones((2, 3, 3)), np.ones(3)
    with pytest.raises(ValueError, match=r"M352.*> 1"):
        solve_pnorm(Q, q, 1.0, 1.0)
    with pytest.raises(ValueError, match="M352"):
        solve_pnorm(Q, q, 1.0, 0.5)
    with pytest.raises(ValueError, match=r"M353.*4 values for 3 cuts"):
        solve_pnorm(Q, q, 1.0, 2.0, start=np.ones(4))
    with pytest.raises(ValueError, match="M355"):
        solve_pnorm(Q, q * np.inf, 1.0, 2.0)
