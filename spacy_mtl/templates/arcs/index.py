"""From observations of arcs to dense feature rows: which observations get weights, and the rows of every arc or pair of a corpus."""

from typing import NamedTuple

import numpy as np

from spacy_mtl.kernels import kernel
from spacy_mtl.templates.index import EMPTY, FeatureIndex, Table, empty_table, find, insert_all
from spacy_mtl.threads.crew import ALONE, Crew

from .keys import arc_keys, fill_side_keys, most_keys, new_side_keys, note_words, turn_of
from .program import ArcProgram

#: Initial space, in distinct observations.
_ROOM = 1 << 18


class Parts(NamedTuple):
    """The arcs of a corpus, or its pairs of one kind, grouped by modifier.

    starts: int64[S + 1], sentence borders. first: int64[N + 1], word t has the parts ``first[t]:first[t + 1]``, in any order. heads: int32[A].
    siblings: int32[A], for pairs of siblings the next modifier of the head towards it, or the head itself for none; for pairs with grandparents the
    grandparent; empty for arcs. tree: int32[N], the heads of a tree that templates may look at; empty if there is none.
    """

    starts: np.ndarray
    first: np.ndarray
    heads: np.ndarray
    siblings: np.ndarray
    tree: np.ndarray


@kernel
def part_keys(program, keys, parts, tree, a, m, n, seen, counts, out, templates):
    """Write the observations of part a, whose modifier is word m of a sentence of n words, and return how many there are."""
    head = parts.heads[a]
    if counts.size:
        note_words(keys.betweens, program.dependent, head, m, tree, seen, counts)
    sibling = n + 1
    if parts.siblings.size and parts.siblings[a] != head:
        sibling = parts.siblings[a]
        if program.turned:
            sibling += turn_of(parts.siblings[a], head, m) * (n + 2)
    return arc_keys(program, keys, head, m, sibling, seen, counts, out, templates)


@kernel
def _longest(starts):
    longest = 1
    for s in range(starts.size - 1):
        longest = max(longest, starts[s + 1] - starts[s])
    return longest


@kernel
def _add_keys(columns, program, parts, word, table, keys, owners, counts, used):
    """Number the observations from ``word`` on by first occurrence: keys uint64, owners int16 (their templates), counts int32.

    Returns the word at which space ran out (the number of words if it did not), and the number of observations so far.
    """
    longest = _longest(parts.starts)
    sides = new_side_keys(program, longest)
    most = most_keys(program, longest)
    out, templates = np.empty(most, np.uint64), np.empty(most, np.int64)
    n_between = program.betweens.seed.size
    seen, between = np.empty((n_between, longest + 1), np.uint64), np.zeros(n_between, np.int64)
    for s in range(np.searchsorted(parts.starts, word, side="right") - 1, parts.starts.size - 1):
        start, stop = parts.starts[s], parts.starts[s + 1]
        fill_side_keys(columns, start, stop, program, sides)
        most = most_keys(program, stop - start)
        for t in range(max(start, word), stop):
            if used + (parts.first[t + 1] - parts.first[t]) * most > keys.size:
                return t, used
            for a in range(parts.first[t], parts.first[t + 1]):
                n_keys = part_keys(
                    program,
                    sides,
                    parts,
                    parts.tree[start:stop],
                    a,
                    t - start + 1,
                    stop - start,
                    seen,
                    between,
                    out,
                    templates,
                )
                for k in range(n_keys):
                    slot = find(table, out[k])
                    row = table.rows[slot]
                    if row < 0:
                        row = used
                        table.slots[slot] = out[k]
                        table.rows[slot] = row
                        keys[row], owners[row], counts[row] = out[k], templates[k], 0
                        used += 1
                    counts[row] += 1
    return parts.starts[-1], used


@kernel
def _copy_table(old, new):
    for i in range(old.rows.size):
        if old.rows[i] >= 0:
            slot = find(new, old.slots[i])
            new.slots[slot] = old.slots[i]
            new.rows[slot] = old.rows[i]


@kernel
def _renumber(table, rank):
    """Replace each row of a table by ``rank[row]``."""
    for i in range(table.rows.size):
        if table.rows[i] >= 0:
            table.rows[i] = rank[table.rows[i]]


@kernel
def _find_rows(columns, program, parts, table, word, end, count, first, rows, templates):
    """Fill in the known rows of the parts from ``word`` to the sentence border ``end``: first int64[A + 1], rows int32 and templates int16.

    Returns the word at which space ran out (``end`` if it did not), and the number of rows so far.
    """
    longest = _longest(parts.starts)
    sides = new_side_keys(program, longest)
    most = most_keys(program, longest)
    out, owners = np.empty(most, np.uint64), np.empty(most, np.int64)
    n_between = program.betweens.seed.size
    seen, between = np.empty((n_between, longest + 1), np.uint64), np.zeros(n_between, np.int64)
    for s in range(np.searchsorted(parts.starts, word, side="right") - 1, np.searchsorted(parts.starts, end)):
        start, stop = parts.starts[s], parts.starts[s + 1]
        fill_side_keys(columns, start, stop, program, sides)
        most = most_keys(program, stop - start)
        for t in range(max(start, word), stop):
            if count + (parts.first[t + 1] - parts.first[t]) * most > rows.size:
                return t, count
            for a in range(parts.first[t], parts.first[t + 1]):
                first[a] = count
                n_keys = part_keys(
                    program,
                    sides,
                    parts,
                    parts.tree[start:stop],
                    a,
                    t - start + 1,
                    stop - start,
                    seen,
                    between,
                    out,
                    owners,
                )
                for k in range(n_keys):
                    row = table.rows[find(table, out[k])]
                    if row >= 0:
                        rows[count], templates[count] = row, owners[k]
                        count += 1
    return end, count


