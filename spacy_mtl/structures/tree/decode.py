"""Trees as a structure: scores, decoding and losses of :mod:`.contract` over a :class:`.TreeProblem`.

A gold tree that the decoder cannot find (a crossing tree under ``projective``) counts as one more output, so that hinges are never below 0.
"""

import numpy as np

from spacy_mtl.kernels import kernel, subkernel
from spacy_mtl.structures import contract
from spacy_mtl.structures.contract import implements
from spacy_mtl.structures.offsets.tree import add_offsets, add_pair_offsets, pair_product, product

from .algorithms.chu_liu import chu_liu_edmonds
from .algorithms.climb import climb_siblings
from .algorithms.copies import copy_list, copy_table
from .algorithms.eisner import eisner
from .algorithms.grand_eisner import eisner_pairs
from .algorithms.siblings import no_pairs, pair_table
from .bundles import factors_of, score_bundles, score_scalar_bundles
from .problem import TreeProblem, TreeState, arc_to, arcs_of, gold_heads, pair_code, pair_to, siblings_of


@subkernel
def add_links(links, sums, out):
    """Set out[r] to the sum over k of sums[links[r, k]], where -1 counts as 0. links: int32[., K]; sums, out: float32[.]."""
    for r in range(links.shape[0]):
        total = out.dtype.type(0)
        for k in range(links.shape[1]):
            if links[r, k] >= 0:
                total += sums[links[r, k]]
        out[r] = total


@subkernel
def score_all(problem, weights, node_factors, pair_factors, plain, i, work):
    """Compute the scores of all parts. node_factors: float64[T] and pair_factors: float64[Tp]; plain: whether they are all 1."""
    (begin, end), (pair_begin, pair_end) = (
        arcs_of(problem.first, problem.last, problem.first_arc, i),
        siblings_of(problem.first, problem.last, problem.first_arc, problem.siblings.first, i),
    )
    score_scalar_bundles(problem.node, i, weights.node, node_factors, plain, work.node_sums)
    links = problem.node_links[begin:end]
    for a in range(end - begin):
        total = work.arcs.dtype.type(0)
        for k in range(links.shape[1]):
            if links[a, k] >= 0:
                total += work.node_sums[links[a, k]]
        for y in range(problem.n_labels):
            work.arcs[a, y] = total
    add_links(problem.siblings.links[pair_begin:pair_end], work.node_sums, work.siblings)
    if problem.pair_links.shape[1]:
        score_bundles(problem.pair, i, weights.pair, pair_factors, plain, work.pair_sums)
        links = problem.pair_links[begin:end]
        for a in range(end - begin):
            for k in range(links.shape[1]):
                if links[a, k] >= 0:
                    for y in range(problem.n_labels):
                        work.arcs[a, y] += work.pair_sums[links[a, k], y]


@implements(contract.score_parts, TreeProblem)
def score_parts(problem, weights, live, i, work):
    ones = np.ones(problem.n_node), np.ones(problem.n_pair)
    node, pair = factors_of(live.node, ones[0], problem.n_node), factors_of(live.pair, ones[1], problem.n_pair)
    plain = live.node.size == problem.n_node and live.pair.size == problem.n_pair
    score_all(problem, weights, node, pair, plain, i, work)


@implements(contract.score_scaled, TreeProblem)
def score_scaled(problem, weights, live, scale, i, work):
    node = factors_of(live.node, scale.node, problem.n_node)
    pair = factors_of(live.pair, scale.pair, problem.n_pair)
    score_all(problem, weights, node, pair, False, i, work)


@implements(contract.add_loss, TreeProblem)
def add_loss(problem, i, work, amount):
    begin, _ = arcs_of(problem.first, problem.last, problem.first_arc, i)
    for t in range(problem.first[i], problem.last[i]):
        wrong = np.float32(amount) * problem.cost[t]
        for a in range(problem.first_arc[t], problem.first_arc[t + 1]):
            if a != problem.gold_arc[t]:
                for y in range(problem.n_labels):
                    work.arcs[a - begin, y] += wrong
            else:
                for y in range(problem.n_labels):
                    if y != problem.gold_label[t]:
                        work.arcs[a - begin, y] += np.float32(amount) * problem.label_cost[t]
    if problem.offset.shape[0]:
        contract.add_offset(problem, i, work, amount)


@implements(contract.add_offset, TreeProblem)
def add_offset(problem, i, work, amount):
    if problem.offset.shape[0]:
        begin, end = arcs_of(problem.first, problem.last, problem.first_arc, i)
        add_offsets(problem.offset[begin:end], np.float32(amount), work.arcs)
        begin, end = siblings_of(problem.first, problem.last, problem.first_arc, problem.siblings.first, i)
        add_pair_offsets(problem.offset_pairs[begin:end], np.float32(amount), work.siblings)


