"""Non-projective trees, max-product: the maximum spanning arborescence (Chu & Liu 1965, Edmonds 1967) in Tarjan's O(n^2) form for dense graphs.

From a word, a path of best incoming arcs is followed backwards; if it closes, the cycle is contracted to one node. When the path reaches the root,
its nodes are done, and a word that is not done yet begins a new path. Nodes are then expanded from the outside in: the arc into a node replaces
an arc of its cycle.

Score matrices as in :mod:`.eisner`.
"""

import numpy as np

from spacy_mtl.kernels import kernel, subkernel

from .copies import copy_table


@subkernel
def best_entry(into, group, node):
    """The head with the best arc into ``node`` from outside it, -1 if all are forbidden.

    into: float64[n + 1]. group: int64[n + 1], node of each word.
    """
    best = -1
    for h in range(into.size):
        if group[h] != node and into[h] > -np.inf and (best < 0 or into[h] > into[best]):
            best = h
    return best


@subkernel
def contract_cycle(cycle, into, target, entry, column):
    """Contract a cycle: write the best gains of entering it to the row of its first member.

    Entering at a member gains the score of the arc minus that of the arc that it replaces. cycle: int64[k], nodes. into: float64[n + 1, n + 1] and
    target: int64[n + 1, n + 1], one row per node, the best arc from each head into the node, and the word that it leads to. entry: int64[., 2],
    head and word of the arc chosen into each node. column: int64[.], the row of each node.
    """
    first = column[cycle[0]]
    for c in range(cycle.size):
        row = column[cycle[c]]
        loss = into[row, entry[cycle[c], 0]]
        for h in range(into.shape[1]):
            gain = into[row, h] - loss
            if c == 0:
                into[first, h] = gain
            elif gain > into[first, h]:
                into[first, h] = gain
                target[first, h] = target[row, h]


@subkernel
def choose_entries(scores, entry, outer):
    """Contract all cycles of best incoming arcs; return the number of nodes, 0 if a word cannot be reached.

    entry: int64[2 n + 1, 2], head and word of the arc into each node; words are nodes 1..n. outer: int64[2 n + 1], the node that contains each
    node, 0 for none.
    """
    size = scores.shape[0]
    into, target = np.empty((size, size)), np.empty((size, size), np.int64)
    for m in range(size):
        for h in range(size):
            into[m, h] = scores[h, m]
            target[m, h] = m
    group, column = np.arange(size), np.arange(2 * size)
    done, place = np.zeros(2 * size, np.bool_), np.full(2 * size, -1)
    path = np.empty(size, np.int64)
    n_nodes = size
    done[0] = True
    for start in range(1, size):
        length = 0
        if not done[group[start]]:
            path[0], place[group[start]], length = group[start], 0, 1
        while length:
            node = path[length - 1]
            h = best_entry(into[column[node]], group, node)
            if h < 0:
                return 0
            entry[node, 0], entry[node, 1] = h, target[column[node], h]
            before = group[h]
            if done[before]:
                for k in range(length):
                    done[path[k]] = True
                length = 0
            elif place[before] < 0:
                path[length], place[before] = before, length
                length += 1
            else:
                begin = place[before]
                contract_cycle(path[begin:length], into, target, entry, column)
                column[n_nodes] = column[path[begin]]
                for k in range(begin, length):
                    outer[path[k]] = n_nodes
                for word in range(1, size):
                    if outer[group[word]] == n_nodes:
                        group[word] = n_nodes
                path[begin], place[n_nodes], length = n_nodes, begin, begin + 1
                n_nodes += 1
    return n_nodes


@subkernel
def spanning_tree(scores, heads):
    """Write the best tree with any number of roots to ``heads``; return whether there is one. Arguments as in :func:`chu_liu_edmonds`."""
    size = scores.shape[0]
    entry, outer = np.empty((2 * size, 2), np.int64), np.zeros(2 * size, np.int64)
    n_nodes = choose_entries(scores, entry, outer)
    displaced = np.zeros(2 * size, np.bool_)
    for node in range(n_nodes - 1, 0, -1):  # a node has a lower number than the one that contains it
        if not displaced[node]:
            inside = entry[node, 1]
            heads[inside - 1] = entry[node, 0]
            while inside != node:
                displaced[inside] = True
                inside = outer[inside]
    return n_nodes > 0


@subkernel
def count_roots(heads):
    """The number of words attached to the root."""
    count = 0
    for m in range(heads.size):
        count += heads[m] == 0
    return count


@subkernel
def with_costly_roots(scores):
    """The scores, with root arcs lowered by more than any two trees can differ, so that the best tree has as few roots as possible."""
    size = scores.shape[0]
    lowered = np.empty((size, size))
    copy_table(scores, lowered)
    penalty = 1.0
    for m in range(1, size):
        low, high = np.inf, -np.inf
        for h in range(size):
            if h != m and scores[h, m] > -np.inf:
                low, high = min(low, scores[h, m]), max(high, scores[h, m])
        if high > low:
            penalty += high - low
    for m in range(1, size):
        lowered[0, m] -= penalty
    return lowered


@kernel
def tree_score(scores, heads):
    """The sum of the scores of a tree's arcs."""
    total = 0.0
    for m in range(1, heads.size + 1):
        total += scores[heads[m - 1], m]
    return total


@kernel
def chu_liu_edmonds(scores, single_root, heads):
    """Find the best tree, projective or not; return its score.

    scores: float64[n + 1, n + 1], scores[h, m] of head h for modifier m. single_root: exactly one word is attached to the root, otherwise at least
    one. heads: int32[n], heads[m - 1] is set to the head of word m. If no tree is allowed, the score is -inf and all heads are -1.

    For a single root: if the best tree has several, a penalty is subtracted from root arcs that makes every additional root lose, without
    changing the order of the trees with one root.
    """
    found = spanning_tree(scores, heads)
    if found and single_root and count_roots(heads) > 1:
        found = spanning_tree(with_costly_roots(scores), heads) and count_roots(heads) == 1
    if not found:
        heads[:] = -1
        return -np.inf
    return tree_score(scores, heads)
