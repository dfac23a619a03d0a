"""Build a tree problem from arcs, feature rows and gold trees."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from spacy_mtl.errors import Errors
from spacy_mtl.kernels import kernel
from spacy_mtl.structures import contract
from spacy_mtl.structures.contract import offered
from spacy_mtl.structures.enumeration.trees import every_tree
from spacy_mtl.structures.offsets.tree import TreeOffset, no_offset, settle_offset
from spacy_mtl.structures.problem import Blocks, Problem
from spacy_mtl.structures.rows import check_within

from . import implementation  # noqa: F401 (registers what implements the contract)
from .bundles import Bundles, no_bundles
from .cut import cut_tree
from .decode import best_tree, fill_best, pairs_of
from .outputs import crossing_sentences
from .problem import Siblings, TreeProblem, find, pair_code


def tree_lacks(projective: bool, second_order: bool, grandparents: bool = False) -> frozenset[str]:
    """What trees of a kind lack: sums over all trees, and the k best, if there are pairs and arcs may cross, or pairs with grandparents."""
    sums = not second_order or (projective and not grandparents)
    return frozenset() if sums else frozenset({"marginals", "kbest"})


def tree_offers(projective: bool, second_order: bool, grandparents: bool = False) -> frozenset[str]:
    """What trees of a kind offer to trainers, before there is a problem. Those of the second order cannot be cut."""
    uncut = {"cut"} if second_order else set()
    return offered(TreeProblem, tree_lacks(projective, second_order, grandparents) | uncut)


@dataclass(frozen=True)
class Arcs:
    """The arcs that each of N words may have. first: int64[N + 1]; heads: int32[A], 0 the root, ascending within a word."""

    first: np.ndarray
    heads: np.ndarray


@dataclass(frozen=True)
class TreeFeatures:
    """Feature rows of arcs (and pairs) in bundles, see :class:`.TreeProblem`. None for no such features.

    grandparents: whether ``siblings`` also lists pairs with grandparents, as :func:`all_siblings` does on request.
    """

    node: Bundles | None = None
    node_links: np.ndarray | None = None
    pair: Bundles | None = None
    pair_links: np.ndarray | None = None
    siblings: Siblings | None = None
    grandparents: bool = False


@dataclass(frozen=True)
class GoldTrees:
    """Gold heads int32[N] (0 for the root), labels int32[N] (None for all 0), and the costs of errors.

    cost: float[N], of a wrong head; 1 by default, and 0 leaves a word (such as punctuation) out of the loss. label_cost: float[N], of a wrong label
    with the right head; by default the same as ``cost``.
    """

    heads: np.ndarray
    labels: np.ndarray | None = None
    cost: np.ndarray | None = None
    label_cost: np.ndarray | None = None


def all_arcs(starts: np.ndarray) -> Arcs:
    """Every arc of every sentence. starts: int64[S + 1] sentence borders."""
    sizes = np.diff(starts)
    n = np.repeat(sizes, sizes)  # words of the sentence of each word
    word = np.arange(n.size) - np.repeat(starts[:-1], sizes) + 1
    first = np.concatenate([[0], np.cumsum(n)]).astype(np.int64)
    place = np.arange(first[-1]) - np.repeat(first[:-1], n)  # among the heads of its word
    return Arcs(first, (place + (place >= np.repeat(word, n))).astype(np.int32))


def kept_arcs(arcs: Arcs, keep: np.ndarray) -> Arcs:
    """The arcs of a mask: bool[A]."""
    counts = np.concatenate([[0], np.cumsum(keep)]).astype(np.int64)
    return Arcs(counts[arcs.first], arcs.heads[keep])


def fixed_heads(arcs: Arcs, heads: np.ndarray) -> Arcs:
    """The arcs that agree with given heads, int32[N], -1 where a word's head is not given.

    If a given head is not among the word's arcs, the word has no arc left and its sentence no tree: decoding then gives a score of -inf and heads
    of -1.
    """
    given = np.repeat(heads, np.diff(arcs.first))
    return kept_arcs(arcs, (given < 0) | (arcs.heads == given))


def without_arcs(arcs: Arcs, forbidden: np.ndarray) -> Arcs:
    """The arcs without forbidden ones, int[k, 2], word of the corpus (from 0) and head as in ``arcs``. Forbidden arcs not in ``arcs`` are ignored."""
    words = np.repeat(np.arange(arcs.first.size - 1), np.diff(arcs.first))
    size = int(max(arcs.heads.max(initial=0), forbidden[:, 1].max(initial=0))) + 1
    return kept_arcs(arcs, ~np.isin(words * size + arcs.heads, forbidden[:, 0] * size + forbidden[:, 1]))


@kernel
def _list_pairs(first, heads, starts, grandparents, pair_first, inner):
    """Fill pair_first (int64[A + 1]) and, as far as it has space, inner, with pairs of kept arcs (and pairs without a sibling)."""
    count = 0
    for s in range(starts.size - 1):
        n = starts[s + 1] - starts[s]
        for t in range(starts[s], starts[s + 1]):
            m = t - starts[s] + 1
            for a in range(first[t], first[t + 1]):
                pair_first[a] = count
                h = heads[a]
                low, high = min(h, m), max(h, m)
                for k in range(low, high + 1):
                    if k == m:
                        continue
                    if k != h:
                        u = starts[s] + k - 1
                        if find(heads, first[u], first[u + 1], h) < 0:
                            continue
                    if inner.size:
                        inner[count] = k
                    count += 1
                if grandparents and h > 0:
                    u = starts[s] + h - 1
                    for b in range(first[u], first[u + 1]):
                        if heads[b] != m:
                            if inner.size:
                                inner[count] = n + 1 + heads[b]
                            count += 1
    pair_first[first[-1]] = count


def all_siblings(arcs: Arcs, starts: np.ndarray, grandparents: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Every pair of siblings whose arcs are both among ``arcs``: first int64[A + 1] and inner int32[B] of :class:`.Siblings`.

    grandparents: also list pairs with grandparents.
    """
    first, inner = np.zeros(arcs.heads.size + 1, np.int64), np.empty(0, np.int32)
    _list_pairs(arcs.first, arcs.heads, starts, grandparents, first, inner)
    inner = np.empty(first[-1], np.int32)
    if inner.size:
        _list_pairs(arcs.first, arcs.heads, starts, grandparents, first, inner)
    return first, inner


