"""Sentences too long to be parsed at once: where they are cut, and how the trees of their pieces become one."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from spacy_mtl.models.tree.pieces import join_pieces, piece_borders


def test_sentences_are_cut_behind_the_last_mark_that_is_not_too_early():
    marks = np.zeros(30, bool)
    marks[[3, 11, 13, 26]] = True
    starts = np.array([0, 5, 25, 30])
    assert piece_borders(starts, 10, marks).tolist() == [0, 5, 14, 24, 25, 30]
    assert piece_borders(starts, 20, marks).tolist() == starts.tolist()
    assert piece_borders(starts, 5, np.zeros(30, bool)).tolist() == [0, 5, 10, 15, 20, 25, 30]


@given(st.lists(st.integers(1, 40), min_size=1, max_size=4), st.integers(2, 12), st.data())
def test_no_piece_is_longer_than_allowed(lengths, most, data):
    starts = np.cumsum([0, *lengths])
    marks = np.array(data.draw(st.lists(st.booleans(), min_size=int(starts[-1]), max_size=int(starts[-1]))))
    pieces = piece_borders(starts, most, marks)
    assert set(starts.tolist()) <= set(pieces.tolist())
    assert np.diff(pieces).min() >= 1
    assert np.diff(pieces).max() <= most
    # none is cut much too short: the work is linear in the length of the text
    assert pieces.size - 1 <= sum(1 + 2 * (n // most + 1) for n in lengths)


def test_the_root_of_a_piece_is_attached_to_that_of_the_piece_before():
    heads = np.array([2, 0, 2, 0, 1, 2, 3, 0, 0, 1], np.int32)
    starts, pieces = np.array([0, 8, 10]), np.array([0, 3, 5, 8, 10])
    heads[5:8] = [3, 3, 0]
    joined = join_pieces(heads, starts, pieces, True)
    assert joined.tolist() == [3, 7]
    assert heads.tolist() == [2, 0, 2, 2, 4, 8, 8, 4, 0, 1]


def test_where_several_roots_are_allowed_they_stay():
    heads = np.array([0, 1, 0, 0], np.int32)
    assert join_pieces(heads, np.array([0, 4]), np.array([0, 2, 4]), False).size == 0
    assert heads.tolist() == [0, 1, 0, 0]
    heads = np.array([0, 1, 2, 0], np.int32)
    join_pieces(heads, np.array([0, 4]), np.array([0, 2, 4]), False)
    assert heads.tolist() == [0, 1, 4, 0]
