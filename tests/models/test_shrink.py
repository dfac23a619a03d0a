"""How much a few sentences with a new label change known ones."""

import numpy as np
import pytest

from spacy_mtl.models.shrink import LEAST, SENTENCES, credibility, shrunk

KNOWN = np.array([True, True, False, True])


def test_few_sentences_are_believed_by_half_and_many_nearly_in_full():
    assert credibility(1) == credibility(SENTENCES) == LEAST == 0.5
    assert credibility(3 * SENTENCES) == 0.75
    assert credibility(8_000) > 0.997


def test_known_labels_are_shrunk_towards_their_mean_and_new_ones_stay():
    matrix = np.random.default_rng(0).normal(size=(5, 4)).astype(np.float32)
    given = matrix.copy()
    found = shrunk(matrix, KNOWN, 60)
    np.testing.assert_array_equal(matrix, given)  # the training goes on with its own
    np.testing.assert_array_equal(found[:, 2], matrix[:, 2])
    np.testing.assert_allclose(found[:, KNOWN].mean(axis=1), matrix[:, KNOWN].mean(axis=1), atol=1e-6)
    apart = matrix[:, 0] - matrix[:, 3]
    np.testing.assert_allclose(found[:, 0] - found[:, 3], 0.75 * apart, rtol=1e-5)


@pytest.mark.parametrize("known", [True, False])
def test_nothing_is_shrunk_where_all_labels_are_known_or_none(known):
    matrix = np.ones((2, 3), np.float32)
    assert shrunk(matrix, np.full(3, known), 1) is matrix
