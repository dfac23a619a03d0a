"""Log partition and arc marginals, projective and not, against sums over all trees."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp

from spacy_mtl.structures.tree.algorithms import inside, matrix
from spacy_mtl.structures.tree.algorithms.inside import projective_marginals
from spacy_mtl.structures.tree.algorithms.matrix import spanning_marginals

from .trees import all_trees, crosses, random_scores, score_matrices, scored_trees

KERNELS = {True: projective_marginals, False: spanning_marginals}


def expected(scores, projective, single_root):
    """Log partition and marginals by enumeration."""
    trees = scored_trees(scores, projective, single_root)
    marginals = np.zeros_like(scores)
    if not trees:
        return -np.inf, marginals
    totals = np.array(list(trees.values()))
    for tree, p in zip(trees, np.exp(totals - logsumexp(totals)), strict=True):
        marginals[tree, np.arange(1, len(scores))] += p
    return logsumexp(totals), marginals


def check_sums(scores, projective, single_root, tolerance=1e-9):
    marginals = np.full_like(scores, 99.0)
    log_z = KERNELS[projective](scores, single_root, marginals)
    wanted, wanted_marginals = expected(scores, projective, single_root)
    assert log_z == pytest.approx(wanted, abs=tolerance, rel=1e-12)
    np.testing.assert_allclose(marginals, wanted_marginals, atol=tolerance)
    assert KERNELS[projective](scores, single_root, np.empty((0, 0))) == log_z


@settings(max_examples=150)
@given(score_matrices(), st.booleans(), st.booleans())
def test_sums_over_all_trees(scores, projective, single_root):
    check_sums(scores, projective, single_root)


@settings(max_examples=150)
@given(score_matrices(), st.booleans(), st.booleans(), st.sampled_from([30.0, 300.0, 3000.0]))
def test_scores_far_apart(scores, projective, single_root, spread):
    """Where exponentials underflow, or are all but equal to their sums."""
    check_sums(spread * scores, projective, single_root)


@pytest.mark.parametrize("single_root", [False, True])
@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("forbidden", [0.0, 0.5])
def test_sums_over_trees_of_six_words(projective, single_root, forbidden):
    rng = np.random.default_rng(5)
    for _ in range(5):
        check_sums(random_scores(rng, 6, forbidden), projective, single_root)


@pytest.mark.parametrize("projective", [False, True])
def test_strong_cycles(projective):
    """Trees that all but lose against cycles: the inverse of the Laplacian would have no digit left."""
    rng = np.random.default_rng(1)
    for gap in (20.0, 40.0, 100.0):
        scores = random_scores(rng, 4)
        scores[[1, 2, 3, 4], [2, 1, 4, 3]] += gap
        check_sums(scores, projective, True)
        check_sums(scores, projective, False)


@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("single_root", [False, True])
def test_plain_numbers_and_logs_agree(projective, single_root):
    rng = np.random.default_rng(2)
    module = inside if projective else matrix
    scores = random_scores(rng, 40, 0.1)
    found, wanted = np.empty_like(scores), np.zeros_like(scores)
    log_z = KERNELS[projective](scores, single_root, found)
    if projective:
        _, other = module.sum_trees(scores, single_root, True, wanted)
    else:
        arcs, order, pivots = scores.copy(), np.empty(40, np.int64), np.empty(40)
        other = module.eliminate(arcs, single_root, True, order, pivots)
        module.spread(scores, arcs, order, pivots, single_root, True, wanted)
    assert log_z == pytest.approx(other, rel=1e-12)
    np.testing.assert_allclose(found, wanted, atol=1e-12)
    np.testing.assert_allclose(found[:, 1:].sum(axis=0), 1, atol=1e-12)
    if single_root:
        assert found[0].sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("single_root", [False, True])
def test_long_sentences_stay_finite(projective, single_root):
    """300 words of equal scores underflow plain numbers in the projective case; the number of trees is known."""
    n = 300 if not projective else 220
    scores = np.zeros((n + 1, n + 1))
    marginals = np.empty_like(scores)
    log_z = KERNELS[projective](scores, single_root, marginals)
    if not projective:  # Cayley: n ** (n - 1) rooted trees, (n + 1) ** (n - 1) with several roots
        assert log_z == pytest.approx((n - 1) * np.log(n if single_root else n + 1), rel=1e-12)
    np.testing.assert_allclose(marginals[:, 1:].sum(axis=0), 1, atol=1e-9)
    assert marginals.min() >= 0


@pytest.mark.parametrize("projective", [False, True])
def test_one_allowed_tree_has_all_probability(projective):
    for tree in all_trees(4, False, True):
        scores = np.full((5, 5), -np.inf)
        scores[tree, np.arange(1, 5)] = -2
        marginals = np.empty((5, 5))
        log_z = KERNELS[projective](scores, True, marginals)
        if projective and crosses(tree):
            assert log_z == -np.inf
            assert not marginals.any()
        else:
            assert log_z == pytest.approx(-8)
            np.testing.assert_allclose(marginals[tree, np.arange(1, 5)], 1)
