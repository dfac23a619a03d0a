"""What functions of attributes return, as integers."""

from collections.abc import Callable, Iterable

import numpy as np
from spacy.strings import hash_string  # type: ignore[attr-defined]
from spacy.tokens import Doc

from spacy_mtl.errors import Errors
from spacy_mtl.settings import shown


def as_uint64(value: str | int | bool, attr: str) -> int:
    """Convert a value to uint64: strings by spaCy's hash, numbers in two's complement. Raises ValueError (M113) for anything else."""
    if isinstance(value, str):
        return hash_string(str(value))  # numpy has strings of its own, which spaCy does not take
    if not isinstance(value, int | np.integer | np.bool_):
        raise ValueError(Errors.M113.format(attr=attr, value=value))
    return int(value) & 0xFFFFFFFFFFFFFFFF


def all_as_uint64(values: Iterable[str | int | bool], attr: str) -> np.ndarray:
    """The same of many, uint64[n]."""
    return np.array([hash_string(each) if type(each) is str else as_uint64(each, attr) for each in values], np.uint64)


def values_of(attr: str, function: Callable, doc: Doc) -> np.ndarray:
    """What a function returns for the tokens of a document, uint64[n].

    Raises ValueError: M112 another number of values, M113 a value of another type, M114 no values at all.
    """
    returned = function(doc)
    if isinstance(returned, str) or not np.iterable(returned):
        raise ValueError(Errors.M114.format(attr=attr, value=shown(returned)))
    values = list(returned)
    if len(values) != len(doc):
        raise ValueError(Errors.M112.format(attr=attr, got=len(values), expected=len(doc)))
    return all_as_uint64(values, attr)
