"""A read-only hash table from observation keys to weights, made for speed: arcs look thousands of keys up for every word, and most are unknown."""

from typing import NamedTuple

import numpy as np

from ..kernels import kernel
from .weights import KEY_BITS

_KEY_MASK = np.uint64((1 << KEY_BITS) - 1)
#: Bits of the sieve for each key.
_SIEVE = 8


class ArcTable(NamedTuple):
    """Open addressing, linear probing. A slot is eight bytes, so that key and weight come with one access to memory.

    checks: uint32[2 * capacity], the low bits of the key at 2 * slot, 0 and weight 0 where free; values: float32[2 * capacity], the same memory, the weight at
    2 * slot + 1. shift: the slot is ``key >> shift``. sieve: uint64, a bit for each value of ``key >> sieve_shift``: a key whose bit is not set is unknown.
    """

    checks: np.ndarray
    values: np.ndarray
    shift: np.uint64
    sieve: np.ndarray
    sieve_shift: np.uint64


@kernel
def _fill(keys, weights, checks, values, shift, sieve, sieve_shift):
    mask = np.uint64(checks.size // 2 - 1)
    for i in range(keys.size):
        slot = (keys[i] >> shift) & mask
        while checks[2 * slot] != 0:
            slot = (slot + np.uint64(1)) & mask
        checks[2 * slot] = check_of(keys[i])
        values[2 * slot + np.uint64(1)] = weights[i]
        bit = keys[i] >> sieve_shift
        sieve[bit >> np.uint64(6)] |= np.uint64(1) << (bit & np.uint64(63))


@kernel
def check_of(key):
    """The low bits of a key, never 0."""
    low = np.uint32(key & np.uint64(0xFFFFFFFF))
    return low if low != 0 else np.uint32(1)


def arc_table(keys: np.ndarray, weights: np.ndarray) -> ArcTable:
    """keys: uint64[R], different, of KEY_BITS bits; weights: float[R]."""
    bits = max(int(2 * keys.size - 1).bit_length(), 4)
    checks = np.zeros(2 << bits, np.uint32)
    sieve_bits = min(max(int(_SIEVE * keys.size).bit_length(), 6), KEY_BITS)
    table = ArcTable(
        checks, checks.view(np.float32), np.uint64(KEY_BITS - bits),
        np.zeros(1 << (sieve_bits - 6), np.uint64), np.uint64(KEY_BITS - sieve_bits),
    )  # fmt: skip
    _fill(keys, weights.astype(np.float32), *table)
    return table


@kernel
def weight_of(key, checks, values, shift, sieve, sieve_shift):
    """The weight of a key, uint64 of any bits; 0 if unknown."""
    key &= _KEY_MASK
    bit = key >> sieve_shift
    if not (sieve[bit >> np.uint64(6)] >> (bit & np.uint64(63))) & np.uint64(1):
        return np.float32(0)
    slot = key >> shift
    check = check_of(key)
    mask = np.uint64(checks.size // 2 - 1)
    while checks[2 * slot] != 0:
        if checks[2 * slot] == check:
            return values[2 * slot + np.uint64(1)]
        slot = (slot + np.uint64(1)) & mask
    return np.float32(0)
