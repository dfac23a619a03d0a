"""The k best trees, against all of them sorted."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_mtl.structures.tree.algorithms.siblings import no_pairs
from spacy_mtl.structures.tree.kbest import kbest_trees, partition_best

from .algorithms.test_siblings import pairs_from, random_pairs, scored
from .trees import score_matrices, scored_trees


def check_head(heads, scores, wanted, k):
    np.testing.assert_allclose(scores, sorted(wanted.values(), reverse=True)[:k], atol=1e-9)
    trees = [tuple(tree) for tree in heads.tolist()]
    assert len(set(trees)) == len(trees)
    np.testing.assert_allclose([wanted[tree] for tree in trees], scores, atol=1e-9)


@settings(max_examples=100)
@given(score_matrices(most=4), st.booleans(), st.booleans(), st.sampled_from([1, 2, 5, 20, 200]))
def test_kbest_is_the_head_of_all_trees_sorted(scores, projective, single_root, k):
    heads, found = kbest_trees(scores, no_pairs(), projective, single_root, k)
    check_head(heads, found, scored_trees(scores, projective, single_root), k)


@settings(max_examples=30)
@given(score_matrices(), st.booleans(), st.sampled_from([2, 7, 30]))
def test_both_ways_to_the_k_best_projective_trees(scores, single_root, k):
    heads, found = partition_best(scores, no_pairs(), True, single_root, k)
    _, wanted = kbest_trees(scores, no_pairs(), True, single_root, k)
    np.testing.assert_allclose(found, wanted, atol=1e-9)
    check_head(heads, found, scored_trees(scores, True, single_root), k)


@settings(max_examples=40)
@given(score_matrices(most=4), st.booleans(), st.sampled_from([2, 9, 100]), st.integers(0, 2**32 - 1))
def test_kbest_of_the_second_order(scores, single_root, k, seed):
    n = len(scores) - 1
    table = random_pairs(np.random.default_rng(seed), n, 0.9)
    heads, found = kbest_trees(scores, pairs_from(table, n), True, single_root, k)
    check_head(heads, found, scored(scores, table, single_root), k)


@pytest.mark.parametrize("projective", [False, True])
def test_nothing_where_nothing_is_allowed(projective):
    heads, scores = kbest_trees(np.full((4, 4), -np.inf), no_pairs(), projective, True, 3)
    assert heads.shape == (0, 3)
    assert scores.size == 0
