"""A fast read-only hash table from observation keys to weight rows: the arcs of a sentence look up hundreds of keys per word.

An observation with and without direction and distance differs only in the low bits of its key, so all variants are looked up together: the
*base* is the key without these bits.

A base is only recognized by all of its bits. The upper ones select its first slot; the slot where it is has the others, and how far that is from the
first. Both fit into the slot, but for the rare bases that are further away than the slot can tell: the key of their row is compared, too.
"""

from typing import NamedTuple

import numpy as np

from spacy_mtl.kernels import kernel
from spacy_mtl.models.chain.weights import KEY_BITS
from spacy_mtl.models.spread import FURTHEST, check_spread
from spacy_mtl.templates.arcs.program import DISTANCE_BITS

_KEY_MASK = np.uint64((1 << KEY_BITS) - 1)
_BASE = np.uint64(DISTANCE_BITS)
_NEAR = np.uint64((1 << DISTANCE_BITS) - 1)
#: Layout of a slot, from the top: the check (distance from the first slot, lower bits of the base), a bit for each of the base's keys that exists,
#: the row of the first of these. Rows take as many bits as their number needs, so a small table has a longer check.
_KNOWN_BITS = 15
_KNOWN = np.uint64(_KNOWN_BITS)
_KNOWN_MASK = np.uint64((1 << _KNOWN_BITS) - 1)
#: Bits of the sieve for each base.
_SIEVE = 8


class ArcTable(NamedTuple):
    """A hash table with open addressing and linear probing. A slot has eight bytes, so one memory access finds a base with all distances.

    slots: uint64, 0 where free; the first slot of a base is ``key >> shift``. sieve: uint8, a bit for each value of ``key >> sieve_shift``: a
    base whose bit is not set is unknown. row_bits: number of bits of a row. all_keys: uint64[R], the keys. Kernels take these fields as separate
    arguments, since numba counts references to an array inside a tuple at each use.
    """

    sieve: np.ndarray
    sieve_shift: np.uint64
    slots: np.ndarray
    shift: np.uint64
    row_bits: np.uint64
    all_keys: np.ndarray


@kernel
def check_of(key, away, shift, row_bits):
    """The check of a base that is ``away`` slots (uint64) from its first one; and whether it is too far away for the check to tell."""
    low = shift - _BASE
    furthest = (np.uint64(1) << (np.uint64(64) - row_bits - _KNOWN - low)) - np.uint64(1)
    return ((key >> _BASE) & ((np.uint64(1) << low) - np.uint64(1))) | (min(away, furthest) << low), away >= furthest


@kernel
def _fill(keys, least, most, sieve, sieve_shift, slots, shift, row_bits):
    """Add the bases that have at least ``least`` and at most ``most`` keys. Returns False, and stops, where one lands too far from its first slot."""
    mask = np.uint64(slots.size - 1)
    i = 0
    while i < keys.size:
        base, known, row = keys[i] >> _BASE, np.uint64(0), i
        while i < keys.size and keys[i] >> _BASE == base:
            known |= np.uint64(1) << (keys[i] & _NEAR)
            i += 1
        if least <= i - row <= most:
            key = base << _BASE
            slot, away = key >> shift, np.uint64(0)
            while slots[slot] != 0:
                slot = (slot + np.uint64(1)) & mask
                away += np.uint64(1)
                if away > np.uint64(FURTHEST):
                    return False
            check = check_of(key, away, shift, row_bits)[0]
            slots[slot] = (check << (row_bits + _KNOWN)) | (known << row_bits) | np.uint64(row)
            bit = key >> sieve_shift
            sieve[bit >> np.uint64(3)] |= np.uint8(1) << np.uint8(bit & np.uint64(7))
    return True


