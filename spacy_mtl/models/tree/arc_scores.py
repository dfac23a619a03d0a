"""Scores of arcs, sibling pairs and labels in prediction, directly from attribute columns, without storing the observations."""

from typing import NamedTuple

import numpy as np

from spacy_mtl.kernels import kernel
from spacy_mtl.templates.arcs.keys import (
    N_TURNS,
    distance_key,
    distance_of,
    fill_side_keys,
    new_side_keys,
    note_words,
    turn_of,
)
from spacy_mtl.templates.arcs.program import ArcProgram

from .arc_table import look_up, sift

#: How many labels are added up at once.
LANES = 32


class Plan(NamedTuple):
    """The side keys to add for each of the P patterns of a program; patterns that look at the words between come last.

    head, modifier, sibling: int64[P], rows of the side keys, -1 for none. seed: uint64[P]. looks: int64[I], what the last I patterns read of each
    word in between, as rows of ``program.betweens``.
    """

    head: np.ndarray
    modifier: np.ndarray
    sibling: np.ndarray
    seed: np.ndarray
    looks: np.ndarray


def plan_of(program: ArcProgram) -> Plan:
    """The plan of all patterns. Whether their templates have a distance does not matter here: the table only has keys that exist."""
    order = np.argsort(program.between >= 0, kind="stable")
    between = program.between[order]
    sides = (program.head[order], program.modifier[order], program.sibling[order])
    return Plan(*sides, program.seed[order], between[between >= 0])


class Words(NamedTuple):
    """What every pattern reads of every word, uint64[n + 1, P] each, laid out so that a single tight loop can add them up.

    siblings: uint64[n + 2, P], or without columns; for grandparents it has N_TURNS times as many lines.
    """

    heads: np.ndarray
    modifiers: np.ndarray
    siblings: np.ndarray


@kernel
def new_words(program, plan, n):
    """Empty arrays for sentences of up to n words."""
    size = plan.seed.size
    return Words(
        np.empty((n + 1, size), np.uint64),
        np.empty((n + 1, size), np.uint64),
        np.empty(
            (N_TURNS * (n + 2) if program.turned else n + 2, size if program.siblings.seed.size else 0), np.uint64
        ),
    )


@kernel
def _spread(keys, rows, seed, n, out):
    """Set out[w, p] to keys[rows[p], w] for the first n words (including the root), plus seed[p] if there are seeds."""
    for w in range(n):
        for p in range(out.shape[1]):
            out[w, p] = keys[rows[p], w] if rows[p] >= 0 else np.uint64(0)
            if seed.size:
                out[w, p] += seed[p]


@kernel
def fill_words(columns, start, end, program, plan, keys, words):
    """Fill ``words`` with what the patterns read of every word of a sentence."""
    n = end - start
    fill_side_keys(columns, start, end, program, keys)
    none = plan.seed[:0]
    _spread(keys.heads, plan.head, plan.seed, n + 1, words.heads)
    _spread(keys.modifiers, plan.modifier, none, n + 1, words.modifiers)
    _spread(keys.siblings, plan.sibling, none, N_TURNS * (n + 2) if program.turned else n + 2, words.siblings)


@kernel
def bases_of(head, modifier, sibling, looks, seen, counts, out):
    """Write the keys, without distance, of all observations of one arc or pair to ``out`` (uint64), and return how many there are.

    head, modifier: uint64[P], what is read of its words. sibling: uint64[P], or of length 0. seen, counts: from :func:`.keys.note_words`.
    """
    count = head.size - looks.size
    if sibling.size:
        for p in range(count):
            out[p] = head[p] + modifier[p] + sibling[p]
    else:
        for p in range(count):
            out[p] = head[p] + modifier[p]
    first = count
    for i in range(looks.size):
        base, b = head[first + i] + modifier[first + i], looks[i]
        for c in range(counts[b]):
            out[count] = base + seen[b, c]
            count += 1
    return count


def widened(codes: np.ndarray) -> np.ndarray:
    """Codes of labels int8[R, L] with columns of zeros after them, up to a multiple of :data:`LANES`, so that whole vector registers are added up."""
    return np.pad(codes, ((0, 0), (0, -codes.shape[1] % LANES)))


@kernel
def longest_of(starts):
    longest = 1
    for s in range(starts.size - 1):
        longest = max(longest, starts[s + 1] - starts[s])
    return longest


@kernel
def most_bases(plan, n):
    """The largest number of observations of an arc, without distance, plus one place that :func:`.sift` needs."""
    return plan.seed.size + plan.looks.size * n + 1


