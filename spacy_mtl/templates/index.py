"""From observation keys to dense feature rows: one block of rows per template, frequent rows first."""

from typing import NamedTuple

import numpy as np

from spacy_mtl.kernels import kernel
from spacy_mtl.threads.crew import ALONE, Crew

from .extract import Program, template_keys

EMPTY = np.int32(-1)


class Table(NamedTuple):
    """A hash table with open addressing and linear probing. slots: uint64[cap], keys; rows: int32[cap], -1 where free. cap: a power of 2."""

    slots: np.ndarray
    rows: np.ndarray


def empty_table(n_keys: int) -> Table:
    """Make a table that is less than half full with ``n_keys`` keys."""
    capacity = 1 << max(4, int(2 * n_keys - 1).bit_length())
    return Table(np.zeros(capacity, np.uint64), np.full(capacity, EMPTY, np.int32))


@kernel
def first_slot(key, mask):
    """The first slot to look at: arc keys that differ only in distance get adjacent slots, all others are spread."""
    return (key + (key >> np.uint64(24))) & mask


@kernel
def find(table, key):
    """The slot of ``key``, or the free slot where it would go."""
    mask = np.uint64(table.slots.size - 1)
    slot = first_slot(key, mask)
    while table.rows[slot] >= 0 and table.slots[slot] != key:
        slot = (slot + np.uint64(1)) & mask
    return slot


@kernel
def insert_all(table, keys, first=0):
    """Insert distinct ``keys``, beginning with number ``first``: key i gets row i."""
    for i in range(first, keys.size):
        slot = find(table, keys[i])
        table.slots[slot] = keys[i]
        table.rows[slot] = i


@kernel
def count_distinct(table, keys, ids, counts, distinct):
    """Number the distinct keys by first occurrence.

    keys: uint64[N]. Fills ids int32[N], counts int32[N] and distinct uint64[N]. Returns how many are distinct.
    """
    table.rows[:] = -1
    n = 0
    for t in range(keys.size):
        slot = find(table, keys[t])
        row = table.rows[slot]
        if row < 0:
            row = n
            table.slots[slot] = keys[t]
            table.rows[slot] = row
            distinct[row] = keys[t]
            counts[row] = 0
            n += 1
        counts[row] += 1
        ids[t] = row
    return n


@kernel
def rank_by_count(counts, n, min_count, rank):
    """Set rank[i] to the rank of key i by descending count (stable counting sort), -1 below ``min_count``. Returns how many are kept."""
    top = 0
    for i in range(n):
        top = max(top, counts[i])
    first = np.zeros(top + 2, np.int64)
    for i in range(n):
        first[top - counts[i] + 1] += 1
    for c in range(1, top + 2):
        first[c] += first[c - 1]
    kept = 0
    for i in range(n):
        place = first[top - counts[i]]
        first[top - counts[i]] += 1
        keep = counts[i] >= min_count
        rank[i] = place if keep else -1
        kept += keep
    return kept


@kernel
def scatter_column(ids, rank, column, rows):
    """Set rows[t, column] to the rank of token t's key, or to -1 if the key was cut off."""
    for t in range(ids.size):
        rows[t, column] = rank[ids[t]]


@kernel
def _shift(rows, bases, first, last):
    """Add bases[j] to rows[t, j] for tokens first to last - 1, except where it is -1."""
    for t in range(first, last):
        for j in range(bases.size):
            if rows[t, j] >= 0:
                rows[t, j] += bases[j]


@kernel
def lookup(table, columns, starts, program, rows):
    """Fill ``rows`` int32[N, T] with the rows of known observations, -1 for unknown ones."""
    keys = np.empty(columns.shape[1], np.uint64)
    for j in range(program.seed.size):
        template_keys(columns, starts, program, j, keys)
        for t in range(keys.size):
            rows[t, j] = table.rows[find(table, keys[t])]


class FeatureIndex:
    """The known observations of all templates: row r of block j is the r-th key of template j.

    keys: uint64[R], by row. blocks: int64[T + 1], template j owns rows ``blocks[j]:blocks[j + 1]``.
    """

    def __init__(self, keys: np.ndarray, blocks: np.ndarray):
        self.keys = keys
        self.blocks = blocks
        self._table: Table | None = None

    @property
    def n_rows(self) -> int:
        return int(self.keys.size)

    @property
    def table(self) -> Table:
        if self._table is None:
            self._table = empty_table(self.n_rows)
            insert_all(self._table, self.keys)
        return self._table

    def rows(self, columns: np.ndarray, starts: np.ndarray, program: Program) -> np.ndarray:
        """Feature rows int32[N, T] of the tokens in ``columns`` (uint64[A, N]); -1 for observations not seen in training."""
        rows = np.empty((columns.shape[1], program.seed.size), np.int32)
        lookup(self.table, columns, starts, program, rows)
        return rows


def build_index(
    columns: np.ndarray, starts: np.ndarray, program: Program, min_count: int = 1, crew: Crew = ALONE
) -> tuple[FeatureIndex, np.ndarray]:
    """Index every observation that occurs at least ``min_count`` times; returns the index and the rows int32[N, T] of each token.

    Each thread indexes some of the templates. Memory: 28 bytes a token for each thread, and the table.
    """
    n, n_templates = columns.shape[1], program.seed.size
    rows = np.empty((n, n_templates), np.int32)
    shares = [range(k, n_templates, crew.size) for k in range(min(crew.size, n_templates))]
    kept: dict[int, np.ndarray] = {}
    for found in crew.map(lambda share: _index_templates(columns, starts, program, min_count, share, rows), shares):
        kept |= found
    blocks = np.zeros(n_templates + 1, np.int64)
    np.cumsum([kept[j].size for j in range(n_templates)], out=blocks[1:])
    crew.map(lambda part: _shift(rows, blocks[:-1], *part), crew.parts(n))
    return FeatureIndex(np.concatenate([kept[j] for j in range(n_templates)] or [np.empty(0, np.uint64)]), blocks), rows


def _index_templates(
    columns: np.ndarray, starts: np.ndarray, program: Program, min_count: int, templates: range, rows: np.ndarray
) -> dict[int, np.ndarray]:
    """The keys uint64[R] of each of these templates by rank, and the ranks of the tokens in its column of ``rows``."""
    n = columns.shape[1]
    table = empty_table(n)
    keys, distinct = np.empty(n, np.uint64), np.empty(n, np.uint64)
    ids, counts, rank = np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.int32)
    kept = {}
    for j in templates:
        template_keys(columns, starts, program, j, keys)
        n_distinct = count_distinct(table, keys, ids, counts, distinct)
        n_kept = rank_by_count(counts, n_distinct, min_count, rank)
        scatter_column(ids, rank, j, rows)
        kept[j] = np.empty(n_kept, np.uint64)
        live = rank[:n_distinct] >= 0
        kept[j][rank[:n_distinct][live]] = distinct[:n_distinct][live]
    return kept