def arc_table(keys: np.ndarray) -> ArcTable:
    """Make a table that maps key i to row i. keys: uint64[R], strictly ascending, of KEY_BITS bits; R below 2 ** 26.

    Raises ValueError (M611) for keys that crowd.
    """
    keys = keys if keys.flags.writeable else keys.copy()  # or kernels would be compiled for constant arrays, too
    bases = int(np.count_nonzero(np.diff(keys >> _BASE))) + (keys.size > 0)
    row_bits = int(keys.size).bit_length()
    # at least three bits of a slot tell how far it is from the first one
    bits = max(int(8 * bases / 3).bit_length(), 4, KEY_BITS - DISTANCE_BITS + row_bits + _KNOWN_BITS + 3 - 64)
    sieve_bits = max(int(_SIEVE * bases).bit_length(), 6)
    table = ArcTable(
        np.zeros(1 << (sieve_bits - 3), np.uint8), np.uint64(KEY_BITS - sieve_bits),
        np.zeros(1 << bits, np.uint64), np.uint64(KEY_BITS - bits), np.uint64(row_bits), keys,
    )  # fmt: skip
    # bases with many distances are frequent, so they are added first and get the best slots
    limits = ((4, 1 << DISTANCE_BITS), (3, 3), (2, 2), (1, 1))
    filled = all(_fill(keys, least, most, *table[:-1]) for least, most in limits)
    check_spread(filled, table.slots != 0)
    return table


@kernel
def sift(keys, n, sieve, sieve_shift, out, count):
    """Append to ``out`` (uint64) those of keys[:n] (uint64, bases) that the sieve does not rule out, and return the new count.

    ``out`` needs one place more than the number of keys that it receives.
    """
    for k in range(n):
        key = keys[k] & _KEY_MASK
        bit = key >> sieve_shift
        out[count] = key
        count += np.int64((sieve[bit >> np.uint64(3)] >> (bit & np.uint64(7))) & np.uint64(1))
    return count


@kernel
def _ones(bits):
    """The number of 1 bits in 64 bits, in a form that compilers turn into a single instruction."""
    bits -= (bits >> np.uint64(1)) & np.uint64(0x5555555555555555)
    bits = (bits & np.uint64(0x3333333333333333)) + ((bits >> np.uint64(2)) & np.uint64(0x3333333333333333))
    bits = (bits + (bits >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (bits * np.uint64(0x0101010101010101)) >> np.uint64(56)


@kernel
def is_base(entry, key, away, shift, row_bits, all_keys):
    """Whether an entry that is ``away`` slots (uint64) from the first slot of a base is that base."""
    check, far = check_of(key, away, shift, row_bits)
    if entry >> (row_bits + _KNOWN) != check:
        return False
    return not far or all_keys[entry & ((np.uint64(1) << row_bits) - np.uint64(1))] >> _BASE == key >> _BASE


@kernel
def look_up(keys, n, distance, slots, shift, row_bits, all_keys, found, rows):
    """Write the rows of the bases keys[:n], alone and with a distance, to ``rows`` (int64[2 n + 1]), and return how many there are.

    distance: uint64, from :func:`.keys.distance_key`. found: uint64[n], a buffer for the first slots of all bases, which are fetched before any is
    examined: memory accesses without branches between them overlap.
    """
    mask, check_shift, row_mask = (
        np.uint64(slots.size - 1),
        row_bits + _KNOWN,
        (np.uint64(1) << row_bits) - np.uint64(1),
    )
    low = (np.uint64(1) << (shift - _BASE)) - np.uint64(1)
    below = (np.uint64(1) << distance) - np.uint64(1)
    for k in range(n):
        found[k] = slots[keys[k] >> shift]
    count = 0
    for k in range(n):
        entry = found[k]
        if entry != 0 and entry >> check_shift != (keys[k] >> _BASE) & low:  # the check of a base in its first slot
            slot, away = keys[k] >> shift, np.uint64(0)
            while entry != 0 and (away == 0 or not is_base(entry, keys[k], away, shift, row_bits, all_keys)):
                slot = (slot + np.uint64(1)) & mask
                away += np.uint64(1)
                entry = slots[slot]
        known, row = (entry >> row_bits) & _KNOWN_MASK, np.int64(entry & row_mask)
        rows[count] = row
        count += np.int64(known & np.uint64(1))
        rows[count] = row + np.int64(_ones(known & below))
        count += np.int64((known >> distance) & np.uint64(1))
    return count
