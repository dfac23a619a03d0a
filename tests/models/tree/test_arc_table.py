"""The table of arcs finds what is in it, without and with a distance, and nothing else."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_mtl.models.chain.weights import KEY_BITS
from spacy_mtl.models.tree.arc_table import arc_table, look_up, sift
from spacy_mtl.templates.arcs.keys import distance_key
from spacy_mtl.templates.arcs.program import DISTANCE_BITS, N_DISTANCES

STEP = 1 << DISTANCE_BITS
#: Some next to each other, which fall into the same slots, and some far apart.
BASES = st.one_of(st.integers(0, 40), st.integers(0, (1 << (KEY_BITS - DISTANCE_BITS)) - 1)).map(
    lambda base: base * STEP
)
KEYS = st.tuples(BASES, st.integers(0, N_DISTANCES)).map(sum)


def rows_of(table, bases, distance):
    """Rows found of each base alone and at the distance, through the sieve and the slots."""
    known, found = np.empty(len(bases) + 1, np.uint64), np.empty(len(bases), np.uint64)
    rows = np.empty(2 * len(bases) + 1, np.int64)
    n = sift(np.array(bases, np.uint64), len(bases), table.sieve, table.sieve_shift, known, 0)
    return rows[
        : look_up(
            known, n, distance_key(distance), table.slots, table.shift, table.row_bits, table.all_keys, found, rows
        )
    ].tolist()


@settings(max_examples=300, deadline=None)
@given(
    st.lists(KEYS, min_size=1, max_size=60, unique=True), st.lists(BASES, max_size=20), st.integers(0, N_DISTANCES - 1)
)
def test_a_table_finds_what_it_holds_and_nothing_else(keys, others, distance):
    held = {key // STEP * STEP for key in keys}
    keys = sorted(keys)
    numbers = {key: row for row, key in enumerate(keys)}
    wanted = [numbers[base + extra] for base in held for extra in (0, distance + 1) if base + extra in numbers]
    table = arc_table(np.array(keys, np.uint64))
    assert sorted(rows_of(table, list(held), distance)) == sorted(wanted)
    assert rows_of(table, [base for base in others if base not in held], distance) == []


@pytest.mark.parametrize("n", [3, 40, 3000])
def test_bases_that_differ_in_a_single_bit_are_told_apart(n):
    """With many in the first slots of few, so that most are far from their first slot."""
    random = np.random.default_rng(0)
    bits = KEY_BITS - DISTANCE_BITS
    bases = np.unique(np.concatenate([random.integers(0, 1 << bits, n), random.integers(0, 200, n)]).astype(np.uint64))
    table = arc_table(bases * np.uint64(STEP))
    near = np.unique(np.bitwise_xor.outer(bases, np.uint64(1) << np.arange(bits, dtype=np.uint64)))
    unknown = np.setdiff1d(near, bases) * np.uint64(STEP)
    assert rows_of(table, unknown.tolist(), 0) == []
    found = rows_of(table, (bases * np.uint64(STEP)).tolist(), 0)
    assert found == np.arange(bases.size).tolist()


def test_bases_alike_in_all_but_their_first_slot_are_told_apart():
    """One base fills the next slots with others; then one whose first slot is there is asked for, alike in all other bits."""
    n = 100
    shift = int(arc_table(np.arange(n, dtype=np.uint64) * np.uint64(STEP)).shift) - DISTANCE_BITS
    held = [5 << shift | low for low in range(n)]
    table = arc_table(np.array(held, np.uint64) * np.uint64(STEP))
    assert int(table.shift) - DISTANCE_BITS == shift
    for slot in range(n + 10):
        asked = [(slot << shift | low) * STEP for low in range(n)]
        assert rows_of(table, asked, 0) == (list(range(n)) if slot == 5 else [])


def test_a_table_of_many_takes_none_for_another():
    random = np.random.default_rng(0)
    bases = np.unique(random.integers(0, 1 << (KEY_BITS - DISTANCE_BITS), 300_000).astype(np.uint64))
    table = arc_table(bases * np.uint64(STEP))
    top = np.uint64(1) << np.uint64(KEY_BITS - DISTANCE_BITS - 1)
    asked = (bases[:4000] ^ top) * np.uint64(STEP)
    assert not np.isin(asked // np.uint64(STEP), bases).any()
    assert rows_of(table, asked.tolist(), 0) == []
    assert len(rows_of(table, (bases[:4000] * np.uint64(STEP)).tolist(), 0)) == 4000


def test_keys_that_must_not_be_written_to():
    keys = np.arange(3, dtype=np.uint64) * np.uint64(STEP)
    keys.flags.writeable = False
    assert arc_table(keys).all_keys.flags.writeable


def test_keys_may_have_more_bits_than_are_kept():
    key = 5 * STEP
    assert rows_of(arc_table(np.array([key], np.uint64)), [key + (1 << KEY_BITS)], 3) == [0]


def test_an_empty_table_knows_nothing():
    assert rows_of(arc_table(np.empty(0, np.uint64)), [0, STEP, 7 * STEP], 0) == []


def test_distances_fit_into_the_bits_kept_for_them():
    assert len({int(distance_key(d)) for d in range(N_DISTANCES)}) == N_DISTANCES
    assert all(0 < distance_key(d) < STEP for d in range(N_DISTANCES))
