"""Scores of arcs, sibling pairs and labels straight from attribute columns, for prediction: nothing is stored for each observation."""

from typing import NamedTuple

import numpy as np

from ..kernels import kernel
from ..templates.arc_keys import SideKeys, distance_key, distance_of, fill_side_keys, note_words
from ..templates.arc_program import N_DISTANCES, ArcProgram
from .arc_table import look_up, sift


class Plan(NamedTuple):
    """Patterns of a program that do not look between, for a tight loop: which side keys to add; a side that is not looked at is a column of zeros.

    head, modifier, sibling: int64[P]. seed: uint64[P]. plain: bool[P] and near: bool[P, N_DISTANCES], whether any template wants it.
    """

    head: np.ndarray
    modifier: np.ndarray
    sibling: np.ndarray
    seed: np.ndarray
    plain: np.ndarray
    near: np.ndarray


def plans_of(program: ArcProgram) -> tuple[Plan, Plan, np.ndarray]:
    """The patterns that do not look between; those that do; and of these, what they look at: int64, rows of ``program.betweens``."""
    inside = program.between >= 0
    plans = []
    for chosen in (~inside, inside):
        sides = [
            np.where(side < 0, keys.seed.size, side)[chosen]
            for side, keys in (
                (program.head, program.heads), (program.modifier, program.modifiers), (program.sibling, program.siblings)
            )
        ]  # fmt: skip
        head, modifier, sibling = sides
        plans.append(
            Plan(head, modifier, sibling, program.seed[chosen], program.plain[chosen] >= 0, program.near[chosen] >= 0)
        )
    return plans[0], plans[1], program.between[inside]


@kernel
def sift_plan(
    head,
    modifier,
    sibling,
    plan_head,
    plan_modifier,
    plan_sibling,
    seed,
    plain,
    near,
    distance,
    shift,
    more,
    sieve,
    sieve_shift,
    out,
    count,
):
    """Keys that may be known of one arc: those of all patterns of a plan, plus ``more``, without and with ``shift`` for the distance.

    head, modifier, sibling: uint64[K + 1], side keys of the words of the arc. out: uint64, filled from ``count`` on. Returns the new count.
    """
    for p in range(plan_head.size):
        key = seed[p] + head[plan_head[p]] + modifier[plan_modifier[p]] + sibling[plan_sibling[p]] + more
        if plain[p]:
            count = sift(key, sieve, sieve_shift, out, count)
        if near[p, distance]:
            count = sift(key + shift, sieve, sieve_shift, out, count)
    return count


@kernel
def by_word(keys, out):
    """Side keys with the words as rows and a column of zeros at the end: out uint64[., K + 1]. keys: uint64[K, .]."""
    for p in range(keys.shape[1]):
        for k in range(keys.shape[0]):
            out[p, k] = keys[k, p]


@kernel
def new_room(program, n):
    """Side keys of sentences of up to n words as they are computed, and by word."""
    keys = SideKeys(
        np.zeros((program.heads.seed.size, n + 1), np.uint64),
        np.zeros((program.modifiers.seed.size, n + 1), np.uint64),
        np.zeros((program.siblings.seed.size, n + 2), np.uint64),
        np.zeros((program.betweens.seed.size, n + 1), np.uint64),
    )
    words = (
        np.zeros((n + 1, program.heads.seed.size + 1), np.uint64),
        np.zeros((n + 1, program.modifiers.seed.size + 1), np.uint64),
        np.zeros((n + 2, program.siblings.seed.size + 1), np.uint64),
    )
    return keys, words


@kernel
def sift_part(words, h, m, s, plan, inner, looks, seen, counts, shifts, sieve, sieve_shift, out):
    """Keys that may be known of one arc or pair; returns how many. words: side keys by word; plan, inner, looks: of :func:`plans_of`."""
    distance = distance_of(h, m)
    shift = shifts[distance]
    head, modifier, sibling = words[0][h], words[1][m], words[2][s]
    count = sift_plan(
        head, modifier, sibling, plan.head, plan.modifier, plan.sibling, plan.seed, plan.plain, plan.near, distance, shift,
        np.uint64(0), sieve, sieve_shift, out, 0,
    )  # fmt: skip
    for p in range(looks.size):
        b = looks[p]
        key = inner.seed[p] + head[inner.head[p]] + modifier[inner.modifier[p]] + sibling[inner.sibling[p]]
        for c in range(counts[b]):
            if inner.plain[p]:
                count = sift(key + seen[b, c], sieve, sieve_shift, out, count)
            if inner.near[p, distance]:
                count = sift(key + seen[b, c] + shift, sieve, sieve_shift, out, count)
    return count


