"""Documents that lack what templates read: predictions would silently get worse."""

import warnings
from collections.abc import Iterable, Sequence

import numpy as np
from spacy.tokens import Doc

from spacy_mtl.errors import Errors, Warnings
from spacy_mtl.structures.problem import block_starts
from spacy_mtl.templates.attributes.derived import derived
from spacy_mtl.templates.attributes.reader import AttributeReader

#: Attributes that a component or reader sets on every document, in addition to parts of these; other attributes can be 0 everywhere.
_ANNOTATED = ("TAG", "POS", "MORPH", "LEMMA", "DEP")


def annotated_names(names: Iterable[str]) -> list[str]:
    """Those of these attributes that every document must have."""
    return [name for name in names if name in _ANNOTATED or derived(name)]


def check_annotated(reader: AttributeReader, names: Sequence[str], docs: Sequence[Doc], columns: np.ndarray) -> None:
    """Refuse a doc in which no word has one of these attributes. Raises ValueError (M444).

    Of lemmas, which treebanks do not give to every word, there is a warning (M430) where no doc has any. columns: uint64[A, N], of all words.
    """
    docs = [doc for doc in docs if len(doc)]
    first = block_starts([len(doc) for doc in docs])[:-1]
    for name in names:
        has = np.logical_or.reduceat(columns[reader.columns[name]] != 0, first)
        if name == "LEMMA":
            if not has.any():
                warnings.warn(Warnings.M430.format(attr=name), stacklevel=4)
        elif not has.all():
            raise ValueError(Errors.M444.format(attr=name, text=docs[int(has.argmin())].text[:40]))
