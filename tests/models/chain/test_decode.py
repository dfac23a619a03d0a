"""Decoding with positions that are held to labels."""

import numpy as np

from spacy_mtl.models.chain.decode import Chain, Held, decode_all, hold
from spacy_mtl.structures.chain.viterbi import FORBIDDEN


def test_a_label_that_is_left_alone_wins_where_it_and_the_way_to_it_are_forbidden():
    nothing, mask = np.zeros((2, 2), np.float32), np.array([[0, FORBIDDEN], [0, FORBIDDEN]], np.float32)
    chain = Chain(np.zeros(2, np.float32), np.zeros(2, np.float32), nothing, mask)
    nodes = np.array([[1, 0], [5, FORBIDDEN], [1, 0]], np.float32)
    hold(nodes, Held(np.array([1]), np.array([[False, True]])))
    labels = np.empty(3, np.int32)
    decode_all(np.array([0, 3]), nodes, None, chain, labels)
    assert labels.tolist() == [0, 1, 0]
