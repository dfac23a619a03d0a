"""Directions between chain outputs and part marginals, stored in a ChainWork as the positions that change and their changes."""

from spacy_mtl.kernels import subkernel
from spacy_mtl.structures import contract
from spacy_mtl.structures.contract import implements

from .problem import HELD, N_PLACES, PLACES, ChainProblem, n_pair_parts
from .sums.marginals import marginals
from .viterbi import as_transitions, relist

#: A position whose marginals are this close to gold in every label does not change; this is the resolution of float32.
SETTLED = 1e-7


@subkernel
def forget_places(work):
    """All of ``work.pair_change`` is about to be written."""
    for k in range(work.n_active[N_PLACES]):
        work.pair_change[1, work.n_active[PLACES + k]] = 0
    work.n_active[N_PLACES] = -1


@subkernel
def clear_pairs(work, n, lists):
    """Set the first n tables of ``work.pair_change`` to 0. Here and below, lists: those of ``work``."""
    if lists is None:
        work.pair_change[:n] = 0
        return
    if work.n_active[N_PLACES] < 0:
        work.pair_change[:n] = 0
        work.n_active[N_PLACES] = 0
    for k in range(work.n_active[N_PLACES]):
        z = work.n_active[PLACES + k]
        work.pair_change[0, z], work.pair_change[1, z] = 0, 0
    work.n_active[N_PLACES] = min(0, work.n_active[N_PLACES])


@subkernel
def change_pair(change, counters, z, amount):
    """Add ``amount`` to change[0, z], and list the place. change, counters: ``pair_change`` and ``n_active`` of a :class:`.ChainWork`."""
    change[0, z] += amount
    if change[1, z] == 0:
        change[1, z] = 1
        counters[PLACES + counters[N_PLACES]] = z
        counters[N_PLACES] += 1


@subkernel
def count_pair(work, k, plus, minus, lists):
    """Add 1 to the pair of labels ``plus`` in table k of ``work.pair_change``, and subtract it from ``minus``."""
    if lists is None:
        work.pair_change[k, plus] += 1
        work.pair_change[k, minus] -= 1
        return
    change_pair(work.pair_change, work.n_active, plus, 1)
    change_pair(work.pair_change, work.n_active, minus, -1)


@subkernel
def follow(problem, weights, live, work, lists):
    """Compute the scores of those transitions again that the direction in ``work`` has changed, if they are kept."""
    if lists is None:
        return
    if not work.n_active[HELD]:
        return
    a, n_labels = problem.first[0], problem.start.size
    for k in range(work.n_active[N_PLACES]):
        z, score = work.n_active[PLACES + k], work.pairs.dtype.type(0)
        for m in range(live.pair.size):
            row = problem.pair_rows[a, live.pair[m]]
            if row >= 0:
                score += work.pairs.dtype.type(weights.pair[row, z])
        x, y = z // n_labels, z % n_labels
        work.pairs[0, x, y] = score + problem.step[x, y]
        relist(work.pairs[0, x, y], x, y, as_transitions(work.bounds, work.lists))
    if work.n_active[N_PLACES] < 0:
        contract.hold_weights(problem, weights, live, work)


@subkernel
def pair_direction(problem, state, i, work):
    """Write the pair part of the direction to ``work.pair_change``; return <pair scores, direction>."""
    a, n = problem.first[i], problem.last[i] - problem.first[i]
    n_labels = problem.start.size
    n_pairs = n if problem.observed else 1
    at = a if problem.observed else i
    change = work.pair_change
    forget_places(work)
    for k in range(n_pairs):
        for z in range(n_labels * n_labels):
            change[k, z] = -state.pairs[at + k, z]
    for t in range(1, n):
        change[t if problem.observed else 0, work.labels[t - 1] * n_labels + work.labels[t]] += 1
    total = 0.0
    for k in range(n_pairs):
        for z in range(n_labels * n_labels):
            if change[k, z] != 0:
                total += work.pairs[k, z // n_labels, z % n_labels] * change[k, z]
    return total


@subkernel
def node_direction(problem, state, i, work):
    """Write the node part of the direction to ``work.change``; return <node scores, direction>."""
    a = problem.first[i]
    total, count = 0.0, 0
    for t in range(problem.last[i] - a):
        label = work.labels[t]
        if state.nodes[a + t, label] == 1:
            continue
        work.active[count] = t
        for y in range(work.change.shape[1]):
            d = (1 if y == label else 0) - state.nodes[a + t, y]
            work.change[count, y] = d
            total += work.nodes[t, y] * d
        count += 1
    work.n_active[0] = count
    return total


@implements(contract.set_direction, ChainProblem)
def set_direction(problem, state, i, work):
    return node_direction(problem, state, i, work) + pair_direction(problem, state, i, work)


@subkernel
def difference(problem, i, outputs, work):
    """Set the direction from ``outputs`` (int32[N]) to the output in ``work``."""
    a, n = problem.first[i], problem.last[i] - problem.first[i]
    n_labels = problem.start.size
    count = 0
    clear_pairs(work, n if problem.observed else 1, work.lists)
    for t in range(n):
        plus, minus = work.labels[t], outputs[a + t]
        if plus != minus:
            work.active[count] = t
            work.change[count] = 0
            work.change[count, plus] = 1
            work.change[count, minus] = -1
            count += 1
        if t:
            k = t if problem.observed else 0
            plus, minus = work.labels[t - 1] * n_labels + plus, outputs[a + t - 1] * n_labels + minus
            count_pair(work, k, plus, minus, work.lists)
    work.n_active[0] = count


@implements(contract.set_difference, ChainProblem)
def set_difference(problem, i, outputs, work):
    difference(problem, i, outputs, work)


@implements(contract.gold_direction, ChainProblem)
def gold_direction(problem, i, work):
    difference(problem, i, problem.gold, work)


@implements(contract.marginal_direction, ChainProblem)
def marginal_direction(problem, i, work):
    a, n = problem.first[i], problem.last[i] - problem.first[i]
    n_labels, n_pairs = problem.start.size, n_pair_parts(problem, i)
    change, pair_change = work.change, work.pair_change[:n_pairs]
    forget_places(work)
    log_z = marginals(work.nodes[:n], work.pairs[:n_pairs], work.alpha, work.factors, change[:n], pair_change)
    count = 0
    for t in range(n):
        gold = problem.gold[a + t]
        change[t, gold] -= 1
        moved = False
        for y in range(n_labels):
            moved |= abs(change[t, y]) > SETTLED
        if moved:
            work.active[count] = t
            change[count] = change[t]
            count += 1
        if t:
            pair_change[t if problem.observed else 0, problem.gold[a + t - 1] * n_labels + gold] -= 1
    work.n_active[0] = count
    return log_z
