"""The weights of a trained tree model: only non-zero rows of live templates, and the tables of its arc filter."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from spacy_mtl.models.chain.weights import TemplateRow, are_keys
from spacy_mtl.structures.tree.filter import FilterTables, table_sizes
from spacy_mtl.templates.arcs.program import DISTANCE_BITS, N_DISTANCES

#: The largest number of rows in a table of arcs.
MOST_ROWS = 1 << 26


def are_arc_keys(keys: np.ndarray) -> bool:
    """Whether keys uint64[R] fit into a table of arcs: few enough, valid for :func:`.are_keys`, and with distances that exist."""
    return keys.size < MOST_ROWS and are_keys(keys) and int((keys % (1 << DISTANCE_BITS)).max(initial=0)) <= N_DISTANCES


@dataclass(frozen=True)
class TreeWeights:
    """Weights of dependency trees, ready to save.

    labels: of arcs, except those from the root. templates: all templates used in training, those of arcs (U) first. keys: uint64[R], ascending, the
    live observations of arcs and pairs; values: float16[R]. pair_keys, pair_codes (int8[Rp, L]), pair_scales (float32[Rp]): observations that score
    labels, weight = code * scale. filter_tags: uint64[T - 2], values of the filter's attribute, the last of which stands for all others.
    filter_values: float16, the tables of the filter one after another. Both are empty if there is no filter.
    """

    ARRAYS: ClassVar = ("keys", "values", "pair_keys", "pair_codes", "pair_scales", "filter_tags", "filter_values")
    labels: tuple[str, ...] = ()
    templates: tuple[TemplateRow, ...] = ()
    keys: np.ndarray = field(default_factory=lambda: np.empty(0, np.uint64))
    values: np.ndarray = field(default_factory=lambda: np.empty(0, np.float16))
    pair_keys: np.ndarray = field(default_factory=lambda: np.empty(0, np.uint64))
    pair_codes: np.ndarray = field(default_factory=lambda: np.empty((0, 0), np.int8))
    pair_scales: np.ndarray = field(default_factory=lambda: np.empty(0, np.float32))
    filter_tags: np.ndarray = field(default_factory=lambda: np.empty(0, np.uint64))
    filter_values: np.ndarray = field(default_factory=lambda: np.empty(0, np.float16))

    @property
    def is_trained(self) -> bool:
        return bool(self.templates)

    @property
    def fits(self) -> bool:
        """Whether the shapes and keys of the arrays are consistent."""
        size = sum(table_sizes(self.filter_tags.size + 2)) if self.filter_tags.size else 0
        return (
            self.values.shape == self.keys.shape
            and self.pair_codes.shape == (self.pair_keys.size, len(self.labels))
            and self.pair_scales.shape == self.pair_keys.shape
            and self.filter_values.shape == (size,)
            and are_arc_keys(self.keys)
            and are_arc_keys(self.pair_keys)
        )

    def pair_rows(self) -> np.ndarray:
        """Weights of labels, float32[Rp, L]."""
        return self.pair_codes * self.pair_scales[:, None]

    def filter_tables(self) -> FilterTables:
        """The tables of the filter. Only valid if there are ``filter_tags``."""
        sizes = table_sizes(self.filter_tags.size + 2)
        return FilterTables(*np.split(self.filter_values.astype(np.float32), np.cumsum(sizes)[:-1]))
