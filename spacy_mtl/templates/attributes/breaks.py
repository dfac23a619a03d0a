"""BREAK: how often words part between two characters, as an attribute of the second."""

from typing import NamedTuple

import numpy as np

from spacy_mtl.kernels import kernel
from spacy_mtl.templates.extract import mix
from spacy_mtl.templates.index import Table, empty_table, find, insert_all

#: Shares of the times that a pair stands apart, from one value to the next: 1 nearly never, 6 nearly always. 0 is for pairs of which too
#: little is known.
SHARES = (0.02, 0.15, 0.5, 0.85, 0.98)
#: The value of what has no character before it.
FIRST = 7


class BreakTable(NamedTuple):
    """Pairs of characters. slots (uint64) and rows (int32): a hash table, key of a pair -> its row.

    values: uint8[R, K], BREAK of each pair in each of K parts of a corpus.
    """

    slots: np.ndarray
    rows: np.ndarray
    values: np.ndarray


def value_of(apart: np.ndarray, times: np.ndarray, at_least: int) -> np.ndarray:
    """BREAK of pairs that occur so many ``times``, so many of these ``apart``: uint8, 0 for what is rarer than ``at_least``."""
    share = apart / np.maximum(times, 1)
    return np.where(times >= at_least, 1 + np.searchsorted(SHARES, share), 0).astype(np.uint8)


@kernel
def pair_key(first, second):
    return mix(mix(np.uint64(0), first), second)


@kernel
def pair_keys(chars, out):
    """out[t] = key of the characters (uint64) at t - 1 and t; of the first one it is 0."""
    for t in range(chars.size):
        out[t] = pair_key(chars[t - 1], chars[t]) if t else np.uint64(0)


def keys_of(chars: np.ndarray) -> np.ndarray:
    """Keys uint64[N] of each character (uint64[N]) with the one before."""
    keys = np.empty(chars.size, np.uint64)
    pair_keys(chars, keys)
    return keys


def break_table(keys: np.ndarray, values: np.ndarray) -> BreakTable:
    """keys: uint64[R], distinct, of pairs. values: uint8[R] of one part, or uint8[R, K]."""
    table = empty_table(keys.size)
    insert_all(table, keys)
    return BreakTable(*table, values if values.ndim == 2 else values[:, None])


def no_breaks() -> BreakTable:
    """The table that knows no pair."""
    return BreakTable(*empty_table(0), np.empty((0, 1), np.uint8))


@kernel
def mark_breaks(chars, starts, parts, breaks, out):
    """BREAK of every position into out: uint64[N]. starts: int64 borders of sentences. parts: as of :func:`.match_words`."""
    table = Table(breaks.slots, breaks.rows)
    for s in range(starts.size - 1):
        part = parts[s] if parts.size else 0
        for t in range(starts[s], starts[s + 1]):
            if t == starts[s]:
                out[t] = np.uint64(FIRST)
                continue
            row = table.rows[find(table, pair_key(chars[t - 1], chars[t]))]
            out[t] = np.uint64(breaks.values[row, part]) if row >= 0 else np.uint64(0)
