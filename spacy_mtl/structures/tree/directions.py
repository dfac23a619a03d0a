"""Directions between trees and part marginals, stored in a TreeWork as parts that change, their changes, and the changes of feature bundles."""

import numpy as np

from spacy_mtl.kernels import subkernel
from spacy_mtl.structures import contract
from spacy_mtl.structures.contract import implements

from .algorithms.copies import copy_list
from .problem import TreeProblem, arc_to, arcs_of, gold_heads, inner_sibling, pair_code, pair_to, siblings_of
from .sums import arc_marginals

#: A part whose marginal is this close to gold does not change; this is the resolution of float32.
SETTLED = 1e-7


@subkernel
def forget(work):
    """Clear the direction."""
    for k in range(work.counts[2]):
        u = work.node_touched[k]
        work.node_seen[u], work.node_change[u, 0] = False, 0
    for k in range(work.counts[3]):
        u = work.pair_touched[k]
        work.pair_seen[u] = False
        work.pair_change[u] = 0
    work.counts[:] = 0


@subkernel
def touch(links, amount, seen, touched, change, counts):
    """Change the node bundles in ``links`` (int32[K]) by ``amount``."""
    for u in links:
        if u >= 0:
            if not seen[u]:
                seen[u] = True
                touched[counts[2]] = u
                counts[2] += 1
            change[u, 0] += amount


@subkernel
def touch_labels(links, amounts, seen, touched, change, counts):
    """Change the pair bundles in ``links`` (int32[K]) by ``amounts``, float32[L]."""
    for u in links:
        if u >= 0:
            if not seen[u]:
                seen[u] = True
                touched[counts[3]] = u
                counts[3] += 1
            for y in range(amounts.size):
                change[u, y] += amounts[y]


@subkernel
def spread(problem, i, work):
    """Compute the changes of bundles from the active parts; uses whose sum does not change are left out."""
    (begin, _), (pair_begin, _) = (
        arcs_of(problem.first, problem.last, problem.first_arc, i),
        siblings_of(problem.first, problem.last, problem.first_arc, problem.siblings.first, i),
    )
    seen, touched, change, counts = work.node_seen, work.node_touched, work.node_change, work.counts
    for k in range(counts[0]):
        arc, total = begin + work.active[k], 0.0
        for y in range(problem.n_labels):
            total += work.change[k, y]
        if total != 0:
            touch(problem.node_links[arc], total, seen, touched, change, counts)
        if problem.pair_links.shape[1]:
            touch_labels(
                problem.pair_links[arc], work.change[k], work.pair_seen, work.pair_touched, work.pair_change, counts
            )  # fmt: skip
    for k in range(counts[1]):
        links = problem.siblings.links[pair_begin + work.sibling_active[k]]
        touch(links, np.float64(work.sibling_change[k]), seen, touched, change, counts)


@subkernel
def activate(active, change, counts, a):
    """Add arc a of the sentence to the direction, with a change of 0; return the index of the change."""
    k = counts[0]
    active[k] = a
    change[k] = 0
    counts[0] += 1
    return k


@subkernel
def activate_pair(active, changes, counts, b, change):
    """Add pair b of the sentence to the direction, with its change."""
    if change != 0:
        active[counts[1]] = b
        changes[counts[1]] = change
        counts[1] += 1


@subkernel
def change_pair(active, changes, counts, pair, pair_begin, change):
    """:func:`activate_pair` for a pair of the corpus, or none (-1)."""
    if pair >= 0:
        activate_pair(active, changes, counts, pair - pair_begin, change)


@subkernel
def leave_marginals(problem, state, t, arc, label, begin, work):
    """Set the direction of word t from its marginals to one arc; return <scores, direction>."""
    total = 0.0
    if state.arcs[arc, label] == 1:
        return total
    for a in range(problem.first_arc[t], problem.first_arc[t + 1]):
        moved = a == arc
        for y in range(problem.n_labels):
            moved |= state.arcs[a, y] != 0
        if moved:
            k = activate(work.active, work.change, work.counts, a - begin)
            for y in range(problem.n_labels):
                work.change[k, y] = (1 if a == arc and y == label else 0) - state.arcs[a, y]
                total += work.arcs[a - begin, y] * np.float64(work.change[k, y])
    return total


@subkernel
def leave_pair_marginals(problem, state, t, arc, pair, kind, n, pair_begin, work):
    """The same for the pairs of one kind of word t, in a sentence of n words: to one pair, or to none (-1)."""
    total = 0.0
    if pair >= 0 and state.siblings[pair] == 1:
        return total
    for a in range(problem.first_arc[t], problem.first_arc[t + 1]):
        mass = 0.0
        for y in range(problem.n_labels):
            mass += abs(state.arcs[a, y])
        if mass == 0 and a != arc:
            continue
        for b in range(problem.siblings.first[a], problem.siblings.first[a + 1]):
            if (problem.siblings.inner[b] > n) != (kind == 1):
                continue
            change = (1 if b == pair else 0) - state.siblings[b]
            activate_pair(work.sibling_active, work.sibling_change, work.counts, b - pair_begin, change)
            total += work.siblings[b - pair_begin] * np.float64(change)
    return total


