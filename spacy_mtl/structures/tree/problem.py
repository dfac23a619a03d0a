"""A corpus of dependency trees as arrays: the layout of its parts.

Parts are the possible arcs of each word, listed word by word, one for each label, and, for the second order, pairs with siblings and grandparents,
listed arc by arc. Pruning, given heads and masks all mean arcs that are left out, and memory grows with the arcs that are kept, not with the square
of the sentence length. A part refers to *bundles* of feature rows (:mod:`.bundles`), and its score is the sum of their scores.

There are two weight matrices: node templates score arcs without regard to labels, and pairs (one column); pair templates score an arc with each of
its L labels (L columns). Without labels, L is 1 and there are no pair templates. With labels, decoding takes the best label of an arc, and sums
run over all of them.
"""

from typing import NamedTuple

import numpy as np

from spacy_mtl.kernels import kernel, subkernel
from spacy_mtl.structures import contract
from spacy_mtl.structures.contract import implements

from .bundles import Bundles


class Siblings(NamedTuple):
    """B pairs, the second-order parts; none for first-order trees.

    first: int64[A + 1], arc a (from h to m) has the pairs ``first[a]:first[a + 1]``. inner: int32[B], ascending within an arc. A pair of siblings
    is identified by the dependent of h that is next to m and between the two, or by h itself if there is none; in a sentence of n words, a pair with
    a grandparent by n + 1 + g, where g is the head of h (arcs from the root have none). links: int32[B, K], as node_links of :class:`TreeProblem`.
    """

    first: np.ndarray
    inner: np.ndarray
    links: np.ndarray


class TreeProblem(NamedTuple):
    """A corpus of N words in S sentences, with A arcs and L labels. Words of a sentence of n are 1..n, 0 is the root.

    first, last: int64[S], sentence s is the words ``first[s]:last[s]``.
    gold, gold_label: int32[N], head and label; -1 in problems for prediction only. gold_arc: int64[N], the arc. gold_output: int32[N], head and label
    in the form of stored outputs, head * L + label.
    cost: float32[N], loss of a wrong head. label_cost: float32[N], loss of a wrong label of the right head.
    first_arc: int64[N + 1], word t can have the arcs ``first_arc[t]:first_arc[t + 1]``. heads: int32[A], their heads, ascending within a word.
    node, pair: bundles without and with labels. node_links: int32[A, K] and pair_links: int32[A, K'], positions in the sentence's list of used
    bundles; -1 for none.
    siblings: pairs; first = [0] and no pairs unless second_order. grandparents: whether there are also pairs with grandparents.
    n_labels: L. n_node, n_pair: number of templates.
    offset: float32[A, L] and offset_pairs: float32[B], constant scores of arcs and pairs, which are 0 in sum on gold (see
    :mod:`spacy_mtl.structures.offsets`); both without rows if there are none.
    projective: whether outputs are only projective trees. single_root: whether exactly one word is attached to the root.
    """

    first: np.ndarray
    last: np.ndarray
    gold: np.ndarray
    gold_label: np.ndarray
    gold_arc: np.ndarray
    gold_output: np.ndarray
    cost: np.ndarray
    label_cost: np.ndarray
    first_arc: np.ndarray
    heads: np.ndarray
    node: Bundles
    pair: Bundles
    node_links: np.ndarray
    pair_links: np.ndarray
    siblings: Siblings
    offset: np.ndarray
    offset_pairs: np.ndarray
    n_labels: int
    n_node: int
    n_pair: int
    projective: bool
    single_root: bool
    second_order: bool
    grandparents: bool


class TreeState(NamedTuple):
    """Part marginals of the corpus. arcs: float32[A, L]. siblings: float32[B], of pairs."""

    arcs: np.ndarray
    siblings: np.ndarray


class TreeWork(NamedTuple):
    """Buffers for one sentence of at most n words, a arcs, b pairs, u and v uses of node and pair bundles.

    arcs: float32[a, L] and siblings: float32[b], scores. heads, labels: int32[n], the output; other: int32[n], heads of another output.
    best_label: int32[a].
    active: int64[a], arcs where the direction is non-zero; change: float32[a, L], in the order of ``active``; sibling_active: int64[b] and
    sibling_change: float32[b]. Arcs and pairs are counted from the first one of the sentence.
    node_sums: float32[u] and pair_sums: float32[v, L], scores of the bundles. node_touched: int64[u] and pair_touched: int64[v], uses whose
    features change; node_change: float64[u, 1] and pair_change: float64[v, L], by how much (indexed by use); node_seen, pair_seen: bool.
    counts: int64[4], the lengths of active, sibling_active, node_touched, pair_touched.
    """

    arcs: np.ndarray
    siblings: np.ndarray
    heads: np.ndarray
    labels: np.ndarray
    other: np.ndarray
    best_label: np.ndarray
    active: np.ndarray
    change: np.ndarray
    sibling_active: np.ndarray
    sibling_change: np.ndarray
    node_sums: np.ndarray
    pair_sums: np.ndarray
    node_touched: np.ndarray
    pair_touched: np.ndarray
    node_change: np.ndarray
    pair_change: np.ndarray
    node_seen: np.ndarray
    pair_seen: np.ndarray
    counts: np.ndarray


