"""Segment one text into a Doc of words with a single kernel call.

A pipeline calls its tokenizer text by text, and on a text of one sentence kernels run for less time than it takes to call half a dozen of
them and to pass arrays from one to the next. A text with a character that no earlier text had is left to :meth:`.MTLSegmenter.docs`, which
does the same step by step.
"""

import numpy as np
from spacy.tokens import Doc

from spacy_mtl.kernels import kernel

from .characters import SURROGATES, join_runs, number_codes, scan, token_borders
from .predict import CharacterPredictor, tag_characters
from .word_orths import WordOrths, find_orths


@kernel
def cut_text(codes, row_of, kinds, keep_runs, begin_tags, words, tables):
    """Find the tokens of one text.

    codes: uint32[M], M > 0. row_of, kinds: those of the :class:`CharacterTable`. begin_tags: bool[L]. words: the arguments of :func:`find_orths` that
    describe the known words. tables: the predictor's arguments of :func:`tag_characters`. Returns three values: ORTH, key, begin and end of each
    token, uint64[4, K]; whether a space follows each, bool[K]; and the number of unknown ORTHs, or -1, with no tokens, if a character is not in the
    tables.
    """
    ids = np.empty(codes.size, np.int32)
    missing = number_codes(codes, row_of, ids)
    size = min(kinds.size, tables[0].size)  # another thread may be adding characters
    for i in range(ids.size):
        missing += ids[i] >= size
    if missing:
        return np.empty((4, 0), np.uint64), np.empty(0, np.bool_), -1
    texts = np.zeros(2, np.int64)
    texts[1] = codes.size
    at, starts = scan(ids, kinds, texts)
    joined, labels = np.zeros(at.size, np.bool_), np.zeros(at.size, np.int32)
    if keep_runs:
        join_runs(ids, kinds, at, starts, joined)
    if at.size:
        tag_characters(at, ids, starts, joined, begin_tags, labels, *tables)
    first, last, space, _ = token_borders(codes, ids, kinds, texts, at, begin_tags[labels])
    found = np.empty((4, first.size), np.uint64)
    for k in range(first.size):
        found[2, k], found[3, k] = first[k], last[k]
    return found, space, find_orths(codes, first, last, *words, found[1], found[0])


def cut_doc(
    text: str, predictor: CharacterPredictor, words: WordOrths, keep_runs: bool, begin_tags: np.ndarray
) -> Doc | None:
    """Make a Doc of a text that is not empty; None where it must be made step by step: for a new character, or see :meth:`WordOrths.doc`."""
    characters, tables = predictor.characters, predictor.tables()
    codes = np.frombuffer(text.encode("utf-32-le", SURROGATES), np.uint32)
    return words.doc(
        text,
        lambda met: cut_text(codes, characters.row_of, characters.kinds, keep_runs, begin_tags, met, tables),
    )
