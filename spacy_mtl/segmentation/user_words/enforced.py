"""The user's words as a preference or as law: where they occur in a text, which of them apply, and what that does to the scores of tags.

Of words that overlap, the longest applies, then the leftmost. So a word that stands inside a longer one is not looked at, and of two that overlap
in part the shorter one gives way: that is a conflict, which :class:`.matches.Match` names.
"""

from functools import cache

import numpy as np

from spacy_mtl.kernels import kernel
from spacy_mtl.segmentation.boundaries import TAG_SETS, spell
from spacy_mtl.structures.chain.viterbi import FORBIDDEN
from spacy_mtl.templates.attributes.characters import ONE_PART, match_words

#: Words of more characters repeat the tags of shorter ones.
_TOLD = 8


@cache
def spelling(tags: str) -> np.ndarray:
    """Tag numbers of the characters of words, int64[n, n]: row k is a word of k characters, and the last row stands for longer ones as well."""
    table = np.zeros((_TOLD + 1, _TOLD), np.int64)
    for length in range(1, _TOLD + 1):
        table[length, :length] = [TAG_SETS[tags].index(tag) for tag in spell(length, tags)]
    return table


@kernel
def tag_inside(spelled, place, length):
    """The tag of the character at this place of a word of so many characters."""
    row = min(length, spelled.shape[0] - 1)
    if place == length - 1:
        return spelled[row, row - 1]
    return spelled[row, min(place, spelled.shape[1] - 2)]


@kernel
def find_words(chars, starts, words):
    """The occurrences of the user's words, see :func:`.match_words`."""
    unread = np.empty((3, chars.size), np.uint64)
    return match_words(chars, starts, ONE_PART, words, unread[0], unread[1], unread[2], True)


@kernel
def mark_torn(first, length, starts, joined):
    """Which occurrences would part what stays whole (``joined``, bool[N]), bool[K]."""
    torn = np.zeros(first.size, np.bool_)
    is_start = np.zeros(joined.size + 1, np.bool_)
    for s in range(starts.size):
        is_start[starts[s]] = True
    for k in range(first.size):
        end = first[k] + length[k]
        torn[k] = joined[first[k]] or (not is_start[end] and joined[end])
    return torn


@kernel
def choose_words(first, length, torn, n):
    """Which occurrences apply, bool[K]: none that is torn or overlaps a longer one, or one of its length before it. n: characters of the text."""
    kept, taken = np.zeros(first.size, np.bool_), np.zeros(n, np.bool_)
    longest = 0
    for k in range(first.size):
        longest = max(longest, length[k])
    counts = np.zeros(longest + 2, np.int64)
    for k in range(first.size):
        counts[longest - length[k] + 1] += 1
    for i in range(longest + 1):
        counts[i + 1] += counts[i]
    order = np.empty(first.size, np.int64)
    for k in range(first.size):
        order[counts[longest - length[k]]] = k
        counts[longest - length[k]] += 1
    for k in order:
        a, b = first[k], first[k] + length[k]
        # what is taken is no shorter, so it covers an end of whatever it overlaps
        if not torn[k] and not taken[a] and not taken[b - 1]:
            kept[k] = True
            taken[a:b] = True
    return kept


@kernel
def mark_longest(first, length, torn):
    """Which occurrences are inside no longer one, bool[K]."""
    kept = np.zeros(first.size, np.bool_)
    furthest = 0
    for k in range(first.size):
        end = first[k] + length[k]
        kept[k] = not torn[k]
        for j in range(k + 1, first.size):
            if first[j] != first[k]:
                break
            kept[k] &= torn[j]
        kept[k] &= end > furthest
        if kept[k]:
            furthest = end
    return kept


@kernel
def enforce(first, length, starts, joined, strength, spelled, begin_tags, nodes):
    """Change the scores ``nodes`` (float32[N, L]) so that the user's words are preferred, or forced if ``strength`` is infinite.

    first, length: from :func:`find_words`. joined: bool[N], where no word may begin. spelled: from :func:`spelling`. begin_tags: bool[L].
    """
    if not first.size:
        return
    torn = mark_torn(first, length, starts, joined)
    is_law = np.isinf(strength)
    kept = choose_words(first, length, torn, joined.size) if is_law else mark_longest(first, length, torn)
    for k in range(first.size):
        if not kept[k]:
            continue
        end = first[k] + length[k]
        for t in range(first[k], end):
            tag = tag_inside(spelled, t - first[k], length[k])
            if not is_law:
                nodes[t, tag] += strength
                continue
            for y in range(begin_tags.size):
                if y != tag:
                    nodes[t, y] += FORBIDDEN
        if is_law and length[k] == 1 and end < joined.size:  # its tag may be that of the beginning of a longer word
            for y in range(begin_tags.size):
                if not begin_tags[y]:
                    nodes[end, y] += FORBIDDEN
