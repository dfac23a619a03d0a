"""Trees of the second order that may cross: hill climbing, against all trees and against where it begins."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_mtl.structures.tree_chu_liu import chu_liu_edmonds
from spacy_mtl.structures.tree_climb import climb_siblings, sibling_score
from spacy_mtl.structures.tree_siblings import eisner_siblings

from .test_tree import decode, new_work, output_in, score
from .test_tree_siblings import pairs_from, random_pairs
from .tree_corpora import flat, inner_of, random_tree_corpus
from .trees import random_scores, score_matrices, scored_trees


def scored(scores, table, single_root):
    """The allowed trees, crossing or not, and their scores."""
    found = {}
    for tree, total in scored_trees(scores, False, single_root).items():
        triples = [(head, inner_of(tree, m), m) for m, head in enumerate(tree, start=1)]
        if all(t in table for t in triples):
            found[tree] = total + sum(table[t] for t in triples)
    return found


def check(scores, table, single_root) -> bool:
    """A legal tree, scored as it is, no worse than both beginnings; returns whether it is the best of all."""
    n = len(scores) - 1
    trees, pairs = scored(scores, table, single_root), pairs_from(table, n)
    heads, other = np.full(n, 99, np.int32), np.empty(n, np.int32)
    score = climb_siblings(scores, pairs, single_root, heads)
    starts = [eisner_siblings(scores, pairs, single_root, other)]
    if chu_liu_edmonds(scores, single_root, other) > -np.inf:
        assert sibling_score(scores, pairs, other) == pytest.approx(trees.get(tuple(other.tolist()), -np.inf), abs=1e-9)
        starts.append(sibling_score(scores, pairs, other))
    if max(starts) == -np.inf:
        assert score == -np.inf
        assert (heads == -1).all()
        return not trees
    assert score >= max(starts) - 1e-9
    assert trees[tuple(heads.tolist())] == pytest.approx(score, abs=1e-9)
    for m in range(n):  # no change of a head gains anything
        for h in range(n + 1):
            changed = (*heads[:m].tolist(), h, *heads[m + 1 :].tolist())
            assert trees.get(changed, -np.inf) <= score + 1e-6
    return score > max(trees.values()) - 1e-9


@settings(max_examples=150)
@given(score_matrices(), st.booleans(), st.sampled_from([1.0, 0.7]), st.integers(0, 2**32 - 1))
def test_a_legal_tree_that_no_change_improves(scores, single_root, kept, seed):
    check(scores, random_pairs(np.random.default_rng(seed), len(scores) - 1, kept), single_root)


@pytest.mark.parametrize("single_root", [False, True])
def test_most_are_the_best(single_root):
    rng = np.random.default_rng(5)
    best = [check(random_scores(rng, 5), random_pairs(rng, 5), single_root) for _ in range(40)]
    assert sum(best) >= 30


def test_where_it_climbs_from_both_beginnings():
    """A crossing tree whose pairs are what makes it the best: neither the projective tree nor that of the arcs is it."""
    rng, risen = np.random.default_rng(8), 0
    for _ in range(20):
        scores, pairs = random_scores(rng, 6), pairs_from(random_pairs(rng, 6), 6)
        heads, other = np.empty(6, np.int32), np.empty(6, np.int32)
        score = climb_siblings(scores, pairs, True, heads)
        chu_liu_edmonds(scores, True, other)
        start = sibling_score(scores, pairs, other)
        risen += score > max(start, eisner_siblings(scores, pairs, True, other)) + 1e-6
    assert risen >= 5


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 2]), st.booleans())
def test_decode_of_a_problem(seed, n_labels, single_root):
    """With labels and arcs left out: what decode leaves in the scratch space is scored as it says, and its hinge counts gold too."""
    corpus = random_tree_corpus(seed, n_labels, False, single_root, True, most=4 if n_labels == 1 else 3)
    problem, weights, work = corpus.problem, corpus.random_weights(), new_work(corpus.problem.arrays)
    for i in range(problem.n):
        score(problem.arrays, weights, problem.all_live(), i, work, 0.0)
        found, gold_score, _ = decode(problem.arrays, i, work, True)
        scores = {y: flat(weights) @ corpus.phi(i, y) + corpus.loss(i, y) for y in corpus.outputs(i)}
        assert scores[output_in(corpus, i, work)] == pytest.approx(found, abs=1e-4)
        assert gold_score == pytest.approx(scores[corpus.gold(i)], abs=1e-4)
        wanted = max(0.0, found - gold_score)
        assert problem.hinges(weights)[i] == pytest.approx(wanted, abs=1e-4)


def test_one_word():
    heads = np.empty(1, np.int32)
    assert climb_siblings(np.array([[0.0, 2.0], [0.0, 0.0]]), pairs_from({(0, 0, 1): 0.5}, 1), True, heads) == 2.5
    assert heads.tolist() == [0]
