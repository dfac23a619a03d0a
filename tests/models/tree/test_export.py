"""What a model of trees keeps: the strongest rows, as many as the file may hold."""

import numpy as np
import pytest

from spacy_mtl.models.store import to_bytes
from spacy_mtl.models.tree.export import Side, export_tree
from spacy_mtl.structures.tree.filter import FilterTables, empty_tables
from spacy_mtl.templates.grammar import Template

LABELS = tuple(f"l{i}" for i in range(20))
TAGS = np.empty(0, np.uint64)


def side(name: str, n_rows: int, width: int, seed: int, per_row: int = 2) -> Side:
    """Weights of which ``per_row`` in each row are not zero, keys at random as hashes are."""
    random = np.random.default_rng(seed)
    matrix = np.zeros((n_rows, width), np.float32)
    for _ in range(per_row):
        matrix[np.arange(n_rows), random.integers(0, width, n_rows)] = random.normal(size=n_rows)
    keys = random.integers(0, 1 << 43, n_rows).astype(np.uint64) << np.uint64(5)  # distance 0
    blocks = np.array([0, n_rows])
    return Side((Template(name),), matrix, np.ones(1), np.ones(1), keys, blocks)


@pytest.fixture(scope="module")
def sides():
    return side("U0", 150_000, 1, 0), side("B0", 60_000, len(LABELS), 1)


@pytest.mark.parametrize("megabytes", [0.2, 0.6])
def test_the_file_is_as_large_as_it_may_be(sides, megabytes):
    weights = export_tree(*sides, LABELS, TAGS, None, megabytes)
    size = len(to_bytes(weights, {})) / 1e6
    assert 0.85 * megabytes < size <= megabytes
    smallest = np.abs(weights.values.astype(np.float32)).min()
    left_out = np.abs(sides[0].matrix).ravel()
    assert (left_out > smallest * 1.001).sum() <= weights.keys.size <= (left_out >= smallest * 0.999).sum()


def test_all_rows_are_kept_where_they_fit(sides):
    full = export_tree(*sides, LABELS, TAGS, None, None)
    same = export_tree(*sides, LABELS, TAGS, None, 1.15 * len(to_bytes(full, {})) / 1e6)
    assert np.array_equal(same.keys, full.keys)
    assert np.array_equal(same.pair_keys, full.pair_keys)


@pytest.mark.parametrize("scale", [1e-9, 1e9])
def test_rows_of_dead_templates_are_not_kept(scale):
    one = side("U0", 100, 1, 2)
    mu, templates = scale * np.array([1, 1e-6, 1]), (Template("U0"), Template("U1"), Template("U2"))
    three = Side(templates, one.matrix, mu, np.ones(3), one.keys, np.array([0, 20, 50, 100]))
    weights = export_tree(three, None, (), TAGS, None, None)
    assert [row.rows for row in weights.templates] == [20, 0, 50]
    assert weights.keys.size == 70


def test_without_labels_arcs_alone_share_the_file(sides):
    weights = export_tree(sides[0], None, (), TAGS, None, 0.2)
    assert 0.85 * 0.2 < len(to_bytes(weights, {})) / 1e6 <= 0.2
    assert not weights.pair_keys.size


def test_a_file_too_small_for_anything_holds_nothing(sides):
    with pytest.warns(UserWarning, match=r"^\[M433\] The limit of 1e-06 megabytes leaves 0 of the 210000 "):
        weights = export_tree(*sides, LABELS, TAGS, None, 1e-6)
    assert not weights.keys.size
    assert not weights.pair_keys.size


def tables(n_tags: int) -> FilterTables:
    """Of which most is 0, as little of what there might be is ever seen."""
    random, found = np.random.default_rng(2), empty_tables(n_tags)
    for table in found:
        some = random.integers(0, table.size, table.size // 50)
        table[some] = random.normal(size=some.size)
    return found


def test_the_filter_is_charged_what_it_takes_in_the_file(sides):
    """Before compression it would take 2 megabytes."""
    tags, filter_tables = np.arange(1, 47, dtype=np.uint64), tables(48)
    assert sum(map(len, filter_tables)) * 2 > 2e6
    weights = export_tree(*sides, LABELS, tags, filter_tables, 0.6)
    assert 0.85 * 0.6 < len(to_bytes(weights, {})) / 1e6 <= 0.6
    assert weights.keys.size > 10_000


def test_a_file_that_the_filter_fills_is_warned_of(sides):
    tags, filter_tables = np.arange(1, 47, dtype=np.uint64), tables(48)
    with pytest.warns(UserWarning, match=r"^\[M433\] .* leaves 0 of the .* takes 0\.\d\d megabytes\)"):
        export_tree(*sides, LABELS, tags, filter_tables, 0.01)


def test_rows_of_which_none_seemed_to_fit_are_not_taken_for_cheap():
    """All arcs are stronger than all labels: before compression they alone fill the file."""
    arcs, labels = side("U0", 100_000, 1, 0, 1), side("B0", 100_000, len(LABELS), 1, len(LABELS))
    arcs.matrix[:] = np.sign(arcs.matrix) * (100 + np.abs(arcs.matrix))
    weights = export_tree(arcs, labels, LABELS, TAGS, None, 0.8)
    assert len(to_bytes(weights, {})) / 1e6 <= 0.8


def test_rows_alike_side_by_side_are_not_taken_for_small():
    """Weights in the order of their rows compress better than in that of their keys, which is the file's."""
    arcs = side("U0", 200_000, 1, 0, 1)
    arcs.matrix[:] = np.sort(np.round(1 + np.abs(arcs.matrix), 2), axis=0)
    assert len(to_bytes(export_tree(arcs, None, (), TAGS, None, 0.7), {})) / 1e6 <= 0.7
