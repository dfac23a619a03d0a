"""The arc filter, which drops hopeless arcs: choice of the attribute that it reads, and values of that attribute as small numbers."""

from collections.abc import Mapping, Sequence

import numpy as np

from spacy_mtl.structures.tree.filter import MOST_TAGS, FilterTables, empty_tables, learn_filter
from spacy_mtl.templates.grammar import Template

#: Learning rate of each pass.
_RATES = np.array([0.1, 0.05, 0.03], np.float32)


def choose_attribute(columns: np.ndarray, names: Mapping[str, int], templates: Sequence[Template]) -> str | None:
    """Choose the attribute for the filter among those that templates read; None if they read none.

    It is the one with the most distinct values among those with at most MOST_TAGS - 2, or, if all have more, the one with the fewest.
    columns: uint64[A, N], by ``names``.
    """
    read = {obs.attr for t in templates for obs in t.observations if obs.attr}
    counts = {attr: np.unique(columns[names[attr]]).size for attr in sorted(read)}
    few = {attr: count for attr, count in counts.items() if 2 < count <= MOST_TAGS - 2}
    if few:
        return max(few, key=lambda attr: few[attr])
    return min(counts, key=lambda attr: counts[attr], default=None)


def number_tags(column: np.ndarray, tags: np.ndarray) -> np.ndarray:
    """Number the values of an attribute, int64[N]: 1 for the first of ``tags``, and so on; the last number stands for all other values.

    column: uint64[N].
    """
    order = np.argsort(tags, kind="stable")
    place = np.minimum(np.searchsorted(tags, column, sorter=order), tags.size - 1)
    found = order[place]
    return np.where(tags[found] == column, found, tags.size - 1) + 1


def learn_tables(column: np.ndarray, starts: np.ndarray, heads: np.ndarray) -> tuple[np.ndarray, FilterTables]:
    """The most frequent values of an attribute, uint64[T - 2], and the filter tables learnt from gold heads int32[N]."""
    values, counts = np.unique(column, return_counts=True)
    tags = values[np.lexsort((values, -counts))][: MOST_TAGS - 2]
    tables = empty_tables(tags.size + 2)
    learn_filter(number_tags(column, tags), starts, heads, tags.size + 2, tables, _RATES)
    return tags, tables
