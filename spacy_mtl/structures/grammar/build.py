"""Build a grammar problem from a packed forest, feature rows and gold derivations."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from spacy_mtl.errors import Errors
from spacy_mtl.structures.contract import offered
from spacy_mtl.structures.enumeration.derivations import every_derivation
from spacy_mtl.structures.problem import Blocks, Problem
from spacy_mtl.structures.rows import own_rows, whole_rows

from . import implementation  # noqa: F401 (registers what implements the contract)
from .forest import Forest, spans_of, splits_of
from .problem import GrammarProblem
from .rules import Grammar

#: A binarized tree of n words: the symbols of its 2 n - 1 spans, by (start, end).
Spans = Mapping[tuple[int, int], int]


def grammar_offers() -> frozenset[str]:
    """What grammars offer to trainers, before there is a problem. They cannot be cut."""
    return offered(GrammarProblem, frozenset({"cut"}))


@dataclass(frozen=True)
class GrammarFeatures:
    """Feature rows, -1 for none, a column per template. span_rows: int32[C, T], a line for each span in the order of
    :func:`.forest.spans_of`; split_rows: int32[D, Tp], for each split in the order of :func:`.forest.splits_of`."""

    span_rows: np.ndarray
    split_rows: np.ndarray


def gold_output(forest: Forest, i: int, tree: Spans) -> np.ndarray | None:
    """A tree of sentence i in the form of outputs, int32[n]; None if the forest does not hold it."""
    begin, end = forest.first_item[i], forest.first_item[i + 1]
    parts = (array[begin:end].tolist() for array in (forest.start, forest.end, forest.symbol))
    items = {part: a for a, part in enumerate(zip(*parts, strict=True))}
    n = int(forest.first[i + 1] - forest.first[i])
    numbers = [items.get((*span, symbol), -1) for span, symbol in tree.items()]
    if len(numbers) != 2 * n - 1 or min(numbers) < 0 or not forest.root[begin + max(numbers)]:
        return None
    mine, first = set(numbers), forest.first_edge[begin]
    edges = [
        e - first
        for a in sorted(numbers)
        for e in range(forest.first_edge[begin + a], forest.first_edge[begin + a + 1])
        if forest.left[e] in mine and forest.right[e] in mine
    ]
    return np.array([max(numbers), *edges], np.int32) if len(edges) == n - 1 else None


def gold_outputs_of(forest: Forest, trees: Iterable[Spans]) -> np.ndarray:
    """Outputs of a corpus, int32[N]. Raises ValueError: M253 for a tree that its forest does not hold, M258 for another number of trees."""
    every, outputs = list(trees), []
    if len(every) != forest.first.size - 1:
        raise ValueError(Errors.M258.format(trees=len(every), sentences=forest.first.size - 1))
    for i, tree in enumerate(every):
        output = gold_output(forest, i, tree)
        if output is None:
            raise ValueError(Errors.M253.format(sentence=i))
        outputs.append(output)
    return np.concatenate(outputs)


def gold_parts(forest: Forest, gold: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which items and edges of a corpus are in gold, bool[I] and bool[E]. gold: int32[N], outputs."""
    items, edges = np.zeros(forest.symbol.size, bool), np.zeros(forest.rule.size, bool)
    for i in range(forest.first.size - 1):
        begin = forest.first_item[i]
        top, *used = gold[forest.first[i] : forest.first[i + 1]].tolist()
        numbers = forest.first_edge[begin] + np.array(used, np.int64)
        edges[numbers] = True
        items[begin + np.concatenate([[top], forest.left[numbers], forest.right[numbers]])] = True
    return items, edges


def bracket_costs(forest: Forest, gold: np.ndarray, costs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The bracketing loss: an item that is not in gold costs what its symbol costs. costs: float[L]. Returns float32[I] and zeros float32[E].

    With equal costs this is the Hamming loss over labelled spans of the binarized tree: every derivation has 2 n - 1, so as many are missing.
    """
    items, edges = gold_parts(forest, gold)
    return np.where(items, 0, costs[forest.symbol]).astype(np.float32), np.zeros(edges.size, np.float32)


def rule_costs(forest: Forest, gold: np.ndarray, cost: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """The anchored-rule loss: an edge that is not in gold costs ``cost``, and so does the symbol of a single word. float32[I], float32[E]."""
    items, edges = gold_parts(forest, gold)
    words = forest.end - forest.start == 1
    return np.where(words & ~items, cost, 0).astype(np.float32), np.where(edges, 0, cost).astype(np.float32)


def _costs(values: np.ndarray, gold: np.ndarray) -> np.ndarray:
    """Costs as float32; refused if negative, not finite, of another size, or not 0 on gold (M254)."""
    costs = np.ascontiguousarray(values, np.float32)
    if costs.shape != gold.shape or not np.isfinite(costs).all() or costs.min(initial=0) < 0 or costs[gold].any():
        raise ValueError(Errors.M254.format(n=gold.size))
    return costs


def grammar_layout(forest: Forest, features: GrammarFeatures, n_symbols: int, n_rules: int) -> GrammarProblem:
    """The arrays of a problem without gold, as needed for scoring and decoding.

    Raises ValueError: M255 for feature rows that are not one for each span and each split, M257 for those that are no whole numbers.
    """
    spans, span = spans_of(forest)
    splits, split = splits_of(forest)
    if len(features.span_rows) != len(spans) or len(features.split_rows) != len(splits):
        got = f"{len(features.span_rows)} and {len(features.split_rows)}"
        raise ValueError(Errors.M255.format(spans=len(spans), splits=len(splits), got=got))
    return GrammarProblem(
        forest.first, forest.first_item, forest.first_edge, forest.symbol, forest.root, forest.left, forest.right, forest.rule,
        span, split, whole_rows(features.span_rows, "spans"), whole_rows(features.split_rows, "splits"),
        np.zeros(span.size, np.float32), np.zeros(split.size, np.float32), np.full(int(forest.first[-1]), -1, np.int32),
        int(n_symbols), int(n_rules),
    )  # fmt: skip


def grammar_problem(
    grammar: Grammar,
    forest: Forest,
    features: GrammarFeatures,
    blocks: Blocks,
    trees: Sequence[Spans],
    costs: tuple[np.ndarray, np.ndarray] | None = None,
) -> Problem:
    """Make a training problem of derivations.

    forest: of the corpus (:func:`.forest.make_forest`), which must hold gold. trees: gold, a tree for each sentence. costs: of items and edges,
    float[I] and float[E], 0 for those of gold, as :func:`bracket_costs` and :func:`rule_costs` make them; by default the bracketing loss with a cost
    of 1 for every symbol.

    Raises ValueError: M253 gold that is not in the forest, M254 bad costs, M255 feature rows that are not one for each span and each split, M257
    rows that are not those of their template, M258 another number of trees than sentences.
    """
    layout = grammar_layout(forest, features, grammar.root.size, grammar.parent.size)
    own_rows(layout.span_rows, blocks.node, (len(layout.span_rows), blocks.n_node), "spans")
    own_rows(layout.split_rows, blocks.pair, (len(layout.split_rows), blocks.pair.size - 1), "splits")
    gold = gold_outputs_of(forest, trees)
    item_costs, edge_costs = costs or bracket_costs(forest, gold, np.ones(grammar.root.size))
    items, edges = gold_parts(forest, gold)
    arrays = layout._replace(gold=gold, item_cost=_costs(item_costs, items), edge_cost=_costs(edge_costs, edges))
    return Problem(
        arrays, blocks, layout.n_symbols, layout.n_rules, structure="context-free grammar", outputs=every_derivation
    )  # fmt: skip
