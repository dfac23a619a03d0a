"""Building grammars and their problems: what is refused, gold, losses."""

from dataclasses import replace

import numpy as np
import pytest

from spacy_mtl.structures.grammar.build import (
    GrammarFeatures,
    bracket_costs,
    gold_output,
    gold_outputs_of,
    gold_parts,
    grammar_offers,
    grammar_problem,
    rule_costs,
)
from spacy_mtl.structures.grammar.forest import allow_all, make_forest, spans_of, splits_of
from spacy_mtl.structures.grammar.rules import make_grammar
from spacy_mtl.structures.problem import Blocks

from .corpora import all_trees, random_grammar_problem

#: S -> A A | A S | S A, A -> A A, where words are A, and the last one S or A
GRAMMAR = make_grammar([(0, 1, 1), (0, 1, 0), (0, 0, 1), (1, 1, 1)], [True, False])
MASK = allow_all(np.array([[False, True], [False, True], [True, True]]))
LEFT = {(0, 3): 0, (0, 2): 0, (2, 3): 1, (0, 1): 1, (1, 2): 1}


def forest():
    return make_forest(GRAMMAR, [MASK, MASK[:1, :2] | True])


@pytest.mark.parametrize(
    ("rules", "root"),
    [
        ([(0, 0)], [True]),
        ([(0, 0, 0, 0), (0, 0, 0)], [True]),
        ([(0, 0.5, 0)], [True]),
        ([0, 0, 0], [True]),
        ([(0, 2**32, 0)], [True]),
        ([(0, 1, 2)], [True, True]),
        ([(0, -1, 0)], [True]),
        ([(0, 0, 0)] * 2, [True]),
        ([(0, 0, 0)], [False]),
    ],
)
def test_rules_that_are_no_grammar_are_refused(rules, root):
    with pytest.raises(ValueError, match="M251"):
        make_grammar(rules, root)


def test_rules_are_found_by_their_left_symbol():
    table = np.stack([GRAMMAR.parent, GRAMMAR.left, GRAMMAR.right], axis=1).tolist()
    assert sorted(table) == [[0, 0, 1], [0, 1, 0], [0, 1, 1], [1, 1, 1]]
    for symbol in range(2):
        rules = range(GRAMMAR.first_left[symbol], GRAMMAR.first_left[symbol + 1])
        assert sorted(rules) == np.flatnonzero(GRAMMAR.left == symbol).tolist()


def test_a_sentence_without_derivation_is_refused():
    words = MASK.copy()
    words[2, 3] = False
    with pytest.raises(ValueError, match=r"M252.*sentence 1"):
        make_forest(GRAMMAR, [MASK, words])


@pytest.mark.parametrize(
    "mask",
    [
        MASK[:, :, :1],
        np.concatenate([MASK, MASK], axis=2),
        MASK[0],
        MASK[:2],
        MASK[:, :3],
        MASK.astype(int),
        MASK[:0, :1],
    ],
)
def test_a_mask_of_another_shape_is_refused(mask):
    with pytest.raises(ValueError, match=r"M256.*sentence 1 .*bool\[n, n \+ 1, 2\].*of shape"):
        make_forest(GRAMMAR, [MASK, mask])


def test_a_grammar_without_rules_has_words():
    assert make_forest(make_grammar([], [True, False]), [MASK[:1, :2] | True]).symbol.tolist() == [0]


def test_there_is_a_gold_tree_for_each_sentence():
    for trees in ([LEFT], [LEFT, {(0, 1): 0}, LEFT], []):
        with pytest.raises(ValueError, match=f"M258.* {len(trees)} gold trees for 2 sentences"):
            gold_outputs_of(forest(), trees)


def test_a_gold_tree_as_output_has_its_parts():
    made = forest()
    for tree, _ in all_trees(GRAMMAR, MASK):
        output = gold_output(made, 0, tree)
        items, edges = gold_parts(made, np.concatenate([output, gold_output(made, 1, {(0, 1): 0})]))
        mine = range(made.first_item[1])
        found = {(int(made.start[a]), int(made.end[a])): int(made.symbol[a]) for a in mine if items[a]}
        assert found == tree
        assert edges.sum() == 2


