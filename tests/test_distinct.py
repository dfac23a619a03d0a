import numpy as np
import pytest

from spacy_mtl.distinct import distinct


@pytest.mark.parametrize("shape", [(0,), (1,), (1000,), (50, 20)])
@pytest.mark.parametrize("most", [1, 7, 2**64 - 1])
def test_distinct_values_are_those_of_numpy_in_order(shape, most):
    values = np.random.default_rng(0).integers(0, most, shape, np.uint64, endpoint=True)
    found = distinct(values)
    assert found.tolist() == sorted(set(values.ravel().tolist()))
    assert found.dtype == values.dtype


def test_the_array_stays_as_it_is():
    values = np.array([3, 1, 2, 1])
    distinct(values)
    assert values.tolist() == [3, 1, 2, 1]
