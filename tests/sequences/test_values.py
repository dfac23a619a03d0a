"""What callers give as features, columns, lengths and labels, and what is refused."""

import numpy as np
import pytest
from scipy import sparse

from spacy_mtl.sequences.values import as_categories, as_features, as_labels, as_starts


def test_features_become_floats():
    for value in ([[1, 0], [2, 3]], np.array([[1, 0], [2, 3]], np.uint8), np.array([[True, False], [True, True]])):
        table = as_features(value, "X")
        assert table.dtype == np.float64
        np.testing.assert_array_equal(table, np.asarray(value, float))
    assert as_features(np.ones((2, 2), np.float32), "X").dtype == np.float32
    assert as_features(np.ones((2, 2), np.float16), "X").dtype == np.float32
    assert as_features(np.asfortranarray(np.arange(4.0).reshape(2, 2)), "X").flags.c_contiguous


@pytest.mark.parametrize("kind", [sparse.coo_array, sparse.csc_matrix, sparse.csr_matrix, sparse.lil_matrix])
def test_sparse_features_keep_what_is_not_zero(kind):
    dense = np.array([[0, 2.0, 0], [0, 0, 0], [3, 0, 4]])
    given = kind(dense)
    table = as_features(given, "X")
    np.testing.assert_array_equal(table.toarray(), dense)
    assert table.indices.tolist() == [1, 0, 2]
    np.testing.assert_array_equal(given.toarray(), dense)


def test_sparse_entries_are_put_in_order_summed_and_the_callers_kept():
    given = sparse.csr_array((np.array([1.0, 2, 3, 0, 5, -5]), np.array([2, 0, 2, 1, 1, 1]), np.array([0, 3, 6])))
    before = given.indices.copy()
    table = as_features(given, "X")
    assert table.indices.tolist() == [0, 2]
    assert table.data.tolist() == [2, 4]
    np.testing.assert_array_equal(given.indices, before)


@pytest.mark.parametrize(
    "value",
    [[1.0, 2.0], [[["a"]]], [["a", "b"]], np.empty((3, 0)), np.zeros((2, 2), complex), [[None, 1]], 5.0, [[1, 2], [3]]],
)
def test_no_table_of_numbers(value):
    with pytest.raises(ValueError, match=r"\[M228\].*'pixels'"):
        as_features(value, "pixels")


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e39, -1.1e12])
def test_features_must_be_finite(bad):
    dense = np.zeros((5, 3))
    dense[3, 1] = bad
    for table in (dense, sparse.csr_array(dense), sparse.coo_array(dense)):
        with pytest.raises(ValueError, match=r"\[M223\].*'pixels'.*position 3"):
            as_features(table, "pixels")


def test_categories():
    np.testing.assert_array_equal(as_categories([3, -1, 0], "c"), [[3], [-1], [0]])
    np.testing.assert_array_equal(as_categories(np.array([[1, 2]], np.uint8), "c"), [[1, 2]])


@pytest.mark.parametrize(
    "value", [[0.5, 1], [[1, -2]], ["a"], np.zeros((2, 2, 2), int), np.zeros((2, 0), int), 3, [[1, 2], [3]]]
)
def test_no_categories(value):
    with pytest.raises(ValueError, match=r"\[M229\].*'c'"):
        as_categories(value, "c")


def test_lengths():
    np.testing.assert_array_equal(as_starts([2, 1, 3], 6), [0, 2, 3, 6])
    assert as_starts(np.array([2], np.uint8), 2).dtype == np.int64


@pytest.mark.parametrize(
    "lengths", [[2, 1], [2, 5], [2, 0, 4], [-1, 7], [2.0, 4.0], [], [[6]], 6, ["6"], [[2, 1], [3]]]
)
def test_lengths_that_do_not_fit(lengths):
    with pytest.raises(ValueError, match=r"\[M220\].*positions, 6"):
        as_starts(lengths, 6)


@pytest.mark.parametrize(
    ("y", "labels", "gold", "names"),
    [
        ([7, -3, 7], None, [1, 0, 1], [-3, 7]),
        (["b", "a"], None, [1, 0], ["a", "b"]),
        (["b", None, "c"], ["c", "b", "a"], [1, -1, 0], ["c", "b", "a"]),
        ([None, 2], None, [-1, 0], [2]),
        (np.array([5, 4], np.uint8), [4, 5, 6], [1, 0], [4, 5, 6]),
        ([None, None], ["x"], [-1, -1], ["x"]),
        ([np.int64(3), None], None, [0, -1], [3]),
    ],
)
def test_labels(y, labels, gold, names):
    found, listed = as_labels(y, labels)
    assert found.dtype == np.int32
    assert found.tolist() == gold
    assert listed.tolist() == names


