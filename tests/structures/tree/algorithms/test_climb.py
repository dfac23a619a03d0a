"""Trees of the second order that may cross: hill climbing, against all trees and against where it begins."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_mtl.kernels import kernel
from spacy_mtl.structures.tree.algorithms.chu_liu import chu_liu_edmonds
from spacy_mtl.structures.tree.algorithms.climb import all_gains, change_head, climb_siblings, gain_of, pairs_score
from spacy_mtl.structures.tree.algorithms.grand_eisner import eisner_grandparents
from spacy_mtl.structures.tree.algorithms.siblings import eisner_siblings

from ..corpora import flat, inner_of, random_tree_corpus
from ..test_tree import decode, new_work, output_in, score
from ..trees import random_scores, score_matrices, scored_trees
from .test_siblings import pairs_from, random_grandparents, random_pairs


def scored(scores, table, single_root, grandparents=None):
    """The allowed trees, crossing or not, and their scores."""
    found = {}
    for tree, total in scored_trees(scores, False, single_root).items():
        used = [table.get((head, inner_of(tree, m), m), -np.inf) for m, head in enumerate(tree, start=1)]
        if grandparents is not None:
            arcs = [(tree[head - 1], head, m) for m, head in enumerate(tree, start=1) if head]
            used += [grandparents.get(triple, -np.inf) for triple in arcs]
        if min(used) > -np.inf:
            found[tree] = total + sum(used)
    return found


def check(scores, table, single_root, grandparents=None) -> bool:
    """A legal tree, scored as it is, no worse than both beginnings; returns whether it is the best of all."""
    n = len(scores) - 1
    trees, pairs = scored(scores, table, single_root, grandparents), pairs_from(table, n, grandparents)
    heads, other = np.full(n, 99, np.int32), np.empty(n, np.int32)
    score, starts = climb_siblings(scores, pairs, single_root, heads), []
    eisner = eisner_siblings if grandparents is None else eisner_grandparents
    for begin in (
        lambda: eisner(scores, pairs, single_root, other),
        lambda: chu_liu_edmonds(scores, single_root, other),
    ):
        if begin() > -np.inf:
            assert pairs_score(scores, pairs, other) == pytest.approx(
                trees.get(tuple(other.tolist()), -np.inf), abs=1e-9
            )
            starts.append(pairs_score(scores, pairs, other))
    if max(starts, default=-np.inf) == -np.inf:
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


@settings(max_examples=150)
@given(score_matrices(), st.booleans(), st.sampled_from([1.0, 0.8]), st.integers(0, 2**32 - 1))
def test_a_legal_tree_that_no_change_improves_with_grandparents(scores, single_root, kept, seed):
    rng, n = np.random.default_rng(seed), len(scores) - 1
    check(scores, random_pairs(rng, n), single_root, random_grandparents(rng, n, kept))


@kernel
def gains(scores, pairs, heads):
    return all_gains(scores, pairs, heads)


@kernel
def change(scores, pairs, heads, word, head, leaving, joining, extra):
    change_head(scores, pairs, heads, word, head, leaving, joining, extra)


@kernel
def gain(heads, h, m, leaving, joining, extra):
    return gain_of(heads, h, m, leaving, joining, extra)


def check_gains(scores, trees, heads, tables):
    """Every gain is the difference of two scores, -inf where the change makes no allowed tree."""
    before = trees[tuple(heads.tolist())]
    for m in range(1, heads.size + 1):
        for h in range(heads.size + 1):
            changed = (*heads[: m - 1].tolist(), h, *heads[m:].tolist())
            if changed in trees and h != heads[m - 1]:
                assert gain(heads, h, m, *tables) == pytest.approx(trees[changed] - before, abs=1e-9)
            elif h != m and scores[h, m] == -np.inf:
                assert gain(heads, h, m, *tables) == -np.inf


@settings(max_examples=100)
@given(score_matrices(), st.booleans(), st.integers(0, 2**32 - 1))
def test_every_gain_is_a_difference_of_scores(scores, with_grandparents, seed):
    """Of a tree, and after each of a few changes."""
    rng, n = np.random.default_rng(seed), len(scores) - 1
    table, grandparents = random_pairs(rng, n), random_grandparents(rng, n) if with_grandparents else None
    trees, pairs = scored(scores, table, False, grandparents), pairs_from(table, n, grandparents)
    if not trees:
        return
    heads = np.array(sorted(trees)[rng.integers(len(trees))], np.int32)
    tables = gains(scores, pairs, heads)
    check_gains(scores, trees, heads, tables)
    for _ in range(4):
        m, h = int(rng.integers(1, n + 1)), int(rng.integers(n + 1))
        if h != heads[m - 1] and (*heads[: m - 1].tolist(), h, *heads[m:].tolist()) in trees:
            change(scores, pairs, heads, m, h, *tables)
            check_gains(scores, trees, heads, tables)


@pytest.mark.parametrize("single_root", [False, True])
def test_most_are_the_best(single_root):
    rng = np.random.default_rng(5)
    best = [check(random_scores(rng, 5), random_pairs(rng, 5), single_root) for _ in range(40)]
    assert sum(best) >= 30


@pytest.mark.parametrize(("single_root", "least"), [(True, 23), (False, 29)])
def test_most_are_the_best_with_grandparents(single_root, least):
    """Fewer under one root, whose word no change of one head replaces."""
    rng, best = np.random.default_rng(5), 0
    for _ in range(40):
        scores, pairs, above = random_scores(rng, 5), random_pairs(rng, 5), random_grandparents(rng, 5)
        best += check(scores, pairs, single_root, above)
    assert best >= least


def test_where_it_climbs_from_both_beginnings():
    """A crossing tree whose pairs are what makes it the best: neither the projective tree nor that of the arcs is it."""
    rng, risen = np.random.default_rng(8), 0
    for _ in range(20):
        scores, pairs = random_scores(rng, 6), pairs_from(random_pairs(rng, 6), 6)
        heads, other = np.empty(6, np.int32), np.empty(6, np.int32)
        score = climb_siblings(scores, pairs, True, heads)
        chu_liu_edmonds(scores, True, other)
        start = pairs_score(scores, pairs, other)
        risen += score > max(start, eisner_siblings(scores, pairs, True, other)) + 1e-6
    assert risen >= 5


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 2]), st.booleans(), st.booleans())
def test_decode_of_a_problem(seed, n_labels, single_root, grandparents):
    """With labels and arcs left out: what decode leaves in the scratch space is scored as it says, and its hinge counts gold too."""
    most = 4 if n_labels == 1 else 3
    corpus = random_tree_corpus(seed, n_labels, False, single_root, True, most, grandparents)
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
