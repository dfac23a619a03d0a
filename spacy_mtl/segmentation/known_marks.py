"""Marks whose tags are known: a punctuation mark or symbol that is a word of its own takes only the tags it was seen with.

Marks are few, and what a corpus does with one it does with purpose. Where a text puts them otherwise than the corpus (``3℃/5℃``), what was learnt of
their neighbours would join them to these.
"""

from collections.abc import Sequence
from unicodedata import category

import numpy as np
from spacy.strings import StringStore

from spacy_mtl.learning.gather import Piece
from spacy_mtl.learning.known_words import KnownWords, count_known_words

from .boundaries import TAG_SETS, spell

#: What a tag that a mark was not seen with costs: more than any score, less than what cannot be, such as to part a mark from an accent on it.
UNLIKELY = np.float32(-1e4)


def count_known_marks(pieces: Sequence[Piece], strings: StringStore, tags: str, least: int) -> KnownWords:
    """The tag numbers of each mark that occurs ``least`` times, and as a word of its own. tags: the tag set."""
    n_tags, alone = len(TAG_SETS[tags]), TAG_SETS[tags].index(spell(1, tags)[0])
    known = count_known_words(pieces, strings, n_tags, least)
    return {
        char: numbers
        for char, numbers in known.items()
        if category(char)[0] in "PS" and alone in numbers and len(numbers) < n_tags
    }
