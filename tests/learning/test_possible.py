"""Which stored outputs are outputs of a problem."""

from types import SimpleNamespace

import numpy as np

from spacy_mtl.learning.possible import has_labels, possible_outputs


def test_words_without_gold_between_pieces_do_not_matter():
    """Their slots are those of no piece, and have whatever gold has, -1."""
    arrays = SimpleNamespace(first=np.array([0, 3, 5]), last=np.array([2, 4, 7]))
    possible = possible_outputs(SimpleNamespace(arrays=arrays, node_width=3))
    assert possible(np.array([0, 2, -1, 1, -1, 2, 0], np.int32)).tolist() == [True] * 3
    assert possible(np.array([0, 3, -1, -1, -1, 2, 0], np.int32)).tolist() == [False, False, True]


def test_words_that_are_held_to_labels_have_one_of_these():
    arrays = SimpleNamespace(first=np.array([0, 3]), last=np.array([2, 5]), forms=np.array([0, -1, 0, -1, 1]))
    arrays.form_mask = np.array([[0, -1], [-1, 0]], np.float32)
    possible = has_labels(SimpleNamespace(arrays=arrays))
    assert possible(np.array([0, 1, -1, 0, 1], np.int32)).tolist() == [True, True]
    assert possible(np.array([1, 1, -1, 0, 0], np.int32)).tolist() == [False, False]
