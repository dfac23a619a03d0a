"""Features of the arcs, sibling pairs and labels of a corpus: from attribute columns to the bundles of a tree problem."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..kernels import kernel
from ..structures.tree_build import Arcs, TreeFeatures, all_siblings
from ..structures.tree_bundles import Bundles
from ..structures.tree_problem import Siblings, inner_sibling
from ..templates.arc_index import Parts, build_arc_index, find_arc_rows
from ..templates.arc_program import compile_arcs
from ..templates.grammar import Template
from ..templates.index import FeatureIndex

_NONE = np.empty(0, np.int32)


@dataclass(frozen=True)
class TreeTemplates:
    """Templates by what they score: arcs, pairs of siblings (those that look at ``%s``), labels of arcs (``B``)."""

    arcs: tuple[Template, ...]
    siblings: tuple[Template, ...]
    labels: tuple[Template, ...]

    @classmethod
    def of(cls, templates: Sequence[Template]) -> "TreeTemplates":
        node = [t for t in templates if not t.is_edge]
        siblings = [t for t in node if looks_at_sibling(t)]
        return cls(
            tuple(t for t in node if t not in siblings), tuple(siblings), tuple(t for t in templates if t.is_edge)
        )

    @property
    def node(self) -> tuple[Template, ...]:
        """Those without labels, in the order of their blocks."""
        return (*self.arcs, *self.siblings)


def looks_at_sibling(template: Template) -> bool:
    return any(obs.place == "s" for obs in template.observations)


@dataclass(frozen=True)
class Rows:
    """Rows of parts: part a has ``rows[first[a]:first[a + 1]]`` (int32), each of its template (int16), and which row is which."""

    first: np.ndarray
    rows: np.ndarray
    templates: np.ndarray
    index: FeatureIndex


def rows_of(
    columns: np.ndarray,
    names: Mapping[str, int],
    templates: Sequence[Template],
    parts: Parts,
    supported: Parts,
    min_count: int,
) -> Rows:
    """Index what the ``supported`` parts observe, and the rows of all ``parts``. columns: uint64[A, N], by ``names``."""
    program = compile_arcs(templates, names)
    index, table = build_arc_index(columns, program, len(templates), supported, min_count)
    return Rows(*find_arc_rows(columns, program, parts, table), index)


def gold_parts(starts: np.ndarray, heads: np.ndarray) -> Parts:
    """The gold arcs. heads: int32[N]."""
    return Parts(starts, np.arange(heads.size + 1), heads, _NONE, _NONE)


def tree_parts(starts: np.ndarray, heads: np.ndarray) -> Parts:
    """The arcs of given trees, for templates that look at the rest of the tree. heads: int32[N]."""
    return Parts(starts, np.arange(heads.size + 1), heads, _NONE, heads)


def arc_parts(starts: np.ndarray, arcs: Arcs) -> Parts:
    return Parts(starts, arcs.first, arcs.heads, _NONE, _NONE)


def sibling_parts(starts: np.ndarray, arcs: Arcs, first: np.ndarray, inner: np.ndarray) -> Parts:
    """Pairs of siblings, as of :func:`.all_siblings`, by their modifiers."""
    return Parts(starts, first[arcs.first], np.repeat(arcs.heads, np.diff(first)), inner, _NONE)


def gold_sibling_parts(starts: np.ndarray, heads: np.ndarray) -> Parts:
    inner = np.empty(heads.size, np.int32)
    _gold_inner(starts, heads, inner)
    return Parts(starts, np.arange(heads.size + 1), heads, inner, _NONE)


@kernel
def _gold_inner(starts, heads, inner):
    for s in range(starts.size - 1):
        sentence = heads[starts[s] : starts[s + 1]]
        for m in range(1, sentence.size + 1):
            inner[starts[s] + m - 1] = inner_sibling(sentence, m)


def _local(borders: np.ndarray) -> np.ndarray:
    """int32: the number of each part within its sentence. borders: int64[S + 1], parts of each sentence."""
    return (np.arange(borders[-1]) - np.repeat(borders[:-1], np.diff(borders))).astype(np.int32)


def node_features(
    starts: np.ndarray, arcs: Arcs, arc_rows: Rows, pairs: tuple[np.ndarray, np.ndarray, Rows] | None
) -> TreeFeatures:
    """Features of arcs, each a bundle of its own, and of pairs of siblings: (first, inner) of :func:`.all_siblings` and their rows."""
    arc_borders = arcs.first[starts]
    if pairs is None:
        bundles = Bundles(
            arc_borders, np.arange(arcs.heads.size, dtype=np.int32), arc_rows.first, arc_rows.rows, arc_rows.templates
        )  # fmt: skip
        return TreeFeatures(bundles, _local(arc_borders)[:, None])
    first, inner, pair_rows = pairs
    pair_borders = first[arc_borders]
    n_arcs, n_pairs = np.diff(arc_borders), np.diff(pair_borders)
    used = np.empty(arcs.heads.size + inner.size, np.int32)
    arc_place = np.arange(arcs.heads.size) + np.repeat(pair_borders[:-1], n_arcs)
    pair_place = np.arange(inner.size) + np.repeat(arc_borders[1:], n_pairs)
    used[arc_place] = np.arange(arcs.heads.size)
    used[pair_place] = arcs.heads.size + np.arange(inner.size)
    shift, n_templates = arc_rows.index.n_rows, arc_rows.index.blocks.size - 1
    bundles = Bundles(
        arc_borders + pair_borders, used,
        np.concatenate([arc_rows.first, arc_rows.first[-1] + pair_rows.first[1:]]),
        np.concatenate([arc_rows.rows, pair_rows.rows + np.int32(shift)]),
        np.concatenate([arc_rows.templates, pair_rows.templates + np.int16(n_templates)]),
    )  # fmt: skip
    links = (_local(pair_borders) + np.repeat(n_arcs, n_pairs).astype(np.int32))[:, None]
    return TreeFeatures(bundles, _local(arc_borders)[:, None], siblings=Siblings(first, inner, links))


def label_features(starts: np.ndarray, arcs: Arcs, rows: Rows) -> tuple[Bundles, np.ndarray]:
    """Features of labels: a bundle for each arc, and the links to them. Arcs from the root have none."""
    borders = arcs.first[starts]
    bundles = Bundles(borders, np.arange(arcs.heads.size, dtype=np.int32), rows.first, rows.rows, rows.templates)
    links = np.where(arcs.heads == 0, -1, _local(borders)).astype(np.int32)
    return bundles, links[:, None]


def siblings_of(arcs: Arcs, starts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All pairs of siblings among ``arcs``: see :func:`.all_siblings`."""
    return all_siblings(arcs, starts)
