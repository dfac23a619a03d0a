"""Vectors as they are sent: all entries, those that are not 0 with a bit for each place, or with their places, whichever is shortest."""

from typing import NamedTuple

import numpy as np

from spacy_mtl.structures.contract import Weights
from spacy_mtl.structures.problem import Problem


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
    """Pack a vector float[n]; n is below 2**31. Not a bit is lost, but for the sign of zeros."""
    filled = np.flatnonzero(vector)
    by_place, by_bit = filled.size * (vector.itemsize + 4), filled.size * vector.itemsize + (vector.size + 7) // 8
    if vector.nbytes <= min(by_place, by_bit):
        return Packed(vector.size, vector.copy(), np.empty(0, np.int32))
    if by_place <= by_bit:
        return Packed(vector.size, vector[filled], filled.astype(np.int32))
    return Packed(vector.size, vector[filled], np.packbits(vector != 0))


def unpacked(sent: Packed) -> np.ndarray:
    """The vector, float[n]."""
    if sent.values.size == sent.size:
        return sent.values.copy()
    vector = np.zeros(sent.size, sent.values.dtype)
    bits = sent.places.dtype == np.uint8
    vector[np.flatnonzero(np.unpackbits(sent.places, count=sent.size)) if bits else sent.places] = sent.values
    return vector


def blocks_of(problem: Problem, weights: Weights, mask: np.ndarray) -> list[np.ndarray]:
    """The blocks of the templates of a mask bool[T + Tp] in a vector, as matrices that share its memory."""
    n, blocks = problem.blocks.n_node, problem.blocks
    node = [weights.node[blocks.node[j] : blocks.node[j + 1]] for j in np.flatnonzero(mask[:n])]
    return node + [weights.pair[blocks.pair[j] : blocks.pair[j + 1]] for j in np.flatnonzero(mask[n:])]


def flattened(problem: Problem, weights: Weights, mask: np.ndarray) -> np.ndarray:
    """The entries of these blocks one after the other, float[n]."""
    found = [block.ravel() for block in blocks_of(problem, weights, mask)]
    return np.concatenate(found) if found else np.empty(0, weights.node.dtype)


def add_flat(problem: Problem, weights: Weights, mask: np.ndarray, flat: np.ndarray) -> None:
    """Add entries, as :func:`flattened` has them, to these blocks, in place."""
    at = 0
    for block in blocks_of(problem, weights, mask):
        block += flat[at : at + block.size].reshape(block.shape)
        at += block.size


def set_flat(problem: Problem, weights: Weights, mask: np.ndarray, flat: np.ndarray) -> None:
    """Set these blocks to entries, as :func:`flattened` has them."""
    at = 0
    for block in blocks_of(problem, weights, mask):
        block[:] = flat[at : at + block.size].reshape(block.shape)
        at += block.size


def squares_of(problem: Problem, weights: Weights, mask: np.ndarray, flat: np.ndarray) -> np.ndarray:
    """||flat_j||^2 of the blocks of the mask, in double precision, float64[T + Tp]; 0 for others."""
    found, at = np.zeros(mask.size), 0
    for j, block in zip(np.flatnonzero(mask), blocks_of(problem, weights, mask), strict=True):
        part = flat[at : at + block.size].astype(np.float64)
        found[j], at = float(part @ part), at + block.size
    return found


def multiply_flat(problem: Problem, weights: Weights, mask: np.ndarray, flat: np.ndarray, factors: np.ndarray) -> None:
    """Multiply the entries of each block of the mask by its factor, float64[T + Tp], in place."""
    at = 0
    for block, factor in zip(blocks_of(problem, weights, mask), factors[mask], strict=True):
        flat[at : at + block.size] *= flat.dtype.type(factor)
        at += block.size
