"""The longest sentence that is parsed, however large the grammar."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from spacy_mtl.models.grammar.predict import MOST_CELLS, MOST_STEPS, GrammarPredictor


def longest(symbols: int, rules: int, most: int | None = None) -> int:
    grammar = SimpleNamespace(symbols=["X"] * symbols, rule_scores=np.zeros(rules))
    predictor: Any = SimpleNamespace(_grammar=grammar)
    return GrammarPredictor.longest(predictor, most)


@pytest.mark.parametrize(("symbols", "rules"), [(112, 1719), (5000, 10), (10, 1_000_000), (1, 1), (40_000, 3_000_000)])
def test_charts_and_steps_are_bounded_and_the_bound_is_used(symbols, rules):
    n = longest(symbols, rules)
    fits = [k**2 * symbols <= MOST_CELLS and k**3 * rules <= 6 * MOST_STEPS for k in (n, n + 1)]
    assert fits == [True, False]


def test_a_user_may_ask_for_less_but_not_for_more():
    assert longest(112, 1719, 100) == 100
    assert longest(112, 1719, 10_000) == longest(112, 1719)


def test_a_grammar_without_anything_has_a_bound_too():
    assert longest(0, 0) == longest(1, 1)
