"""Lists of the entities of the training corpus."""

from spacy_mtl.errors import Errors
from spacy_mtl.registry import mtl_tables
from spacy_mtl.settings import is_whole, shown

from .phrase_settings import check_folding, check_of_corpus
from .phrases import OfCorpus, PhraseList


@mtl_tables("spacy_mtl.corpus_phrases.v1")
def corpus_phrases(
    label: str | None = None,
    min_count: int = 1,
    folds: int = 2,
    fold_case: bool = False,
    fold_accents: bool = False,
) -> PhraseList:
    """A list that a component fills with the entities of its training corpus, when it is initialized.

    In training each part of the corpus knows only the entities of the other parts, so that training meets entities that the list does not have, as
    new texts do. label: of the entities; null for all of them. min_count: leave out those that occur less often. folds: the number of parts.
    fold_case, fold_accents: find phrases whatever their case and accents. Raises ValueError (M960).
    """
    check_folding(fold_case, fold_accents)
    check_of_corpus(label, folds)
    if not is_whole(min_count, 1):
        expected = "a whole number above 0"
        raise ValueError(Errors.M960.format(setting="min_count", expected=expected, value=shown(min_count)))
    return PhraseList((), fold_case, fold_accents, OfCorpus(label or "", min_count, folds, filled=True))
