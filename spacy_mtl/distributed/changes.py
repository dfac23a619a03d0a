"""How weights change in a round: packed by a worker, added up by the driver, and followed by all, each in one pass over the weights."""

from collections.abc import Sequence

import numpy as np

from spacy_mtl.kernels import kernel
from spacy_mtl.structures.contract import Weights
from spacy_mtl.structures.problem import Problem

from .packing import Packed, add_packed, blocks_of, empty_bits, put, shortest


def take_back(
    problem: Problem, weights: Weights, mask: np.ndarray, before: np.ndarray, factors: np.ndarray
) -> tuple[Packed, np.ndarray]:
    """Set the blocks of a mask bool[T + Tp] to what they were before. Returns their changes, each block's times its factor, and the squares
    ||.||^2 of these, float64[T + Tp], 0 for other blocks.

    before: entries as :func:`.flattened` has them, overwritten. factors: float64[T + Tp].
    """
    squares, bits, at, used = np.zeros(mask.size), empty_bits(before.size), 0, 0
    for j, block in zip(np.flatnonzero(mask), blocks_of(problem, weights, mask), strict=True):
        used, squares[j] = _take_back(block.reshape(-1), before, at, before.dtype.type(factors[j]), bits, used)
        at += block.size
    return shortest(before.size, before[:used], bits), squares


def add_changes(
    problem: Problem, weights: Weights, mask: np.ndarray, changes: Sequence[Packed], room: np.ndarray
) -> tuple[Packed, np.ndarray]:
    """Add changes of the blocks of a mask to the weights, in place. Returns their sum, and the squares ||.||^2 of its blocks, float64[T + Tp].

    room: for as many entries as the weights have, overwritten.
    """
    total = room[: changes[0].size]
    total[:] = 0
    for change in changes:
        add_packed(total, change, 0, 0)
    squares, bits, at, used = np.zeros(mask.size), empty_bits(total.size), 0, 0
    for j, block in zip(np.flatnonzero(mask), blocks_of(problem, weights, mask), strict=True):
        used, squares[j] = _add(block.reshape(-1), total, at, bits, used)
        at += block.size
    return shortest(total.size, total[:used], bits), squares


def follow_change(problem: Problem, weights: Weights, mask: np.ndarray, change: Packed) -> None:
    """Add a change of the blocks of a mask to the weights, in place."""
    at = used = 0
    for block in blocks_of(problem, weights, mask):
        used = add_packed(block.reshape(-1), change, at, used)
        at += block.size


@kernel
def _take_back(now, before, at, factor, bits, used):
    """Values are written to the front of ``before``, which has been read by then. Most entries are as they were, and are passed by eights."""
    square, whole = 0.0, now.size // 8 * 8
    for start in range(0, now.size, 8):
        if start < whole:
            differ = 0
            for k in range(8):
                differ += now[start + k] != before[at + start + k]
            if differ == 0:
                continue
        for i in range(start, min(start + 8, now.size)):
            old = before[at + i]
            if now[i] != old:
                change = (now[i] - old) * factor
                now[i] = old
                square += np.float64(change) * change
                used = put(before, bits, used, at + i, change)
    return used, square


@kernel
def _add(block, total, at, bits, used):
    """The same with the entries of ``total``, which are added to those of the block."""
    square, whole = 0.0, block.size // 8 * 8
    for start in range(0, block.size, 8):
        if start < whole:
            filled = 0
            for k in range(8):
                filled += total[at + start + k] != 0
            if filled == 0:
                continue
        for i in range(start, min(start + 8, block.size)):
            change = total[at + i]
            if change != 0:
                block[i] += change
                square += np.float64(change) * change
                used = put(total, bits, used, at + i, change)
    return used, square