def extend(array: np.ndarray, more: np.ndarray) -> None:
    """Add values to the end of an array that owns its memory, in place: a copy of all rows of a corpus would take as much memory again."""
    size = array.size
    array.resize(size + more.size, refcheck=False)
    array[size:] = more


def grown(array: np.ndarray, used: int, room: int) -> np.ndarray:
    """A copy with space for ``room`` values, whose first ``used`` are those of the array."""
    larger = np.empty(room, array.dtype)
    larger[:used] = array[:used]
    return larger


def _number(columns: np.ndarray, program: ArcProgram, parts: Parts) -> tuple[np.ndarray, np.ndarray, np.ndarray, Table]:
    """All distinct observations: keys uint64[R], templates int16[R], counts int32[R], and the table of their numbers."""
    room = _ROOM
    table = empty_table(room)
    keys, owners, counts = np.empty(room, np.uint64), np.empty(room, np.int16), np.empty(room, np.int32)
    word, used, n_words = 0, 0, int(parts.starts[-1])
    while word < n_words:
        word, used = _add_keys(columns, program, parts, word, table, keys, owners, counts, used)
        if word < n_words:
            room *= 2
            larger = empty_table(room)
            _copy_table(table, larger)
            table = larger
            keys, owners, counts = grown(keys, used, room), grown(owners, used, room), grown(counts, used, room)
    return keys[:used], owners[:used], counts[:used], table


def build_arc_index(
    columns: np.ndarray, program: ArcProgram, n_templates: int, parts: Parts, min_count: int = 1
) -> tuple[FeatureIndex, Table]:
    """Index every observation of ``parts`` that occurs at least ``min_count`` times: one block of rows per template, frequent rows first.

    columns: uint64[A, N]. parts: the parts whose observations get weights, gold ones or all. Returns the index and its table.
    """
    index, table, _ = counted_arc_index(columns, program, n_templates, parts, min_count)
    return index, table


def counted_arc_index(
    columns: np.ndarray, program: ArcProgram, n_templates: int, parts: Parts, min_count: int = 1
) -> tuple[FeatureIndex, Table, np.ndarray]:
    """The same, and how often each row's observation occurs, int32[R]."""
    keys, owners, counts, table = _number(columns, program, parts)
    kept = np.flatnonzero(counts >= min_count)
    order = kept[np.lexsort((-counts[kept], owners[kept]))]
    rank = np.full(keys.size, EMPTY, np.int32)
    rank[order] = np.arange(order.size, dtype=np.int32)
    if order.size < keys.size:
        table = empty_table(order.size)
        insert_all(table, keys[order])
    else:
        _renumber(table, rank)
    blocks = np.searchsorted(owners[order], np.arange(n_templates + 1)).astype(np.int64)
    return FeatureIndex(keys[order], blocks), table, counts[order]


def find_arc_rows(
    columns: np.ndarray, program: ArcProgram, parts: Parts, table: Table, crew: Crew = ALONE
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The known rows of all parts: part a has ``rows[first[a]:first[a + 1]]`` (int32), with the template of each (int16). first: int64[A + 1].

    Each thread finds those of some of the sentences.
    """
    first = np.empty(parts.heads.size + 1, np.int64)
    borders = [(parts.starts[a], parts.starts[b]) for a, b in crew.parts(parts.starts.size - 1)]
    found = crew.map(lambda words: _rows_between(columns, program, parts, table, *words, first), borders)
    rows, templates = found[0] if len(found) == 1 else _joined(parts, borders, found, first)
    first[parts.heads.size] = rows.size
    return first, rows, templates


def _rows_between(
    columns: np.ndarray, program: ArcProgram, parts: Parts, table: Table, word: int, end: int, first: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The known rows of the parts from ``word`` to ``end``, and their templates. first: is set to where each part's rows begin among these."""
    room, count, begin = _ROOM, 0, word
    rows, templates = np.empty(room, np.int32), np.empty(room, np.int16)
    while True:
        word, count = _find_rows(columns, program, parts, table, word, end, count, first, rows, templates)
        room = count if word == end else _room_for_rest(room, count, word - begin, end - word)
        rows.resize(room, refcheck=False)  # in place, as in :func:`extend`
        templates.resize(room, refcheck=False)
        if word == end:
            return rows, templates


def _room_for_rest(room: int, count: int, done: int, left: int) -> int:
    """How much space to go on with where ``count`` rows of ``done`` words have filled ``room``: what the words that are left will need, if they are
    like these, and a little more; but no more than twice the space while few words are done."""
    needed = room + int(1.02 * count * left / max(done, 1))
    return max(min(needed, 2 * room), room + room // 8 + 1)


def _joined(
    parts: Parts, borders: list[tuple[int, int]], found: list[tuple[np.ndarray, np.ndarray]], first: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The rows of all sentences and their templates; ``first`` is moved with them. Takes what was found from the list as it goes, for its memory."""
    total = sum(rows.size for rows, _ in found)
    rows, templates, base = np.empty(total, np.int32), np.empty(total, np.int16), 0
    for word, end in borders:
        own_rows, own_templates = found.pop(0)
        first[parts.first[word] : parts.first[end]] += base
        rows[base : base + own_rows.size], templates[base : base + own_rows.size] = own_rows, own_templates
        base += own_rows.size
    return rows, templates


def list_observations(
    columns: np.ndarray, program: ArcProgram, parts: Parts
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All observations of the parts: part a has ``keys[first[a]:first[a + 1]]`` (uint64), with the template of each (int16), in the order in which
    templates and words are read. first: int64[A + 1]."""
    distinct, _, _, table = _number(columns, program, parts)
    first, rows, templates = find_arc_rows(columns, program, parts, table)
    return first, distinct[rows], templates
