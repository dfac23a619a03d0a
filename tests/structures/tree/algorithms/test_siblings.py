"""Projective trees with scores of consecutive siblings: the best, log partition and marginals, against all trees."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp

from spacy_mtl.structures.tree.algorithms.eisner import eisner
from spacy_mtl.structures.tree.algorithms.inside import projective_marginals
from spacy_mtl.structures.tree.algorithms.sibling_sums import sibling_marginals
from spacy_mtl.structures.tree.algorithms.siblings import Pairs, eisner_siblings

from ..corpora import inner_of
from ..trees import random_scores, score_matrices, scored_trees

Table = dict[tuple[int, int, int], float]


def pairs_from(table: Table, n: int, grandparents: Table | None = None) -> Pairs:
    """Scores of (head, inner, modifier) and of (grandparent, head, modifier) in the kernel's layout."""
    first, last, end = (np.zeros((n + 1, n + 1), np.int64) for _ in range(3))
    inner, scores = [], []
    for m in range(1, n + 1):
        for h in range(n + 1):
            first[h, m] = len(inner)
            mine = sorted((s, score) for (head, s, modifier), score in table.items() if (head, modifier) == (h, m))
            above = sorted((g, score) for (g, *arc), score in (grandparents or {}).items() if arc == [h, m])
            inner += [s for s, _ in mine] + [n + 1 + g for g, _ in above]
            scores += [score for _, score in mine + above]
            last[h, m], end[h, m] = len(inner) - len(above), len(inner)
    if grandparents is None:
        end = np.zeros((0, 0), np.int64)
    return Pairs(first, last, end, np.array(inner, np.int32), np.array(scores, np.float32))


def random_grandparents(rng, n: int, kept: float = 1.0) -> Table:
    """A score for every pair of arcs one below the other (or a share of them)."""
    triples = [(g, h, m) for m in range(1, n + 1) for h in range(1, n + 1) for g in range(n + 1) if len({g, h, m}) == 3]
    return {t: float(np.float32(rng.normal())) for t in triples if rng.random() < kept}


def random_pairs(rng, n: int, kept: float = 1.0, zero: bool = False) -> Table:
    """A score for every consecutive pair there may be (or a share of them)."""
    triples = [
        (h, s, m) for m in range(1, n + 1) for h in range(n + 1) if h != m for s in range(min(h, m), max(h, m) + 1) if s != m
    ]  # fmt: skip
    return {t: 0.0 if zero else float(np.float32(rng.normal())) for t in triples if rng.random() < kept}


def scored(scores, table, single_root):
    """The allowed trees and their scores."""
    found = {}
    for tree, total in scored_trees(scores, True, single_root).items():
        triples = [(head, inner_of(tree, m), m) for m, head in enumerate(tree, start=1)]
        if all(t in table for t in triples):
            found[tree] = total + sum(table[t] for t in triples)
    return found


def check_all(scores, table, single_root):
    n = len(scores) - 1
    trees, pairs = scored(scores, table, single_root), pairs_from(table, n)
    heads, marginals, out = np.empty(n, np.int32), np.full_like(scores, 9.0), np.full(pairs.inner.size, 9.0)
    best = eisner_siblings(scores, pairs, single_root, heads)
    log_z = sibling_marginals(scores, pairs, single_root, marginals, out)
    wanted, wanted_out = np.zeros_like(scores), dict.fromkeys(table, 0.0)
    if not trees:
        assert best == log_z == -np.inf
        assert (heads == -1).all()
    else:
        assert best == pytest.approx(max(trees.values()), abs=1e-9)
        assert trees[tuple(heads.tolist())] == pytest.approx(best, abs=1e-9)
        total = logsumexp(list(trees.values()))
        assert log_z == pytest.approx(total, abs=1e-9)
        for tree, score in trees.items():
            wanted[tree, np.arange(1, n + 1)] += np.exp(score - total)
            for m, head in enumerate(tree, start=1):
                wanted_out[head, inner_of(tree, m), m] += np.exp(score - total)
    np.testing.assert_allclose(marginals, wanted, atol=1e-9)
    listed = [
        (h, int(pairs.inner[b]), m)
        for m in range(1, n + 1)
        for h in range(n + 1)
        for b in range(pairs.first[h, m], pairs.last[h, m])
    ]
    np.testing.assert_allclose(out, [wanted_out[t] for t in listed], atol=1e-9)


@settings(max_examples=150)
@given(score_matrices(), st.booleans(), st.sampled_from([1.0, 0.7]), st.integers(0, 2**32 - 1))
def test_second_order_trees(scores, single_root, kept, seed):
    check_all(scores, random_pairs(np.random.default_rng(seed), len(scores) - 1, kept), single_root)


@pytest.mark.parametrize("single_root", [False, True])
def test_six_words(single_root):
    rng = np.random.default_rng(4)
    for _ in range(5):
        check_all(random_scores(rng, 6, 0.1), random_pairs(rng, 6, 0.9), single_root)


@pytest.mark.parametrize("single_root", [False, True])
def test_without_scores_of_pairs_it_is_the_first_order(single_root):
    rng, n = np.random.default_rng(0), 15
    scores, pairs = random_scores(rng, n), pairs_from(random_pairs(rng, n, zero=True), n)
    heads, wanted_heads = np.empty(n, np.int32), np.empty(n, np.int32)
    assert eisner_siblings(scores, pairs, single_root, heads) == pytest.approx(
        eisner(scores, single_root, wanted_heads)
    )
    assert heads.tolist() == wanted_heads.tolist()
    marginals, wanted = np.empty_like(scores), np.empty_like(scores)
    log_z = sibling_marginals(scores, pairs, single_root, marginals, np.empty(pairs.inner.size))
    assert log_z == pytest.approx(projective_marginals(scores, single_root, wanted))
    np.testing.assert_allclose(marginals, wanted, atol=1e-12)
