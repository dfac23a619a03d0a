"""Scores of arcs, sibling pairs and labels straight from attribute columns, for prediction: nothing is stored for each observation."""

import numpy as np

from ..kernels import kernel
from ..templates.arc_index import between_of
from ..templates.arc_keys import arc_keys, distance_key, distance_of, fill_side_keys, most_keys, new_side_keys
from ..templates.index import find
from .arc_table import weight_of
from .weights import KEY_BITS

_KEY_MASK = np.uint64((1 << KEY_BITS) - 1)


@kernel
def part_score(program, keys, head, modifier, sibling, seen, counts, table):
    """Sum of the weights of all observations of one arc or pair; arguments as of :func:`.arc_keys.arc_keys`."""
    distance = distance_of(head, modifier)
    shift = distance_key(distance)
    total = np.float32(0)
    for p in range(program.head.size):
        key = program.seed[p]
        if program.head[p] >= 0:
            key += keys.heads[program.head[p], head]
        if program.modifier[p] >= 0:
            key += keys.modifiers[program.modifier[p], modifier]
        if program.sibling[p] >= 0:
            key += keys.siblings[program.sibling[p], sibling]
        b = program.between[p]
        for c in range(1 if b < 0 else counts[b]):
            here = key if b < 0 else key + seen[b, c]
            if program.plain[p] >= 0:
                total += weight_of(here, table.checks, table.values, table.shift, table.sieve, table.sieve_shift)
            if program.near[p, distance] >= 0:
                total += weight_of(
                    here + shift, table.checks, table.values, table.shift, table.sieve, table.sieve_shift
                )
    return total


@kernel
def score_parts(columns, starts, program, table, first, heads, siblings, scores):
    """scores[a] of every part: arcs, or pairs of siblings.

    first: int64[N + 1], word t has the parts ``first[t]:first[t + 1]``. heads: int32[A]. siblings: int32[A], or empty. scores: float32[A].
    """
    longest = 1
    for s in range(starts.size - 1):
        longest = max(longest, starts[s + 1] - starts[s])
    keys = new_side_keys(program, longest)
    n_between = program.betweens.seed.size
    seen, counts = np.empty((n_between, longest + 1), np.uint64), np.zeros(n_between, np.int64)
    for s in range(starts.size - 1):
        start, stop = starts[s], starts[s + 1]
        n = stop - start
        fill_side_keys(columns, start, stop, program, keys)
        for t in range(start, stop):
            m = t - start + 1
            for a in range(first[t], first[t + 1]):
                head = np.int64(heads[a])
                if n_between:
                    between_of(keys.betweens, head, m, seen, counts)
                sibling = n + 1
                if siblings.size and siblings[a] != head:
                    sibling = np.int64(siblings[a])
                scores[a] = part_score(program, keys, head, m, sibling, seen, counts, table)


@kernel
def score_labels(columns, starts, program, table, rows, first, heads, scores):
    """scores[a] of every arc's labels, 0 for arcs from the root. rows: float32[R, L], by the rows of ``table``; scores: float32[A, L]."""
    longest = 1
    for s in range(starts.size - 1):
        longest = max(longest, starts[s + 1] - starts[s])
    keys, most = new_side_keys(program, longest), most_keys(program, longest)
    out, templates = np.empty(most, np.uint64), np.empty(most, np.int64)
    n_between, n_labels = program.betweens.seed.size, scores.shape[1]
    seen, counts = np.empty((n_between, longest + 1), np.uint64), np.zeros(n_between, np.int64)
    for s in range(starts.size - 1):
        start, stop = starts[s], starts[s + 1]
        fill_side_keys(columns, start, stop, program, keys)
        for t in range(start, stop):
            for a in range(first[t], first[t + 1]):
                for y in range(n_labels):
                    scores[a, y] = 0
                head, m = np.int64(heads[a]), t - start + 1
                if head <= 0:
                    continue
                between_of(keys.betweens, head, m, seen, counts)
                for k in range(arc_keys(program, keys, head, m, stop - start + 1, seen, counts, out, templates)):
                    row = table.rows[find(table, out[k] & _KEY_MASK)]
                    if row >= 0:
                        for y in range(n_labels):
                            scores[a, y] += rows[row, y]
