"""The arc filter, a cheap first pass over trees: hopeless arcs are dropped, by a few dense tables of tags, before anything else is computed.

It is a log-linear model of the head of each word, given only the tags of its sentence. Tags are small numbers 1..T - 1, where T - 1 is the root and 0
stands for positions outside the sentence, so that every feature is an entry of a table and nothing is hashed.
"""

from typing import NamedTuple

import numpy as np

from spacy_mtl.kernels import kernel

from .build import Arcs

#: Largest number of tags; the rarest are merged into one.
MOST_TAGS = 48
#: Number of values of direction and distance, the same as in templates.
_N_DISTANCES = 14


class FilterTables(NamedTuple):
    """Weights over T tags.

    pair: float32[T * T * 14], head, modifier, direction and distance. before_head, after_head, before_modifier, after_modifier: float32[T * T * T *
    2], head, modifier, the neighbour, direction. between: float32[T * T * T], head, modifier, each distinct tag between.
    """

    pair: np.ndarray
    before_head: np.ndarray
    after_head: np.ndarray
    before_modifier: np.ndarray
    after_modifier: np.ndarray
    between: np.ndarray


def table_sizes(n_tags: int) -> list[int]:
    """Sizes of the tables, in order."""
    return [n_tags**2 * _N_DISTANCES, *[2 * n_tags**3] * 4, n_tags**3]


def empty_tables(n_tags: int) -> FilterTables:
    """Tables with all weights 0."""
    return FilterTables(*(np.zeros(size, np.float32) for size in table_sizes(n_tags)))


@kernel
def padded(tags, start, end, n_tags, out):
    """Write the tags of a sentence, including the root and positions outside: out[p + 1] is that of word p, p = -1..n + 1. Returns n."""
    n = end - start
    out[0], out[1], out[n + 2] = 0, n_tags - 1, 0
    for p in range(n):
        out[p + 2] = tags[start + p]
    return n


@kernel
def between_tags(tags, m, step, n, present, counts):
    """Find the distinct tags between word m and each of its possible heads in the direction ``step`` (1 or -1).

    present: int64[> T], filled with the distinct tags on the way, nearest first. counts: int64[> n], ``present[:counts[k]]`` are the tags strictly
    between word m and ``m + step * (k + 1)``. Returns the number of such heads: to the left down to the root, to the right up to word n.
    """
    count = 0
    k, p = 0, m + step
    while 0 <= p <= n:
        counts[k] = count
        new = True
        for c in range(count):
            new &= present[c] != tags[p + 1]
        if new:
            present[count] = tags[p + 1]
            count += 1
        k += 1
        p += step
    return k


@kernel
def arc_cells(tags, n_tags, h, m, cells):
    """Write the indices of the arc in the first five tables to cells (int64[5]). tags: from :func:`padded`."""
    th, tm = np.int64(tags[h + 1]), np.int64(tags[m + 1])
    gap = abs(h - m)
    distance = gap - 1 if gap <= 5 else 5 if gap <= 10 else 6
    left = 1 if h > m else 0
    both = th * n_tags + tm
    cells[0] = both * 14 + distance + 7 * left
    cells[1] = (both * n_tags + (tags[h] if h > 0 else 0)) * 2 + left
    cells[2] = (both * n_tags + tags[h + 2]) * 2 + left
    cells[3] = (both * n_tags + tags[m]) * 2 + left
    cells[4] = (both * n_tags + tags[m + 2]) * 2 + left
    return both


@kernel
def word_scores(tags, n, n_tags, m, tables, present, counts, cells, scores):
    """Fill scores[h] for every head h of word m, -inf for m itself. scores: float32[n + 1]; present: int64[.]; counts: int64[n + 1]."""
    scores[m] = -np.inf
    for step in (-1, 1):
        reach = between_tags(tags, m, step, n, present, counts)
        for k in range(reach):
            h = m + step * (k + 1)
            both = arc_cells(tags, n_tags, h, m, cells)
            total = tables.pair[cells[0]] + tables.before_head[cells[1]] + tables.after_head[cells[2]]
            total += tables.before_modifier[cells[3]] + tables.after_modifier[cells[4]]
            for c in range(counts[k]):
                total += tables.between[both * n_tags + present[c]]
            scores[h] = total


@kernel
def add_word(tags, n, n_tags, m, tables, present, counts, cells, amounts):
    """Add amounts[h] times the features of each head h of word m to the tables. amounts: float32[n + 1]."""
    for step in (-1, 1):
        reach = between_tags(tags, m, step, n, present, counts)
        for k in range(reach):
            h = m + step * (k + 1)
            amount = amounts[h]
            if abs(amount) > 1e-4:
                both = arc_cells(tags, n_tags, h, m, cells)
                tables.pair[cells[0]] += amount
                tables.before_head[cells[1]] += amount
                tables.after_head[cells[2]] += amount
                tables.before_modifier[cells[3]] += amount
                tables.after_modifier[cells[4]] += amount
                for c in range(counts[k]):
                    tables.between[both * n_tags + present[c]] += amount


