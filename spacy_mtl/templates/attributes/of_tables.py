"""Attributes that read tables of the user: clusters of words, and lists of phrases.

=====================  =====================================================================================================
CLUSTER                the path of the word's cluster in the table CLUSTER, "" for a word that it does not have
CLUSTER6               the first 6 bits of the path
CLUSTER_name           the same of the table CLUSTER_name; CLUSTER6_name: the first 6 bits
LIST_name              whether the word begins (1), continues (2) or ends (3) a phrase of the list LIST_name, or is one (4)
LIST                   the same in all lists of the component together
=====================  =====================================================================================================
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from spacy.strings import hash_string  # type: ignore[attr-defined]

from spacy_mtl.errors import Errors
from spacy_mtl.settings import shown
from spacy_mtl.tables.clusters import LONGEST_PATH, ClusterTable
from spacy_mtl.tables.phrases import PhraseList

_CLUSTER = re.compile(r"CLUSTER([1-9]\d?)?(_\w+)?")
_LIST = re.compile(r"LIST(_\w+)?")
#: All lists together.
ALL_LISTS = "LIST"
#: What makes a table, for the example in a message.
EXAMPLES = {"CLUSTER": "spacy_mtl.lookups.v1", "LIST": "spacy_mtl.phrases.v1"}
_HINTS = {
    ClusterTable: ", as those of ner.v1 with clusters = true do",
    PhraseList: ", as those of ner.v1 with lists = true do",
}


def is_cluster(attr: str) -> bool:
    """Whether an attribute reads a table of clusters."""
    found = _CLUSTER.fullmatch(attr)
    return found is not None and int(found.group(1) or 1) <= LONGEST_PATH


def is_list(attr: str) -> bool:
    """Whether an attribute reads lists of phrases."""
    return _LIST.fullmatch(attr) is not None


def reads_table(attr: str) -> bool:
    """Whether an attribute reads a table of the user."""
    return is_cluster(attr) or is_list(attr)


def table_of(attr: str) -> str:
    """The name of the table that an attribute reads: CLUSTER_news for CLUSTER6_news."""
    found = _CLUSTER.fullmatch(attr)
    return f"CLUSTER{found.group(2) or ''}" if found else attr


def kind_of_name(name: str) -> type | None:
    """The kind of table that may have this name; None for other names."""
    if is_cluster(name) and table_of(name) == name:
        return ClusterTable
    return PhraseList if is_list(name) and name != ALL_LISTS else None


def is_read(name: str, attributes: Collection[str]) -> bool:
    """Whether one of the attributes reads the table of this name."""
    return any(
        table_of(attr) == name or (attr == ALL_LISTS and is_list(name)) for attr in attributes if reads_table(attr)
    )


def without_table(attributes: Collection[str], tables: Mapping[str, Any]) -> str | None:
    """The first attribute whose table is missing; for LIST, any list will do."""
    lists = any(isinstance(table, PhraseList) for table in tables.values())
    for attr in attributes:
        if reads_table(attr) and not (lists if attr == ALL_LISTS else table_of(attr) in tables):
            return attr
    return None


@dataclass(frozen=True, slots=True)
class ClusterPath:
    """The first ``bits`` of the path of a form's cluster, None for all of them; "" for a form that the table does not have, and without a table."""

    table: ClusterTable | None
    bits: int | None

    def __call__(self, form: str) -> str:
        return ((self.table.path(form) if self.table is not None else None) or "")[: self.bits]


def cluster_function(attr: str, tables: Mapping[str, Any]) -> ClusterPath:
    """A cluster attribute as a function of the form."""
    found = _CLUSTER.fullmatch(attr)
    assert found is not None
    return ClusterPath(tables.get(table_of(attr)), int(found.group(1)) if found.group(1) else None)


def hash_paths(forms: Sequence[str], paths: Sequence[ClusterPath]) -> np.ndarray:
    """spaCy's hashes of what these attributes are of forms, uint64[n, K]. A table is looked through once for all that read it."""
    out = np.empty((len(forms), len(paths)), np.uint64)
    found: dict[int, tuple[np.ndarray, np.ndarray]] = {}
    for k, (table, bits) in enumerate((path.table, path.bits) for path in paths):
        if table is None:
            out[:, k] = hash_string("")
            continue
        if id(table) not in found:
            found[id(table)] = np.unique(table.numbers_of(forms), return_inverse=True)
        numbers, place = found[id(table)]
        texts = ["" if number < 0 else table.paths[number][:bits] for number in numbers.tolist()]
        out[:, k] = np.array([hash_string(text) for text in texts], np.uint64)[place]
    return out


def check_given(name: str, tables: Mapping[str, Any], attributes: Collection[str]) -> None:
    """Refuse tables of a component that are none, or that no template reads. Raises ValueError: M810, M811, M812."""
    for table, found in tables.items():
        kind = kind_of_name(table) if isinstance(table, str) else None
        if kind is None:
            raise ValueError(Errors.M812.format(name=name, table=shown(table)))
        if not isinstance(found, kind):
            expected = "clusters" if kind is ClusterTable else "a list of phrases"
            raise ValueError(Errors.M811.format(name=name, table=table, expected=expected, found=type(found).__name__))
        if not is_read(table, attributes):
            hint = _HINTS[kind]
            raise ValueError(Errors.M810.format(name=name, table=table, hint=hint))


def check_read(name: str, tables: Mapping[str, Any], attributes: Collection[str]) -> None:
    """Refuse attributes of templates that no table is for. Raises ValueError (M809)."""
    attr = without_table(attributes, tables)
    if attr is not None:
        kind = "CLUSTER" if is_cluster(attr) else "LIST"
        table = f"{ALL_LISTS}_name" if attr == ALL_LISTS else table_of(attr)
        raise ValueError(Errors.M809.format(name=name, attr=attr, table=table, example=EXAMPLES[kind]))
