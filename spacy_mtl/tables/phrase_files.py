"""Files of phrases: one a line."""

import warnings
from pathlib import Path

from spacy_mtl.errors import Errors, Warnings
from spacy_mtl.registry import mtl_tables
from spacy_mtl.settings import brief, is_switch, shown

from .lines import read_lines
from .phrases import MOST_WORDS, PhraseList


@mtl_tables("spacy_mtl.phrases.v1")
def read_phrases(path: Path, fold_case: bool = False, fold_accents: bool = False) -> PhraseList:
    """Read a list of phrases, one a line, with spaces between words as they are tokens in the documents.

    fold_case, fold_accents: find phrases whatever their case and accents. Empty lines are left out, with a warning (M850). Raises ValueError: M801
    the file cannot be read, M802 a line is too long, M817 it has too many words, M816 there are no phrases.
    """
    check_folding(fold_case, fold_accents)
    phrases, empty = [], 0
    for number, line in read_lines(path):
        words = len(line.split())
        if words > MOST_WORDS:
            raise ValueError(Errors.M817.format(path=brief(path, 300), line=number, words=words, most=MOST_WORDS))
        empty += not words
        if words:
            phrases.append(line)
    if not phrases:
        raise ValueError(Errors.M816.format(path=brief(path, 300)))
    if empty:
        warnings.warn(Warnings.M850.format(path=brief(path, 300), n=empty), stacklevel=2)
    return PhraseList(phrases, fold_case, fold_accents)


def check_folding(fold_case: object, fold_accents: object) -> None:
    """Refuse what is neither true nor false. Raises ValueError (M133)."""
    for setting, value in (("fold_case", fold_case), ("fold_accents", fold_accents)):
        if not is_switch(value):
            raise ValueError(Errors.M133.format(setting=setting, expected="true or false", value=shown(value)))
