import numpy as np
import pytest

from spacy_mtl.trainers.mtlstruct.subproblem.certificate import (
    Subproblem,
    best_scale,
    certify,
    check_subproblem,
    gram_norms,
    gram_products,
    objectives,
    zero_solution,
)

EXPONENTS = [1.0, 1.05, 4 / 3, 2.0, 4.0, 100.0]


def by_features(cuts, C, p, alpha, mu):
    """(primal, dual) from the weight vectors themselves, without a Gram matrix."""
    v = [alpha @ block for block in cuts.blocks]
    w = [-mu_j * v_j for mu_j, v_j in zip(mu, v, strict=True)]
    scores = sum(block @ w_j for block, w_j in zip(cuts.blocks, w, strict=True))
    norm = np.linalg.norm([np.linalg.norm(w_j) for w_j in w], p)
    t = [np.linalg.norm(v_j) for v_j in v]
    dual_norm = np.linalg.norm(t, np.inf if p == 1 else p / (p - 1))
    return 0.5 * norm**2 + C * max(0.0, np.max(cuts.q + scores)), cuts.q @ alpha - 0.5 * dual_norm**2


@pytest.mark.parametrize("p", EXPONENTS)
def test_objectives_are_those_of_the_weight_vectors(random_cuts, p):
    cuts, rng = random_cuts(3), np.random.default_rng(3)
    alpha, mu = rng.uniform(0, 0.02, 8), rng.uniform(0, 1, 6)
    result = certify(cuts.Q, cuts.q, 2.0, p, alpha, mu, iterations=4)
    assert (result.primal, result.dual) == pytest.approx(by_features(cuts, 2.0, p, alpha, mu), rel=1e-10)
    assert result.gap == result.primal - result.dual
    assert result.relative_gap == result.gap / result.primal
    assert result.iterations == 4


@pytest.mark.parametrize("p", EXPONENTS)
def test_any_pair_bounds_any_other(random_cuts, p):
    """Weak duality holds for every feasible alpha and every mu, however chosen."""
    cuts, rng = random_cuts(4), np.random.default_rng(4)
    primals, duals = [], []
    for size in 10.0 ** rng.uniform(-4, 1, 60):
        alpha = size * rng.dirichlet(np.ones(8)) * rng.uniform(0, 1)
        mu = rng.dirichlet(np.ones(6)) * rng.uniform(0, 3)
        primal, dual = objectives(*gram_products(cuts.Q, alpha), cuts.q, 10.0, p, alpha, mu)
        primals.append(primal)
        duals.append(dual)
    assert min(primals) > max(duals)


def test_relative_gap_without_a_primal():
    assert Subproblem(np.zeros(1), np.ones(1), 0.0, 0.0, 0.0, 0).relative_gap == 0
    assert Subproblem(np.zeros(1), np.ones(1), 0.0, -1.0, 1.0, 0).relative_gap == np.inf


def test_a_missed_margin_is_closed(random_cuts):
    """One cut: alpha = q / ||p||^2 gives margin q exactly; a little less costs C times what is missing."""
    cuts, C = random_cuts(5, m=1, s=1), 1e9
    alpha = cuts.q / cuts.Q[0, 0] * (1 - 1e-9)
    mu = np.ones(1)
    arguments = (cuts.q, C, 1.0, alpha, mu)
    before = certify(cuts.Q, cuts.q, C, 1.0, alpha, mu)
    after = certify(
        cuts.Q, cuts.q, C, 1.0, best_scale(gram_norms(cuts.Q), *gram_products(cuts.Q, alpha), *arguments) * alpha, mu
    )
    assert before.relative_gap > 0.1
    assert after.relative_gap < 1e-8


def test_scaling_keeps_alpha_feasible(random_cuts):
    cuts = random_cuts(6, m=1, s=1)
    alpha = 0.5 * cuts.q / cuts.Q[0, 0]
    scale = best_scale(
        gram_norms(cuts.Q), *gram_products(cuts.Q, alpha), cuts.q, float(alpha[0]), 1.0, alpha, np.ones(1)
    )
    assert scale == 1.0


@pytest.mark.parametrize("p", [1.0, 2.0])
def test_without_loss_the_weights_are_zero(random_cuts, p):
    cuts = random_cuts(7)
    result = zero_solution(cuts.Q, -cuts.q, 1.0, p)
    assert not result.alpha.any()
    assert result.primal == result.dual == 0
    assert result.mu.sum() == pytest.approx(1 if p == 1 else 6)


def test_bad_input_is_refused():
    Q, q = np.ones((2, 3, 3)), np.ones(3)
    for bad_Q, bad_q in ((Q[0], q), (Q, q[:2]), (Q, q[:, None]), (np.ones((0, 3, 3)), q), (np.ones((2, 0, 0)), q[:0])):
        with pytest.raises(ValueError, match="M354"):
            check_subproblem(bad_Q, bad_q, 1.0, 1.0)
    with pytest.raises(ValueError, match="M355"):
        check_subproblem(Q * np.nan, q, 1.0, 1.0)
    for C in (0.0, -1.0, np.inf):
        with pytest.raises(ValueError, match="M356"):
            check_subproblem(Q, q, C, 1.0)
    with pytest.raises(ValueError, match="M352"):
        check_subproblem(Q, q, 1.0, 0.9)
