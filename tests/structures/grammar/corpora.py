"""Small random grammars and problems, and their trees in plain Python, told from the rules alone."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from spacy_mtl.structures.grammar.build import (
    GrammarFeatures,
    bracket_costs,
    gold_outputs_of,
    grammar_problem,
    rule_costs,
)
from spacy_mtl.structures.grammar.forest import Forest, join_forests, sentence_forest, spans_of, splits_of
from spacy_mtl.structures.grammar.rules import Grammar, make_grammar
from spacy_mtl.structures.problem import Blocks, Problem, block_starts

#: A tree: its symbols by span, and its anchored rules (rule, start, middle, end).
Tree = tuple[dict[tuple[int, int], int], frozenset[tuple[int, int, int, int]]]


def random_grammar(rng, n_symbols: int = 3, n_rules: int = 5) -> Grammar:
    """Different rules, drawn at random; one or more symbols may be the root."""
    every = np.stack(np.meshgrid(*[np.arange(n_symbols)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    root = rng.random(n_symbols) < 0.5
    root[rng.integers(n_symbols)] = True
    return make_grammar(every[rng.choice(len(every), n_rules, replace=False)], root)


def trees_of(grammar: Grammar, allowed: np.ndarray, start: int, end: int, symbol: int) -> Iterator[Tree]:
    """All trees of a symbol over a span, by the rules and the mask."""
    if not allowed[start, end, symbol]:
        return
    if end - start == 1:
        yield {(start, end): symbol}, frozenset()
        return
    for r in np.flatnonzero(grammar.parent == symbol).tolist():
        for middle in range(start + 1, end):
            for x, x_rules in trees_of(grammar, allowed, start, middle, int(grammar.left[r])):
                for y, y_rules in trees_of(grammar, allowed, middle, end, int(grammar.right[r])):
                    yield {(start, end): symbol, **x, **y}, x_rules | y_rules | {(r, start, middle, end)}


def all_trees(grammar: Grammar, allowed: np.ndarray) -> list[Tree]:
    """All trees of a sentence. allowed: bool[n, n + 1, L]."""
    n = allowed.shape[0]
    return [
        tree for symbol in np.flatnonzero(grammar.root).tolist() for tree in trees_of(grammar, allowed, 0, n, symbol)
    ]


def random_mask(rng, n: int, n_symbols: int, share: float = 0.8) -> np.ndarray:
    return rng.random((n, n + 1, n_symbols)) < share


def random_sentence(rng, grammar: Grammar, most: int, limit: int = 60) -> tuple[np.ndarray, list[Tree]]:
    """A mask with at least one tree and no more than ``limit``, and the trees."""
    while True:
        mask = random_mask(rng, int(rng.integers(1, most + 1)), grammar.root.size, rng.uniform(0.5, 1))
        trees = all_trees(grammar, mask)
        if 0 < len(trees) <= limit:
            return mask, trees


def random_rows(rng, lines: int, n_templates: int) -> tuple[np.ndarray, np.ndarray]:
    """Feature rows of few values, so that they recur, some -1; and the borders of the blocks."""
    sizes = rng.integers(1, 4, n_templates)
    blocks = block_starts(sizes)
    rows = rng.integers(-1, sizes, (lines, n_templates))
    return np.where(rows < 0, -1, rows + blocks[:-1]).astype(np.int32), blocks


def random_features(rng, forest: Forest) -> tuple[GrammarFeatures, Blocks]:
    span_rows, node = random_rows(rng, len(spans_of(forest)[0]), int(rng.integers(1, 4)))
    split_rows, pair = random_rows(rng, len(splits_of(forest)[0]), int(rng.integers(1, 3)))
    names = tuple(f"t{j}" for j in range(node.size + pair.size - 2))
    return GrammarFeatures(span_rows, split_rows), Blocks(node, pair, names)


def random_grammar_problem(seed: int, most: int = 4, loss: str = "brackets", limit: int = 60) -> Problem:
    """One to three sentences of up to ``most`` words, with some of the items allowed, and the bracketing or the anchored-rule loss."""
    rng = np.random.default_rng(seed)
    grammar = random_grammar(rng)
    sentences = [random_sentence(rng, grammar, most, limit) for _ in range(rng.integers(1, 4))]
    forest = join_forests(sentence_forest(grammar, mask) for mask, _ in sentences)
    gold = [trees[rng.integers(len(trees))][0] for _, trees in sentences]
    features, blocks = random_features(rng, forest)
    outputs = gold_outputs_of(forest, gold)
    costs: Any = rule_costs(forest, outputs, 1.5)
    if loss == "brackets":
        costs = bracket_costs(forest, outputs, rng.integers(0, 3, grammar.root.size) / 2 + 0.5)
    return grammar_problem(grammar, forest, features, blocks, gold, costs)