@pytest.mark.parametrize(
    ("y", "labels"),
    [
        ([0.5, 1], None),
        ([1, "a"], [1, "a"]),
        ([None, "a", 1], None),
        ([[1, 2]], None),
        (["a"], ["a", "a"]),
        (["a"], []),
        ([(1, 2), None], None),
        (np.array([True, False]), None),
        (3, None),
    ],
)
def test_no_labels(y, labels):
    with pytest.raises(ValueError, match=r"\[M230\]"):
        as_labels(y, labels)


@pytest.mark.parametrize(("y", "labels"), [(["a", "z"], ["a", "b"]), ([1, 9], [1, 2]), ([1], ["1"])])
def test_labels_that_are_not_listed(y, labels):
    with pytest.raises(ValueError, match=rf"\[M231\] The label {y[-1]!r} in y"):
        as_labels(y, labels)


@pytest.mark.parametrize(
    ("y", "said"),
    [
        ([1, "a", 2], "integers and strings"),
        (np.array([1.0, 2.0]), "float64 such as 1.0"),
        ([1, 2, np.nan], "float such as nan"),
        ([1, -(2**64)], "-18446744073709551616, which does not fit into 64 bits"),
    ],
)
def test_what_is_wrong_with_labels(y, said):
    with pytest.raises(ValueError, match=rf"\[M230\].*but got {said}"):
        as_labels(y, None)


def masked(values, mask=(False, True, False)):
    return np.ma.masked_array(values, mask)


def test_masked_labels_are_missing_gold():
    for y in (
        masked([5, 7, 5]),
        masked(["b", "a", "b"]),
        masked(np.array(["b", "a", None], object), [False, True, False]),
    ):
        gold, names = as_labels(y, None)
        assert gold[:2].tolist() == [0, -1]
        assert names.size == 1
    assert as_labels(masked([5, 7, 5], False), None)[0].tolist() == [0, 1, 0]
    with pytest.raises(ValueError, match=r"\[M230\].*labels = "):
        as_labels([5, 5, 5], masked([5, 6, 7]))


def test_other_arrays_with_masked_values_are_refused():
    table = masked([[1.0], [2.0], [3.0]], [[False], [True], [False]])
    with pytest.raises(ValueError, match=r"\[M228\].*'X'.*masked"):
        as_features(table, "X")
    with pytest.raises(ValueError, match=r"\[M229\].*'c'.*masked"):
        as_categories(masked([1, 2, 3]), "c")
    with pytest.raises(ValueError, match=r"\[M220\]"):
        as_starts(masked([1, 2, 3]), 6)
    assert as_features(masked(table.data, False), "X").tolist() == [[1], [2], [3]]
    assert as_starts(masked([1, 2, 3], False), 6).tolist() == [0, 1, 3, 6]


def test_integers_of_more_than_63_bits_are_refused():
    large = np.array([1, 2**64 - 1], np.uint64)
    with pytest.raises(ValueError, match=r"\[M230\].*18446744073709551615"):
        as_labels(large, None)
    with pytest.raises(ValueError, match=r"\[M230\]"):
        as_labels([1, 2], large)
    with pytest.raises(ValueError, match=r"\[M229\].*18446744073709551615"):
        as_categories(large, "c")
    assert as_labels(large[:1] + np.uint64(2**63 - 2), None)[1].tolist() == [2**63 - 1]


def test_strings_that_numpy_would_cut_are_refused():
    with pytest.raises(ValueError, match=r"\[M230\].*ends in NUL"):
        as_labels(["a", "a\0"], None)


def test_labels_of_which_one_is_nothing():
    with pytest.raises(ValueError, match=r"M230.*NoneType such as None"):
        as_labels([1, 2], [1, None])


def test_labels_are_in_the_order_of_bytes_that_files_have():
    gold, names = as_labels(np.array(["b", "a"], ">U1"), None)
    assert (gold.tolist(), names.tolist(), names.dtype.str) == ([1, 0], ["a", "b"], "<U1")
