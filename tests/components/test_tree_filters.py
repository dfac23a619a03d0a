"""The filter's attribute and its values."""

import numpy as np

from spacy_mtl.components.tree_filters import choose_attribute, choose_form, learn_tables, number_tags, with_forms
from spacy_mtl.structures.tree_filter import MOST_TAGS
from spacy_mtl.templates.grammar import parse_templates

NAMES = {"ORTH": 0, "TAG": 1, "POS": 2, "IS_ALPHA": 3}
COLUMNS = np.array([np.arange(100), np.arange(100) % 30, np.arange(100) % 12, np.arange(100) % 2], np.uint64)


def chosen(*texts):
    return choose_attribute(COLUMNS, NAMES, parse_templates(texts))


def test_the_richest_attribute_that_is_not_too_rich_is_chosen():
    assert chosen("U0:%h[0,ORTH]/%m[0,POS]", "U1:%m[0,TAG]") == "TAG"
    assert chosen("U0:%h[0,ORTH]/%m[0,POS]", "U1:%m[0,IS_ALPHA]") == "POS"


def test_else_the_poorest():
    assert chosen("U0:%h[0,ORTH]") == "ORTH"
    assert chosen("U0:%h[0,ORTH]", "U1:%h[0,IS_ALPHA]") == "IS_ALPHA"


def test_templates_that_read_nothing():
    assert chosen("U0:%d") is None


def test_numbers_of_values():
    tags = np.array([50, 7, 9], np.uint64)
    column = np.array([7, 50, 9, 8, 100, 0], np.uint64)
    assert number_tags(column, tags).tolist() == [2, 1, 3, 3, 3, 3]


def test_numbers_of_words():
    column, forms = np.array([7, 7, 9, 9], np.uint64), np.array([1, 2, 1, 3], np.uint64)
    tags = np.concatenate([with_forms(column[:1], forms[:1]), np.array([9, 7], np.uint64)])
    assert number_tags(column, tags, forms).tolist() == [1, 3, 2, 2]


def test_frequent_words_have_numbers_of_their_own_where_there_is_room():
    column, forms = (
        np.repeat(np.array([5, 6], np.uint64), 100),
        np.repeat(np.array([1, 2, 3], np.uint64), [100, 60, 40]),
    )
    starts, heads = np.arange(0, 201, 5), np.tile(np.arange(5, dtype=np.int32), 40)
    tags, _ = learn_tables(column, starts, heads, forms)
    words = with_forms(np.array([5, 6], np.uint64), np.array([1, 2], np.uint64))
    assert tags.tolist() == [*words.tolist(), 5, 6]
    crowded, _ = learn_tables(np.arange(200, dtype=np.uint64), starts, heads, forms)
    assert crowded.size == MOST_TAGS - 2
    assert choose_form(COLUMNS, NAMES, parse_templates(["U0:%h[0,ORTH]/%m[0,POS]"])) == "ORTH"


def test_most_frequent_values_have_numbers_of_their_own():
    rng = np.random.default_rng(0)
    column = np.concatenate([np.full(200 - k, k) for k in range(70)]).astype(np.uint64)
    column = column[rng.permutation(column.size)]
    starts = np.append(np.arange(0, column.size, 5), column.size)
    heads = np.concatenate([np.arange(size) for size in np.diff(starts)]).astype(np.int32)
    tags, tables = learn_tables(column, starts, heads)
    assert tags.tolist() == list(range(MOST_TAGS - 2))
    assert tables.pair.size == MOST_TAGS**2 * 14
    assert np.isfinite(tables.pair).all()
    assert tables.pair.any()
