"""Summed templates of one position, against one look-up per template and token."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from spacy_mtl.models.chain.lookup import Lookup, add_looked_up, key_table
from spacy_mtl.models.chain.weights import short_keys
from spacy_mtl.models.chain.windows import Window, add_window, one_position
from spacy_mtl.templates.extract import template_keys
from spacy_mtl.templates.grammar import parse_templates
from spacy_mtl.templates.program import compile_program

TEMPLATES = parse_templates("U0:%x[-2,A]\nU1:%x[0,A]/%x[0,B]\nU2:%x[0,B]\nU3:%x[3,B]\nU4:%x[-2,B]/%x[-2,A]")
COLUMNS = {"A": 0, "B": 1}


@given(st.lists(st.integers(0, 3), min_size=1, max_size=12), st.lists(st.integers(0, 12), max_size=3))
def test_window_is_the_sum_of_its_templates(values, cuts):
    distinct = np.array([[0, 1, 2, 3], [1, 2, 3, 0]], np.uint64)
    ids = np.array(values, np.int32)
    columns = np.ascontiguousarray(distinct[:, ids])
    starts = np.array(sorted({0, ids.size, *(min(cut, ids.size) for cut in cuts)}), np.int64)
    program = compile_program(TEMPLATES, COLUMNS)
    keys = np.empty((len(TEMPLATES), ids.size), np.uint64)
    for j, row in enumerate(keys):
        template_keys(columns, starts, program, j, row)
    known = np.unique(short_keys(keys.reshape(-1)))[::2]
    rows = np.random.default_rng(0).normal(size=(known.size, 3)).astype(np.float32)
    window = Window(TEMPLATES, COLUMNS, key_table(known), rows, with_offsets=[1])
    assert window.offsets == [-2, 0, 1, 3]
    found, expected = np.zeros((2, ids.size, 3), np.float32)
    add_window(ids, starts, window.table(window.score(distinct)), found)
    add_looked_up(columns, starts, Lookup(program, key_table(known), rows), np.arange(len(TEMPLATES)), expected)
    assert np.allclose(found, expected, atol=1e-5)


def test_what_looks_at_one_position():
    assert [one_position(t, ["A"]) for t in parse_templates("U0:%x[1,A]\nU1:%x[0,A]/%x[1,A]\nU2:%x[0,B]\nU3:%x[0,A]/%x[0,B]")] == [
        True, False, False, False,
    ]  # fmt: skip