@kernel
def _distance_keys():
    shifts = np.empty(N_DISTANCES, np.uint64)
    for d in range(N_DISTANCES):
        shifts[d] = distance_key(d)
    return shifts


@kernel
def longest_of(starts):
    longest = 1
    for s in range(starts.size - 1):
        longest = max(longest, starts[s + 1] - starts[s])
    return longest


@kernel
def most_candidates(plan, inner, n):
    """Keys of an arc at most, and one more place for what is sifted out."""
    return 2 * plan.seed.size + 2 * inner.seed.size * n + 1


@kernel
def score_parts(
    columns, starts, program, plan, inner, looks, slots, shift, sieve, sieve_shift, first, heads, siblings, scores
):
    """scores[a] of every part: arcs, or pairs of siblings.

    slots, shift, sieve, sieve_shift: of an :class:`.ArcTable` of weights. first: int64[N + 1], word t has the parts ``first[t]:first[t + 1]``. heads:
    int32[A]. siblings: int32[A], or empty. scores: float32[A].
    """
    longest = longest_of(starts)
    keys, words = new_room(program, longest)
    n_between = program.betweens.seed.size
    seen, counts = np.empty((n_between, longest + 1), np.uint64), np.zeros(n_between, np.int64)
    most = most_candidates(plan, inner, longest)
    out, places, shifts = np.empty(most, np.uint64), np.empty(most, np.int64), _distance_keys()
    weights, between, dependent = slots.view(np.float32), keys.betweens, program.dependent
    tree = heads[:0]
    for s in range(starts.size - 1):
        start, n = starts[s], starts[s + 1] - starts[s]
        fill_side_keys(columns, start, start + n, program, keys)
        by_word(keys.heads[:, : n + 1], words[0])
        by_word(keys.modifiers[:, : n + 1], words[1])
        by_word(keys.siblings[:, : n + 2], words[2])
        for m in range(1, n + 1):
            for a in range(first[start + m - 1], first[start + m]):
                h, sibling = np.int64(heads[a]), n + 1
                if n_between:
                    note_words(between, dependent, h, m, tree, seen, counts)
                if siblings.size and siblings[a] != h:
                    sibling = np.int64(siblings[a])
                count = sift_part(
                    words, h, m, sibling, plan, inner, looks, seen, counts, shifts, sieve, sieve_shift, out
                )
                total = np.float32(0)
                for k in range(look_up(out, count, slots, shift, places)):
                    total += weights[places[k]]
                scores[a] = total


@kernel
def score_labels(
    columns, starts, program, plan, inner, looks, slots, shift, sieve, sieve_shift, rows, first, heads, tree, scores
):
    """scores[a] of every arc's labels, 0 for arcs from the root. The table is one of rows of ``rows``, float32[R, L]; scores: float32[A, L]."""
    longest = longest_of(starts)
    keys, words = new_room(program, longest)
    n_between, n_labels = program.betweens.seed.size, scores.shape[1]
    seen, counts = np.empty((n_between, longest + 1), np.uint64), np.zeros(n_between, np.int64)
    most = most_candidates(plan, inner, longest)
    out, places, shifts = np.empty(most, np.uint64), np.empty(most, np.int64), _distance_keys()
    between, dependent = keys.betweens, program.dependent
    for s in range(starts.size - 1):
        start, n = starts[s], starts[s + 1] - starts[s]
        fill_side_keys(columns, start, start + n, program, keys)
        by_word(keys.heads[:, : n + 1], words[0])
        by_word(keys.modifiers[:, : n + 1], words[1])
        for m in range(1, n + 1):
            for a in range(first[start + m - 1], first[start + m]):
                h, total = np.int64(heads[a]), scores[a]
                for y in range(n_labels):
                    total[y] = 0
                if h <= 0:
                    continue
                if n_between:
                    note_words(between, dependent, h, m, tree[start : start + n], seen, counts)
                count = sift_part(words, h, m, n + 1, plan, inner, looks, seen, counts, shifts, sieve, sieve_shift, out)
                for k in range(look_up(out, count, slots, shift, places)):
                    row = slots[places[k]]
                    for y in range(n_labels):
                        total[y] += rows[row, y]