@pytest.mark.parametrize("change", [{(0, 2): None}, {(1, 2): 0}, {(0, 2): 1, (0, 3): 1}, {(0, 2): None, (1, 3): None}])
def test_gold_that_is_not_in_the_forest_is_refused(change):
    tree = {span: symbol for span, symbol in (LEFT | change).items() if symbol is not None}
    with pytest.raises(ValueError, match=r"M253.*sentence 0"):
        gold_outputs_of(forest(), [tree, {(0, 1): 0}])


def test_losses_count_wrong_spans_or_wrong_rules():
    made = forest()
    gold = gold_outputs_of(made, [LEFT, {(0, 1): 0}])
    items, edges = bracket_costs(made, gold, np.array([2.0, 1.0]))
    wrong = {(int(made.start[a]), int(made.end[a]), int(made.symbol[a])) for a in np.flatnonzero(items == 2)}
    assert wrong == {(1, 3, 0), (2, 3, 0)}  # S where it is wrong; that of the second sentence is gold
    assert not edges.any()
    items, edges = rule_costs(made, gold, 3.0)
    assert set(edges.tolist()) == {0.0, 3.0}
    assert (edges == 0).sum() == 2
    (wrong,) = np.flatnonzero(items)
    assert (made.start[wrong], made.end[wrong], made.symbol[wrong], items[wrong]) == (2, 3, 0, 3.0)


def problem(**changes):
    made = forest()
    rows = {"span_rows": np.zeros((len(spans_of(made)[0]), 1)), "split_rows": np.zeros((len(splits_of(made)[0]), 1))}
    features = GrammarFeatures(**{name: changes.get(name, array) for name, array in rows.items()})
    blocks = Blocks(np.array([0, 1]), np.array([0, 1]), ("spans", "rules"))
    return grammar_problem(GRAMMAR, made, features, blocks, [LEFT, {(0, 1): 0}], changes.get("costs"))


def test_feature_rows_are_one_for_each_span_and_split():
    assert problem().n == 2
    with pytest.raises(ValueError, match="M255"):
        problem(span_rows=np.zeros((2, 1)))
    with pytest.raises(ValueError, match="M255"):
        problem(split_rows=np.zeros((7, 1)))


@pytest.mark.parametrize("bad", [1, -2, 10**7, np.nan, 0.5])
@pytest.mark.parametrize("name", ["span_rows", "split_rows"])
def test_feature_rows_are_those_of_templates(name, bad):
    rows = np.zeros((len((spans_of if name == "span_rows" else splits_of)(forest())[0]), 1))
    rows[2] = bad
    with pytest.raises(ValueError, match=f"M257.* of {name[:-5]}s "):
        problem(**{name: rows})
    with pytest.raises(ValueError, match=r"M257.*shape"):
        problem(**{name: np.zeros((len(rows), 2))})


def test_costs_of_gold_are_zero():
    arrays = problem().arrays
    items, edges = gold_parts(forest(), arrays.gold)
    for costs in (
        (np.ones(items.size), np.zeros(edges.size)),
        (np.zeros(items.size), np.ones(edges.size)),
        (-1.0 * ~items, np.zeros(edges.size)),
        (np.where(items, 0, np.inf), np.zeros(edges.size)),
        (np.zeros(3), np.zeros(edges.size)),
    ):
        with pytest.raises(ValueError, match="M254"):
            problem(costs=costs)
    np.testing.assert_array_equal(arrays.item_cost, ~items)


def test_offers_are_those_of_problems():
    assert random_grammar_problem(0).offers == grammar_offers()
    assert "cut" not in grammar_offers()
    assert replace(problem(), lacks=frozenset({"marginals"})).offers == grammar_offers() - {"marginals"}
