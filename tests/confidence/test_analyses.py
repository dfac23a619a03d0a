"""Probabilities of the analyses of words."""

import numpy as np
import pytest

from spacy_mtl.confidence.analyses import share_of_analyses


def test_a_known_word_shares_its_probability_among_the_analyses_it_was_seen_with():
    of_labels = np.tile(np.array([0.5, 0.3, 0.2], np.float32), (3, 1))
    table, form_labels = np.array([[0], [1], [2]]), np.array([[True, True, False]])
    out = np.empty(3)
    share_of_analyses(of_labels, table, np.array([-1, 0, 0]), form_labels, np.array([0, 0, 2], np.int32), out)
    assert out == pytest.approx([0.5, 0.5 / 0.8, np.nan], nan_ok=True)
