"""Where the user's words occur in a text, which of them it is cut into if they are law, and why the others are not."""

from typing import NamedTuple

import numpy as np

from spacy_mtl.segmentation.characters import CharacterTable
from spacy_mtl.templates.attributes.characters import WordTable

from .enforced import choose_words, find_words, mark_torn


class Match(NamedTuple):
    """A word of the user in a text, ``text[start:end]``.

    applies: whether it is one of the words that the text is cut into, if words are law. conflict: if not, what it gives way to (a word that overlaps
    it, or the letters or digits that it would cut through); empty for a word inside a longer one.
    """

    word: str
    start: int
    end: int
    applies: bool
    conflict: str = ""


def find_matches(text: str, table: CharacterTable, words: WordTable, keep_runs: bool) -> list[Match]:
    """All occurrences of the user's words in a text, by their places. words: see :class:`.Dictionary`."""
    chars = table.read([text])
    joined = table.joined(chars) if keep_runs else np.zeros(chars.at.size, np.bool_)
    first, length = find_words(table.normal[chars.ids[chars.at]], chars.starts, words)
    torn = mark_torn(first, length, chars.starts, joined)
    kept = choose_words(first, length, torn, chars.at.size)
    begins, ends = chars.at[first], chars.at[first + length - 1] + 1
    owner = np.full(chars.at.size, -1, np.int64)  # the occurrence that applies at each character
    for k in np.flatnonzero(kept).tolist():
        owner[first[k] : first[k] + length[k]] = k
    found = []
    for k, (a, b) in enumerate(zip(begins.tolist(), ends.tolist(), strict=True)):
        others = [o for o in dict.fromkeys(owner[first[k] : first[k] + length[k]].tolist()) if o >= 0 and o != k]
        crossed = [o for o in others if not begins[o] <= a <= b <= ends[o]]
        conflict = ""
        if torn[k] and not kept[k] and (crossed or not others):  # whatever else is there
            conflict = _run(text, a, b, joined, chars.at)
        elif not kept[k] and crossed:
            conflict = text[begins[crossed[0]] : ends[crossed[0]]]
        found.append(Match(text[a:b], a, b, bool(kept[k]), conflict))
    return found


def _run(text: str, a: int, b: int, joined: np.ndarray, at: np.ndarray) -> str:
    """The run of letters or digits that a word at ``text[a:b]`` would part."""
    first, last = np.searchsorted(at, [a, b - 1]).tolist()
    while joined[first]:
        first -= 1
    while last + 1 < joined.size and joined[last + 1]:
        last += 1
    return text[at[first] : at[last] + 1]