@kernel
def score_parts(
    columns,
    starts,
    program,
    plan,
    sieve,
    sieve_shift,
    slots,
    shift,
    row_bits,
    all_keys,
    weights,
    first,
    heads,
    siblings,
    scores,
):
    """Fill scores[a] for every part, an arc or a pair.

    sieve, ..., all_keys: of the :class:`.ArcTable` of ``weights``, float32[R]. first: int64[N + 1], word t has the parts
    ``first[t]:first[t + 1]``. heads: int32[A]. siblings: int32[A], or empty for arcs. scores: float32[A].
    """
    longest = longest_of(starts)
    keys, words, most = new_side_keys(program, longest), new_words(program, plan, longest), most_bases(plan, longest)
    n_between = program.betweens.seed.size
    seen, counts = np.empty((n_between, longest + 1), np.uint64), np.zeros(n_between, np.int64)
    bases, known, found, rows = (
        np.empty(most, np.uint64),
        np.empty(most, np.uint64),
        np.empty(most, np.uint64),
        np.empty(2 * most, np.int64),
    )
    between, dependent, looks = keys.betweens, program.dependent, plan.looks
    tree = heads[:0]
    for s in range(starts.size - 1):
        start, n = starts[s], starts[s + 1] - starts[s]
        fill_words(columns, start, start + n, program, plan, keys, words)
        for m in range(1, n + 1):
            for a in range(first[start + m - 1], first[start + m]):
                h, sibling = np.int64(heads[a]), n + 1
                if n_between:
                    note_words(between, dependent, h, m, tree, seen, counts)
                if siblings.size and siblings[a] != h:
                    sibling = np.int64(siblings[a])
                    if program.turned:
                        sibling += turn_of(sibling, h, m) * (n + 2)
                count = bases_of(
                    words.heads[h], words.modifiers[m], words.siblings[sibling], looks, seen, counts, bases
                )
                count = sift(bases, count, sieve, sieve_shift, known, 0)
                total = np.float32(0)
                distance = distance_key(distance_of(h, m))
                for k in range(look_up(known, count, distance, slots, shift, row_bits, all_keys, found, rows)):
                    total += weights[rows[k]]
                scores[a] = total


@kernel
def score_labels(
    columns,
    starts,
    program,
    plan,
    sieve,
    sieve_shift,
    slots,
    shift,
    row_bits,
    all_keys,
    codes,
    scales,
    first,
    heads,
    tree,
    scores,
):
    """Fill scores[a] (float32[A, L]) with the label scores of every arc, 0 for arcs from the root.

    sieve, ..., all_keys: of the :class:`.ArcTable` of the weights codes * scales, int8[R, >= L] and float32[R]. See :func:`widened`.
    """
    longest = longest_of(starts)
    keys, words, most = new_side_keys(program, longest), new_words(program, plan, longest), most_bases(plan, longest)
    n_between, n_labels, width = program.betweens.seed.size, scores.shape[1], codes.shape[1]
    total = np.empty(width, np.float32)
    seen, counts = np.empty((n_between, longest + 1), np.uint64), np.zeros(n_between, np.int64)
    bases, known, found, rows = (
        np.empty(most, np.uint64),
        np.empty(most, np.uint64),
        np.empty(most, np.uint64),
        np.empty(2 * most, np.int64),
    )
    between, dependent, looks = keys.betweens, program.dependent, plan.looks
    for s in range(starts.size - 1):
        start, n = starts[s], starts[s + 1] - starts[s]
        fill_words(columns, start, start + n, program, plan, keys, words)
        for m in range(1, n + 1):
            for a in range(first[start + m - 1], first[start + m]):
                h = np.int64(heads[a])
                if h <= 0:
                    scores[a, :] = 0
                    continue
                total[:] = 0
                if n_between:
                    note_words(between, dependent, h, m, tree[start : start + n], seen, counts)
                count = bases_of(words.heads[h], words.modifiers[m], words.siblings[n + 1], looks, seen, counts, bases)
                count = sift(bases, count, sieve, sieve_shift, known, 0)
                distance = distance_key(distance_of(h, m))
                for k in range(look_up(known, count, distance, slots, shift, row_bits, all_keys, found, rows)):
                    row, size = codes[rows[k]], scales[rows[k]]
                    for y in range(width):
                        total[y] += size * np.float32(row[y])
                for y in range(n_labels):
                    scores[a, y] = total[y]
