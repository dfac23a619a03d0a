"""The filter of hopeless arcs, for words with any attribute: which attribute it reads, and its values as small numbers.

Where there are numbers left, the most frequent words of a tag have one of their own: a comma and a full stop may share a tag, but not their heads.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from ..structures.tree_filter import MOST_TAGS, FilterTables, empty_tables, learn_filter
from ..templates.grammar import Template
from .tree_rules import TreeRules

#: Learning rate of each pass.
_RATES = np.array([0.1, 0.05, 0.03], np.float32)
#: How often a word must have been seen to have a number of its own.
_LEAST_COUNT = 50


def choose_attribute(columns: np.ndarray, names: Mapping[str, int], templates: Sequence[Template]) -> str | None:
    """Of the attributes that templates read, the one with most different values of those that have at most MOST_TAGS - 2; else the one with fewest.

    columns: uint64[A, N], by ``names``. None where templates read nothing at all.
    """
    read = {obs.attr for t in templates for obs in t.observations if obs.attr}
    counts = {attr: np.unique(columns[names[attr]]).size for attr in sorted(read)}
    few = {attr: count for attr, count in counts.items() if 2 < count <= MOST_TAGS - 2}
    if few:
        return max(few, key=lambda attr: few[attr])
    return min(counts, key=lambda attr: counts[attr], default=None)


def choose_form(columns: np.ndarray, names: Mapping[str, int], templates: Sequence[Template]) -> str | None:
    """Of the attributes that templates read, the one with most different values. Arguments as of :func:`choose_attribute`."""
    read = {obs.attr for t in templates for obs in t.observations if obs.attr}
    return max(sorted(read), key=lambda attr: np.unique(columns[names[attr]]).size, default=None)


def filter_columns(
    columns: np.ndarray, names: Mapping[str, int], rules: TreeRules
) -> tuple[np.ndarray, np.ndarray | None]:
    """The columns that the filter reads, uint64[N] each: its attribute, and the forms where it looks at them. columns: uint64[A, N], by ``names``."""
    assert rules.filter_attr is not None
    return columns[names[rules.filter_attr]], columns[names[rules.filter_form]] if rules.filter_form else None


def with_forms(column: np.ndarray, forms: np.ndarray) -> np.ndarray:
    """uint64[N]: a value for each pair of values."""
    mixed = (column ^ (forms * np.uint64(0x9E3779B97F4A7C15))) * np.uint64(0xC2B2AE3D27D4EB4F)
    return mixed ^ (mixed >> np.uint64(29))


def number_tags(column: np.ndarray, tags: np.ndarray, forms: np.ndarray | None = None) -> np.ndarray:
    """int64[N]: 1 for the first of ``tags`` and so on; the last stands for all values that are not among them. column: uint64[N].

    forms: uint64[N]; where a value with its form is among the tags, the number is theirs.
    """
    order = np.argsort(tags, kind="stable")

    def places(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        found = order[np.minimum(np.searchsorted(tags, values, sorter=order), tags.size - 1)]
        return found, tags[found] == values

    found, known = places(column)
    numbers = np.where(known, found, tags.size - 1)
    if forms is not None:
        found, known = places(with_forms(column, forms))
        numbers = np.where(known, found, numbers)
    return numbers + 1


def most_frequent(values: np.ndarray, most: int, least: int = 1) -> np.ndarray:
    """At most so many different values, those seen ``least`` times or more, the most frequent first."""
    found, counts = np.unique(values, return_counts=True)
    order = np.lexsort((found, -counts))
    return found[order[counts[order] >= least]][:most]


def learn_tables(
    column: np.ndarray, starts: np.ndarray, heads: np.ndarray, forms: np.ndarray | None = None
) -> tuple[np.ndarray, FilterTables]:
    """The most frequent values of an attribute, uint64[T - 2], and tables learnt from gold heads int32[N].

    forms: uint64[N]; the most frequent pairs of value and form come before the values, as long as there is room.
    """
    tags = most_frequent(column, MOST_TAGS - 2)
    if forms is not None:
        words = most_frequent(with_forms(column, forms), MOST_TAGS - 2 - tags.size, _LEAST_COUNT)
        tags = np.concatenate([words, tags])
    tables = empty_tables(tags.size + 2)
    learn_filter(number_tags(column, tags, forms), starts, heads, tags.size + 2, tables, _RATES)
    return tags, tables
