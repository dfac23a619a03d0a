"""The arc filter, which drops hopeless arcs: choice of the attribute that it reads, and values of that attribute as small numbers."""

from collections.abc import Mapping, Sequence

import numpy as np

from spacy_mtl.distinct import distinct
from spacy_mtl.structures.tree.filter import MOST_TAGS, FilterTables, empty_tables, learn_filter
from spacy_mtl.templates.grammar import Template

#: Learning rate of each pass.
_RATES = np.array([0.1, 0.05, 0.03], np.float32)
#: Passes, learning rates and number of sentences that suffice to tell which attribute is best.
_BRIEF, _MOST_SENTENCES = np.array([0.1, 0.05], np.float32), 1500
#: Of these sentences, the share that is left out of learning.
_HELD_OUT = 0.25
#: An attribute whose log-likelihood is this much below the best one's, as a share of it, is no worse: with all sentences, rich ones catch up.
_NO_WORSE = 0.1


def choose_attribute(
    columns: np.ndarray, names: Mapping[str, int], templates: Sequence[Template], starts: np.ndarray, heads: np.ndarray
) -> str | None:
    """Choose the attribute for the filter among those that templates read; None if they read none.

    Of those with at most MOST_TAGS - 2 values it is the one with the most values by which heads of held-out sentences are about as likely as by any;
    if all have more values, the one with the fewest. columns: uint64[A, N], by ``names``. starts: int64[S + 1], sentence borders. heads: int32[N].
    """
    read = {obs.attr for t in templates for obs in t.observations if obs.attr}
    counts = {attr: distinct(columns[names[attr]]).size for attr in sorted(read)}
    few = [attr for attr, count in counts.items() if 2 < count <= MOST_TAGS - 2]
    if len(few) > 1:
        starts = starts[: _MOST_SENTENCES + 1]
        likely = {attr: held_out_likelihood(columns[names[attr]], starts, heads) for attr in few}
        least = (1 + _NO_WORSE) * max(likely.values())  # they are below 0
        return max((attr for attr in few if likely[attr] >= least), key=lambda attr: counts[attr])
    return few[0] if few else min(counts, key=lambda attr: counts[attr], default=None)


def held_out_likelihood(column: np.ndarray, starts: np.ndarray, heads: np.ndarray) -> float:
    """Learn a filter of an attribute on the first sentences; its log-likelihood of the heads of the others. Arguments as in :func:`learn_tables`."""
    cut = max(int((1 - _HELD_OUT) * (starts.size - 1)), 1)
    tags, tables = learn_tables(column[: starts[cut]], starts[: cut + 1], heads, _BRIEF)
    rest, last = slice(starts[cut], starts[-1]), starts[cut:] - starts[cut]
    none = np.zeros(1, np.float32)
    return float(learn_filter(number_tags(column[rest], tags), last, heads[rest], tags.size + 2, tables, none))


def number_tags(column: np.ndarray, tags: np.ndarray) -> np.ndarray:
    """Number the values of an attribute, int64[N]: 1 for the first of ``tags``, and so on; the last number stands for all other values.

    column: uint64[N].
    """
    order = np.argsort(tags, kind="stable")
    place = np.minimum(np.searchsorted(tags, column, sorter=order), tags.size - 1)
    found = order[place]
    return np.where(tags[found] == column, found, tags.size - 1) + 1


def learn_tables(
    column: np.ndarray, starts: np.ndarray, heads: np.ndarray, rates: np.ndarray = _RATES
) -> tuple[np.ndarray, FilterTables]:
    """The most frequent values of an attribute, uint64[T - 2], and the filter tables learnt from gold heads int32[N] in a pass for each rate."""
    values, counts = np.unique(column, return_counts=True)
    tags = values[np.lexsort((values, -counts))][: MOST_TAGS - 2]
    tables = empty_tables(tags.size + 2)
    learn_filter(number_tags(column, tags), starts, heads, tags.size + 2, tables, rates)
    return tags, tables
