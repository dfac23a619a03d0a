"""The best projective tree with siblings and grandparents, against all trees."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_mtl.structures.tree.algorithms.grand_eisner import eisner_grandparents

from ..corpora import flat, random_tree_corpus
from ..test_tree import decode, new_work, output_in, score
from ..trees import random_scores, score_matrices
from .test_siblings import pairs_from, random_grandparents, random_pairs, scored


def scored_with(scores, table, above, single_root):
    """The allowed trees and their scores, grandparents and all."""
    found = {}
    for tree, total in scored(scores, table, single_root).items():
        triples = [(tree[head - 1], head, m) for m, head in enumerate(tree, start=1) if head]
        if all(triple in above for triple in triples):
            found[tree] = total + sum(above[triple] for triple in triples)
    return found


def check(scores, table, above, single_root):
    n = len(scores) - 1
    trees, heads = scored_with(scores, table, above, single_root), np.empty(n, np.int32)
    best = eisner_grandparents(scores, pairs_from(table, n, above), single_root, heads)
    if not trees:
        assert best == -np.inf
        assert (heads == -1).all()
    else:
        assert best == pytest.approx(max(trees.values()), abs=1e-9)
        assert trees[tuple(heads.tolist())] == pytest.approx(best, abs=1e-9)
    return bool(trees)


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("n", range(1, 7))
def test_all_trees(n, single_root):
    rng = np.random.default_rng(n)
    for _ in range(5):
        assert check(random_scores(rng, n), random_pairs(rng, n), random_grandparents(rng, n), single_root)


@settings(deadline=None, max_examples=80)
@given(score_matrices(5), st.booleans(), st.sampled_from([1.0, 0.8]), st.integers(0, 1000))
def test_where_arcs_and_pairs_are_left_out(scores, single_root, kept, seed):
    rng, n = np.random.default_rng(seed), len(scores) - 1
    check(scores, random_pairs(rng, n, kept), random_grandparents(rng, n, kept), single_root)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 2]), st.booleans(), st.sampled_from([0.0, 1.0]))
def test_decode_of_a_problem_is_the_best(seed, n_labels, single_root, loss):
    """With labels and arcs left out, with and without the loss."""
    corpus = random_tree_corpus(seed, n_labels, True, single_root, True, 4 if n_labels == 1 else 3, True)
    problem, weights, work = corpus.problem, corpus.random_weights(), new_work(corpus.problem.arrays)
    for i in range(problem.n):
        score(problem.arrays, weights, problem.all_live(), i, work, 0.0)
        found, _, _ = decode(problem.arrays, i, work, bool(loss))
        scores = {y: flat(weights) @ corpus.phi(i, y) + loss * corpus.loss(i, y) for y in corpus.outputs(i)}
        assert found == pytest.approx(max(scores.values()), abs=1e-4)
        assert scores[output_in(corpus, i, work)] == pytest.approx(found, abs=1e-4)
