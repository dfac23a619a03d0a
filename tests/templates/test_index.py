"""The index against plain Python: a Counter of what each template observes, ranked by count and first occurrence."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_mtl.templates.extract import Program
from spacy_mtl.templates.grammar import Observation, Template, parse_templates
from spacy_mtl.templates.index import FeatureIndex, build_index, empty_table, find, insert_all
from spacy_mtl.templates.program import compile_program
from spacy_mtl.threads.crew import Crew

COLUMNS = {"ORTH": 0, "TAG": 1}
SENTENCES = st.lists(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2)), max_size=6), max_size=6)
OBSERVATIONS = st.builds(Observation, st.integers(-3, 3), st.sampled_from(["ORTH", "TAG"]))
TEMPLATES = st.lists(
    st.builds(Template, st.sampled_from(["U", "B"]), st.lists(OBSERVATIONS, max_size=3).map(tuple)),
    max_size=4,
    unique_by=lambda template: (template.is_edge, template.observations),
)


def arrays(sentences) -> tuple[np.ndarray, np.ndarray]:
    tokens = [token for sentence in sentences for token in sentence]
    columns = np.array(tokens, dtype=np.uint64).reshape(len(tokens), 2).T.copy()
    return columns, np.cumsum([0, *map(len, sentences)], dtype=np.int64)


def observations(sentences, template) -> list[tuple]:
    """What the template observes at each token: values, or places outside the sentence."""
    return [
        tuple(
            sentence[i + obs.offset][COLUMNS[obs.attr]]
            if 0 <= i + obs.offset < len(sentence)
            else ("outside", min(i + obs.offset, 0) or i + obs.offset - len(sentence) + 1)
            for obs in template.observations
        )
        for sentence in sentences
        for i in range(len(sentence))
    ]


def naive_index(sentences, templates, min_count) -> tuple[list[dict[tuple, int]], list[int]]:
    """Row of each observation of each template, and the borders of the blocks."""
    known, blocks = [], [0]
    for template in templates:
        ranked = Counter(observations(sentences, template)).most_common()  # ties in order of first occurrence
        kept = [observation for observation, count in ranked if count >= min_count]
        known.append({observation: blocks[-1] + i for i, observation in enumerate(kept)})
        blocks.append(blocks[-1] + len(kept))
    return known, blocks


def naive_rows(sentences, templates, known) -> list[list[int]]:
    columns = [
        [rows.get(observation, -1) for observation in observations(sentences, template)]
        for template, rows in zip(templates, known, strict=True)
    ]
    n_tokens = sum(map(len, sentences))
    return [[column[t] for column in columns] for t in range(n_tokens)]


@settings(deadline=None)
@given(SENTENCES, TEMPLATES, st.integers(1, 4))
def test_build_agrees_with_a_dictionary(sentences, templates, min_count):
    known, blocks = naive_index(sentences, templates, min_count)
    index, rows = build_index(*arrays(sentences), compile_program(templates, COLUMNS), min_count)
    assert index.blocks.tolist() == blocks
    assert index.n_rows == index.keys.size == blocks[-1]
    assert rows.dtype == np.int32
    assert rows.tolist() == naive_rows(sentences, templates, known)


@settings(deadline=None)
@given(SENTENCES, SENTENCES, TEMPLATES, st.integers(1, 3))
def test_look_up_of_other_text_agrees_with_a_dictionary(training, other, templates, min_count):
    known, _ = naive_index(training, templates, min_count)
    program = compile_program(templates, COLUMNS)
    index, rows = build_index(*arrays(training), program, min_count)
    assert index.rows(*arrays(other), program).tolist() == naive_rows(other, templates, known)
    assert index.rows(*arrays(training), program).tolist() == rows.tolist()


@settings(deadline=None)
@given(SENTENCES, TEMPLATES, st.integers(1, 3))
def test_index_rebuilt_from_its_arrays_is_the_same(sentences, templates, min_count):
    program = compile_program(templates, COLUMNS)
    columns, starts = arrays(sentences)
    index, rows = build_index(columns, starts, program, min_count)
    loaded = FeatureIndex(index.keys.copy(), index.blocks.copy())
    assert loaded.rows(columns, starts, program).tolist() == rows.tolist()


@pytest.fixture(scope="module")
def large():
    """20,000 tokens of Zipfian values in sentences of 25: tables grow, and many slots are taken."""
    rng = np.random.default_rng(0)
    columns = rng.zipf(1.3, (2, 20_000)).astype(np.uint64)
    program = compile_program(parse_templates(["U0:%x[0,ORTH]", "U1:%x[-1,ORTH]/%x[0,TAG]", "B"]), COLUMNS)
    return columns, np.arange(0, 20_001, 25), program


def test_frequent_rows_come_first_in_each_block(large):
    index, rows = build_index(*large)
    for j, (start, end) in enumerate(zip(index.blocks[:-1], index.blocks[1:], strict=True)):
        counts = np.bincount(rows[:, j] - start, minlength=end - start)
        assert counts.size == end - start
        assert counts.min() >= 1
        assert np.all(np.diff(counts) <= 0)


@pytest.mark.parametrize("size", [2, 3, 7])
@pytest.mark.parametrize("min_count", [1, 3])
def test_several_threads_index_as_one_does(large, size, min_count):
    one, rows_of_one = build_index(*large, min_count)
    index, rows = build_index(*large, min_count, Crew(size))
    assert np.array_equal(index.keys, one.keys)
    assert np.array_equal(index.blocks, one.blocks)
    assert np.array_equal(rows, rows_of_one)


@pytest.mark.parametrize("min_count", [2, 5, 20_000])
def test_cut_off_keeps_the_first_rows_of_each_block(large, min_count):
    full, full_rows = build_index(*large)
    index, rows = build_index(*large, min_count)
    for j, (start, end) in enumerate(zip(index.blocks[:-1], index.blocks[1:], strict=True)):
        first = full.blocks[j]
        counts = np.bincount(full_rows[:, j] - first)
        assert end - start == np.sum(counts >= min_count)
        assert np.array_equal(index.keys[start:end], full.keys[first : first + end - start])
        kept = counts[full_rows[:, j] - first] >= min_count
        assert np.array_equal(rows[:, j], np.where(kept, full_rows[:, j] - first + start, -1))


def test_look_up_of_a_large_corpus_finds_the_rows_it_was_built_with(large):
    columns, starts, program = large
    index, rows = build_index(columns, starts, program)
    assert np.array_equal(index.rows(columns, starts, program), rows)
    assert np.unique(index.keys).size == index.n_rows


def test_both_kinds_of_template_keep_rows_of_their_own():
    program = compile_program(parse_templates(["U0:%x[0,ORTH]", "B0:%x[0,ORTH]"]), COLUMNS)
    columns, starts = arrays([[(1, 0), (2, 0), (1, 0)]])
    index, rows = build_index(columns, starts, program)
    assert rows.tolist() == [[0, 2], [1, 3], [0, 2]]
    assert index.rows(columns, starts, program).tolist() == rows.tolist()


def test_empty_index_knows_nothing():
    program = compile_program(parse_templates(["U0:%x[0,ORTH]"]), COLUMNS)
    index = FeatureIndex(np.empty(0, np.uint64), np.zeros(2, np.int64))
    assert index.rows(*arrays([[(1, 0), (2, 0)]]), program).tolist() == [[-1], [-1]]


def test_program_without_templates_makes_no_rows():
    empty = Program(np.zeros(1, np.int64), np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.uint64))
    index, rows = build_index(*arrays([[(1, 0), (2, 0)]]), empty)
    assert index.n_rows == 0
    assert rows.shape == (2, 0)


@pytest.mark.parametrize("n_keys", [0, 1, 8, 9, 1000])
def test_table_is_at_most_half_full(n_keys):
    table = empty_table(n_keys)
    assert table.rows.size >= 2 * n_keys
    assert table.rows.size & (table.rows.size - 1) == 0


def test_keys_that_fall_on_one_slot_are_all_found():
    keys = np.arange(500, dtype=np.uint64) << np.uint64(40)  # equal low bits: every key wants slot 0
    table = empty_table(keys.size)
    insert_all(table, keys)
    assert [int(table.rows[find(table, key)]) for key in keys] == list(range(keys.size))
    assert table.rows[find(table, np.uint64(500 << 40))] == -1


def test_keys_that_are_added_later_go_on_counting():
    keys = np.arange(1, 301, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    table = empty_table(keys.size)
    for size, first in ((100, 0), (101, 100), (300, 101)):
        insert_all(table, keys[:size], first)
        assert [int(table.rows[find(table, key)]) for key in keys[:size]] == list(range(size))
