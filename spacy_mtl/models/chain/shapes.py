"""One hash look-up for all templates that are shifts of one another.

The character bigrams ``%x[-1,CHAR]/%x[0,CHAR]`` and ``%x[0,CHAR]/%x[1,CHAR]`` look at the same pairs of characters, from one position or the next.
So a pair is cached with the rows of all such templates when it first occurs; when it occurs again, a single look-up finds the rows, and they are
added to the scores of all positions whose templates see the pair. A hash selects the place in the cache; a pair is only recognized by comparing its
characters, so no document can change what is found for another.
"""

from collections.abc import Sequence
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from spacy_mtl.kernels import brief_kernel, kernel
from spacy_mtl.templates.extract import mix
from spacy_mtl.templates.grammar import Template
from spacy_mtl.templates.index import Table, empty_table, first_slot

from .lookup import Lookup, add_looked_up, row_at

_NOTHING = 0
#: About the largest number of bytes of a cache. Half a million observations of 19 values fit.
MOST_BYTES = 1 << 27
#: Largest number of values that one entry has, one for each label and member of its shape; templates of shapes with more are looked up alone.
MOST_VALUES = 1 << 20
#: Values for which there is space, by the number of entries.
_VALUES = 16


class Shapes(NamedTuple):
    """G shapes, each shared by several templates of a :class:`Lookup`, its members.

    seed: uint64[G]. first: int64[G + 1], shape g has the members ``first[g]:first[g + 1]`` of ``template`` (int64, number in the program) and
    ``shift`` (int64, offset of the member's first observation from the position that it scores). reach: int64[G], distance between the first and the
    last observation of the shape.
    """

    seed: np.ndarray
    first: np.ndarray
    template: np.ndarray
    shift: np.ndarray
    reach: np.ndarray


class Memory(NamedTuple):
    """A cache of E observations.

    table: hash of a shape and its observed values -> number of an entry; several entries may have the same hash. seen: uint64[E, 1 + W], shape and
    observed values of each entry. at: int64[E], where its rows begin in ``values``, 0 for observations without weights. values: float32[V], the
    rows of all members, one after another. used: int64[2], the numbers of entries and of values in use.
    """

    table: Table
    seen: np.ndarray
    at: np.ndarray
    values: np.ndarray
    used: np.ndarray


def shapes_of(
    templates: Sequence[Template], among: Sequence[int] | None = None, most: int = MOST_VALUES
) -> tuple[Shapes, list[int]]:
    """The shapes that several templates share, and the numbers of the other templates.

    among: the templates to consider, None for all. most: largest number of templates of a shape; more count as templates that share none.
    """
    groups: dict[tuple, list[int]] = {}
    for j in range(len(templates)) if among is None else among:
        template = templates[j]
        least = min(obs.offset for obs in template.observations)
        shape = tuple((obs.offset - least, obs.attr) for obs in template.observations)
        groups.setdefault(shape, []).append(j)
    shared = {shape: members for shape, members in groups.items() if 1 < len(members) <= most}
    members = [j for group in shared.values() for j in group]
    digests = [blake2b(repr(shape).encode("utf8"), digest_size=8).digest() for shape in shared]
    shapes = Shapes(
        np.array([int.from_bytes(digest, "little") for digest in digests], np.uint64),
        np.cumsum([0, *map(len, shared.values())], dtype=np.int64),
        np.array(members, np.int64),
        np.array([min(obs.offset for obs in templates[j].observations) for j in members], np.int64),
        np.array([max(offset for offset, _ in shape) for shape in shared], np.int64),
    )
    return shapes, [j for shape, members in groups.items() if shape not in shared for j in members]


def new_memory(n_entries: int, n_values: int, width: int) -> Memory:
    """An empty cache with space for this many entries and values. width: the largest number of values in an observation."""
    table = empty_table(n_entries)
    n_entries = table.rows.size // 2
    seen, at = np.zeros((n_entries, 1 + width), np.uint64), np.zeros(n_entries, np.int64)
    return Memory(table, seen, at, np.zeros(n_values, np.float32), np.array([0, 1], np.int64))


def entry_bytes(width: int) -> int:
    """The bytes of an entry in a cache of observations of ``width`` values: two slots of the table, the entry itself, and its values."""
    return 2 * (8 + 4) + 8 * (1 + width) + 8 + 4 * _VALUES


