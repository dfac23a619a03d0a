"""Scores of labels in prediction are sums of the rows that an index finds, however many labels there are."""

from itertools import pairwise

import numpy as np
import pytest

from spacy_mtl.models.chain.weights import short_keys
from spacy_mtl.models.tree.arc_scores import LANES, plan_of, score_labels, widened
from spacy_mtl.models.tree.arc_table import arc_table
from spacy_mtl.templates.arcs.index import Parts, build_arc_index, find_arc_rows
from spacy_mtl.templates.arcs.program import compile_arcs
from spacy_mtl.templates.grammar import parse_template

NONE = np.empty(0, np.int32)
TEMPLATES = [parse_template(text) for text in ("B00:%h[0,A]/%m[0,A]", "B01:%m[0,A]/%d", "B02:%h[0,A]/%b[A]/%m[0,A]")]


@pytest.mark.parametrize("n_labels", [1, 3, LANES, LANES + 8])
def test_label_scores_are_sums_of_rows(n_labels):
    random = np.random.default_rng(n_labels)
    starts = np.array([0, 5, 6, 14])
    columns = random.integers(1, 4, (1, 14)).astype(np.uint64)
    lengths = np.repeat(np.diff(starts), np.diff(starts))
    heads = random.integers(0, lengths + 1).astype(np.int32)
    heads[heads == np.arange(14) - np.repeat(starts[:-1], np.diff(starts)) + 1] = 0
    program = compile_arcs(TEMPLATES, {"A": 0})
    parts = Parts(starts, np.arange(15), heads, NONE, NONE)
    index, table = build_arc_index(columns, program, len(TEMPLATES), parts)
    codes = random.integers(-127, 128, (index.n_rows, n_labels)).astype(np.int8)
    scales = random.random(index.n_rows).astype(np.float32)
    first, rows, _ = find_arc_rows(columns, program, parts, table)
    matrix = codes * scales[:, None]
    sums = [matrix[rows[a:b]].sum(axis=0) for a, b in pairwise(first)]
    expected = np.where(heads[:, None] > 0, sums, 0)

    order = np.argsort(short_keys(index.keys))
    found = np.full((14, n_labels), np.nan, np.float32)
    weights = *arc_table(short_keys(index.keys)[order]), widened(codes[order]), scales[order]
    score_labels(columns, starts, program, plan_of(program), *weights, parts.first, heads, NONE, found)
    assert (heads > 0).any()
    assert (heads == 0).any()
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize(("n_labels", "width"), [(0, 0), (1, LANES), (LANES, LANES), (LANES + 1, 2 * LANES)])
def test_codes_are_widened_with_zeros(n_labels, width):
    codes = np.ones((5, n_labels), np.int8)
    wide = widened(codes)
    assert wide.shape == (5, width)
    assert wide.dtype == np.int8
    assert wide.sum() == codes.sum() == wide[:, :n_labels].sum()
