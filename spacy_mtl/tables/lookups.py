"""Clusters of spaCy's own lookups, the table ``lexeme_cluster`` of the package spacy-lookups-data."""

from importlib.util import find_spec
from typing import Any

from spacy.util import load_language_data
from spacy.util import registry as spacy_registry

from spacy_mtl.errors import Errors
from spacy_mtl.registry import mtl_tables
from spacy_mtl.settings import shown

from .brown import check_most
from .clusters import LONGEST_PATH, ClusterTable


@mtl_tables("spacy_mtl.lookups.v1")
def read_lookups(lang: str, name: str = "lexeme_cluster", most: int | None = 500_000) -> ClusterTable:
    """Take the clusters of a language from spaCy's lookups.

    lang: its code. name: of the table. most: keep so many of the most frequent forms only; null for all, a million.
    Raises ValueError: M806 the package is not installed, M807 it has no such table, M808 the table does not have clusters.
    """
    check_most(most)
    for setting, value in (("lang", lang), ("name", name)):
        if not (isinstance(value, str) and value):
            raise ValueError(Errors.M960.format(setting=setting, expected="text", value=shown(value)))
    found = spacy_registry.lookups.get(lang) if lang in spacy_registry.lookups else {}
    if name not in found:
        if find_spec("spacy_lookups_data") is None:
            raise ValueError(Errors.M806)
        raise ValueError(Errors.M807.format(lang=shown(lang), name=shown(name)))
    table: Any = load_language_data(found[name])
    values = list(table.values()) if isinstance(table, dict) else []
    if not values or any(type(value) is not int or not 0 <= value < 1 << LONGEST_PATH for value in values):
        raise ValueError(Errors.M808.format(lang=lang, name=shown(name)))
    # a number has the bits of a path from the lowest on, as spaCy itself has read Brown clusters
    width = max(1, max(values).bit_length())
    paths = {value: format(value, f"0{width}b")[::-1] for value in set(values)}
    return ClusterTable.of(((form, paths[value]) for form, value in table.items()), most)
