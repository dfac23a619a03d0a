"""CKY, inside-outside and the k best over forests of up to six words, against all trees, told from the rules alone."""

from functools import cache

import numpy as np
import pytest
from scipy.special import logsumexp

from spacy_mtl.structures.grammar.chart import near_best
from spacy_mtl.structures.grammar.derivations import best_root, find_best, trace_back
from spacy_mtl.structures.grammar.forest import Forest, allow_all, sentence_forest
from spacy_mtl.structures.grammar.kbest import kbest_derivations
from spacy_mtl.structures.grammar.rules import Grammar
from spacy_mtl.structures.grammar.sums import share_out, sum_inside, sum_roots

from .corpora import all_trees, random_grammar, random_mask

SEEDS = range(12)


@cache
def drawn(seed: int):
    """A sentence of 1 to 6 words with some trees: grammar, mask, trees and forest."""
    rng = np.random.default_rng(seed)
    while True:
        grammar = random_grammar(rng, 3, 7)
        n = 1 + seed % 6
        mask = random_mask(rng, n, 3, 0.85) if seed % 2 else allow_all(random_mask(rng, 1, 3)[:, 0].repeat(n, 0))
        trees = all_trees(grammar, mask)
        if trees and len(trees) < 5000:
            return grammar, mask, trees, sentence_forest(grammar, mask)


def items_in(forest: Forest) -> list[tuple[int, int, int]]:
    return list(zip(forest.start.tolist(), forest.end.tolist(), forest.symbol.tolist(), strict=True))


def edges_in(forest: Forest) -> list[tuple[int, int, int, int]]:
    item = np.repeat(np.arange(forest.symbol.size), np.diff(forest.first_edge))
    columns = (forest.rule, forest.start[item], forest.middle, forest.end[item])
    return list(zip(*(column.tolist() for column in columns), strict=True))


def parts_of(tree):
    spans, rules = tree
    return {(i, j, a) for (i, j), a in spans.items()}, rules


def scored(seed: int, spread: float = 1.0):
    """Random scores of the parts of a forest, and of all trees: the forest, items, edges, totals, and the parts of each tree as rows of 0 and 1."""
    _, _, trees, forest = drawn(seed)
    rng = np.random.default_rng(seed + 100)
    items, edges = (spread * rng.normal(size=n) for n in (forest.symbol.size, forest.rule.size))
    item_at, edge_at = ({part: k for k, part in enumerate(parts)} for parts in (items_in(forest), edges_in(forest)))
    has_items, has_edges = np.zeros((len(trees), items.size)), np.zeros((len(trees), edges.size))
    for row, tree in enumerate(trees):
        spans, rules = parts_of(tree)
        has_items[row, [item_at[part] for part in spans]] = 1
        has_edges[row, [edge_at[part] for part in rules]] = 1
    return forest, items, edges, has_items @ items + has_edges @ edges, has_items, has_edges


def arguments(forest, items, edges):
    return items, edges, forest.first_edge, forest.left, forest.right


def indicator(forest, output):
    """The items and edges of an output, as rows of 0 and 1."""
    items, edges = np.zeros(forest.symbol.size), np.zeros(forest.rule.size)
    items[output[0]] = 1
    for e in output[1:]:
        edges[e] = items[forest.left[e]] = items[forest.right[e]] = 1
    return np.concatenate([items, edges])


@pytest.mark.parametrize("seed", SEEDS)
def test_a_forest_holds_what_occurs_in_some_tree(seed):
    _, _, trees, forest = drawn(seed)
    parts = [parts_of(tree) for tree in trees]
    assert sorted(items_in(forest)) == sorted(set().union(*(spans for spans, _ in parts)))
    assert sorted(edges_in(forest)) == sorted(set().union(*(rules for _, rules in parts)))


