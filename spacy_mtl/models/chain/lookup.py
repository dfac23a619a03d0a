"""Hashed templates: from the attributes around a position to the weights of what the templates observe there."""

from typing import NamedTuple

import numpy as np

from spacy_mtl.kernels import kernel
from spacy_mtl.models.spread import FURTHEST, check_spread
from spacy_mtl.templates.extract import Program, boundary, mix, observe
from spacy_mtl.templates.index import Table, empty_table, find, first_slot

from .weights import KEY_BITS

KEY_MASK = np.uint64((1 << KEY_BITS) - 1)


class Lookup(NamedTuple):
    """Hashed templates and their weights. program: what to hash. table: key -> row. rows: float32[R, K]."""

    program: Program
    table: Table
    rows: np.ndarray


def key_table(keys: np.ndarray) -> Table:
    """A table that maps key i of a model to row i. Raises ValueError (M611) for keys that crowd."""
    table = empty_table(keys.size)
    check_spread(_insert(table, keys), table.rows >= 0)
    return table


@kernel
def _insert(table, keys):
    """Insert distinct keys: key i gets row i. Returns False, and stops, where one lands too far from its first slot."""
    mask = np.uint64(table.slots.size - 1)
    for i in range(keys.size):
        slot, away = first_slot(keys[i], mask), 0
        while table.rows[slot] >= 0:
            slot = (slot + np.uint64(1)) & mask
            away += 1
            if away > FURTHEST:
                return False
        table.slots[slot] = keys[i]
        table.rows[slot] = i
    return True


@kernel
def observation_key(columns, program, template, key, t, start, end):
    """Mix what one template observes at position t of the sentence [start, end) into ``key``."""
    for o in range(program.first[template], program.first[template + 1]):
        key = mix(key, observe(columns, program.column[o], t + program.offset[o], start, end))
    return key


@kernel
def row_at(columns, lookup, template, t, start, end):
    """The row of what one template observes at position t; -1 if unknown."""
    key = observation_key(columns, lookup.program, template, lookup.program.seed[template], t, start, end)
    return lookup.table.rows[find(lookup.table, key & KEY_MASK)]


@kernel
def add_looked_up(columns, starts, lookup, chosen, out):
    """Add to out[t] the rows of token t's observations. columns: uint64[A, N]; chosen: int64, numbers of the templates; out: float32[N, K]."""
    for j in chosen:
        for s in range(starts.size - 1):
            for t in range(starts[s], starts[s + 1]):
                row = row_at(columns, lookup, j, t, starts[s], starts[s + 1])
                if row >= 0:
                    for y in range(out.shape[1]):
                        out[t, y] += lookup.rows[row, y]


@kernel
def add_outside(lookup, template, distance, out):
    """Add to out (float32[L]) the row of a one-position template that looks ``distance`` positions outside the sentence."""
    key = lookup.program.seed[template]
    for _ in range(lookup.program.first[template], lookup.program.first[template + 1]):
        key = mix(key, boundary(distance))
    row = lookup.table.rows[find(lookup.table, key & KEY_MASK)]
    if row >= 0:
        for y in range(out.size):
            out[y] += lookup.rows[row, y]
