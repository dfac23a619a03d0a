import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as nps

from spacy_mtl.models.chain.weights import KEY_BITS, SCALE_SHIFT, ChainWeights, by_key, quantize, short_keys, strongest

ROWS = nps.arrays(
    np.float32,
    nps.array_shapes(min_dims=2, max_dims=2, min_side=0, max_side=5),
    elements=st.floats(-1, 1, width=32, allow_subnormal=False),
)
SIZES = nps.arrays(np.float32, st.integers(0, 12), elements=st.sampled_from([0, 0.5, 1, 2, 3]))


@given(ROWS, st.integers(-25, 25))
def test_quantized_rows_are_near_whatever_their_scale(rows, exponent):
    rows = rows * np.float32(10.0**exponent)
    codes, scales = quantize(rows)
    assert codes.dtype == np.int8
    assert scales.dtype == np.float32
    error = np.abs(codes * scales[:, None] - rows)
    assert (error <= np.abs(rows).max(axis=1, initial=0, keepdims=True) / 200 + 1e-35).all()


@given(ROWS, st.integers(-25, 25))
def test_scales_need_sixteen_bits(rows, exponent):
    _, scales = quantize(rows * np.float32(10.0**exponent))
    assert not (scales.view(np.uint32) & np.uint32((1 << SCALE_SHIFT) - 1)).any()
    assert (scales > 0).all()


def test_row_of_zeros_stays_one():
    codes, _ = quantize(np.zeros((2, 3), np.float32))
    assert not codes.any()


@given(SIZES, SIZES, st.none() | st.integers(0, 60))
def test_strongest_rows_fill_the_budget(first, second, budget):
    costs = (2, 5)
    kept = strongest((first, second), costs, budget)
    live = [(s, cost, m, r) for m, (sizes, cost) in enumerate(zip((first, second), costs, strict=True))
            for r, s in enumerate(sizes.tolist()) if s > 0]  # fmt: skip
    assert all(rows.tolist() == sorted(set(rows.tolist())) for rows in kept)
    chosen = [row for row in live if row[3] in kept[row[2]]]
    assert len(chosen) == sum(rows.size for rows in kept)
    left_out = [row for row in live if row not in chosen]
    if left_out:
        assert sum(row[1] for row in chosen) <= budget < sum(row[1] for row in chosen) + max(costs)
        assert all(row[0] >= max(other[0] for other in left_out) for row in chosen)
    else:
        assert budget is None or budget >= sum(row[1] for row in live)


@given(st.lists(st.integers(0, 2**64 - 1), max_size=10))
def test_by_key_sorts_and_keeps_the_first_of_equal_keys(keys):
    array = np.array([*keys, *keys, 1 << KEY_BITS], np.uint64)  # the last equals 0 in the bits that are kept
    ordered, numbers = by_key(array, np.arange(array.size))
    short = short_keys(array).tolist()
    assert ordered.tolist() == sorted(set(short))
    assert numbers.tolist() == [short.index(key) for key in ordered.tolist()]


def test_rows_are_codes_times_scales():
    weights = ChainWeights(
        codes=np.array([[127, -1]], np.int8),
        scales=np.array([0.5], np.float32),
        pair_codes=np.array([[1, 2, 3, 4]], np.int8),
        pair_scales=np.array([2.0], np.float32),
    )
    assert weights.node_rows().tolist() == [[63.5, -0.5]]
    assert weights.pair_rows().tolist() == [[2, 4, 6, 8]]
    assert weights.node_rows().dtype == weights.pair_rows().dtype == np.float32


@pytest.mark.parametrize(("labels", "trained"), [((), False), (("O",), True)])
def test_weights_without_labels_are_untrained(labels, trained):
    assert ChainWeights(labels=labels).is_trained is trained
