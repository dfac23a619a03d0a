"""Known marks: a punctuation mark or symbol that occurs as a word of its own can only get the tags that it was seen with.

Marks are few, and a corpus treats each of them consistently. In a context that the corpus does not have (``3℃/5℃``), the weights of their neighbours
would otherwise attach them to these.
"""

from collections.abc import Sequence
from unicodedata import category

import numpy as np
from spacy.strings import StringStore

from spacy_mtl.learning.counted.known_words import (
    KnownWords,
    LabelCounts,
    joined_known_words,
    known_words_of,
    label_counts,
)
from spacy_mtl.learning.gather import Piece

from .boundaries import TAG_SETS, spell

#: Score of a tag that a mark was not seen with: it outweighs any other score, but not a forbidden tag, such as one that begins a word at an accent.
UNLIKELY = np.float32(-1e4)


def count_known_marks(
    pieces: Sequence[Piece], strings: StringStore, tags: str, least: int, earlier: KnownWords | None = None
) -> KnownWords:
    """The tag numbers of each mark that occurs at least ``least`` times (0 for none), and also as a word of its own. tags: the tag set.

    earlier: those of an earlier corpus, which get the tags that they have here as well.
    """
    n_tags = len(TAG_SETS[tags])
    counted = known_marks_of(label_counts(pieces, strings, n_tags), tags, least) if least else {}
    return joined_known_words(earlier or {}, counted, pieces, strings, n_tags)


def known_marks_of(counts: LabelCounts, tags: str, least: int) -> KnownWords:
    """The same from counts of the tags of all characters. least: above 0."""
    n_tags, alone = len(TAG_SETS[tags]), TAG_SETS[tags].index(spell(1, tags)[0])
    return {
        char: numbers
        for char, numbers in known_words_of(counts, least, n_tags).items()
        if category(char)[0] in "PS" and alone in numbers and len(numbers) < n_tags
    }
