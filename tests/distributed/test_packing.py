"""Vectors are sent in the shortest of three forms, and come back as they were."""

import numpy as np
import pytest

from spacy_mtl.distributed.packing import add_flat, flattened, multiply_flat, packed, set_flat, squares_of, unpacked
from spacy_mtl.structures.contract import Weights

from ..trainers.reference import random_problem


def sparse(n, share, dtype, seed=0):
    random = np.random.default_rng(seed)
    return np.where(random.random(n) < share, random.normal(size=n), 0).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("n", "share"), [(0, 0), (1, 1), (7, 0), (1000, 0.001), (1000, 0.01), (1003, 0.3), (1000, 1)])
def test_a_vector_comes_back_as_it_was(n, share, dtype):
    vector = sparse(n, share, dtype)
    found = unpacked(packed(vector))
    assert found.dtype == dtype
    assert np.array_equal(found, vector)


def test_what_is_sent_is_the_shortest_form():
    n = 8000
    assert packed(sparse(n, 1, np.float32)).nbytes == 4 * n
    few = sparse(n, 0.005, np.float32)
    assert packed(few).nbytes == 8 * np.count_nonzero(few)
    some = sparse(n, 0.5, np.float32)
    assert packed(some).nbytes == 4 * np.count_nonzero(some) + n // 8


def test_what_was_sent_does_not_change_afterwards():
    vector = np.ones(4, np.float32)
    sent = packed(vector)
    vector[:] = 2
    unpacked(sent)[:] = 3
    assert unpacked(sent).tolist() == [1] * 4


def test_blocks_of_a_mask():
    problem = random_problem(0, observed=True)
    random = np.random.default_rng(0)
    weights = Weights(*(random.normal(size=matrix.shape).astype(np.float32) for matrix in problem.zeros()))
    mask = np.arange(problem.blocks.n) % 2 == 0
    flat = flattened(problem, weights, mask)
    assert squares_of(problem, weights, mask, flat) == pytest.approx(problem.block_norms(weights, mask) ** 2)
    factors = np.arange(problem.blocks.n) + 2.0
    larger = flat.copy()
    multiply_flat(problem, weights, mask, larger, factors)
    assert squares_of(problem, weights, mask, larger) == pytest.approx(
        (factors * problem.block_norms(weights, mask)) ** 2
    )
    other = problem.zeros()
    set_flat(problem, other, mask, flat)
    add_flat(problem, other, mask, flat)
    problem.scale_blocks(weights, np.where(mask, 2.0, 0.0))
    assert all(map(np.array_equal, other, weights))
