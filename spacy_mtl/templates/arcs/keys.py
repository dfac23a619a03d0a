"""Kernels that turn attribute columns into the observation keys of arcs."""

from typing import NamedTuple

import numpy as np

from spacy_mtl.kernels import kernel
from spacy_mtl.templates.extract import boundary, mix

from .program import DISTANCE_BITS

#: Number of turns that the path from a grandparent can take, see :func:`turn_of`.
N_TURNS = 3
_REST = np.uint64(0xFFFFFFFFFFFFFFFF ^ ((1 << DISTANCE_BITS) - 1))


class SideKeys(NamedTuple):
    """Keys of the sides in a sentence of n words, uint64[K, n + 1], for the root (0) and every word; for tokens between, only for the n words.

    siblings: has one more column, for "no sibling"; for grandparents, it has all columns three times, once for each turn.
    """

    heads: np.ndarray
    modifiers: np.ndarray
    siblings: np.ndarray
    betweens: np.ndarray


@kernel
def side_keys(columns, start, end, side, out):
    """Fill out[k, p] for the words p = 1..n of the sentence [start, end) and the root, 0. columns: uint64[A, N]; out: uint64[K, >= n + 1]."""
    n = end - start
    for k in range(side.seed.size):
        for p in range(n + 1):
            key = side.seed[k]
            for o in range(side.first[k], side.first[k + 1]):
                at = p + side.offset[o]
                if at < 0:
                    value = boundary(at)
                elif at > n:
                    value = boundary(at - n)
                elif at == 0:
                    value = np.uint64(0xA0)
                else:
                    value = columns[side.column[o], start + at - 1]
                key = mix(key, value)
            out[k, p] = key & _REST


@kernel
def new_side_keys(program, n):
    """Empty arrays for sentences of up to n words."""
    return SideKeys(
        np.empty((program.heads.seed.size, n + 1), np.uint64),
        np.empty((program.modifiers.seed.size, n + 1), np.uint64),
        np.empty((program.siblings.seed.size, N_TURNS * (n + 2) if program.turned else n + 2), np.uint64),
        np.empty((program.betweens.seed.size, n + 1), np.uint64),
    )


@kernel
def fill_side_keys(columns, start, end, program, keys):
    """Fill in the keys of all sides of one sentence."""
    side_keys(columns, start, end, program.heads, keys.heads)
    side_keys(columns, start, end, program.modifiers, keys.modifiers)
    side_keys(columns, start, end, program.siblings, keys.siblings)
    side_keys(columns, start, end, program.betweens, keys.betweens)
    for k in range(program.siblings.seed.size):
        keys.siblings[k, end - start + 1] = mix(program.siblings.seed[k], np.uint64(0xA1)) & _REST
    if program.turned:
        turn_keys(keys.siblings, end - start + 2)


@kernel
def turn_keys(keys, size):
    """Make the keys of the other turns from the first ``size`` columns. keys: uint64[K, >= N_TURNS * size]."""
    for k in range(keys.shape[0]):
        for turn in range(1, N_TURNS):
            for p in range(size):
                keys[k, turn * size + p] = mix(keys[k, p], np.uint64(0xB0 + turn)) & _REST


@kernel
def turn_of(grandparent, head, modifier):
    """The turn of the path from grandparent to modifier: straight on (0), back to a word between grandparent and head (1), or back beyond (2)."""
    if (grandparent < head) == (head < modifier):
        return 0
    return 1 if (modifier < grandparent) == (modifier > head) else 2


@kernel
def distance_of(head, modifier):
    """Direction and binned distance of an arc: 0..13."""
    gap = abs(head - modifier)
    at = gap - 1 if gap <= 5 else 5 if gap <= 10 else 6
    return at if head < modifier else at + 7


@kernel
def distance_key(distance):
    """The number that direction and distance add to a key, uint64, from 1."""
    return np.uint64(distance + 1)


@kernel
def note(keys, k, p, seen, counts):
    """Add what list k reads of word p to ``seen``, unless it is there already. keys: uint64[K, .]; seen: uint64[K, .]; counts: int64[K]."""
    key, count = keys[k, p], counts[k]
    for c in range(count):
        if seen[k, c] == key:
            return
    seen[k, count] = key
    counts[k] = count + 1


@kernel
def note_words(keys, dependent, head, modifier, tree, seen, counts):
    """Collect what is read of the words between head and modifier and of the modifier's dependents. tree: heads int32[n], or empty without a tree."""
    for k in range(counts.size):
        counts[k] = 0
        if not dependent[k]:
            for p in range(min(head, modifier) + 1, max(head, modifier)):
                note(keys, k, p, seen, counts)
        else:
            for p in range(1, tree.size + 1):
                if tree[p - 1] == modifier:
                    note(keys, k, p, seen, counts)


@kernel
def emit(key, distance, shift, plain, near, count, out, templates):
    """Append an observation without and with its distance, for the templates that have it. Returns the new count."""
    if plain >= 0:
        out[count], templates[count] = key, plain
        count += 1
    if near[distance] >= 0:
        out[count], templates[count] = key + shift, near[distance]
        count += 1
    return count


@kernel
def arc_keys(program, keys, head, modifier, sibling, seen, counts, out, templates):
    """Write keys and templates of all observations of one arc to ``out`` (uint64) and ``templates`` (int64), and return how many there are.

    sibling: its column in ``keys.siblings``, n + 1 for none; ignored by patterns without a sibling. seen, counts: from :func:`note_words`.
    """
    distance = distance_of(head, modifier)
    shift = distance_key(distance)
    count = 0
    for p in range(program.head.size):
        key = program.seed[p]
        if program.head[p] >= 0:
            key += keys.heads[program.head[p], head]
        if program.modifier[p] >= 0:
            key += keys.modifiers[program.modifier[p], modifier]
        if program.sibling[p] >= 0:
            key += keys.siblings[program.sibling[p], sibling]
        plain, near = program.plain[p], program.near[p]
        b = program.between[p]
        if b < 0:
            count = emit(key, distance, shift, plain, near, count, out, templates)
        else:
            for c in range(counts[b]):
                count = emit(key + seen[b, c], distance, shift, plain, near, count, out, templates)
    return count


@kernel
def most_keys(program, n):
    """The largest number of observations of an arc in a sentence of n words."""
    total = 0
    for p in range(program.head.size):
        total += 2 if program.between[p] < 0 else 2 * n
    return total + 1