@implements(contract.n_sentences, TreeProblem)
def n_sentences(problem):
    return problem.first.size


@implements(contract.n_templates, TreeProblem)
def n_templates(problem):
    return problem.n_node, problem.n_pair


@subkernel
def arcs_of(first, last, first_arc, i):
    """Begin and end of the arcs of sentence i. Small kernels take only the arrays they need: a whole problem as argument costs a second each."""
    return first_arc[first[i]], first_arc[last[i]]


@subkernel
def siblings_of(first, last, first_arc, first_pair, i):
    """Begin and end of the pairs of sentence i. first_pair: ``siblings.first``, which has a single entry in first-order problems."""
    if first_pair.size == 1:
        return np.int64(0), np.int64(0)
    return first_pair[first_arc[first[i]]], first_pair[first_arc[last[i]]]


@implements(contract.new_work, TreeProblem)
def new_work(problem):
    n, a, b, u, v = 1, 1, 1, 1, 1
    for i in range(problem.first.size):
        begin, end = arcs_of(problem.first, problem.last, problem.first_arc, i)
        pair_begin, pair_end = siblings_of(problem.first, problem.last, problem.first_arc, problem.siblings.first, i)
        n, a, b = max(n, problem.last[i] - problem.first[i]), max(a, end - begin), max(b, pair_end - pair_begin)
        u = max(u, problem.node.first_use[i + 1] - problem.node.first_use[i])
        v = max(v, problem.pair.first_use[i + 1] - problem.pair.first_use[i])
    n_labels = problem.n_labels
    return TreeWork(
        np.zeros((a, n_labels), np.float32),
        np.zeros(b, np.float32),
        np.zeros(n, np.int32),
        np.zeros(n, np.int32),
        np.zeros(n, np.int32),
        np.zeros(a, np.int32),
        np.zeros(a, np.int64),
        np.zeros((a, n_labels), np.float32),
        np.zeros(b, np.int64),
        np.zeros(b, np.float32),
        np.zeros(u, np.float32),
        np.zeros((v, n_labels), np.float32),
        np.zeros(u, np.int64),
        np.zeros(v, np.int64),
        np.zeros((u, 1)),
        np.zeros((v, n_labels)),
        np.zeros(u, np.bool_),
        np.zeros(v, np.bool_),
        np.zeros(4, np.int64),
    )


@kernel
def find(values, begin, end, value):
    """The position of ``value`` in the ascending ``values[begin:end]``; -1 if it is not there."""
    while begin < end:
        middle = (begin + end) // 2
        if values[middle] < value:
            begin = middle + 1
        elif values[middle] > value:
            end = middle
        else:
            return middle
    return np.int64(-1)


@subkernel
def arc_to(first_arc, heads, t, head):
    """The arc from ``head`` to word t of the corpus, -1 if it was left out."""
    return find(heads, first_arc[t], first_arc[t + 1], head)


@kernel
def inner_sibling(heads, m):
    """The dependent of the head of word m that is next to m and between the two, or the head itself if there is none. heads: int32[n]."""
    head = heads[m - 1]
    step = 1 if head > m else -1
    k = m + step
    while k != head and heads[k - 1] != head:
        k += step
    return k


@kernel
def pair_code(heads, m, kind):
    """The number that identifies the pair of word m in ``Siblings.inner``: of siblings (kind 0) or with the grandparent (kind 1); -1 for no pair."""
    if kind == 0:
        return np.int64(inner_sibling(heads, m))
    head = heads[m - 1]
    return np.int64(heads.size + 1 + heads[head - 1]) if head > 0 else np.int64(-1)


@subkernel
def pair_to(first_pair, inners, arc, inner):
    """The pair of this arc with this ``inner``, -1 if it was left out."""
    return find(inners, first_pair[arc], first_pair[arc + 1], inner)


@subkernel
def gold_heads(gold, first, last, i):
    """Gold heads of sentence i, int32[n]."""
    return gold[first[i] : last[i]]