@brief_kernel
def add_borders(columns, starts, lookup, shapes, out):
    """Add the rows of observations that reach beyond their sentence, which are not cached."""
    for g in range(shapes.seed.size):
        for m in range(shapes.first[g], shapes.first[g + 1]):
            shift, reach, template = shapes.shift[m], shapes.reach[g], shapes.template[m]
            for s in range(starts.size - 1):
                start, end = starts[s], starts[s + 1]
                inside = max(start, min(end, start - shift))  # the first position from which nothing before is seen
                beyond = max(inside, min(end, end - reach - shift))  # the first from which something after is seen
                for t in range(start, end - beyond + inside):
                    at = t if t < inside else t - inside + beyond
                    row = row_at(columns, lookup, template, at, start, end)
                    if row >= 0:
                        for y in range(out.shape[1]):
                            out[at, y] += lookup.rows[row, y]


@kernel
def remember(columns, lookup, shapes, g, p, memory, slot, key, n_labels):
    """Cache what shape g observes at position p, with the rows of all its members. Returns where these rows begin."""
    entry, at = memory.used[0], memory.used[1]
    start, program, first = at, lookup.program, shapes.template[shapes.first[g]]
    memory.seen[entry, 0] = g
    for o in range(program.first[first], program.first[first + 1]):
        value = columns[program.column[o], p - shapes.shift[shapes.first[g]] + program.offset[o]]
        memory.seen[entry, 1 + o - program.first[first]] = value
    known = False
    for m in range(shapes.first[g], shapes.first[g + 1]):
        # every member reads the observation at p, which is inside the sentence, so its borders do not matter
        row = row_at(columns, lookup, shapes.template[m], p - shapes.shift[m], 0, columns.shape[1])
        for y in range(n_labels):
            memory.values[at] = lookup.rows[row, y] if row >= 0 else np.float32(0)
            at += 1
        known |= row >= 0
    memory.at[entry] = start if known else _NOTHING
    memory.table.slots[slot] = key
    memory.table.rows[slot] = entry
    memory.used[0] += 1
    if known:
        memory.used[1] = at
    return memory.at[entry]


@kernel
def shape_key(columns, shapes, program, g, p):
    """The key of what shape g observes at position p, inside a sentence."""
    member = shapes.first[g]
    template = shapes.template[member]
    key = shapes.seed[g]
    at = p - shapes.shift[member]
    for o in range(program.first[template], program.first[template + 1]):
        key = mix(key, columns[program.column[o], at + program.offset[o]])
    return key


@kernel
def add_known(shift, values, at, p, start, end, out):
    """Add the rows cached at ``at``, for an observation at p, to the scores of the positions of the sentence [start, end) that see it.

    shift: int64, of the members of the shape.
    """
    n_labels = out.shape[1]
    for m in range(shift.size):
        t = p - shift[m]
        if start <= t < end:
            for y in range(n_labels):
                out[t, y] += values[at + y]
        at += n_labels


@kernel
def add_shape(columns, starts, lookup, shapes, memory, g, first, out):
    """Add the rows of what shape g observes inside sentences, from position ``first`` on.

    Returns the position at which the cache was full, or the number of positions.
    """
    shift = shapes.shift[shapes.first[g] : shapes.first[g + 1]]
    slots, rows, values, used = memory.table.slots, memory.table.rows, memory.values, memory.used
    seen, places, column, offset = memory.seen, memory.at, lookup.program.column, lookup.program.offset
    mask, most, shape = np.uint64(rows.size - 1), places.size, np.uint64(g)
    template = shapes.template[shapes.first[g]]
    begin, stop = lookup.program.first[template], lookup.program.first[template + 1]
    s0 = 0
    while s0 < starts.size - 1 and starts[s0 + 1] <= first:
        s0 += 1
    for s in range(s0, starts.size - 1):
        start, end = starts[s], starts[s + 1]
        for p in range(max(start, first), end - shapes.reach[g]):
            key = shape_key(columns, shapes, lookup.program, g, p)
            slot = first_slot(key, mask)
            entry = rows[slot]
            while entry >= 0:
                if slots[slot] == key:
                    same = seen[entry, 0] == shape
                    for o in range(begin, stop):
                        same &= seen[entry, 1 + o - begin] == columns[column[o], p - shift[0] + offset[o]]
                    if same:
                        break
                slot = (slot + np.uint64(1)) & mask
                entry = rows[slot]
            if entry >= 0:
                at = places[entry]
            else:
                if used[0] >= most or used[1] + shift.size * out.shape[1] > values.size:
                    return p
                at = remember(columns, lookup, shapes, g, p, memory, slot, key, out.shape[1])
            if at != _NOTHING:
                add_known(shift, values, at, p, start, end, out)
    return columns.shape[1]


