"""What the columns of attributes say, as text: for people who read a model, not for the model."""

from collections.abc import Sequence

import numpy as np
from spacy.strings import StringStore
from spacy.tokens import Doc

from spacy_mtl.templates.extract import boundary

from .characters import CHARACTER_CONTEXT
from .context_texts import case_text, count_text, place_text
from .derived import Derived
from .of_tables import is_list
from .reader import LEXEME, AttributeReader

#: Attributes that are numbers; the others are string ids.
_NUMBERS = (*CHARACTER_CONTEXT, "SPACY", "IDX", "LENGTH", "SENT_START", "ENT_IOB")
#: Attributes whose values are codes, and what these say.
CODES = {"DOC_COUNT": count_text, "RUN_PLACE": place_text, "DOC_CASE": case_text}


class AttributeTexts:
    """The values of a reader's columns uint64[A, N] as text.

    docs: that the columns were read from, for attributes that are functions of a Doc; without them, values of these are shown as codes.
    """

    def __init__(self, reader: AttributeReader, columns: np.ndarray, strings: StringStore, docs: Sequence[Doc] = ()):
        self._reader = reader
        self._columns = columns
        self._strings = strings
        self._docs = docs
        self._of_docs: dict[str, list[str]] = {}
        self._outside = {
            int(boundary(distance)) for distance in (-1, 1)
        }  # what context attributes are where there is no such word

    def text(self, attr: str, position: int) -> str:
        """The value of an attribute at a position; "" where it is not set, and a code such as ``#1f3a`` where it is known by its hash alone."""
        reader = self._reader
        if attr in reader.lexicon.attributes:
            return str(self._of_form(attr, int(self._columns[0, position])))
        if attr in reader.doc_functions and self._docs:
            return self._from_docs(attr)[position]
        return self._plain(attr, int(self._columns[reader.columns[attr], position]))

    def _of_form(self, attr: str, orth: int) -> str | int | bool:
        lexicon = self._reader.lexicon
        function = lexicon.functions[lexicon.attributes.index(attr)]
        if function:
            return function(lexicon.vocab.strings[orth])
        lexeme, name = lexicon.vocab[orth], LEXEME[attr]
        return getattr(lexeme, f"{name}_", getattr(lexeme, name))  # lower_ is the text of lower

    def _plain(self, attr: str, value: int) -> str:
        if attr in CODES and (text := CODES[attr](value)) is not None:
            return text
        if attr in _NUMBERS or is_list(attr) or not value:
            return str(value) if attr in _NUMBERS or is_list(attr) else ""
        if value in self._outside:
            return "none"
        known = value in self._strings  # type: ignore[operator]
        return self._strings[value] if known else f"#{value & 0xFFFF:04x}"

    def _from_docs(self, attr: str) -> list[str]:
        if attr not in self._of_docs:
            function = self._reader.doc_functions[attr]
            assert function is not None
            found = [function.texts(doc) if isinstance(function, Derived) else function(doc) for doc in self._docs]
            self._of_docs[attr] = [str(value) for values in found for value in values]
        return self._of_docs[attr]
