"""The filter's attribute and its values."""

import numpy as np
import pytest

from spacy_mtl.models.tree.filters import choose_attribute, held_out_likelihood, learn_tables, number_tags
from spacy_mtl.structures.tree.filter import MOST_TAGS, empty_tables, learn_filter
from spacy_mtl.templates.grammar import parse_templates

NAMES = {"ORTH": 0, "TAG": 1, "POS": 2, "IS_ALPHA": 3, "DEP": 4, "LEMMA": 5}
STARTS = np.arange(0, 2001, 10)
#: Every word hangs on the next one whose POS is 1, the others on the root.
N = int(STARTS[-1])
POS = np.random.default_rng(0).integers(1, 5, N)
COLUMNS = np.array(
    [
        np.arange(N),
        np.random.default_rng(1).integers(0, 40, N),
        POS,
        np.arange(N) % 2,
        POS % 3,
        POS + (POS == 4) * (np.arange(N) % 250 == 0),
    ],
    np.uint64,
)


def heads_by_pos() -> np.ndarray:
    heads = np.zeros(N, np.int32)
    for start in STARTS[:-1]:
        for m in range(10):
            later = (h + 1 for h in range(m + 1, 10) if POS[start + h] == 1)
            heads[start + m] = next(later, 0)
    return heads


def chosen(*texts):
    return choose_attribute(COLUMNS, NAMES, parse_templates(texts), STARTS, heads_by_pos())


def test_the_attribute_that_predicts_heads_of_other_sentences_best_is_chosen():
    assert chosen("U0:%h[0,ORTH]/%m[0,POS]", "U1:%m[0,TAG]", "U2:%m[0,DEP]") == "POS"
    assert chosen("U0:%h[0,ORTH]/%m[0,DEP]", "U1:%m[0,TAG]") == "DEP"


def test_of_two_that_predict_about_as_well_the_richer_one():
    assert chosen("U0:%h[0,LEMMA]/%m[0,POS]", "U1:%m[0,DEP]") == "LEMMA"


def test_the_only_one_that_is_neither_too_rich_nor_too_poor():
    assert chosen("U0:%h[0,ORTH]/%m[0,TAG]", "U1:%m[0,IS_ALPHA]") == "TAG"


def test_else_the_poorest():
    assert chosen("U0:%h[0,ORTH]") == "ORTH"
    assert chosen("U0:%h[0,ORTH]", "U1:%h[0,IS_ALPHA]") == "IS_ALPHA"


def test_a_single_sentence_is_enough_to_choose():
    templates = parse_templates(["U0:%m[0,TAG]", "U1:%m[0,POS]"])
    assert choose_attribute(COLUMNS[:, :10], NAMES, templates, STARTS[:2], heads_by_pos()[:10]) in ("TAG", "POS")


def test_likelihood_of_held_out_heads_is_that_of_the_tables():
    """Of tables that have learnt nothing, all heads are equally likely: with ten words, each has ten."""
    unknown = np.zeros(N, np.uint64)
    found = held_out_likelihood(unknown, STARTS[:2], np.full(10, -1, np.int32))
    assert found == 0
    heads = heads_by_pos()
    tables = empty_tables(5)
    none = np.zeros(1, np.float32)
    assert learn_filter(POS, STARTS, heads, 5, tables, none) == pytest.approx(N * np.log(1 / 10), rel=1e-5)
    assert not any(table.any() for table in tables)


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
