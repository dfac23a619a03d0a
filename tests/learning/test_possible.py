"""Which stored outputs are outputs of a problem."""

from types import SimpleNamespace

import numpy as np

from spacy_mtl.learning.possible import possible_outputs


def test_words_without_gold_between_pieces_do_not_matter():
    """Their slots are those of no piece, and have whatever gold has, -1."""
    arrays = SimpleNamespace(first=np.array([0, 3, 5]), last=np.array([2, 4, 7]))
    possible = possible_outputs(SimpleNamespace(arrays=arrays, node_width=3))
    assert possible(np.array([0, 2, -1, 1, -1, 2, 0], np.int32)).tolist() == [True] * 3
    assert possible(np.array([0, 3, -1, -1, -1, 2, 0], np.int32)).tolist() == [False, False, True]
