"""A read-only hash table from observation keys to weights, made for speed: arcs look thousands of keys up for every word, and most are unknown."""

from typing import NamedTuple

import numpy as np

from ..kernels import kernel
from .weights import KEY_BITS

_KEY_MASK = np.uint64((1 << KEY_BITS) - 1)
#: Bits of the sieve for each key.
_SIEVE = 4


class ArcTable(NamedTuple):
    """Open addressing, linear probing. A slot is eight bytes, so that key and value come with one access to memory.

    slots: uint32[2 * capacity], at 2 * slot the low bits of the key, 0 where free, and after it the row. shift: the slot is ``key >>
    shift``. sieve: uint64, a bit for each value of ``key >> sieve_shift``: a key whose bit is not set is unknown. Kernels take these apart:
    an array inside a tuple is counted at each use.
    """

    slots: np.ndarray
    shift: np.uint64
    sieve: np.ndarray
    sieve_shift: np.uint64


@kernel
def check_of(key):
    """The low bits of a key, never 0."""
    low = np.uint32(key & np.uint64(0xFFFFFFFF))
    return low if low != 0 else np.uint32(1)


@kernel
def _fill(keys, values, slots, shift, sieve, sieve_shift):
    mask = np.uint64(slots.size // 2 - 1)
    for i in range(keys.size):
        slot = (keys[i] >> shift) & mask
        while slots[2 * slot] != 0:
            slot = (slot + np.uint64(1)) & mask
        slots[2 * slot] = check_of(keys[i])
        slots[2 * slot + np.uint64(1)] = values[i]
        bit = keys[i] >> sieve_shift
        sieve[bit >> np.uint64(6)] |= np.uint64(1) << (bit & np.uint64(63))


def arc_table(keys: np.ndarray, values: np.ndarray) -> ArcTable:
    """keys: uint64[R], different, of KEY_BITS bits. values: float32[R] weights or int32[R] rows, kept bit by bit."""
    bits = max(int(4 * keys.size / 3).bit_length(), 4)
    sieve_bits = min(max(int(_SIEVE * keys.size).bit_length(), 6), KEY_BITS)
    table = ArcTable(
        np.zeros(2 << bits, np.uint32), np.uint64(KEY_BITS - bits),
        np.zeros(1 << (sieve_bits - 6), np.uint64), np.uint64(KEY_BITS - sieve_bits),
    )  # fmt: skip
    _fill(keys, values.view(np.uint32), *table)
    return table


@kernel
def sift(key, sieve, sieve_shift, out, count):
    """Enter a key (uint64 of any bits) into out (uint64) unless it is known to be unknown; returns the new count."""
    key &= _KEY_MASK
    bit = key >> sieve_shift
    out[count] = key
    return count + np.int64((sieve[bit >> np.uint64(6)] >> (bit & np.uint64(63))) & np.uint64(1))


@kernel
def look_up(keys, n, slots, shift, out):
    """Where the values of keys[:n] are in ``slots``, into out (int64); returns how many are known.

    All first slots are fetched before any is looked at: fetches without branches between them overlap.
    """
    mask = np.uint64(slots.size // 2 - 1)
    for k in range(n):
        out[k] = slots[2 * (keys[k] >> shift)]
    count = 0
    for k in range(n):
        slot, check = keys[k] >> shift, check_of(keys[k])
        found = np.uint32(out[k])
        while found != 0 and found != check:
            slot = (slot + np.uint64(1)) & mask
            found = slots[2 * slot]
        out[count] = np.int64(2 * slot + np.uint64(1))
        count += np.int64(found != 0)
    return count
