"""Parts of word forms: what they are called, and the hashes of those of many forms at once.

Most attributes of a form are a few of its characters. Taken one by one in Python, they are most of the time that words take which are new to a
process; here a kernel hashes them where they are in the text, as spaCy hashes strings (MurmurHash64A by A. Appleby, in the public domain).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from spacy_mtl.kernels import brief_kernel, subkernel

_AFFIX = re.compile(r"(PREFIX|SUFFIX|STEM)([1-9]\d*)\Z")
_INNER = re.compile(r"INNER([1-9]\d*)_([1-9]\d*)\Z")
#: No form has as many characters, so larger numbers mean the same.
_MOST = 1 << 31
#: Of spaCy's hashes.
_SEED, _FACTOR, _SHIFT = np.uint64(1), np.uint64(0xC6A4A7935BD1E995), np.uint64(47)
_BYTE = np.uint64(8)


@dataclass(frozen=True, slots=True)
class Part:
    """A slice ``text[first:last]``, of the form in lower case or as it is; None for its beginning or end."""

    lower: bool
    first: int | None
    last: int | None

    def __call__(self, text: str) -> str:
        return (text.lower() if self.lower else text)[self.first : self.last]


def part_of(attr: str) -> Part | None:
    """The part that an attribute is, None for other attributes.

    PREFIXn, SUFFIXn, STEMn (a prefix in lower case), INNERn_m (in lower case, from the n-th last letter to the one before the m-th last).
    """
    if affix := _AFFIX.match(attr):
        kind, size = affix.group(1), int(affix.group(2))
        return Part(False, -size, None) if kind == "SUFFIX" else Part(kind == "STEM", None, size)
    if inner := _INNER.match(attr):
        return Part(True, -int(inner.group(1)), -int(inner.group(2)))
    return None


@subkernel
def _hash(data, begin, end):
    """MurmurHash64A of data[begin:end], uint8."""
    n = end - begin
    found = _SEED ^ (np.uint64(n) * _FACTOR)
    at = begin
    for _ in range(n // 8):
        block = np.uint64(0)
        for i in range(8):
            block |= np.uint64(data[at + i]) << (_BYTE * np.uint64(i))
        at += 8
        block *= _FACTOR
        block ^= block >> _SHIFT
        found = (found ^ (block * _FACTOR)) * _FACTOR
    if at < end:
        for i in range(end - at):
            found ^= np.uint64(data[at + i]) << (_BYTE * np.uint64(i))
        found *= _FACTOR
    found = (found ^ (found >> _SHIFT)) * _FACTOR
    return found ^ (found >> _SHIFT)


@brief_kernel
def _hash_parts(data, places, borders, first, last, out):
    """Set out[i, k] to the hash of part k of text i, which has the characters ``borders[i]:borders[i + 1]``.

    data: uint8, all texts in UTF-8. places: int64, where each character begins in it, and its length. first, last: int64[K], of the slices; what is
    below 0 counts from the end. out: uint64[n, K].
    """
    for i in range(borders.size - 1):
        begin, end = borders[i], borders[i + 1]
        for k in range(first.size):
            a = begin + first[k] if first[k] >= 0 else max(begin, end + first[k])
            b = end + last[k] if last[k] < 0 else min(end, begin + last[k])
            out[i, k] = _hash(data, places[a], places[max(a, b)]) if a < end else _hash(data, 0, 0)


def _within(place: int) -> int:
    return min(max(place, -_MOST), _MOST)


def hash_parts(texts: Sequence[str], parts: Sequence[Part]) -> np.ndarray:
    """spaCy's hashes of these parts of texts, uint64[n, K]. The texts can be encoded, as those of a StringStore can."""
    out = np.empty((len(texts), len(parts)), np.uint64)
    for lower in {part.lower for part in parts}:
        own = [k for k, part in enumerate(parts) if part.lower == lower]
        given = [text.lower() for text in texts] if lower else texts
        data = np.frombuffer("".join(given).encode("utf8"), np.uint8)
        places = np.append(np.flatnonzero((data & 0xC0) != 0x80), data.size)  # bytes that begin a character
        borders = np.concatenate([[0], np.cumsum(np.fromiter(map(len, given), np.int64, len(given)))])
        first = np.array([_within(parts[k].first or 0) for k in own], np.int64)
        last = np.array([_MOST if (end := parts[k].last) is None else _within(end) for k in own], np.int64)
        found = np.empty((len(texts), len(own)), np.uint64)
        _hash_parts(data, places, borders, first, last, found)
        out[:, own] = found
    return out
