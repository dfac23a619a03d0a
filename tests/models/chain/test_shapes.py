"""Look-ups shared by templates of one shape, against one look-up per template and token."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_mtl.models.chain import shapes as module
from spacy_mtl.models.chain.lookup import Lookup, add_looked_up, key_table
from spacy_mtl.models.chain.shapes import SharedLookup, more_room, shape_key, shapes_of
from spacy_mtl.models.chain.weights import short_keys
from spacy_mtl.templates.extract import mix, template_keys
from spacy_mtl.templates.grammar import parse_templates
from spacy_mtl.templates.program import compile_program

TEMPLATES = parse_templates(
    """
U0:%x[-2,A]/%x[-1,A]
U1:%x[-1,A]/%x[0,A]
U2:%x[1,A]/%x[2,A]
U3:%x[2,A]/%x[1,A]
U4:%x[-1,B]
U5:%x[3,B]
U6:%x[0,A]/%x[0,B]
U7:%x[-3,A]/%x[-1,B]/%x[0,A]
U8:%x[-1,A]/%x[1,B]/%x[2,A]
U9:%x[-4,A]/%x[4,A]
""".strip()
)
COLUMNS = {"A": 0, "B": 1}
N_LABELS = 3


def make_room(shared):
    shared._memories.append(more_room(shared._memories.pop(), shared.limit))


def lookup_of(columns, starts, part):
    """Weights for a part of what is observed there."""
    program = compile_program(TEMPLATES, COLUMNS)
    keys = np.empty((len(TEMPLATES), columns.shape[1]), np.uint64)
    for j, row in enumerate(keys):
        template_keys(columns, starts, program, j, row)
    known = np.unique(short_keys(keys.reshape(-1)))[::part]
    rows = np.random.default_rng(0).normal(size=(known.size, N_LABELS)).astype(np.float32)
    return Lookup(program, key_table(known), rows)


def naive(columns, starts, lookup):
    out = np.zeros((columns.shape[1], N_LABELS), np.float32)
    add_looked_up(columns, starts, lookup, np.arange(len(TEMPLATES)), out)
    return out


def data(values, cuts):
    columns = np.array([values, values[::-1]], np.uint64).reshape(2, len(values))
    return columns, np.array(sorted({0, len(values), *(min(cut, len(values)) for cut in cuts)}), np.int64)


def test_templates_are_grouped_by_shape():
    shapes, alone = shapes_of(TEMPLATES)
    groups = [shapes.template[a:b].tolist() for a, b in zip(shapes.first[:-1], shapes.first[1:], strict=True)]
    assert groups == [[0, 1, 2], [4, 5], [7, 8]]
    assert shapes.shift.tolist() == [-2, -1, 1, -1, 3, -3, -1]
    assert shapes.reach.tolist() == [1, 0, 3]
    assert alone == [3, 6, 9]  # the order of observations is part of a key


@given(
    st.lists(st.integers(0, 3), min_size=1, max_size=25), st.lists(st.integers(0, 25), max_size=4), st.integers(1, 3)
)
def test_shared_look_ups_change_nothing(values, cuts, part):
    columns, starts = data(values, cuts)
    lookup = lookup_of(columns, starts, part)
    shared = SharedLookup(lookup, TEMPLATES, N_LABELS)
    for _ in range(2):  # first met, then remembered
        out = np.zeros((columns.shape[1], N_LABELS), np.float32)
        shared.add(columns, starts, out)
        assert np.allclose(out, naive(columns, starts, lookup), atol=1e-5)


@pytest.mark.parametrize("limit", [1, 40, 1000, 1 << 19])
def test_a_memory_that_grows_or_starts_afresh_changes_nothing(limit):
    random = np.random.default_rng(1)
    columns = random.integers(0, 200, size=(2, 6000)).astype(np.uint64)
    starts = np.unique(np.concatenate([[0, 6000], random.integers(0, 6000, 300)]))
    lookup = lookup_of(columns, starts, 3)
    shared = SharedLookup(lookup, TEMPLATES, N_LABELS, limit)
    for a in range(0, starts.size - 1, 50):
        piece = starts[a : a + 51]
        part = np.ascontiguousarray(columns[:, piece[0] : piece[-1]])
        out = np.zeros((part.shape[1], N_LABELS), np.float32)
        shared.add(part, piece - piece[0], out)
        assert np.allclose(out, naive(part, piece - piece[0], lookup), atol=1e-5)
        assert shared.memory.table.rows.size <= max(4 * limit, 1 << 13)


@pytest.mark.parametrize("n_labels", [1, N_LABELS])
def test_a_memory_has_a_limit_in_bytes(monkeypatch, n_labels):
    """However many values an observation has, and though there is always space for the rows of a single one."""
    monkeypatch.setattr(module, "MOST_BYTES", 1 << 18)
    texts = (f"U{s}:" + "/".join(f"%x[{s + k % 2},A]" for k in range(60)) for s in range(-3, 4))
    templates = parse_templates(texts)
    columns = np.random.default_rng(3).integers(0, 1000, size=(2, 4000)).astype(np.uint64)
    starts = np.array([0, 1500, 4000])
    program = compile_program(templates, COLUMNS)
    keys = np.empty((len(templates), 4000), np.uint64)
    for j, row in enumerate(keys):
        template_keys(columns, starts, program, j, row)
    known = np.unique(short_keys(keys.reshape(-1)))
    rows = np.random.default_rng(4).normal(size=(known.size, n_labels)).astype(np.float32)
    lookup = Lookup(program, key_table(known), rows)
    shared = SharedLookup(lookup, templates, n_labels, room=16)
    out, expected = np.zeros((2, 4000, n_labels), np.float32)
    shared.add(columns, starts, out)
    add_looked_up(columns, starts, lookup, np.arange(len(templates)), expected)
    assert np.allclose(out, expected, atol=1e-5)
    table, *parts = shared.memory
    assert sum(part.nbytes for part in (*table, *parts)) <= 1 << 18
    assert shared.memory.at.size == 256


def test_rows_of_too_many_values_are_not_remembered(monkeypatch):
    monkeypatch.setattr(module, "MOST_VALUES", 4 * N_LABELS)
    columns, starts = data([1, 2, 3, 1, 2, 3], [4])
    lookup = lookup_of(columns, starts, 1)
    assert SharedLookup(lookup, TEMPLATES, N_LABELS).alone.tolist() == [3, 6, 9]
    monkeypatch.setattr(module, "MOST_VALUES", 2 * N_LABELS)
    few = SharedLookup(lookup, TEMPLATES, N_LABELS)
    assert sorted([*few.alone, *few.shapes.template]) == list(range(len(TEMPLATES)))
    assert np.diff(few.shapes.first).max(initial=0) <= 2
    assert sorted(few.alone) != [3, 6, 9]
    out = np.zeros((6, N_LABELS), np.float32)
    few.add(columns, starts, out)
    assert np.allclose(out, naive(columns, starts, lookup), atol=1e-5)


def test_what_was_met_is_remembered_when_the_memory_grows():
    columns = np.random.default_rng(2).integers(0, 60, size=(2, 400)).astype(np.uint64)
    starts = np.array([0, 400])
    shared = SharedLookup(lookup_of(columns, starts, 2), TEMPLATES, N_LABELS, room=64)
    out = np.zeros((400, N_LABELS), np.float32)
    shared.add(columns, starts, out)
    make_room(shared)
    used = shared.memory.used.tolist()
    shared.add(columns, starts, out)
    assert shared.memory.used.tolist() == used


def test_nothing_to_look_at():
    """Without positions, or without templates, nothing is added and nothing is remembered."""
    columns, starts = np.zeros((2, 0), np.uint64), np.zeros(1, np.int64)
    lookup = lookup_of(*data([1, 2], []), 1)
    for templates in (TEMPLATES, TEMPLATES[6:7]):
        shared = SharedLookup(lookup, templates, N_LABELS)
        shared.add(columns, starts, np.zeros((0, N_LABELS), np.float32))
        assert shared.memory.used.tolist() == [0, 1]
        assert (shared.memory.table.rows == -1).all()
    columns, starts = data([1, 2, 1], [2])
    out = np.full((3, N_LABELS), 7, np.float32)
    SharedLookup(lookup, TEMPLATES, N_LABELS, among=[]).add(columns, starts, out)
    assert (out == 7).all()
    alone = SharedLookup(lookup, TEMPLATES[6:7], N_LABELS)
    alone.add(columns, starts, out)
    assert alone.shapes.seed.size == 0
    assert alone.alone.tolist() == [0]
    expected = np.full_like(out, 7)
    add_looked_up(columns, starts, lookup, np.array([0]), expected)
    np.testing.assert_allclose(out, expected)


def alike(seed):
    """Two pairs of values with the same key, whatever comes before: the second value makes up for the first."""
    first, other, second = (np.uint64(value) for value in (7, 8, 9))
    mixed = [int(mix(np.uint64(seed), value)) for value in (first, other)]
    return [first, second], [other, np.uint64(int(second) ^ mixed[0] ^ mixed[1])]


@pytest.mark.parametrize("grown", [False, True])
def test_observations_of_one_key_are_told_apart(grown):
    shapes, _ = shapes_of(TEMPLATES)
    one, two = alike(shapes.seed[0])
    values = np.array([*one, *two, *one, *two], np.uint64)
    columns, starts = np.array([values, values]), np.array([0, 2, 4, 6, 8])
    program = compile_program(TEMPLATES, COLUMNS)
    assert shape_key(columns, shapes, program, 0, 0) == shape_key(columns, shapes, program, 0, 2)
    lookup = lookup_of(columns, starts, 1)
    expected = naive(columns, starts, lookup)
    assert not np.allclose(expected[1], expected[3])
    for order in ([0, 1], [1, 0]):
        shared = SharedLookup(lookup, TEMPLATES, N_LABELS, room=64)
        for i in order * 2:
            part, out = columns[:, 2 * i : 2 * i + 2].copy(), np.zeros((2, N_LABELS), np.float32)
            shared.add(part, np.array([0, 2]), out)
            assert np.allclose(out, expected[2 * i : 2 * i + 2], atol=1e-5)
            if grown:
                make_room(shared)


def test_threads_have_caches_of_their_own():
    """While one thread is at work, another makes a cache; later each finds one."""
    columns, starts = np.random.default_rng(5).integers(0, 9, size=(2, 60)).astype(np.uint64), np.array([0, 25, 60])
    lookup = lookup_of(columns, starts, 2)
    shared, expected = SharedLookup(lookup, TEMPLATES, N_LABELS), naive(columns, starts, lookup)
    borrowed = shared._memories.pop()
    for _ in range(2):
        out = np.zeros((60, N_LABELS), np.float32)
        shared.add(columns, starts, out)
        assert np.allclose(out, expected, atol=1e-5)
    assert len(shared._memories) == 1
    assert borrowed.used.tolist() == [0, 1]
    assert shared.memory.used[0] > 0