@kernel
def _reaches_root(heads):
    """Whether every word reaches the root. heads: int32[n]."""
    for m in range(1, heads.size + 1):
        word, steps = m, 0
        while word != 0:
            word = heads[word - 1]
            steps += 1
            if steps > heads.size:
                return False
    return True


@kernel
def _gold_arcs(first, heads, gold, out):
    """Set out[t] to the arc from gold[t] to word t, -1 if it was left out."""
    for t in range(gold.size):
        out[t] = find(heads, first[t], first[t + 1], gold[t])


@kernel
def _first_missing_pair(starts, gold, gold_arc, pair_first, inner, grandparents):
    """The first word with a gold pair that was left out, -1 for none."""
    for s in range(starts.size - 1):
        heads = gold[starts[s] : starts[s + 1]]
        for m in range(1, heads.size + 1):
            a = gold_arc[starts[s] + m - 1]
            for kind in range(2 if grandparents else 1):
                code = pair_code(heads, m, kind)
                if code >= 0 and find(inner, pair_first[a], pair_first[a + 1], code) < 0:
                    return starts[s] + m - 1
    return -1


def check_tree(heads: np.ndarray, sentence: int, single_root: bool) -> None:
    """Refuse gold heads that are not a tree (M241), or that have several roots if a single root is required (M242). heads: int32[n]."""
    if heads.size == 0 or heads.min() < 0 or heads.max() > heads.size or not _reaches_root(heads):
        raise ValueError(Errors.M241.format(sentence=sentence, heads=heads.tolist()))
    roots = int((heads == 0).sum())
    if single_root and roots != 1:
        raise ValueError(Errors.M242.format(sentence=sentence, roots=roots))


