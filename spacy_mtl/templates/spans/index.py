"""From spans and splits to feature rows: one block of rows per template, frequent rows first."""

import numpy as np

from spacy_mtl.kernels import kernel
from spacy_mtl.templates.extract import mix, observe
from spacy_mtl.templates.index import (
    FeatureIndex,
    Table,
    count_distinct,
    empty_table,
    find,
    rank_by_count,
)

from .program import SpanProgram


@kernel
def length_bin(n):
    """The number of words in bins: 1, 2, 3, 4, 5, 6 to 10, 11 to 20, 21 or more."""
    return n if n <= 5 else 6 if n <= 10 else 7 if n <= 20 else 8


@kernel
def place_keys(columns, starts, program, template, places, out):
    """Observation keys of one template.

    columns: uint64[A, N]. starts: int64[S + 1], sentence borders. places: int32[P, 4], sentence, first word, first word of the second half, and end,
    counted in the sentence; of a span without a split the third is any number. out: uint64[P], overwritten.
    """
    for p in range(places.shape[0]):
        begin, end = starts[places[p, 0]], starts[places[p, 0] + 1]
        key = program.seed[template]
        for o in range(program.first[template], program.first[template + 1]):
            if program.place[o] == 3:
                value = np.uint64(length_bin(places[p, 3] - places[p, 1]))
            else:
                at = (
                    places[p, 1]
                    if program.place[o] == 0
                    else places[p, 3] - 1
                    if program.place[o] == 1
                    else places[p, 2]
                )
                value = observe(columns, program.column[o], begin + at + program.offset[o], begin, end)
            key = mix(key, value)
        out[p] = key


@kernel
def find_rows(table, keys, column, rows):
    """Set rows[p, column] to the row of each key, -1 for unknown ones."""
    for p in range(keys.size):
        rows[p, column] = table.rows[find(table, keys[p])]


def build_span_index(
    columns: np.ndarray, starts: np.ndarray, program: SpanProgram, places: np.ndarray, min_count: int = 1
) -> FeatureIndex:
    """Index every observation that occurs at least ``min_count`` times at these places (int32[P, 4], see :func:`place_keys`)."""
    n = len(places)
    table, blocks, kept_keys = empty_table(n), [0], []
    keys, distinct = np.empty(n, np.uint64), np.empty(n, np.uint64)
    ids, counts, rank = np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.int32)
    for j in range(program.seed.size):
        place_keys(columns, starts, program, j, places, keys)
        n_distinct = count_distinct(table, keys, ids, counts, distinct)
        kept = rank_by_count(counts, n_distinct, min_count, rank)
        live = rank[:n_distinct] >= 0
        ordered = np.empty(kept, np.uint64)
        ordered[rank[:n_distinct][live]] = distinct[:n_distinct][live]
        kept_keys.append(ordered)
        blocks.append(blocks[-1] + int(kept))
    return FeatureIndex(np.concatenate([np.empty(0, np.uint64), *kept_keys]), np.array(blocks, np.int64))


def span_rows(
    columns: np.ndarray, starts: np.ndarray, program: SpanProgram, places: np.ndarray, table: Table
) -> np.ndarray:
    """Feature rows int32[P, T] of these places (int32[P, 4]); -1 for observations that have no row."""
    rows, keys = np.empty((len(places), program.seed.size), np.int32), np.empty(len(places), np.uint64)
    for j in range(program.seed.size):
        place_keys(columns, starts, program, j, places, keys)
        find_rows(table, keys, j, rows)
    return rows
