"""The weights of a trained tree model: only non-zero rows of live templates, and the tables of its arc filter."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from spacy_mtl.models.chain.weights import KEYS, LARGEST, SCALES, TemplateRow, check_complete, check_keys
from spacy_mtl.models.readable import ReadTemplates, tree_templates
from spacy_mtl.stored.arrays import Form
from spacy_mtl.stored.ranges import check_finite, check_range, check_shape
from spacy_mtl.structures.tree.filter import MOST_TAGS, FilterTables, table_sizes
from spacy_mtl.templates.arcs.program import DISTANCE_BITS, N_DISTANCES

#: The largest number of rows in a table of arcs.
MOST_ROWS = 1 << 26


def check_arc_keys(keys: np.ndarray, name: str) -> None:
    """Refuse keys uint64[R] that do not fit into a table of arcs: too many, not valid for :func:`.check_keys`, or with distances that do not exist.

    Raises StoredValueError.
    """
    check_keys(keys, name)
    check_range(np.array([keys.size]), 0, MOST_ROWS - 1, f"the number of {name}")
    check_range(keys & np.uint64((1 << DISTANCE_BITS) - 1), 0, N_DISTANCES, f"the distances of {name}")


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

    @staticmethod
    def forms(n_labels: int) -> dict[str, Form]:
        """The arrays in a file, see :mod:`.store`."""
        return {
            "keys": KEYS,
            "values": Form("<f2", (None,)),
            "pair_keys": KEYS,
            "pair_codes": Form("|i1", (None, n_labels)),
            "pair_scales": SCALES,
            "filter_tags": Form("<u8", (None,)),
            "filter_values": Form("<f2", (None,)),
        }

    @property
    def is_trained(self) -> bool:
        return bool(self.templates)

    def check(self) -> None:
        """Refuse what prediction cannot rely on. Raises StoredValueError.

        Either there is nothing at all, or there are valid templates, as many weights as keys, keys in ascending order, finite weights, and the tables
        of a filter over at most MOST_TAGS tags.
        """
        tree_templates(tuple(row.text for row in self.templates))
        check_complete(self, bool(self.templates))
        check_shape(self.values, self.keys.shape, "values")
        check_shape(self.pair_codes, (self.pair_keys.size, len(self.labels)), "pair_codes")
        check_shape(self.pair_scales, self.pair_keys.shape, "pair_scales")
        check_arc_keys(self.keys, "keys")
        check_arc_keys(self.pair_keys, "pair_keys")
        check_range(np.array([self.filter_tags.size]), 0, MOST_TAGS - 2, "the number of filter_tags")
        size = sum(table_sizes(self.filter_tags.size + 2)) if self.filter_tags.size else 0
        check_shape(self.filter_values, (size,), "filter_values")
        check_finite(self.values, "values")
        check_finite(self.filter_values, "filter_values")
        check_finite(self.pair_scales, "pair_scales", LARGEST / 128)

    def matrix(self, pair: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Keys uint64[R], codes [R, K] and scales float[R] of a matrix: of arcs and pairs, or of labels. weight = code * scale."""
        if pair:
            return self.pair_keys, self.pair_codes, self.pair_scales
        return self.keys, self.values[:, None], np.ones(self.keys.size)

    def columns(self, pair: bool) -> list[str]:
        """What each of its K columns scores."""
        return list(self.labels) if pair else [""]

    def live_templates(self) -> ReadTemplates:
        """The templates that have weights. Raises StoredValueError if one of them is not valid."""
        return tree_templates(tuple(row.text for row in self.templates if row.rows))

    def pair_rows(self) -> np.ndarray:
        """Weights of labels, float32[Rp, L]."""
        return self.pair_codes * self.pair_scales[:, None]

    def filter_tables(self) -> FilterTables:
        """The tables of the filter. Only valid if there are ``filter_tags``."""
        sizes = table_sizes(self.filter_tags.size + 2)
        return FilterTables(*np.split(self.filter_values.astype(np.float32), np.cumsum(sizes)[:-1]))
