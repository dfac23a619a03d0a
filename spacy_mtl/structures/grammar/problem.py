"""A corpus of derivations as arrays: a packed forest of each sentence, its feature rows and gold.

Parts are the items (labelled spans) and edges (anchored rules) of :mod:`.forest`. There are two weight matrices: node templates score an item by what
they see of its span, one column for each of L symbols; pair templates score an edge by what they see of its split, one column for each of R rules.

An output is int32[n] for a sentence of n words: the item that covers the sentence, then the n - 1 edges in ascending order, all counted from the
first of the sentence. It holds 2 n - 1 items: the first one, and those that its edges join.
"""

from typing import NamedTuple

import numpy as np

from spacy_mtl.kernels import subkernel
from spacy_mtl.structures import contract
from spacy_mtl.structures.contract import implements


class GrammarProblem(NamedTuple):
    """N words in S sentences, with I items and E edges; the first eight arrays as in :class:`.Forest`.

    span: int64[I] and split: int64[E], lines of the feature rows: span_rows: int32[C, T] and split_rows: int32[D, Tp], -1 for none.
    item_cost: float32[I] and edge_cost: float32[E], the loss of each part; 0 for those of gold.
    gold: int32[N], outputs; -1 in problems for prediction only. n_symbols: L. n_rules: R.
    """

    first: np.ndarray
    first_item: np.ndarray
    first_edge: np.ndarray
    symbol: np.ndarray
    root: np.ndarray
    left: np.ndarray
    right: np.ndarray
    rule: np.ndarray
    span: np.ndarray
    split: np.ndarray
    span_rows: np.ndarray
    split_rows: np.ndarray
    item_cost: np.ndarray
    edge_cost: np.ndarray
    gold: np.ndarray
    n_symbols: int
    n_rules: int


class GrammarState(NamedTuple):
    """Part marginals of the corpus. items: float32[I]. edges: float32[E]."""

    items: np.ndarray
    edges: np.ndarray


class GrammarWork(NamedTuple):
    """Buffers for one sentence of at most n words, a items and b edges; parts are counted from the first of the sentence.

    items: float32[a] and edges: float32[b], scores. output: int32[n]. best: float64[a] and back: int32[a], of the best derivation of each item.
    item_change: float32[a] and edge_change: float32[b], the direction; active_items: int64[a] and active_edges: int64[b], where it is not zero, and
    counts: int64[2], how many these are.
    """

    items: np.ndarray
    edges: np.ndarray
    output: np.ndarray
    best: np.ndarray
    back: np.ndarray
    item_change: np.ndarray
    edge_change: np.ndarray
    active_items: np.ndarray
    active_edges: np.ndarray
    counts: np.ndarray


@implements(contract.n_sentences, GrammarProblem)
def n_sentences(problem):
    return problem.first.size - 1


@implements(contract.n_templates, GrammarProblem)
def n_templates(problem):
    return problem.span_rows.shape[1], problem.split_rows.shape[1]


@subkernel
def items_of(first_item, first_edge, i):
    """Begin and end of the items of sentence i, and of its edges. Small kernels take only the arrays they need, which compiles sooner."""
    begin, end = first_item[i], first_item[i + 1]
    return begin, end, first_edge[begin], first_edge[end]


@implements(contract.new_work, GrammarProblem)
def new_work(problem):
    n, a, b = 1, 1, 1
    for i in range(problem.first.size - 1):
        begin, end, edge_begin, edge_end = items_of(problem.first_item, problem.first_edge, i)
        n = max(n, problem.first[i + 1] - problem.first[i])
        a, b = max(a, end - begin), max(b, edge_end - edge_begin)
    return GrammarWork(
        np.zeros(a, np.float32), np.zeros(b, np.float32), np.zeros(n, np.int32), np.zeros(a), np.zeros(a, np.int32),
        np.zeros(a, np.float32), np.zeros(b, np.float32), np.zeros(a, np.int64), np.zeros(b, np.int64), np.zeros(2, np.int64),
    )  # fmt: skip
