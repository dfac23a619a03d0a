"""Vectors as they are sent: all entries, those that are not 0 with a bit for each place, or with their places, whichever is shortest."""

from typing import NamedTuple

import numpy as np

from spacy_mtl.kernels import kernel, subkernel
from spacy_mtl.structures.contract import Weights
from spacy_mtl.structures.problem import Problem

#: Places are int32, so longer vectors are sent with bits.
LONGEST_PLACED = 1 << 31


class Packed(NamedTuple):
    """A vector of ``size`` entries. values: float[k], in the precision of the vector. places: int32[k], bits uint8[(size + 7) // 8], or empty where
    all entries are sent (k = size).
    """

    size: int
    values: np.ndarray
    places: np.ndarray

    @property
    def nbytes(self) -> int:
        return self.values.nbytes + self.places.nbytes


def packed(vector: np.ndarray) -> Packed:
    """Pack a vector float[n]. Not a bit is lost, but for the sign of zeros."""
    values, bits = vector.copy(), empty_bits(vector.size)
    return shortest(vector.size, values[: _compact(values, bits)], bits)


def empty_bits(size: int) -> np.ndarray:
    """A bit for each of so many places, all 0, uint8[(size + 7) // 8]."""
    return np.zeros((size + 7) // 8, np.uint8)


def shortest(size: int, values: np.ndarray, bits: np.ndarray) -> Packed:
    """The shortest form of a vector of ``size`` entries, of which those with a bit of 1 have these values; others are 0. The values are copied."""
    by_place, by_bit = values.nbytes + 4 * values.size, values.nbytes + bits.nbytes
    if size * values.itemsize <= min(by_place, by_bit):
        vector = np.zeros(size, values.dtype)
        add_bits(vector, values, bits, 0, 0)
        return Packed(size, vector, np.empty(0, np.int32))
    if by_place <= by_bit and size < LONGEST_PLACED:
        places = np.empty(values.size, np.int32)
        _places(bits, places)
        return Packed(size, values.copy(), places)
    return Packed(size, values.copy(), bits)


def unpacked(sent: Packed) -> np.ndarray:
    """The vector, float[n]."""
    vector = np.zeros(sent.size, sent.values.dtype)
    add_packed(vector, sent, 0, 0)
    return vector


def add_packed(part: np.ndarray, sent: Packed, at: int, used: int) -> int:
    """Add the entries from ``at`` on to a part of the vector, in place. used: the number of values before them; returns that of those behind.

    An entry that is sent as one of all counts as a value.
    """
    if sent.values.size == sent.size:
        part += sent.values[at : at + part.size]
        return used + part.size
    add = add_bits if sent.places.dtype == np.uint8 else add_places
    return int(add(part, sent.values, sent.places, at, used))


def blocks_of(problem: Problem, weights: Weights, mask: np.ndarray) -> list[np.ndarray]:
    """The blocks of the templates of a mask bool[T + Tp] in a vector, as matrices that share its memory."""
    n, blocks = problem.blocks.n_node, problem.blocks
    node = [weights.node[blocks.node[j] : blocks.node[j + 1]] for j in np.flatnonzero(mask[:n])]
    return node + [weights.pair[blocks.pair[j] : blocks.pair[j + 1]] for j in np.flatnonzero(mask[n:])]


def room_for(weights: Weights) -> np.ndarray:
    """Memory for all entries of weights, in their precision."""
    return np.empty(sum(matrix.size for matrix in weights), weights.node.dtype)


def flattened(problem: Problem, weights: Weights, mask: np.ndarray, room: np.ndarray | None = None) -> np.ndarray:
    """The entries of these blocks one after the other, float[n]. room: for as many entries as the weights have; a part of it is returned then."""
    blocks = blocks_of(problem, weights, mask)
    size = sum(block.size for block in blocks)
    found = np.empty(size, weights.node.dtype) if room is None else room[:size]
    at = 0
    for block in blocks:
        found[at : at + block.size] = block.ravel()
        at += block.size
    return found


def set_flat(problem: Problem, weights: Weights, mask: np.ndarray, flat: np.ndarray) -> None:
    """Set these blocks to entries, as :func:`flattened` has them."""
    at = 0
    for block in blocks_of(problem, weights, mask):
        block[:] = flat[at : at + block.size].reshape(block.shape)
        at += block.size


@subkernel
def put(values, bits, used, place, value):
    """Write the next value behind those that are used, and the bit of its place. Returns how many are used then."""
    values[used] = value
    bits[place >> 3] |= np.uint8(128 >> (place & 7))
    return used + 1


@kernel
def _compact(values, bits):
    used = 0
    for i in range(values.size):
        if values[i] != 0:
            used = put(values, bits, used, i, values[i])
    return used


@kernel
def _places(bits, places):
    used = 0
    for byte in range(bits.size):
        if bits[byte]:
            for bit in range(8):
                if bits[byte] & (128 >> bit):
                    places[used] = 8 * byte + bit
                    used += 1


@kernel
def add_bits(part, values, bits, at, used):
    """See :func:`add_packed`."""
    i = 0
    while i < part.size:
        byte = bits[(at + i) >> 3]
        if byte == 0:
            i += 8 - ((at + i) & 7)
            continue
        if byte & (128 >> ((at + i) & 7)):
            part[i] += values[used]
            used += 1
        i += 1
    return used


@kernel
def add_places(part, values, places, at, used):
    """See :func:`add_packed`."""
    while used < places.size and places[used] < at + part.size:
        part[places[used] - at] += values[used]
        used += 1
    return used
