"""From tagged sentences with constituency trees to a grammar problem, and from weights to a model."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from spacy_mtl.constituents.binarize import REST, Binarization, Symbols
from spacy_mtl.constituents.tree import Tree
from spacy_mtl.errors import Errors
from spacy_mtl.models.grammar.features import Features, Words, places_of, pruned_forest
from spacy_mtl.models.grammar.model import GrammarModel
from spacy_mtl.models.grammar.treebank import TreebankGrammar, read_grammar
from spacy_mtl.structures.grammar.build import (
    GrammarFeatures,
    bracket_costs,
    gold_outputs_of,
    gold_parts,
    grammar_problem,
)
from spacy_mtl.structures.grammar.forest import Forest, join_forests
from spacy_mtl.structures.problem import Blocks, Problem
from spacy_mtl.templates.grammar import TemplateSet
from spacy_mtl.trainers.base import Training


@dataclass(frozen=True)
class GrammarRules:
    """How trees are learnt.

    margin: of the pruning, in log probability. rest_cost: loss of a wrong span of a rest; that of any other is 1. support: "gold", to give weights to
    what is seen at gold spans and splits alone, or "all".
    """

    binarization: Binarization = field(default_factory=Binarization)
    margin: float = 8.0
    rest_cost: float = 1.0
    support: str = "gold"


@dataclass(frozen=True)
class GrammarCorpus:
    """A training problem, and what makes a model of its weights."""

    problem: Problem
    grammar: TreebankGrammar
    features: Features
    margin: float
    forest: Forest

    def model(self, training: Training) -> GrammarModel:
        live = self.problem.live(np.asarray(training.template_weights) > 0)
        return GrammarModel(self.grammar, self.features, training.weights, live, self.margin)


def learn_corpus(
    words: Words,
    trees: Sequence[Tree],
    templates: TemplateSet,
    rules: GrammarRules,
    grammar: TreebankGrammar | None = None,
) -> GrammarCorpus:
    """Read the grammar of a treebank, prune what it allows for each sentence, and make a training problem of the rest. Gold always stays.

    grammar: to use in place of that of the trees, such as that of a larger treebank. Raises ValueError (M253) where it lacks a symbol or rule
    of a tree.
    """
    spans = [rules.binarization.symbols(tree) for tree in trees]
    if grammar is None:
        grammar = read_grammar((words.tags_of(i), symbols) for i, symbols in enumerate(spans))
    gold = [_numbered(i, symbols, grammar) for i, symbols in enumerate(spans)]
    forest = join_forests(
        pruned_forest(grammar, words.tags_of(i), rules.margin, [(*span, a) for span, a in tree.items()])
        for i, tree in enumerate(gold)
    )
    outputs = gold_outputs_of(forest, gold)
    places = places_of(forest)
    supported = gold_places(forest, outputs) if rules.support == "gold" else places
    features = Features.of(templates, words, *supported)
    rows = GrammarFeatures(*features.rows(words, *places))
    names = tuple(template.name for template in (*templates.node, *templates.edge))
    blocks = Blocks(features.node_index.blocks, features.pair_index.blocks, names)
    costs = np.array([rules.rest_cost if symbol.startswith(REST) else 1.0 for symbol in grammar.symbols])
    problem = grammar_problem(grammar.grammar, forest, rows, blocks, gold, bracket_costs(forest, outputs, costs))
    return GrammarCorpus(problem, grammar, features, rules.margin, forest)


def _numbered(i: int, symbols: Symbols, grammar: TreebankGrammar) -> dict[tuple[int, int], int]:
    """The tree of sentence i with numbers for symbols. Raises ValueError (M253) where the grammar has not all of them."""
    number = grammar.number_of
    if not number.keys() >= set(symbols.values()):
        raise ValueError(Errors.M253.format(sentence=i))
    return {span: number[symbol] for span, symbol in symbols.items()}


def gold_places(forest: Forest, outputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The spans and splits of gold, int32[., 4], see :func:`.place_keys`."""
    items, edges = gold_parts(forest, outputs)
    sentence = np.repeat(np.arange(forest.first.size - 1), np.diff(forest.first_item))
    spans = np.stack([sentence, forest.start, forest.start, forest.end], axis=1)[items]
    item = np.repeat(np.arange(forest.symbol.size), np.diff(forest.first_edge))
    splits = np.stack([sentence[item], forest.start[item], forest.middle, forest.end[item]], axis=1)[edges]
    return spans.astype(np.int32), splits.astype(np.int32)