@implements(contract.load_parts, TreeProblem)
def load_parts(problem, state, i, work):
    (begin, end), (pair_begin, pair_end) = (
        arcs_of(problem.first, problem.last, problem.first_arc, i),
        siblings_of(problem.first, problem.last, problem.first_arc, problem.siblings.first, i),
    )
    copy_table(state.arcs[begin:end], work.arcs)
    copy_list(state.siblings[pair_begin:pair_end], work.siblings)


@implements(contract.add_parts, TreeProblem)
def add_parts(problem, state, i, work, amount):
    (begin, end), (pair_begin, pair_end) = (
        arcs_of(problem.first, problem.last, problem.first_arc, i),
        siblings_of(problem.first, problem.last, problem.first_arc, problem.siblings.first, i),
    )
    step = np.float32(amount)
    for a in range(end - begin):
        for y in range(problem.n_labels):
            state.arcs[begin + a, y] += step * work.arcs[a, y]
    for b in range(pair_end - pair_begin):
        state.siblings[pair_begin + b] += step * work.siblings[b]


@implements(contract.dot_state, TreeProblem)
def dot_state(problem, state, i, work):
    (begin, end), (pair_begin, pair_end) = (
        arcs_of(problem.first, problem.last, problem.first_arc, i),
        siblings_of(problem.first, problem.last, problem.first_arc, problem.siblings.first, i),
    )
    total = 0.0
    for a in range(end - begin):
        for y in range(problem.n_labels):
            total += np.float64(state.arcs[begin + a, y]) * work.arcs[a, y]
    for b in range(pair_end - pair_begin):
        total += np.float64(state.siblings[pair_begin + b]) * work.siblings[b]
    return total


@subkernel
def fill_best(problem, i, work):
    """Dense scores float64[n + 1, n + 1] of the arcs of sentence i, each with its best label; -inf for arcs that were left out."""
    n, (begin, _) = problem.last[i] - problem.first[i], arcs_of(problem.first, problem.last, problem.first_arc, i)
    scores = np.full((n + 1, n + 1), -np.inf)
    for m in range(1, n + 1):
        t = problem.first[i] + m - 1
        for arc in range(problem.first_arc[t], problem.first_arc[t + 1]):
            a, best = arc - begin, 0
            for y in range(1, problem.n_labels):
                if work.arcs[a, y] > work.arcs[a, best]:
                    best = y
            work.best_label[a] = best
            scores[problem.heads[arc], m] = work.arcs[a, best]
    return scores


@subkernel
def label_tree(problem, i, work):
    """Find the best label of every arc of the tree in ``work.heads``; -1 where there is no arc."""
    begin, _ = arcs_of(problem.first, problem.last, problem.first_arc, i)
    for t in range(problem.first[i], problem.last[i]):
        arc = arc_to(problem.first_arc, problem.heads, t, work.heads[t - problem.first[i]])
        work.labels[t - problem.first[i]] = work.best_label[arc - begin] if arc >= 0 else -1


@subkernel
def pairs_of(problem, i, work):
    """The pairs of sentence i with their scores in ``work``."""
    if not problem.second_order:
        return no_pairs()
    start, (begin, end) = (
        problem.first[i],
        siblings_of(problem.first, problem.last, problem.first_arc, problem.siblings.first, i),
    )
    return pair_table(
        start, problem.last[i] - start, problem.first_arc, problem.heads, problem.siblings.first,
        problem.siblings.inner, work.siblings[: end - begin], problem.grandparents,
    )  # fmt: skip


@subkernel
def best_tree(scores, pairs, projective, single_root, heads):
    """Write the best tree of its kind to ``heads`` (int32[n]); return its score. If there is none: -inf, and heads of -1.

    With pairs, for trees that need not be projective, only a good tree: see :mod:`.algorithms.climb`.
    """
    if pairs.first.size:
        if not projective:
            return climb_siblings(scores, pairs, single_root, heads)
        return eisner_pairs(scores, pairs, single_root, heads)
    if projective:
        return eisner(scores, single_root, heads)
    return chu_liu_edmonds(scores, single_root, heads)


@implements(contract.decode, TreeProblem)
def decode(problem, i, work, augmented):
    n = problem.last[i] - problem.first[i]
    if augmented:
        contract.add_loss(problem, i, work, 1.0)
    scores = fill_best(problem, i, work)
    pairs = pairs_of(problem, i, work)
    score = best_tree(scores, pairs, problem.projective, problem.single_root, work.heads[:n])
    label_tree(problem, i, work)
    if score == -np.inf and problem.gold_arc[problem.first[i]] >= 0:
        score = take_gold(problem, i, work)
    return score


@subkernel
def take_gold(problem, i, work):
    """Use gold as the output in ``work`` if no other is found, so that trainers always get a tree. Returns its score."""
    a, b = problem.first[i], problem.last[i]
    copy_list(problem.gold[a:b], work.heads)
    copy_list(problem.gold_label[a:b], work.labels)
    return tree_score(problem, i, problem.gold[a:b], problem.gold_label[a:b], work)