def tree_layout(
    features: TreeFeatures,
    arcs: Arcs,
    starts: np.ndarray,
    n_labels: int,
    blocks: Blocks,
    projective: bool,
    single_root: bool,
) -> TreeProblem:
    """The arrays of a problem without gold, as needed for scoring and decoding. starts: int64[S + 1].

    Raises ValueError: M243 borders or arcs that do not cover the words, M246 pairs with grandparents although ``grandparents`` is False.
    """
    n_words, n_sentences = int(starts[-1]), starts.size - 1
    if (
        starts[0] != 0
        or (np.diff(starts) < 1).any()
        or arcs.first.size != n_words + 1
        or arcs.first[-1] != arcs.heads.size
    ):
        raise ValueError(Errors.M243.format(words=n_words, arcs=arcs.first.size - 1))
    if features.siblings is not None and not features.grandparents:
        _check_siblings_alone(features.siblings, arcs, starts)
    none = np.empty((arcs.heads.size, 0), np.int32)
    unknown = np.full(n_words, -1, np.int32)
    siblings = features.siblings or Siblings(np.zeros(1, np.int64), np.empty(0, np.int32), np.empty((0, 0), np.int32))
    return TreeProblem(
        np.ascontiguousarray(starts[:-1], np.int64), np.ascontiguousarray(starts[1:], np.int64),
        unknown, unknown, unknown.astype(np.int64), unknown,
        np.zeros(n_words, np.float32), np.zeros(n_words, np.float32),
        arcs.first, arcs.heads,
        features.node or no_bundles(n_sentences), features.pair or no_bundles(n_sentences),
        none if features.node_links is None else features.node_links,
        none if features.pair_links is None else features.pair_links,
        siblings, *no_offset(n_labels), n_labels, blocks.n_node, blocks.n - blocks.n_node, bool(projective), bool(single_root),
        features.siblings is not None, features.grandparents,
    )  # fmt: skip


def _check_siblings_alone(pairs: Siblings, arcs: Arcs, starts: np.ndarray) -> None:
    """Refuse codes of grandparents (M246), which as siblings would refer to words beyond the sentence."""
    borders = pairs.first[arcs.first[starts]]
    longest = np.repeat(np.diff(starts).astype(np.int32), np.diff(borders))
    if (pairs.inner > longest).any():
        raise ValueError(Errors.M246)


@kernel
def _no_tree(problem, crossing):
    """The first sentence of ``crossing`` (int64[k]) without a projective tree among its arcs and pairs, -1 for none."""
    work = contract.new_work(problem)
    for i in crossing:
        n = problem.last[i] - problem.first[i]
        for a in range(work.arcs.shape[0]):
            for y in range(problem.n_labels):
                work.arcs[a, y] = 0
        score = best_tree(
            fill_best(problem, i, work), pairs_of(problem, i, work), True, problem.single_root, work.heads[:n]
        )
        if score == -np.inf:
            return i
    return -1


def _check_outputs(problem: TreeProblem) -> None:
    """Refuse sentences without any tree that the decoder can return (M249). Gold is such a tree, unless it crosses and trees must be projective."""
    n = problem.last - problem.first
    if not problem.projective or (problem.heads.size == (n * n).sum() and not problem.second_order):
        return
    crossing = crossing_sentences(problem.gold, np.append(problem.first, problem.last[-1]))
    sentence = int(_no_tree(problem, crossing)) if crossing.size else -1
    if sentence >= 0:
        raise ValueError(Errors.M249.format(sentence=sentence))


def _costs(values: np.ndarray | None, default: np.ndarray) -> np.ndarray:
    """Costs as float32[N]; refused if negative or not finite (M245)."""
    if values is None:
        return default
    costs = np.ascontiguousarray(values, np.float32)
    if costs.shape != default.shape or not np.isfinite(costs).all() or costs.min(initial=0) < 0:
        raise ValueError(Errors.M245.format(n=default.size))
    return costs


