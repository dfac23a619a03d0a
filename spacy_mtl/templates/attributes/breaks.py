"""BREAK: how often there is a word border between two characters, as an attribute of the second one."""

import secrets
from typing import NamedTuple

import numpy as np

from spacy_mtl.kernels import kernel
from spacy_mtl.templates.extract import mix
from spacy_mtl.templates.index import empty_table

#: Thresholds between the values, as shares of the occurrences of a pair that have a word border: 1 means almost never, 6 almost always, and 0 that
#: the pair is too rare.
SHARES = (0.02, 0.15, 0.5, 0.85, 0.98)
#: The value of a character without one before it.
FIRST = 7
#: Mixed into the hashes of tables of pairs and of words, which are made in memory and whose order nobody sees. It is another in each process, so
#: that no file can have entries that were chosen to crowd in a table.
SEED = secrets.randbits(64)


class BreakTable(NamedTuple):
    """BREAK of R pairs of characters.

    slots (uint64[cap + 1, 2], the two characters) and rows (int32[cap], -1 where free): a hash table, pair -> its row. cap: a power of 2. The last
    row of slots is (seed, 0).
    values: uint8[R, K], BREAK of each pair for each of K parts of a corpus.
    """

    slots: np.ndarray
    rows: np.ndarray
    values: np.ndarray


def value_of(apart: np.ndarray, times: np.ndarray, at_least: int) -> np.ndarray:
    """BREAK (uint8) of pairs. times: how often each occurs; apart: how often with a word border; at_least: pairs that are rarer get 0."""
    share = apart / np.maximum(times, 1)
    return np.where(times >= at_least, 1 + np.searchsorted(SHARES, share), 0).astype(np.uint8)


@kernel
def find_pair(slots, rows, first, second):
    """The slot of a pair of characters, or the free slot where it would go."""
    mask = np.uint64(rows.size - 1)
    slot = mix(mix(slots[rows.size, 0], first), second) & mask
    while rows[slot] >= 0 and (slots[slot, 0] != first or slots[slot, 1] != second):
        slot = (slot + np.uint64(1)) & mask
    return slot


@kernel
def insert_pairs(slots, rows, pairs):
    """Insert distinct pairs: pair i gets row i."""
    for i in range(pairs.shape[0]):
        slot = find_pair(slots, rows, pairs[i, 0], pairs[i, 1])
        slots[slot, 0], slots[slot, 1] = pairs[i, 0], pairs[i, 1]
        rows[slot] = i


def free_slots(capacity: int) -> np.ndarray:
    """The slots of a table without entries, and the seed: uint64[capacity + 1, 2]."""
    slots = np.zeros((capacity + 1, 2), np.uint64)
    slots[capacity, 0] = SEED
    return slots


def break_table(pairs: np.ndarray, values: np.ndarray) -> BreakTable:
    """Make a table. pairs: uint64[R, 2], distinct pairs of characters. values: uint8[R] for a single part, or uint8[R, K]."""
    rows = empty_table(len(pairs)).rows
    slots = free_slots(rows.size)
    if len(pairs):  # most components have none, and need not wait until this is compiled
        insert_pairs(slots, rows, pairs)
    return BreakTable(slots, rows, values if values.ndim == 2 else values[:, None])


def no_breaks() -> BreakTable:
    """A table without pairs."""
    return break_table(np.empty((0, 2), np.uint64), np.empty(0, np.uint8))


@kernel
def mark_breaks(chars, starts, parts, breaks, out):
    """Write BREAK of every position to out, uint64[N]. starts: int64, sentence borders. parts: as in :func:`.match_words`."""
    slots, rows = breaks.slots, breaks.rows
    for s in range(starts.size - 1):
        part = parts[s] if parts.size else 0
        for t in range(starts[s], starts[s + 1]):
            if t == starts[s]:
                out[t] = np.uint64(FIRST)
                continue
            row = rows[find_pair(slots, rows, chars[t - 1], chars[t])]
            out[t] = np.uint64(breaks.values[row, part]) if row >= 0 else np.uint64(0)
