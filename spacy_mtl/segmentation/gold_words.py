"""Gold tags for the characters of a predicted Doc, from the words of its reference, even where the two texts differ."""

from difflib import SequenceMatcher
from itertools import pairwise

import numpy as np
from spacy.tokens import Doc

from .boundaries import encode_words
from .characters import CharacterTable, doc_text, word_offsets


def gold_tags(characters: CharacterTable, predicted: Doc, reference: Doc, starts: np.ndarray, tags: str) -> np.ndarray:
    """Tag numbers int32[n] of the characters of ``predicted`` without white space; -1 where its text has no matching word of the reference.

    starts: its sentence borders, int64[S + 1]. tags: the tag set, see :mod:`.boundaries`.
    """
    chars = characters.read([doc_text(predicted)])
    given = chars.codes[chars.at]
    codes, begins = _read_words(characters, reference)
    if not np.array_equal(given, codes):
        return align_tags(given, codes, begins, starts, tags)
    begins[starts[:-1]] = True
    return encode_words(begins, tags)


def _read_words(characters: CharacterTable, doc: Doc) -> tuple[np.ndarray, np.ndarray]:
    """Code points uint32[n] of a Doc's characters without white space, and where words begin, bool[n]."""
    chars = characters.read([doc_text(doc)])
    begins = np.zeros(chars.codes.size + 1, bool)
    begins[word_offsets(doc)] = True
    begins = begins[chars.at]
    begins[chars.starts[:-1]] = True
    return chars.codes[chars.at], begins


def align_tags(given: np.ndarray, codes: np.ndarray, begins: np.ndarray, starts: np.ndarray, tags: str) -> np.ndarray:
    """Tags int32[n] for the words of the reference that the given text has in full, -1 for all other characters.

    given, codes: code points of the text and of the reference. begins: bool, where words of the reference begin. starts: as in :func:`gold_tags`.
    """
    place = np.full(codes.size, -1)
    matcher = SequenceMatcher(None, codes.tolist(), given.tolist(), autojunk=False)
    for old, new, size in matcher.get_matching_blocks():
        place[old : old + size] = np.arange(new, new + size)
    numbers = encode_words(begins, tags)
    gold = np.full(given.size, -1, np.int32)
    borders = np.append(np.flatnonzero(begins), codes.size)
    inner = np.zeros(given.size + 1, bool)
    inner[starts] = True
    for a, b in pairwise(borders.tolist()):
        at = place[a:b]
        if at[0] >= 0 and (np.diff(at) == 1).all() and not inner[at[1:]].any():
            gold[at] = numbers[a:b]
    return gold