@pytest.mark.parametrize("seed", SEEDS)
def test_edges_join_what_their_rule_says(seed):
    grammar, _, _, forest = drawn(seed)
    items = items_in(forest)
    made = [item for item, n in zip(items, np.diff(forest.first_edge), strict=True) for _ in range(n)]
    for (i, j, a), left, right, rule, k in zip(
        made, forest.left, forest.right, forest.rule, forest.middle, strict=True
    ):
        assert (items[left], items[right]) == ((i, k, grammar.left[rule]), (k, j, grammar.right[rule]))
        assert a == grammar.parent[rule]
    n = int(forest.first[-1])
    assert forest.root.tolist() == [(i, j) == (0, n) and bool(grammar.root[a]) for i, j, a in items]
    widths = [j - i for i, j, _ in items]
    assert widths == sorted(widths)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_best_tree(seed):
    forest, items, edges, totals, has_items, has_edges = scored(seed)
    best, back = np.empty(items.size), np.empty(items.size, np.int32)
    find_best(*arguments(forest, items, edges), best, back)
    top = best_root(forest.root, best)
    assert best[top] == pytest.approx(totals.max(), abs=1e-9)
    output = np.empty(int(forest.first[-1]), np.int32)
    trace_back(top, back, forest.left, forest.right, output)
    assert output[1:].tolist() == sorted(output[1:])
    wanted = np.argmax(totals)
    np.testing.assert_array_equal(indicator(forest, output), np.concatenate([has_items[wanted], has_edges[wanted]]))


@pytest.mark.parametrize("spread", [1.0, 300.0])
@pytest.mark.parametrize("seed", SEEDS)
def test_log_partition_and_marginals(seed, spread):
    forest, items, edges, totals, has_items, has_edges = scored(seed, spread)
    inside, item_mass, edge_mass = np.empty(items.size), np.full(items.size, 9.0), np.full(edges.size, 9.0)
    sum_inside(*arguments(forest, items, edges), inside)
    log_z = sum_roots(forest.root, inside)
    assert log_z == pytest.approx(logsumexp(totals), abs=1e-9, rel=1e-12)
    share_out(*arguments(forest, items, edges), forest.root, inside, log_z, item_mass, edge_mass)
    shares = np.exp(totals - logsumexp(totals))
    np.testing.assert_allclose(item_mass, shares @ has_items, atol=1e-9)
    np.testing.assert_allclose(edge_mass, shares @ has_edges, atol=1e-9)


@pytest.mark.parametrize("k", [1, 2, 7, 50, 6000])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_k_best_trees(seed, k):
    forest, items, edges, totals, has_items, has_edges = scored(seed)
    outputs, scores = kbest_derivations(*arguments(forest, items, edges), forest.root, int(forest.first[-1]), k)
    np.testing.assert_allclose(scores, np.sort(totals)[::-1][:k], atol=1e-9)
    found = [indicator(forest, output) for output in outputs]
    every = {row.tobytes() for row in np.concatenate([has_items, has_edges], axis=1)}
    assert len({row.tobytes() for row in found} & every) == len(scores)
    np.testing.assert_allclose([row @ np.concatenate([items, edges]) for row in found], scores, atol=1e-9)


def rule_scored(grammar: Grammar, mask, trees, seed: int):
    """Random scores of rules, roots and words, and of all trees under them."""
    rng = np.random.default_rng(seed)
    rules, roots = rng.normal(size=grammar.parent.size), np.where(grammar.root, rng.normal(size=3), -np.inf)
    n = len(mask)
    words = np.where(mask[np.arange(n), np.arange(1, n + 1)], rng.normal(size=(n, 3)), -np.inf)
    totals = [
        sum(rules[r] for r, *_ in anchored)
        + sum(words[i, a] for (i, j), a in spans.items() if j == i + 1)
        + roots[spans[0, n]]
        for spans, anchored in trees
    ]
    return rules, roots, words, np.array(totals)


@pytest.mark.parametrize("margin", [0.0, 0.5, 2.0, 1000.0])
@pytest.mark.parametrize("seed", [seed for seed in SEEDS if seed % 2 == 0])
def test_near_best_items_are_those_of_trees_near_the_best(seed, margin):
    grammar, mask, trees, _ = drawn(seed)
    rules, roots, words, totals = rule_scored(grammar, mask, trees, seed)
    wanted = np.zeros(mask.shape, bool)
    for (spans, _), total in zip(trees, totals, strict=True):
        if total >= totals.max() - margin - 1e-12:
            for (i, j), a in spans.items():
                wanted[i, j, a] = True
    np.testing.assert_array_equal(near_best(grammar, rules, roots, words, margin), wanted)


def test_nothing_is_near_the_best_without_any_tree():
    grammar, mask, *_ = drawn(3)
    words = np.full((len(mask), 3), -np.inf)
    assert not near_best(grammar, np.zeros(grammar.parent.size), np.zeros(3), words, 5.0).any()
