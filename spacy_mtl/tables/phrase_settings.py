"""Checks of the settings of lists."""

from spacy_mtl.errors import Errors
from spacy_mtl.settings import is_switch, is_whole, shown

from .phrases import MOST_FOLDS


def check_folding(fold_case: object, fold_accents: object) -> None:
    """Refuse what is neither true nor false. Raises ValueError (M960)."""
    for setting, value in (("fold_case", fold_case), ("fold_accents", fold_accents)):
        if not is_switch(value):
            raise ValueError(Errors.M960.format(setting=setting, expected="true or false", value=shown(value)))


def check_of_corpus(label: object, folds: object) -> None:
    """Refuse what is no label of entities, or no number of parts. Raises ValueError (M960)."""
    if label is not None and not (isinstance(label, str) and label):
        raise ValueError(Errors.M960.format(setting="label", expected="a label, or null", value=shown(label)))
    if not is_whole(folds, 2, MOST_FOLDS):
        expected = f"a whole number from 2 to {MOST_FOLDS}"
        raise ValueError(Errors.M960.format(setting="folds", expected=expected, value=shown(folds)))
