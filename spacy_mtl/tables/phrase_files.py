"""Files of phrases: one a line."""

import warnings
from pathlib import Path

from spacy_mtl.errors import Errors, Warnings
from spacy_mtl.registry import mtl_tables
from spacy_mtl.settings import brief

from .lines import read_lines
from .phrase_settings import check_folding, check_of_corpus
from .phrases import MOST_WORDS, OfCorpus, PhraseList, words_of


@mtl_tables("spacy_mtl.phrases.v1")
def read_phrases(
    path: Path,
    fold_case: bool = False,
    fold_accents: bool = False,
    folds: int | None = None,
    label: str | None = None,
) -> PhraseList:
    """Read a list of phrases, one a line, with spaces between words as they are tokens in the documents.

    fold_case, fold_accents: find phrases whatever their case and accents. folds: for a list that was made from the training corpus, the number of
    parts of that corpus; in training, each part knows an entity only if another part has it. label: of the entities that the list was made from;
    null for all. Empty lines are left out, with a warning (M850). Raises ValueError: M801
    the file cannot be read, M802 a line is too long, M817 it has too many words, M816 there are no phrases.
    """
    check_folding(fold_case, fold_accents)
    check_of_corpus(label, 2 if folds is None else folds)
    phrases, empty = [], 0
    for number, line in read_lines(path):
        words = len(words_of(line))
        if words > MOST_WORDS:
            raise ValueError(Errors.M817.format(path=brief(path, 300), line=number, words=words, most=MOST_WORDS))
        empty += not words
        if words:
            phrases.append(line)
    if not phrases:
        raise ValueError(Errors.M816.format(path=brief(path, 300)))
    if empty:
        warnings.warn(Warnings.M850.format(path=brief(path, 300), n=empty), stacklevel=2)
    of_corpus = None if folds is None else OfCorpus(label or "", 1, folds)
    return PhraseList(phrases, fold_case, fold_accents, of_corpus)
