"""A read-only hash table from observation keys to rows of weights, made for speed: arcs look hundreds of keys up for every word.

What is observed without and with direction and distance differs in the low bits of its key alone, so it is looked up together: the *base* is
the key without them.

A base is told by where it is and by 23 of its 44 bits. That is all of it in tables of a million bases; in small ones a base that is not there
is taken for one that is, with a chance of about one in 50 million.
"""

from typing import NamedTuple

import numpy as np

from spacy_mtl.kernels import kernel
from spacy_mtl.models.chain.weights import KEY_BITS
from spacy_mtl.templates.arcs.program import DISTANCE_BITS

_KEY_MASK = np.uint64((1 << KEY_BITS) - 1)
_BASE = np.uint64(DISTANCE_BITS)
_NEAR = np.uint64((1 << DISTANCE_BITS) - 1)
#: Of a slot: from the top a check of the base, which of its keys are known (a bit each), the row of the first of them.
_ROW_BITS = np.uint64(26)
_CHECK_SHIFT = np.uint64(41)
_ROW_MASK = np.uint64((1 << 26) - 1)
_KNOWN_MASK = np.uint64((1 << 15) - 1)
_CHECK_MASK = np.uint64((1 << 23) - 1)
#: Bits of the sieve for each base.
_SIEVE = 4


class ArcTable(NamedTuple):
    """Open addressing, linear probing. A slot is eight bytes, so that one access to memory tells of a base and all distances.

    slots: uint64, 0 where free; a base's is ``key >> shift``. sieve: uint8, a bit for each value of ``key >> sieve_shift``: a base whose
    bit is not set is unknown. Kernels take these apart: an array inside a tuple is counted at each use.
    """

    sieve: np.ndarray
    sieve_shift: np.uint64
    slots: np.ndarray
    shift: np.uint64


@kernel
def check_of(key):
    """The low bits of a base."""
    return (key >> _BASE) & _CHECK_MASK


@kernel
def _fill(keys, least, most, sieve, sieve_shift, slots, shift):
    """Enter the bases of which at least ``least`` and at most ``most`` keys are known."""
    mask = np.uint64(slots.size - 1)
    i = 0
    while i < keys.size:
        base, known, row = keys[i] >> _BASE, np.uint64(0), i
        while i < keys.size and keys[i] >> _BASE == base:
            known |= np.uint64(1) << (keys[i] & _NEAR)
            i += 1
        if least <= i - row <= most:
            key = base << _BASE
            slot = key >> shift
            while slots[slot] != 0:
                slot = (slot + np.uint64(1)) & mask
            slots[slot] = (check_of(key) << _CHECK_SHIFT) | (known << _ROW_BITS) | np.uint64(row)
            bit = key >> sieve_shift
            sieve[bit >> np.uint64(3)] |= np.uint8(1) << np.uint8(bit & np.uint64(7))


def arc_table(keys: np.ndarray) -> ArcTable:
    """The table in which key i has row i. keys: uint64[R], ascending, different, of KEY_BITS bits; R below 2 ** 26."""
    bases = np.unique(keys >> _BASE).size
    bits = max(int(8 * bases / 3).bit_length(), 4)
    sieve_bits = max(int(_SIEVE * bases).bit_length(), 6)
    table = ArcTable(
        np.zeros(1 << (sieve_bits - 3), np.uint8), np.uint64(KEY_BITS - sieve_bits),
        np.zeros(1 << bits, np.uint64), np.uint64(KEY_BITS - bits),
    )  # fmt: skip
    for least, most in (
        (4, 1 << DISTANCE_BITS),
        (3, 3),
        (2, 2),
        (1, 1),
    ):  # what is seen at many distances is seen often: it comes first
        _fill(keys, least, most, *table)
    return table


@kernel
def sift(keys, n, sieve, sieve_shift, out, count):
    """Enter those of keys[:n] (uint64, bases of any bits) into out (uint64) that are not known to be unknown; returns the new count.

    out needs room for one more than what is entered.
    """
    for k in range(n):
        key = keys[k] & _KEY_MASK
        bit = key >> sieve_shift
        out[count] = key
        count += np.int64((sieve[bit >> np.uint64(3)] >> (bit & np.uint64(7))) & np.uint64(1))
    return count


@kernel
def _ones(bits):
    """How many of 64 bits are 1: the form that compilers take for one instruction."""
    bits -= (bits >> np.uint64(1)) & np.uint64(0x5555555555555555)
    bits = (bits & np.uint64(0x3333333333333333)) + ((bits >> np.uint64(2)) & np.uint64(0x3333333333333333))
    bits = (bits + (bits >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (bits * np.uint64(0x0101010101010101)) >> np.uint64(56)


@kernel
def look_up(keys, n, distance, slots, shift, found, rows):
    """Rows of the bases keys[:n], alone and with a distance, into rows (int64[2 n + 1]); returns how many are known.

    distance: uint64, of :func:`.keys.distance_key`. found: uint64[n], room for what is fetched: all first slots before any is looked at, as
    fetches without branches between them overlap.
    """
    mask = np.uint64(slots.size - 1)
    below = (np.uint64(1) << distance) - np.uint64(1)
    for k in range(n):
        found[k] = slots[keys[k] >> shift]
    count = 0
    for k in range(n):
        entry, check = found[k], check_of(keys[k])
        if entry != 0 and entry >> _CHECK_SHIFT != check:
            slot = keys[k] >> shift
            while entry != 0 and entry >> _CHECK_SHIFT != check:
                slot = (slot + np.uint64(1)) & mask
                entry = slots[slot]
        known, row = (entry >> _ROW_BITS) & _KNOWN_MASK, np.int64(entry & _ROW_MASK)
        rows[count] = row
        count += np.int64(known & np.uint64(1))
        rows[count] = row + np.int64(_ones(known & below))
        count += np.int64((known >> distance) & np.uint64(1))
    return count
