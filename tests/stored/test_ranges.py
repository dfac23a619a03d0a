import numpy as np
import pytest

from spacy_mtl.stored.fault import StoredValueError
from spacy_mtl.stored.ranges import check_ascending, check_finite, check_offsets, check_range, check_shape


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_numbers_are_finite(dtype, bad):
    array = np.array([[0.5, -3], [2, 0]], dtype)
    check_finite(array, "it")
    check_finite(array[:0], "it")
    array[1, 0] = bad
    with pytest.raises(StoredValueError, match="it has a number that is not finite"):
        check_finite(array, "it")


@pytest.mark.parametrize("sign", [1, -1])
def test_numbers_are_bounded(sign):
    array = np.array([1, 3], np.float32) * sign
    check_finite(array, "it", 3)
    with pytest.raises(StoredValueError, match="above 2"):
        check_finite(array, "it", 2)


def test_indices_are_in_range():
    array = np.array([2, 0, 5], np.int32)
    check_range(array, 0, 5, "it")
    check_range(array[:0], 0, -1, "it")
    for least, most in ((0, 4), (1, 5)):
        with pytest.raises(StoredValueError, match="outside"):
            check_range(array, least, most, "it")
    with pytest.raises(StoredValueError, match="outside"):
        check_range(np.array([2**64 - 1], np.uint64), 0, 5, "it")


def test_order():
    check_ascending(np.array([0, 1, 2**63], np.uint64), "it")
    check_ascending(np.empty(0, np.uint64), "it")
    for bad in ([1, 1], [2, 1], [0, 2**63, 5]):
        with pytest.raises(StoredValueError, match="ascending"):
            check_ascending(np.array(bad, np.uint64), "it")


def test_offsets():
    check_offsets(np.array([0, 2, 2, 5]), 5, "it")
    check_offsets(np.array([0]), 0, "it")
    for bad in ([], [1, 5], [0, 4], [0, 3, 2, 5], [-1, 5]):
        with pytest.raises(StoredValueError, match="does not lead from 0 to 5"):
            check_offsets(np.array(bad, np.int64), 5, "it")


def test_shape():
    check_shape(np.zeros((2, 3)), (2, 3), "it")
    with pytest.raises(StoredValueError, match=r"\(2, 3\), not \(3, 2\)"):
        check_shape(np.zeros((2, 3)), (3, 2), "it")
