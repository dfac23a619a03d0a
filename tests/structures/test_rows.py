"""Feature rows that no template has are refused, since kernels do not check indices."""

import numpy as np
import pytest

from spacy_mtl.structures.rows import check_within, own_rows, whole_rows

BORDERS = np.array([0, 2, 5, 9])


def test_own_rows_stay_as_they_are():
    rows = np.array([[0, 4], [-1, 2], [1, -1]], np.int32)
    assert own_rows(rows, BORDERS, (3, 2), "words") is rows
    assert own_rows(rows.astype(float), BORDERS, (3, 2), "words").tolist() == rows.tolist()
    assert own_rows(np.full((3, 2), -1), BORDERS, (3, 2), "words").dtype == np.int32
    assert own_rows(np.empty((0, 2)), BORDERS, (0, 2), "words").shape == (0, 2)
    assert own_rows(np.empty((3, 0)), BORDERS, (3, 0), "words").shape == (3, 0)


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([[0, 5]], "template 1, whose rows are 2 to 4, has the row 5"),
        ([[0, 1], [0, -1]], "template 1, whose rows are 2 to 4, has the row 1"),
        ([[2, 2]], "template 0, whose rows are 0 to 1, has the row 2"),
        (np.array([[0, -2]], np.int32), "has the row -2"),
        ([[0, -2]], "one is -2"),
        ([[0, 2.5]], "one is 2.5"),
        ([[0, np.nan]], "one is nan"),
        ([[0, np.inf]], "one is inf"),
        ([[0, 2**32 + 2]], "one is 4294967298"),
        ([[0]], r"shape \(1, 1\) instead of"),
        ([0, 2], r"shape \(2,\)"),
        ([["0", "2"]], r"<U1 of shape \(1, 2\)"),
    ],
)
def test_other_rows_are_refused(rows, words):
    with pytest.raises(ValueError, match=rf"M257.* of words .*{words}"):
        own_rows(np.array(rows), BORDERS, (len(rows), 2), "words")


def test_whole_rows_are_not_copied():
    rows = np.array([[7, -1]], np.int32)
    assert whole_rows(rows, "words") is rows


def test_numbers_within_a_range():
    check_within(np.array([0, 3]), 4, "arcs")
    check_within(np.array([], int), 0, "arcs")
    for number in (-1, 4):
        with pytest.raises(ValueError, match=f"M257.*one is {number}, with 4 in all"):
            check_within(np.array([0, number]), 4, "arcs")
