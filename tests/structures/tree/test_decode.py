"""Best trees, projective and not, against all trees."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_mtl.structures.tree.algorithms.chu_liu import chu_liu_edmonds
from spacy_mtl.structures.tree.algorithms.eisner import eisner, is_projective

from .trees import all_trees, crosses, random_scores, score_matrices, scored_trees

DECODERS = {True: eisner, False: chu_liu_edmonds}


def check_best(scores, projective, single_root):
    heads = np.full(len(scores) - 1, 99, np.int32)
    score = DECODERS[projective](scores, single_root, heads)
    trees = scored_trees(scores, projective, single_root)
    if not trees:
        assert score == -np.inf
        assert (heads == -1).all()
        return
    assert score == pytest.approx(max(trees.values()), abs=1e-9)
    assert trees[tuple(heads.tolist())] == pytest.approx(score, abs=1e-9)


@settings(max_examples=300)
@given(score_matrices(), st.booleans(), st.booleans())
def test_the_best_tree(scores, projective, single_root):
    check_best(scores, projective, single_root)


@pytest.mark.parametrize("single_root", [False, True])
@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("forbidden", [0.0, 0.5])
def test_the_best_of_six_words(projective, single_root, forbidden):
    rng = np.random.default_rng(7)
    for _ in range(10):
        check_best(random_scores(rng, 6, forbidden), projective, single_root)


@pytest.mark.parametrize("projective", [False, True])
def test_one_root_where_several_would_be_better(projective):
    rng = np.random.default_rng(3)
    for spread in (1.0, 1e-6, 1e6):
        scores = random_scores(rng, 5, spread=spread)
        scores[0] += 10 * spread
        heads = np.empty(5, np.int32)
        DECODERS[projective](scores, False, heads)
        assert (heads == 0).all()
        DECODERS[projective](scores, True, heads)
        assert (heads == 0).sum() == 1
        trees = scored_trees(scores, projective, True)
        assert trees[tuple(heads.tolist())] == pytest.approx(max(trees.values()), rel=1e-9)


@pytest.mark.parametrize("projective", [False, True])
def test_one_root_for_which_every_head_changes(projective):
    """A second root is worth the sum of what all other words lose: three times as much as any word alone."""
    scores = np.full((5, 5), -np.inf)
    scores[0, 1] = 0
    scores[0, 2] = scores[2, 3] = scores[3, 4] = 10  # two roots
    scores[1, 4] = scores[4, 3] = scores[3, 2] = -10  # one
    heads = np.empty(4, np.int32)
    assert DECODERS[projective](scores, False, heads) == 30
    assert DECODERS[projective](scores, True, heads) == -30
    assert heads.tolist() == [0, 3, 4, 1]


@pytest.mark.parametrize("projective", [False, True])
def test_where_two_words_have_no_head_but_the_root(projective):
    scores = np.zeros((4, 4))
    scores[1:, 1] = scores[1:, 3] = -np.inf
    heads = np.empty(3, np.int32)
    assert DECODERS[projective](scores, True, heads) == -np.inf
    assert DECODERS[projective](scores, False, heads) == 0
    assert heads[[0, 2]].tolist() == [0, 0]


@pytest.mark.parametrize("projective", [False, True])
def test_given_heads(projective):
    """A mask that leaves one tree gives it; all but the arcs of a tree that crosses leave none that is projective."""
    for tree in all_trees(4, False, True):
        scores = np.full((5, 5), -np.inf)
        scores[tree, np.arange(1, 5)] = -1
        heads = np.empty(4, np.int32)
        score = DECODERS[projective](scores, True, heads)
        if projective and crosses(tree):
            assert score == -np.inf
        else:
            assert score == -4
            assert heads.tolist() == tree.tolist()


@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("single_root", [False, True])
def test_one_word(projective, single_root):
    heads = np.empty(1, np.int32)
    assert DECODERS[projective](np.full((2, 2), 0.5), single_root, heads) == 0.5
    assert heads.tolist() == [0]


def test_projectivity():
    for tree in all_trees(5, False, False):
        assert is_projective(tree.astype(np.int32)) == (not crosses(tree.tolist()))


@pytest.mark.parametrize("projective", [False, True])
def test_a_long_sentence_gets_the_tree_it_was_scored_for(projective):
    rng, n = np.random.default_rng(0), 120
    tree = np.array([0] + [rng.integers(max(1, m - 5), m) for m in range(2, n + 1)])
    if projective:
        tree = np.maximum(np.arange(n), 0)
    scores = rng.random((n + 1, n + 1))
    scores[tree, np.arange(1, n + 1)] += 1
    heads = np.empty(n, np.int32)
    DECODERS[projective](scores, True, heads)
    assert heads.tolist() == tree.tolist()