@implements(contract.set_direction, TreeProblem)
def set_direction(problem, state, i, work):
    (begin, _), (pair_begin, _) = (
        arcs_of(problem.first, problem.last, problem.first_arc, i),
        siblings_of(problem.first, problem.last, problem.first_arc, problem.siblings.first, i),
    )
    n, total = problem.last[i] - problem.first[i], 0.0
    forget(work)
    for m in range(1, n + 1):
        t = problem.first[i] + m - 1
        arc = arc_to(problem.first_arc, problem.heads, t, work.heads[m - 1])
        total += leave_marginals(problem, state, t, arc, work.labels[m - 1], begin, work)
        if problem.second_order:
            for kind in range(2 if problem.grandparents else 1):
                code = pair_code(work.heads[:n], m, kind)
                pair = pair_to(problem.siblings.first, problem.siblings.inner, arc, code)
                total += leave_pair_marginals(problem, state, t, arc, pair, kind, n, pair_begin, work)
    spread(problem, i, work)
    return total


@subkernel
def arc_difference(problem, i, outputs, work):
    """The arc part of :func:`difference`; writes the heads of ``outputs`` to ``work.other``."""
    begin, n_labels = arcs_of(problem.first, problem.last, problem.first_arc, i)[0], problem.n_labels
    for t in range(problem.first[i], problem.last[i]):
        m = t - problem.first[i]
        head, label = outputs[t] // n_labels, outputs[t] % n_labels
        work.other[m] = head
        if head != work.heads[m] or label != work.labels[m]:
            k = activate(
                work.active,
                work.change,
                work.counts,
                arc_to(problem.first_arc, problem.heads, t, work.heads[m]) - begin,
            )
            work.change[k, work.labels[m]] += 1
            if head != work.heads[m]:
                k = activate(
                    work.active, work.change, work.counts, arc_to(problem.first_arc, problem.heads, t, head) - begin
                )
            work.change[k, label] -= 1


@subkernel
def difference(problem, i, outputs, work):
    """Set the direction from ``outputs`` (int32[N], as stored) to the output in ``work``."""
    n, (pair_begin, _) = (
        problem.last[i] - problem.first[i],
        siblings_of(problem.first, problem.last, problem.first_arc, problem.siblings.first, i),
    )
    forget(work)
    arc_difference(problem, i, outputs, work)
    if problem.second_order:
        for m in range(1, n + 1):
            t = problem.first[i] + m - 1
            new = arc_to(problem.first_arc, problem.heads, t, work.heads[m - 1])
            old = arc_to(problem.first_arc, problem.heads, t, work.other[m - 1])
            for kind in range(2 if problem.grandparents else 1):
                code = pair_code(work.heads[:n], m, kind)
                plus = pair_to(problem.siblings.first, problem.siblings.inner, new, code)
                code = pair_code(work.other[:n], m, kind)
                minus = pair_to(problem.siblings.first, problem.siblings.inner, old, code)
                if plus != minus:
                    change_pair(work.sibling_active, work.sibling_change, work.counts, plus, pair_begin, 1.0)
                    change_pair(work.sibling_active, work.sibling_change, work.counts, minus, pair_begin, -1.0)
    spread(problem, i, work)


@implements(contract.set_difference, TreeProblem)
def set_difference(problem, i, outputs, work):
    difference(problem, i, outputs, work)


@implements(contract.gold_direction, TreeProblem)
def gold_direction(problem, i, work):
    difference(problem, i, problem.gold_output, work)


@implements(contract.marginal_direction, TreeProblem)
def marginal_direction(problem, i, work):
    (begin, end), (pair_begin, pair_end) = (
        arcs_of(problem.first, problem.last, problem.first_arc, i),
        siblings_of(problem.first, problem.last, problem.first_arc, problem.siblings.first, i),
    )
    forget(work)
    pairs = np.empty(pair_end - pair_begin)
    log_z = arc_marginals(problem, i, work, work.change, pairs)
    heads = gold_heads(problem.gold, problem.first, problem.last, i)
    for m in range(1, heads.size + 1):
        arc = problem.gold_arc[problem.first[i] + m - 1]
        work.change[arc - begin, problem.gold_label[problem.first[i] + m - 1]] -= 1
        if problem.second_order:  # no grandparents: there are no sums over them
            pairs[
                pair_to(problem.siblings.first, problem.siblings.inner, arc, inner_sibling(heads, m)) - pair_begin
            ] -= 1
    count = 0
    for a in range(end - begin):
        moved = False
        for y in range(problem.n_labels):
            moved |= abs(work.change[a, y]) > SETTLED
        if moved:
            work.active[count] = a
            copy_list(work.change[a], work.change[count])
            count += 1
    work.counts[0] = count
    for b in range(pairs.size):
        activate_pair(
            work.sibling_active, work.sibling_change, work.counts, b, pairs[b] if abs(pairs[b]) > SETTLED else 0.0
        )
    spread(problem, i, work)
    return log_z
