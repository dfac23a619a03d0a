"""The filter's attribute and its values."""

import numpy as np

from spacy_mtl.models.tree.filters import choose_attribute, learn_tables, number_tags
from spacy_mtl.structures.tree.filter import MOST_TAGS
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
