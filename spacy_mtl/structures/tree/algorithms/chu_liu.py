"""Non-projective trees, max-product: the maximum spanning arborescence (Chu & Liu 1965, Edmonds 1967) in Tarjan's O(n^2) form for dense graphs.

From some word a path of best incoming arcs is followed backwards; where it closes, the cycle becomes one node. When the path reaches the root,
the nodes on it are done, and a word that is not yet done begins a new one. Nodes are then opened from the outside in: the arc into one displaces
an arc of its cycle.

Score matrices as in :mod:`.eisner`.
"""

import numpy as np

from spacy_mtl.kernels import kernel, subkernel

from .copies import copy_table


@subkernel
def best_entry(into, group, node):
    """The head with the best arc into ``node`` from outside it, -1 where all are forbidden.

    into: float64[n + 1]. group: int64[n + 1], node of each word.
    """
    best = -1
    for h in range(into.size):
        if group[h] != node and into[h] > -np.inf and (best < 0 or into[h] > into[best]):
            best = h
    return best


@subkernel
def contract_cycle(cycle, into, target, entry, column):
    """Entering the cycle at a member gains the arc's score less that of the arc it displaces: the best of these into the row of the first member.

    cycle: int64[k] nodes. into: float64[n + 1, n + 1] and target: int64[n + 1, n + 1], row by row the best arc from each head into a node, and
    the word it goes to. entry: int64[., 2], head and word of the arc chosen into each node. column: int64[.], row of each node.
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
    """Contract all cycles of best incoming arcs; returns the number of nodes, 0 where some word cannot be reached.

    entry: int64[2 n + 1, 2], head and word of the arc into each node; words are nodes 1..n. outer: int64[2 n + 1], the node each is inside of,
    0 for none.
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
    """The best tree with any number of roots into ``heads``; returns whether there is one. Arguments as in :func:`chu_liu_edmonds`."""
    size = scores.shape[0]
    entry, outer = np.empty((2 * size, 2), np.int64), np.zeros(2 * size, np.int64)
    n_nodes = choose_entries(scores, entry, outer)
    displaced = np.zeros(2 * size, np.bool_)
    for node in range(n_nodes - 1, 0, -1):  # what contains a node has a higher number
        if not displaced[node]:
            inside = entry[node, 1]
            heads[inside - 1] = entry[node, 0]
            while inside != node:
                displaced[inside] = True
                inside = outer[inside]
    return n_nodes > 0


@subkernel
def count_roots(heads):
    """Number of words attached to the root."""
    count = 0
    for m in range(heads.size):
        count += heads[m] == 0
    return count


@subkernel
def with_costly_roots(scores):
    """The scores, those of root arcs lowered by more than any two trees can differ: the best tree then has as few roots as can be."""
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
    """Sum of the scores of a tree's arcs."""
    total = 0.0
    for m in range(1, heads.size + 1):
        total += scores[heads[m - 1], m]
    return total


@kernel
def chu_liu_edmonds(scores, single_root, heads):
    """The best tree, projective or not; returns its score.

    scores: float64[n + 1, n + 1], scores[h, m] of head h for modifier m. single_root: exactly one word is attached to the root, else at least one.
    heads: int32[n], heads[m - 1] becomes the head of word m. Where no tree is allowed the score is -inf and all heads are -1.

    With one root: if the best tree of all has more, root arcs are charged a sum that makes every additional root lose, which leaves
    the order of trees with one root as it is.
    """
    found = spanning_tree(scores, heads)
    if found and single_root and count_roots(heads) > 1:
        found = spanning_tree(with_costly_roots(scores), heads) and count_roots(heads) == 1
    if not found:
        heads[:] = -1
        return -np.inf
    return tree_score(scores, heads)
