"""The table of arcs finds what is in it, without and with a distance, and nothing else."""

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from spacy_mtl.models.chain.weights import KEY_BITS
from spacy_mtl.models.tree.arc_table import arc_table, check_of, look_up, sift
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
    return rows[: look_up(known, n, distance_key(distance), table.slots, table.shift, found, rows)].tolist()


@settings(max_examples=200, deadline=None)
@given(
    st.lists(KEYS, min_size=1, max_size=60, unique=True), st.lists(BASES, max_size=20), st.integers(0, N_DISTANCES - 1)
)
def test_a_table_finds_what_it_holds(keys, others, distance):
    """All of it, and nothing else but for bases that it does not hold and that are alike in the bits of the check with one that it does."""
    checks = {key // STEP * STEP: int(check_of(np.uint64(key))) for key in keys}
    assume(len(set(checks.values())) == len(checks))
    keys = sorted(keys)
    numbers = {key: row for row, key in enumerate(keys)}
    wanted = [numbers[base + extra] for base in checks for extra in (0, distance + 1) if base + extra in numbers]
    table = arc_table(np.array(keys, np.uint64))
    assert sorted(rows_of(table, list(checks), distance)) == sorted(wanted)
    unknown = [base for base in others if base not in checks]
    alike = [base for base in unknown if int(check_of(np.uint64(base))) in checks.values()]
    assert rows_of(table, unknown, distance) == rows_of(table, alike, distance)
    for base in alike:
        bases = {keys[row] // STEP * STEP for row in rows_of(table, [base], distance)}
        assert {checks[found] for found in bases} <= {int(check_of(np.uint64(base)))}


def test_a_table_of_many_takes_none_for_another():
    """The place of a base tells of the bits that the check has not: 4,000 bases that it does not hold, alike in the check with one that it does."""
    random = np.random.default_rng(0)
    bases = np.unique(random.integers(0, 1 << (KEY_BITS - DISTANCE_BITS), 300_000).astype(np.uint64))
    table = arc_table(bases * np.uint64(STEP))
    top = np.uint64(1) << np.uint64(KEY_BITS - DISTANCE_BITS - 1)
    asked = (bases[:4000] ^ top) * np.uint64(STEP)
    assert not np.isin(asked // np.uint64(STEP), bases).any()
    assert rows_of(table, asked.tolist(), 0) == []
    assert len(rows_of(table, (bases[:4000] * np.uint64(STEP)).tolist(), 0)) == 4000


def test_keys_may_have_more_bits_than_are_kept():
    key = 5 * STEP
    assert rows_of(arc_table(np.array([key], np.uint64)), [key + (1 << KEY_BITS)], 3) == [0]


def test_an_empty_table_knows_nothing():
    assert rows_of(arc_table(np.empty(0, np.uint64)), [0, STEP, 7 * STEP], 0) == []


def test_distances_fit_into_the_bits_kept_for_them():
    assert len({int(distance_key(d)) for d in range(N_DISTANCES)}) == N_DISTANCES
    assert all(0 < distance_key(d) < STEP for d in range(N_DISTANCES))
