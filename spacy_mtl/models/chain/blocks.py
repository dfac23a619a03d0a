"""Look up hashed templates for many positions at once.

Single look-ups wait for memory: for most n-grams of a text, the slot in a large table is in no cache. So each step (hash, fetch, compare, add)
is done for a whole block of positions before the next step begins, and the fetches of a block overlap. No look-up is cached, so a new n-gram
costs no more than a repeated one.
"""

import numpy as np

from spacy_mtl.kernels import kernel
from spacy_mtl.models.spread import FURTHEST, check_spread
from spacy_mtl.templates.extract import boundary, mix

from .lookup import KEY_MASK
from .weights import KEY_BITS

#: Least number of positions in a block, except the last; a block ends at the end of a sentence.
BLOCK = 256
#: A key and the number of its row share an entry: the row number in the lower half, the upper bits of the key in the upper half. The lower bits
#: of the key select the first slot.
_HALF, _REST = np.uint64(32), np.uint64(KEY_BITS - 32)
_ROW = np.uint64((1 << 32) - 1)


@kernel
def _insert(packed, keys):
    """Returns False, and stops, where a key lands too far from its first slot."""
    mask = np.uint64(packed.size - 1)
    for i in range(keys.size):
        slot, away = keys[i] & mask, 0
        while packed[slot]:
            slot = (slot + np.uint64(1)) & mask
            away += 1
            if away > FURTHEST:
                return False
        packed[slot] = keys[i] >> _REST << _HALF | np.uint64(i + 1)
    return True


def pack(keys: np.ndarray) -> np.ndarray:
    """Make a hash table of distinct keys (uint64[R], KEY_BITS each): uint64, 0 in free slots, otherwise the upper bits of key i, and i + 1.

    At most a quarter of the slots are taken, so that most look-ups end at the first slot and branches are easy to predict.
    Raises ValueError (M611) for keys that crowd.
    """
    packed = np.zeros(1 << max(4, int(4 * keys.size - 1).bit_length()), np.uint64)
    check_spread(_insert(packed, keys), packed != 0)
    return packed


@kernel
def _hash_block(columns, starts, first, last, column, distance, keys):
    """Mix the value at ``distance`` from each position of the sentences [first, last) into the key of that position."""
    base = starts[first]
    for s in range(first, last):
        start, end = starts[s], starts[s + 1]
        inside, beyond = min(end, max(start, start - distance)), max(start, min(end, end - distance))
        for t in range(start, inside):
            keys[t - base] = mix(keys[t - base], boundary(t + distance - start))
        for t in range(inside, beyond):
            keys[t - base] = mix(keys[t - base], columns[column, t + distance])
        for t in range(beyond, end):
            keys[t - base] = mix(keys[t - base], boundary(t + distance - end + 1))


@kernel
def _find_block(n, keys, packed, where, which):
    """Find which of n keys have a row: their positions go to ``where``, their row numbers plus 1 to ``which``. Returns how many there are."""
    mask, m = np.uint64(packed.size - 1), 0
    for i in range(n):
        keys[i] &= KEY_MASK
        which[i] = packed[keys[i] & mask]
    for i in range(n):
        entry, tag, slot = which[i], keys[i] >> _REST, keys[i] & mask
        while entry and entry >> _HALF != tag:
            slot = (slot + np.uint64(1)) & mask
            entry = packed[slot]
        where[m], which[m] = i, entry & _ROW  # no branch: m is never ahead of i
        m += entry != 0
    return m


@kernel
def add_blocks(columns, starts, first, offset, column, seed, packed, rows, out):
    """Add to out[t] the rows of all templates at position t.

    columns: uint64[A, N]. starts: int64, sentence borders. first, offset, column, seed: of a :class:`Program`. packed: from :func:`pack`.
    rows: float32[R, L]. out: float32[N, L].
    """
    longest = 0
    for s in range(starts.size - 1):
        longest = max(longest, starts[s + 1] - starts[s])
    room = min(columns.shape[1], longest + BLOCK)
    keys, which, where = np.empty(room, np.uint64), np.empty(room, np.uint64), np.empty(room, np.int64)
    s = 0
    while s < starts.size - 1:
        last = s + 1
        while last < starts.size - 1 and starts[last] - starts[s] < BLOCK:
            last += 1
        base, n = starts[s], starts[last] - starts[s]
        for j in range(seed.size):
            keys[:n] = seed[j]
            for o in range(first[j], first[j + 1]):
                _hash_block(columns, starts, s, last, column[o], offset[o], keys)
            for m in range(_find_block(n, keys, packed, where, which)):
                t, row = base + where[m], which[m] - np.uint64(1)
                for y in range(out.shape[1]):
                    out[t, y] += rows[row, y]
        s = last
