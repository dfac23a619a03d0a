"""Attributes that are a part of another one of the token: the first characters of its tag, one feature of its morphology, a word without accents."""

import re
import unicodedata
from collections.abc import Callable

import numpy as np
from spacy.strings import StringStore, hash_string  # type: ignore[attr-defined]
from spacy.tokens import Doc

_TAG_PREFIX = re.compile(r"TAG_PREFIX([1-9]\d*)\Z")
_FEATURE = re.compile(r"MORPH_([A-Za-z0-9]+)(?:_([A-Za-z0-9]+))?\Z")


class Derived:
    """A function from the values of another attribute to string ids, 0 where that is not set. Each distinct value is computed once.

    base: the other attribute. part: from its text to the text of the part. whole: whether the part is there whenever the other one is.
    """

    def __init__(self, base: str, part: Callable[[str], str], whole: bool):
        self.base = base
        self.whole = whole
        self._part = part
        self._known: dict[int, int] = {0: 0}

    def __call__(self, values: np.ndarray, strings: StringStore) -> np.ndarray:
        """uint64[N], of the other attribute's values uint64[N]."""
        distinct, place = np.unique(values, return_inverse=True)
        known = self._known
        for value in set(distinct.tolist()).difference(known):
            known[value] = hash_string(self._part(strings[value]))
        return np.array([known[value] for value in distinct.tolist()], np.uint64)[place]

    def texts(self, doc: Doc) -> list[str]:
        """Of a Doc's tokens, as text, "" where the other attribute is not set."""
        strings = doc.vocab.strings
        return [self._part(strings[value]) if value else "" for value in doc.to_array([self.base]).tolist()]


def derived(attr: str) -> Derived | None:
    """The function behind ``attr``: TAG_PREFIXn, such as ``NC`` of the tag ``NCNPU==I``, or MORPH_name, such as ``Acc`` of ``Case=Acc|Number=Sing``
    for MORPH_Case ("" without that feature); MORPH_Number_psor is Number[psor]. None for other attributes."""
    if prefix := _TAG_PREFIX.match(attr):
        size = int(prefix.group(1))
        return Derived("TAG", lambda text: text[:size], True)
    if feature := _FEATURE.match(attr):
        name, layer = feature.groups()
        return Derived("MORPH", _value_of(f"{name}[{layer}]" if layer else name), False)
    return None


def fold_accents(text: str) -> str:
    """A word without accents: its letters without the marks that go with them (``"Bogotá"`` -> ``"Bogota"``)."""
    if text.isascii():
        return text
    return unicodedata.normalize(
        "NFC", "".join(c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn")
    )


def base_of(attr: str) -> str:
    """The attribute of the Doc that ``attr`` is a part of, or itself."""
    found = derived(attr)
    return found.base if found else attr


def _value_of(name: str) -> Callable[[str], str]:
    """A function from FEATS such as ``Case=Acc|Number=Sing`` to the value of one feature; "" if it is not there."""
    start = f"{name}="

    def value(feats: str) -> str:
        return next((part[len(start) :] for part in feats.split("|") if part.startswith(start)), "")

    return value
