"""Reports of merged models."""

import numpy as np
import pytest

from spacy_mtl.models import store
from spacy_mtl.models.chain.weights import LARGEST_NUMBER, ChainWeights, TemplateRow
from spacy_mtl.models.merge import Merged, merged_report


def merged(shared: int, product: float) -> Merged:
    return Merged(np.zeros((3, 2)), np.zeros(3, np.uint64), np.array([0, 3]), np.array([shared]), np.array([product]))


def test_report_has_the_norm_of_the_sum():
    old, new = [TemplateRow("B", 0.2, 3.0, 5)], [TemplateRow("B", 0.4, 2.0, 3)]
    (row,) = merged_report(old, 0.5, new, merged(2, -1.0), 2)
    assert row == TemplateRow("B", pytest.approx(0.3), pytest.approx((4 + 2.25 - 2) ** 0.5), 5)


@pytest.mark.parametrize("weight", [1.0, 1e3])
def test_report_of_a_stranger_can_be_learnt_on_and_saved_again_and_again(weight):
    """A file may say that a norm is the largest that there may be; the sum of two is no larger."""
    old = (TemplateRow("B", LARGEST_NUMBER, LARGEST_NUMBER, 5),)
    labels, arrays = ("a", "b"), {"codes": (0, 2), "pair_codes": (0, 4)}
    empty = {name: np.zeros(shape, np.int8) for name, shape in arrays.items()} | {"step": np.zeros((2, 2), np.float32)}
    for _ in range(3):
        old = merged_report(old, weight, old, merged(0, 1e40), 0)
        weights, _ = store.from_bytes(store.to_bytes(ChainWeights(labels, old, **empty), {}), "x")
        assert weights.templates == old
