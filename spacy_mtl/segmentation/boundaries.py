"""Words as sequences of character tags: the tag sets, which tags may follow each other, encoding and decoding."""

from collections.abc import Sequence
from functools import cache

import numpy as np

from spacy_mtl.structures.chain.build import Constraints

#: Tags of a word's characters by tag set: for a word of one character, for the first characters, for the others inside, and for the last one.
#: ``bie`` is the tag set of Mao & Tsang, where the only character of a word is tagged as a beginning.
_SPELLING = {"bie": ("B", "B", "I", "E"), "bmes": ("S", "B", "M", "E"), "bcdmes": ("S", "BCD", "M", "E")}
TAG_SETS = {"bie": tuple("BIE"), "bmes": tuple("BMES"), "bcdmes": tuple("BCDMES")}
#: Tags that begin a word.
_BEGIN = ("B", "S")


def spell(length: int, tags: str) -> list[str]:
    """The tags of a word of ``length`` characters."""
    single, first, inside, last = _SPELLING[tags]
    if length == 1:
        return [single]
    return [*(first + inside * length)[: length - 1], last]


def tag_set_constraints(tags: str) -> Constraints:
    """Constraints that allow only tag sequences of whole words."""
    number = {tag: i for i, tag in enumerate(TAG_SETS[tags])}
    n = len(number)
    start, end, step = np.zeros(n, bool), np.zeros(n, bool), np.zeros((n, n), bool)
    for length in range(1, n + 3):  # longer words have no other pairs of neighbouring tags
        word = [number[tag] for tag in spell(length, tags)]
        start[word[0]] = end[word[-1]] = True
        step[word[:-1], word[1:]] = True
    step |= end[:, None] & start[None, :]
    return Constraints(start, end, step)


@cache
def begin_tags(tags: str) -> np.ndarray:
    """Which tags begin a word, bool[L]."""
    return np.array([tag in _BEGIN for tag in TAG_SETS[tags]])


def encode_words(begins: np.ndarray, tags: str) -> np.ndarray:
    """Tag numbers int32[n] of characters. begins: bool[n], whether a word begins at each character; one always begins at the first."""
    n = begins.size
    if not n:
        return np.zeros(0, np.int32)
    first = np.flatnonzero(np.concatenate([[True], begins[1:]]))
    lengths = np.diff(np.append(first, n))
    place = np.arange(n) - np.repeat(first, lengths)
    length = np.repeat(lengths, lengths)
    return _numbers(tags, place, length)


def _numbers(tags: str, place: np.ndarray, length: np.ndarray) -> np.ndarray:
    """Tag numbers of characters, each at position ``place`` of a word of ``length`` characters (int64[n] both)."""
    names: Sequence[str] = TAG_SETS[tags]
    longest = len(names) + 2
    table = np.zeros((longest + 1, longest), np.int32)
    for size in range(1, longest + 1):
        table[size, :size] = [names.index(tag) for tag in spell(size, tags)]
    is_last = place == length - 1
    cut = np.minimum(length, longest)
    return table[cut, np.where(is_last, cut - 1, np.minimum(place, longest - 2))]