@kernel
def tree_score(problem, i, heads, labels, work):
    """Score of a labelled tree under the scores in ``work``, -inf if one of its parts was left out. heads, labels: int32[n]."""
    return parts_score(problem, i, heads, labels, work.arcs, work.siblings)


@subkernel
def parts_score(problem, i, heads, labels, arcs, siblings):
    """Score of a labelled tree, -inf if one of its parts was left out. arcs: float[a, L] and siblings: float[b], of the parts of sentence i."""
    (begin, _), (pair_begin, _) = (
        arcs_of(problem.first, problem.last, problem.first_arc, i),
        siblings_of(problem.first, problem.last, problem.first_arc, problem.siblings.first, i),
    )
    total = 0.0
    for m in range(1, heads.size + 1):
        arc = arc_to(problem.first_arc, problem.heads, problem.first[i] + m - 1, heads[m - 1])
        if arc < 0:
            return -np.inf
        total += arcs[arc - begin, labels[m - 1]]
        if problem.second_order:
            for kind in range(2 if problem.grandparents else 1):
                code = pair_code(heads, m, kind)
                if code >= 0:
                    pair = pair_to(problem.siblings.first, problem.siblings.inner, arc, code)
                    if pair < 0:
                        return -np.inf
                    total += siblings[pair - pair_begin]
    return total


@implements(contract.gold_score, TreeProblem)
def gold_score(problem, i, work):
    a, b = problem.first[i], problem.last[i]
    return tree_score(problem, i, problem.gold[a:b], problem.gold_label[a:b], work)


@implements(contract.output_loss, TreeProblem)
def output_loss(problem, i, work):
    a, loss = problem.first[i], 0.0
    for t in range(a, problem.last[i]):
        if work.heads[t - a] != problem.gold[t]:
            loss += problem.cost[t]
        elif work.labels[t - a] != problem.gold_label[t]:
            loss += problem.label_cost[t]
    return loss + contract.output_offset(problem, i, work)


@implements(contract.output_offset, TreeProblem)
def output_offset(problem, i, work):
    if not problem.offset.shape[0]:
        return 0.0
    (begin, _), (pair_begin, _) = (
        arcs_of(problem.first, problem.last, problem.first_arc, i),
        siblings_of(problem.first, problem.last, problem.first_arc, problem.siblings.first, i),
    )
    n = problem.last[i] - problem.first[i]
    return parts_score(
        problem, i, work.heads[:n], work.labels[:n], problem.offset[begin:], problem.offset_pairs[pair_begin:]
    )


@implements(contract.expected_loss, TreeProblem)
def expected_loss(problem, state, i):
    total = 0.0
    for t in range(problem.first[i], problem.last[i]):
        for a in range(problem.first_arc[t], problem.first_arc[t + 1]):
            for y in range(problem.n_labels):
                if a != problem.gold_arc[t]:
                    total += problem.cost[t] * state.arcs[a, y]
                elif y != problem.gold_label[t]:
                    total += problem.label_cost[t] * state.arcs[a, y]
    if problem.offset.shape[0]:
        begin, end = arcs_of(problem.first, problem.last, problem.first_arc, i)
        total += product(problem.offset[begin:end], state.arcs[begin:end])
        begin, end = siblings_of(problem.first, problem.last, problem.first_arc, problem.siblings.first, i)
        total += pair_product(problem.offset_pairs[begin:end], state.siblings[begin:end])
    return total


@subkernel
def set_tree(problem, state, i, heads, labels):
    """Set M_i to the indicator of a labelled tree. heads, labels: int32[n]."""
    (begin, end), (pair_begin, pair_end) = (
        arcs_of(problem.first, problem.last, problem.first_arc, i),
        siblings_of(problem.first, problem.last, problem.first_arc, problem.siblings.first, i),
    )
    state.arcs[begin:end] = 0
    state.siblings[pair_begin:pair_end] = 0
    for m in range(1, heads.size + 1):
        arc = arc_to(problem.first_arc, problem.heads, problem.first[i] + m - 1, heads[m - 1])
        state.arcs[arc, labels[m - 1]] = 1
        if problem.second_order:
            for kind in range(2 if problem.grandparents else 1):
                code = pair_code(heads, m, kind)
                if code >= 0:
                    state.siblings[pair_to(problem.siblings.first, problem.siblings.inner, arc, code)] = 1


@implements(contract.gold_state, TreeProblem)
def gold_state(problem):
    n_pairs = problem.siblings.inner.size if problem.second_order else 0
    state = TreeState(np.zeros((problem.heads.size, problem.n_labels), np.float32), np.zeros(n_pairs, np.float32))
    for i in range(problem.first.size):
        labels = problem.gold_label[problem.first[i] : problem.last[i]]
        set_tree(problem, state, i, gold_heads(problem.gold, problem.first, problem.last, i), labels)
    return state
