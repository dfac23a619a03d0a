"""Vectors are sent in the shortest of three forms, and come back as they were."""

import numpy as np
import pytest

from spacy_mtl.distributed.changes import add_changes, follow_change, take_back
from spacy_mtl.distributed.packing import add_packed, flattened, packed, room_for, set_flat, unpacked
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


def weights_of(problem, seed, share=1.0):
    random = np.random.default_rng(seed)
    return Weights(*(sparse(m.size, share, np.float32, random.integers(99)).reshape(m.shape) for m in problem.zeros()))


def moved(weights, by):
    return Weights(*(matrix + change for matrix, change in zip(weights, by, strict=True)))


@pytest.mark.parametrize("share", [0.0, 0.02, 0.3, 1.0])
def test_weights_are_taken_back_and_their_change_is_sent(share):
    problem = random_problem(0, observed=True)
    mask = np.arange(problem.blocks.n) % 2 == 0
    begin, step, factors = (
        weights_of(problem, 0),
        weights_of(problem, 1, share),
        1 / np.arange(1.0, problem.blocks.n + 1),
    )
    problem.scale_blocks(step, mask.astype(float))  # others have no change
    now = moved(begin, step)
    difference = Weights(*(end - start for start, end in zip(begin, now, strict=True)))
    change, squares = take_back(problem, now, mask, flattened(problem, begin, mask), factors)
    assert all(map(np.array_equal, now, begin))
    problem.scale_blocks(difference, factors)
    assert np.array_equal(unpacked(change), flattened(problem, difference, mask))
    assert squares == pytest.approx(problem.block_norms(difference, mask) ** 2)


@pytest.mark.parametrize("share", [0.0, 0.002, 0.02, 0.3, 1.0])
def test_changes_are_added_up_and_followed(share):
    problem = random_problem(0, observed=True)
    mask = np.arange(problem.blocks.n) % 2 == 0
    weights, others = weights_of(problem, 0), weights_of(problem, 0)
    parts = [flattened(problem, weights_of(problem, seed, share), mask) for seed in (1, 2)]
    room = room_for(weights)
    expected = problem.zeros()
    set_flat(problem, expected, mask, parts[0] + parts[1])
    total, squares = add_changes(problem, weights, mask, [packed(part) for part in parts], room)
    assert np.array_equal(unpacked(total), parts[0] + parts[1])
    assert squares == pytest.approx(problem.block_norms(expected, mask) ** 2)
    follow_change(problem, others, mask, total)
    assert all(map(np.array_equal, others, weights))
    assert all(map(np.array_equal, moved(weights_of(problem, 0), expected), weights))


@pytest.mark.parametrize("filled", [[70], [0, 9, 64, 65, 70, 79], range(64, 80), range(80)])
def test_a_part_of_a_vector_is_added_from_where_the_last_one_ended(filled):
    """Wherever a part begins, and however many bytes without a bit lie before its values."""
    flat = np.zeros(80, np.float32)
    flat[list(filled)] = np.arange(len(filled)) + 1
    sent = packed(flat)
    for first in range(80):
        for second in range(first, 80):
            parts = np.split(np.ones(80, np.float32), [first, second])
            used = 0
            for part, at in zip(parts, (0, first, second), strict=True):
                used = add_packed(part, sent, at, used)
            assert np.array_equal(np.concatenate(parts), flat + 1)
            assert used == sent.values.size


def test_vectors_with_more_places_than_int32_has_are_sent_with_bits(monkeypatch):
    vector = np.zeros(1000, np.float32)
    vector[[3, 999]] = 1.5, -2.0
    assert packed(vector).places.dtype == np.int32
    monkeypatch.setattr("spacy_mtl.distributed.packing.LONGEST_PLACED", 1000)
    assert packed(vector).places.dtype == np.uint8
    assert np.array_equal(unpacked(packed(vector)), vector)
