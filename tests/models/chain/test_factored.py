"""Weights of several factors as one model."""

import numpy as np

from spacy_mtl.models.chain.factored import joined_factors, of_factor
from spacy_mtl.models.chain.weights import ChainWeights, TemplateRow, quantize


def part(labels, keys, rows, step):
    codes, scales = quantize(np.array(rows, np.float32))
    n = len(labels)
    pairs = np.empty(0, np.uint64), np.empty((0, n * n), np.int8), np.empty(0, np.float32)
    templates = (TemplateRow("U0:%x[0,ORTH]", 1.0, 3.0, len(keys)), TemplateRow("B", 0.5, 4.0, 1))
    return ChainWeights(labels, templates, np.array(keys, np.uint64), codes, scales, *pairs, np.array(step, np.float32))


PARTS = (
    part(("0:a", "0:b"), [3, 5], [[1, -1], [0.5, 0]], [[0, 1], [2, 3]]),
    part(("1:c", "1:d", "1:e"), [5, 9], [[1, 2, 4], [0.001, 0, 0]], np.arange(9).reshape(3, 3)),
)


def test_labels_stand_side_by_side():
    found = joined_factors(PARTS, None)
    found.check()
    assert found.labels == ("0:a", "0:b", "1:c", "1:d", "1:e")
    assert found.keys.tolist() == [3, 5, 9]
    wanted = [[1, -1, 0, 0, 0], [0.5, 0, 1, 2, 4], [0, 0, 0.001, 0, 0]]
    np.testing.assert_allclose(found.node_rows(), wanted, atol=4 / 200)
    np.testing.assert_array_equal(found.step[:2, :2], PARTS[0].step)
    np.testing.assert_array_equal(found.step[2:, 2:], PARTS[1].step)
    assert not found.step[:2, 2:].any()
    assert not found.step[2:, :2].any()
    assert [(row.weight, row.norm) for row in found.templates] == [(1.0, 18**0.5), (0.5, 32**0.5)]


def test_the_strongest_observations_are_kept():
    found = joined_factors(PARTS, 2 * (8 + 5) / 1e6)
    found.check()
    assert found.keys.tolist() == [3, 5]


def test_a_factor_alone():
    whole = joined_factors(PARTS, None)
    found = of_factor(whole, 2, 5)
    found.check()
    assert found.labels == ("1:c", "1:d", "1:e")
    np.testing.assert_array_equal(found.node_rows(), whole.node_rows()[:, 2:])
    np.testing.assert_array_equal(found.step, PARTS[1].step)
