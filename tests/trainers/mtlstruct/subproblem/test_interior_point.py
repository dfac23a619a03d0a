import numpy as np
import pytest

from spacy_mtl.trainers.mtlstruct.subproblem.interior_point import interior_point

EXPONENTS = [1.0, 1.001, 1.05, 4 / 3, 1.9, 2.0, 2.1, 4.0, 100.0]


def assert_optimal(result, C, p, gap=1e-8):
    assert (result.alpha >= 0).all()
    assert result.alpha.sum() <= C * (1 + 1e-12)
    assert (result.mu >= 0).all()
    if p == 1:
        assert result.mu.sum() == pytest.approx(1, abs=1e-12)
    assert result.primal >= result.dual
    assert result.relative_gap <= gap


def spread_over_templates(rng, Q):
    return Q * 10.0 ** rng.uniform(-8, 6, (len(Q), 1, 1))


def spread_over_cuts(rng, Q):
    size = 10.0 ** rng.uniform(-2, 1.5, Q.shape[1])
    return Q * size * size[:, None]


def zero_template(rng, Q):
    return Q * (np.arange(len(Q)) > 0)[:, None, None]


def zero_blocks(rng, Q):
    kept = rng.random(Q.shape[:2]) < 0.6
    return Q * kept[:, None] * kept[:, :, None]


def all_zero(rng, Q):
    return 0 * Q


def duplicates(rng, Q):
    twice = np.arange(Q.shape[1]) // 2
    return Q[:, twice][:, :, twice]


def rank_one(rng, Q):
    direction = rng.uniform(0.5, 1.0, Q.shape[:2])
    return direction[:, None] * direction[:, :, None]


CASES = [spread_over_templates, spread_over_cuts, zero_template, zero_blocks, all_zero, duplicates, rank_one]


@pytest.mark.parametrize("p", EXPONENTS)
@pytest.mark.parametrize("C", [1e-4, 1.0, 1e4])
def test_random_cuts_are_solved(random_cuts, p, C):
    for seed in range(4):
        cuts = random_cuts(seed, m=9, s=12)
        assert_optimal(interior_point(cuts.Q, cuts.q, C, p, 1e-9, 100), C, p)


@pytest.mark.parametrize("p", EXPONENTS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_degenerate_cuts_are_solved(random_cuts, p, case):
    for seed in range(3):
        cuts, rng = random_cuts(seed, m=9, s=12), np.random.default_rng(seed)
        Q = case(rng, cuts.Q)
        for C in (1e-2, 1e2):
            assert_optimal(interior_point(Q, cuts.q, C, p, 1e-9, 100), C, p)


@pytest.mark.parametrize("p", [1.0, 1.05, 4 / 3, 2.0, 4.0])
def test_more_cuts_than_dimensions(random_cuts, p):
    for seed in range(3):
        cuts = random_cuts(seed, m=9, s=20, dims=(1, 4), shift=0.0)
        for C in (1e-2, 1e2):
            assert_optimal(interior_point(cuts.Q, cuts.q, C, p, 1e-9, 100), C, p)


def test_vanishing_blocks_at_large_p(random_cuts):
    """Blocks with t_j = 0 at the optimum leave w_j to rounding; the certificate still has to be a good one."""
    for seed in range(3):
        cuts = random_cuts(seed, m=9, s=20, dims=(1, 4), shift=0.0)
        assert_optimal(interior_point(cuts.Q, cuts.q, 1.0, 100.0, 1e-9, 100), 1.0, 100.0, gap=3e-6)


def test_inactive_cuts_and_templates_are_exactly_zero(random_cuts):
    cuts = random_cuts(0, m=40, s=20)
    result = interior_point(cuts.Q, cuts.q, 1e-3, 1.0, 1e-9, 100)
    assert 0 < np.count_nonzero(result.alpha) < 20
    assert 0 < np.count_nonzero(result.mu) < 40


def test_few_iterations_give_a_true_if_wide_certificate(random_cuts):
    cuts = random_cuts(1)
    exact = interior_point(cuts.Q, cuts.q, 1.0, 1.0, 1e-9, 100)
    rough = interior_point(cuts.Q, cuts.q, 1.0, 1.0, 1e-9, 2)
    assert rough.gap > exact.gap
    assert rough.dual <= exact.primal
    assert rough.primal >= exact.dual