def _checked_trees(gold: GoldTrees, starts: np.ndarray, n_labels: int, single_root: bool) -> list[np.ndarray]:
    """The heads and the labels of gold trees, int32[N] each. Raises ValueError as :func:`tree_problem`."""
    heads = np.ascontiguousarray(gold.heads, np.int32)
    if (heads == -1).any():
        unknown = int(np.argmax(heads == -1))
        raise ValueError(Errors.M248.format(position=unknown, sentence=np.searchsorted(starts, unknown, "right") - 1))
    for s in range(starts.size - 1):
        check_tree(heads[starts[s] : starts[s + 1]], s, single_root)
    labels = np.zeros(heads.size, np.int32) if gold.labels is None else np.ascontiguousarray(gold.labels, np.int32)
    if labels.shape != heads.shape or labels.min(initial=0) < 0 or labels.max(initial=0) >= n_labels:
        raise ValueError(Errors.M247.format(n=n_labels, words=heads.size))
    return [heads, labels]


def _found_arcs(heads: np.ndarray, arcs: Arcs, starts: np.ndarray, layout: TreeProblem) -> np.ndarray:
    """The number of each word's gold arc, int64[N]. Raises ValueError (M244) for an arc or pair that is not there."""
    found = np.empty(heads.size, np.int64)
    _gold_arcs(arcs.first, arcs.heads, heads, found)
    missing = int(np.argmin(found)) if (found < 0).any() else -1
    if missing < 0 and layout.second_order:
        pairs = layout.siblings
        missing = _first_missing_pair(starts, heads, found, pairs.first, pairs.inner, layout.grandparents)
    if missing >= 0:
        raise ValueError(Errors.M244.format(position=missing, head=heads[missing]))
    return found


def tree_problem(
    features: TreeFeatures,
    arcs: Arcs,
    blocks: Blocks,
    gold: GoldTrees,
    starts: np.ndarray,
    labels: Sequence[str] = ("",),
    projective: bool = True,
    single_root: bool = True,
    offset: TreeOffset | None = None,
) -> Problem:
    """Make a training problem of dependency trees.

    starts: int64[S + 1], sentence borders. labels: of the arcs; a single one for trees without labels. Gold trees may cross even with ``projective``:
    they then count as one more output in addition to the projective trees (see :mod:`.decode`). With pairs and ``projective`` False, decoding is
    approximate (:mod:`.algorithms.climb`): the problem then lacks "marginals" and "kbest", and is not ``exact`` (see :class:`.Problem`). Projective
    trees with grandparents lack the same, but are ``exact``.

    offset: constant scores that are added to those of the weights, such as those of a model from which training goes on.

    Raises ValueError: M241 gold heads that are not a tree, M242 gold with several roots under ``single_root``, M243 borders or arcs that do not cover
    the words, M244 gold that is not among the arcs or pairs, M245 bad costs, M246 pairs with grandparents although ``grandparents`` is False, M247
    a label out of range, M248 a word without gold head (-1), M249 a sentence with a crossing gold tree that has no projective tree among its
    arcs (and pairs), M257 feature rows that the weights do not have, M260 offsets of another shape or too large.
    """
    layout = tree_layout(features, arcs, starts, len(labels), blocks, projective, single_root)
    check_within(layout.node.rows, int(blocks.node[-1]), "arcs")
    check_within(layout.pair.rows, int(blocks.pair[-1]), "labelled arcs")
    heads, gold_labels = _checked_trees(gold, starts, len(labels), single_root)
    gold_arc = _found_arcs(heads, arcs, starts, layout)
    cost = _costs(gold.cost, np.ones(heads.size, np.float32))
    arrays = layout._replace(
        gold=heads, gold_label=gold_labels, gold_arc=gold_arc, gold_output=heads * np.int32(len(labels)) + gold_labels,
        cost=cost, label_cost=_costs(gold.label_cost, cost),
    )  # fmt: skip
    if offset is not None:
        arrays = arrays._replace(**settle_offset(offset, arrays)._asdict())
    _check_outputs(arrays)
    return Problem(
        arrays, blocks, 1, len(labels), None if layout.second_order else cut_tree,
        exact=layout.projective or not layout.second_order,
        lacks=tree_lacks(layout.projective, layout.second_order, layout.grandparents),
        structure="dependency tree", has_offset=offset is not None, outputs=every_tree,
    )  # fmt: skip