@kernel
def add_shapes(columns, starts, lookup, shapes, memory, g, first, out):
    """Call :func:`add_shape` for shape g from ``first`` on, and for all later shapes. Returns the shape and position at which the cache was full."""
    while g < shapes.seed.size:
        first = add_shape(columns, starts, lookup, shapes, memory, g, first, out)
        if first < columns.shape[1]:
            return g, first
        g, first = g + 1, 0
    return g, 0


@kernel
def _move(old, new):
    """Copy all entries of one table to another; several may have the same key."""
    mask = np.uint64(new.slots.size - 1)
    for i in range(old.rows.size):
        if old.rows[i] >= 0:
            slot = first_slot(old.slots[i], mask)
            while new.rows[slot] >= 0:
                slot = (slot + np.uint64(1)) & mask
            new.slots[slot] = old.slots[i]
            new.rows[slot] = old.rows[i]


class SharedLookup:
    """Look-ups of templates, with a cache for those that share shapes: one for each thread at work. A cache grows up to a limit and is then emptied.

    n_labels: columns of the scores. limit: about the largest number of entries, and a 16th of the largest number of values, both of which are smaller
    if the cache would have more than MOST_BYTES. among: numbers of the templates to look up, None for all. room: initial number of entries.
    """

    def __init__(
        self,
        lookup: Lookup,
        templates: Sequence[Template],
        n_labels: int,
        limit: int = 1 << 19,
        among: Sequence[int] | None = None,
        room: int = 1 << 12,
    ):
        self.lookup = lookup
        self.n_labels = n_labels
        self.shapes, alone = shapes_of(templates, among, MOST_VALUES // n_labels)
        self.alone = np.array(alone, np.int64)
        widest = int(np.diff(self.shapes.first).max(initial=0)) * n_labels
        n_seen = max((len(templates[j].observations) for j in self.shapes.template), default=0)
        self.limit = max(1, min(limit, MOST_BYTES // entry_bytes(n_seen)))
        n_entries = min(self.limit, room)
        self._size = n_entries, max(_VALUES * n_entries, widest + 1), n_seen
        #: of the threads that are not at work, one each
        self._memories = [new_memory(*self._size)]

    @property
    def memory(self) -> Memory:
        """The cache of the thread that was at work last."""
        return self._memories[-1]

    def add(self, columns: np.ndarray, starts: np.ndarray, out: np.ndarray) -> None:
        """Add to out[t] the rows of token t's observations. columns: uint64[A, N]; starts: int64, sentence borders; out: float32[N, L]."""
        add_looked_up(columns, starts, self.lookup, self.alone, out)
        n_shapes = self.shapes.seed.size
        if not n_shapes or not columns.shape[1]:
            return
        add_borders(columns, starts, self.lookup, self.shapes, out)
        try:
            memory = self._memories.pop()
        except IndexError:
            memory = new_memory(*self._size)
        g, first = add_shapes(columns, starts, self.lookup, self.shapes, memory, 0, 0, out)
        while g < n_shapes:
            memory = more_room(memory, self.limit)
            g, first = add_shapes(columns, starts, self.lookup, self.shapes, memory, g, first, out)
        self._memories.append(memory)


def more_room(memory: Memory, limit: int) -> Memory:
    """Double the number of entries, with space for as many values as these need, or empty the cache if it would have more than ``limit``."""
    size = memory.table.rows.size  # twice the number of entries
    if size > limit:
        memory.table.rows[:] = -1
        memory.used[:] = 0, 1
        return memory
    seen, at = (np.concatenate([part, np.zeros_like(part)]) for part in memory[1:3])
    more = max(0, _VALUES * size - memory.values.size)
    values = np.concatenate([memory.values, np.zeros(more, np.float32)])
    table = empty_table(size)  # a table for this many keys has twice as many slots
    _move(memory.table, table)
    return Memory(table, seen, at, values, memory.used)
