"""Look-ups a block at a time, against one look-up after another."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from spacy_mtl.models.chain import blocks
from spacy_mtl.models.chain.blocks import add_blocks, pack
from spacy_mtl.models.chain.lookup import KEY_MASK, Lookup, add_looked_up, key_table
from spacy_mtl.models.chain.weights import short_keys
from spacy_mtl.templates.extract import template_keys
from spacy_mtl.templates.grammar import parse_templates
from spacy_mtl.templates.program import compile_program

TEMPLATES = parse_templates(
    "U0:%x[-1,A]/%x[0,A]\nU1:%x[2,A]/%x[0,B]\nU2:%x[-4,A]/%x[-1,B]/%x[3,A]\nU3:%x[0,B]\nU4:%x[4,A]"
)
PROGRAM = compile_program(TEMPLATES, {"A": 0, "B": 1})
N_LABELS = 3


def observed(columns, starts):
    keys = np.empty((len(TEMPLATES), columns.shape[1]), np.uint64)
    for j, row in enumerate(keys):
        template_keys(columns, starts, PROGRAM, j, row)
    return np.unique(short_keys(keys.reshape(-1)))


def both(columns, starts, known):
    rows = np.random.default_rng(0).normal(size=(known.size, N_LABELS)).astype(np.float32)
    found, expected = np.zeros((2, columns.shape[1], N_LABELS), np.float32)
    add_blocks(columns, starts, *PROGRAM, pack(known), rows, found)
    add_looked_up(columns, starts, Lookup(PROGRAM, key_table(known), rows), np.arange(len(TEMPLATES)), expected)
    return found, expected


@given(st.lists(st.integers(0, 5), max_size=40), st.sets(st.integers(0, 40)), st.integers(1, 4))
def test_blocks_find_what_single_lookups_find(values, cuts, part):
    columns = np.array([values, values[::-1]], np.uint64).reshape(2, len(values))
    starts = np.array(sorted({0, len(values), *(min(cut, len(values)) for cut in cuts)}), np.int64)
    found, expected = both(columns, starts, observed(columns, starts)[::part])
    assert np.array_equal(found, expected)  # in the same order too


def test_sentences_fill_several_blocks():
    generator = np.random.default_rng(1)
    columns = generator.integers(0, 50, (2, 4 * blocks.BLOCK)).astype(np.uint64)
    for starts in ([0, 4 * blocks.BLOCK], [*range(0, 4 * blocks.BLOCK, 100), 4 * blocks.BLOCK], [0, 3, 3, 700, 1024]):
        starts = np.array(starts, np.int64)
        found, expected = both(columns, starts, observed(columns, starts)[::2])
        assert expected.any()
        assert np.array_equal(found, expected)


def test_crowded_entries_are_found():
    """Keys that all belong in the last place of the table and go on at its beginning."""
    keys = np.array([k << 20 | 0xFFFFF for k in range(1, 9)], np.uint64)
    packed = pack(keys)
    wanted = np.concatenate([keys, np.array([9 << 20 | 0xFFFFF, 5], np.uint64)])
    where, which = np.empty(wanted.size, np.int64), np.empty(wanted.size, np.uint64)
    n = blocks._find_block(wanted.size, wanted & KEY_MASK, packed, where, which)
    assert (where[:n].tolist(), which[:n].tolist()) == (list(range(8)), list(range(1, 9)))


def test_a_table_of_nothing():
    columns, starts = np.ones((2, 5), np.uint64), np.array([0, 5], np.int64)
    found, expected = both(columns, starts, np.empty(0, np.uint64))
    assert not found.any()
    assert not expected.any()