@kernel
def longest_of(starts):
    longest = 1
    for s in range(starts.size - 1):
        longest = max(longest, starts[s + 1] - starts[s])
    return longest


@kernel
def largest(scores, n):
    """The largest of the first n scores. (numba compiles ``max`` of an array ten times as long.)"""
    most = scores[0]
    for h in range(1, n):
        most = max(most, scores[h])
    return most


@kernel
def learn_filter(tags, starts, heads, n_tags, tables, rates):
    """Learn by stochastic gradient on the log-likelihood of the heads, one pass per rate in ``rates`` (float32). Words with head -1 are skipped.

    Returns the log-likelihood in the last pass, that of each word before the step that it leads to. With a rate of 0 there are no steps.
    """
    longest = longest_of(starts)
    sentence = np.zeros(longest + 3, np.int64)
    present, counts, cells = np.zeros(n_tags + 1, np.int64), np.zeros(longest + 1, np.int64), np.zeros(5, np.int64)
    scores = np.zeros(longest + 1, np.float32)
    likelihood = 0.0
    for rate in rates:
        likelihood = 0.0
        for s in range(starts.size - 1):
            n = padded(tags, starts[s], starts[s + 1], n_tags, sentence)
            for m in range(1, n + 1):
                gold = heads[starts[s] + m - 1]
                if gold < 0:
                    continue
                word_scores(sentence, n, n_tags, m, tables, present, counts, cells, scores)
                best = largest(scores, n + 1)
                total = np.float32(0)
                for h in range(n + 1):
                    scores[h] = np.exp(scores[h] - best)
                    total += scores[h]
                likelihood += np.log(np.float64(max(scores[gold], np.float32(1e-30)) / total))
                for h in range(n + 1):
                    scores[h] *= -rate / total
                scores[gold] += rate
                add_word(sentence, n, n_tags, m, tables, present, counts, cells, scores)
    return likelihood


@kernel
def list_arcs(tags, starts, n_tags, tables, margin, gold, first, heads, marks):
    """List the arcs whose score is within ``margin`` of the best arc of their word, gold arcs, and arcs from the word before.

    The latter guarantee that there is a tree, projective and with one root. gold: int32[N], or of length 0. Fills first, int64[N + 1], and heads,
    int32, and marks, float32, the scores, as far as there is space. Returns the number of arcs.
    """
    longest = longest_of(starts)
    sentence = np.zeros(longest + 3, np.int64)
    present, counts, cells = np.zeros(n_tags + 1, np.int64), np.zeros(longest + 1, np.int64), np.zeros(5, np.int64)
    scores = np.zeros(longest + 1, np.float32)
    count = 0
    for s in range(starts.size - 1):
        n = padded(tags, starts[s], starts[s + 1], n_tags, sentence)
        for m in range(1, n + 1):
            first[starts[s] + m - 1] = count
            word_scores(sentence, n, n_tags, m, tables, present, counts, cells, scores)
            least = largest(scores, n + 1) - margin
            known = gold[starts[s] + m - 1] if gold.size else -1
            for h in range(n + 1):
                if scores[h] >= least or h == m - 1 or h == known:
                    if count < heads.size:
                        heads[count], marks[count] = h, scores[h]
                    count += 1
    first[starts[-1]] = count
    return count


def filtered_arcs(
    tags: np.ndarray,
    starts: np.ndarray,
    n_tags: int,
    tables: FilterTables,
    margin: float,
    gold: np.ndarray | None = None,
) -> Arcs:
    """The arcs that pass the filter. tags: int64[N]; starts: int64[S + 1]; gold: int32[N], heads to keep in any case, -1 where unknown."""
    return marked_arcs(tags, starts, n_tags, tables, margin, gold)[0]


def marked_arcs(
    tags: np.ndarray,
    starts: np.ndarray,
    n_tags: int,
    tables: FilterTables,
    margin: float,
    gold: np.ndarray | None = None,
) -> tuple[Arcs, np.ndarray]:
    """The same, and the scores of the filter, float32[A]."""
    first = np.zeros(int(starts[-1]) + 1, np.int64)
    heads, marks = np.empty(12 * int(starts[-1]), np.int32), np.empty(12 * int(starts[-1]), np.float32)
    known = np.empty(0, np.int32) if gold is None else gold
    count = list_arcs(tags, starts, n_tags, tables, np.float32(margin), known, first, heads, marks)
    if count > heads.size:
        heads, marks = np.empty(count, np.int32), np.empty(count, np.float32)
        list_arcs(tags, starts, n_tags, tables, np.float32(margin), known, first, heads, marks)
    return Arcs(first, heads[:count]), marks[:count]
