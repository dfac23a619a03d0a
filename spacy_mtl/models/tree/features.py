"""The features of a corpus's arcs, pairs and labels: from attribute columns to the bundles of a tree problem."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from spacy_mtl.kernels import kernel
from spacy_mtl.structures.tree.build import Arcs, TreeFeatures
from spacy_mtl.structures.tree.bundles import Bundles
from spacy_mtl.structures.tree.problem import Siblings, pair_code
from spacy_mtl.templates.arcs.index import Parts, extend, find_arc_rows
from spacy_mtl.templates.arcs.program import compile_arcs
from spacy_mtl.templates.grammar import Template
from spacy_mtl.templates.index import FeatureIndex
from spacy_mtl.templates.indexing import Indexer, OwnIndexer
from spacy_mtl.threads.crew import ALONE, Crew

_NONE = np.empty(0, np.int32)


@dataclass(frozen=True)
class TreeTemplates:
    """Templates by what they score: arcs, pairs of siblings (``%s``), pairs with grandparents (``%g``), or labels of arcs (``B``)."""

    arcs: tuple[Template, ...]
    siblings: tuple[Template, ...]
    grandparents: tuple[Template, ...]
    labels: tuple[Template, ...]

    @classmethod
    def of(cls, templates: Sequence[Template]) -> "TreeTemplates":
        node = [t for t in templates if not t.is_edge]
        siblings, grandparents = [t for t in node if looks_at(t, "s")], [t for t in node if looks_at(t, "g")]
        arcs = (t for t in node if not looks_at(t, "s") and not looks_at(t, "g"))
        return cls(tuple(arcs), tuple(siblings), tuple(grandparents), tuple(t for t in templates if t.is_edge))

    @property
    def node(self) -> tuple[Template, ...]:
        """Templates that do not score labels, in the order of their blocks."""
        return (*self.arcs, *self.siblings, *self.grandparents)

    @property
    def pairs(self) -> tuple[tuple[Template, ...], tuple[Template, ...]]:
        """Templates of pairs of siblings, and of pairs with grandparents."""
        return self.siblings, self.grandparents

    @property
    def second_order(self) -> bool:
        return bool(self.siblings or self.grandparents)


def looks_at(template: Template, place: str) -> bool:
    return any(obs.place == place for obs in template.observations)


@dataclass(frozen=True)
class Rows:
    """The feature rows of parts: part a has ``rows[first[a]:first[a + 1]]`` (int32), with the template of each (int16). index: of all rows."""

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
    indexer: Indexer | None = None,
    crew: Crew = ALONE,
) -> Rows:
    """Index the observations of the ``supported`` parts, and find the rows of all ``parts``. columns: uint64[A, N], by ``names``.

    indexer: who numbers the observations; None for these parts alone. crew: the threads that find the rows.
    """
    program = compile_arcs(templates, names)
    index, table = (indexer or OwnIndexer()).of_parts(columns, program, len(templates), supported, min_count)
    return Rows(*find_arc_rows(columns, program, parts, table, crew), index)


def gold_parts(starts: np.ndarray, heads: np.ndarray) -> Parts:
    """The gold arcs. heads: int32[N]."""
    return Parts(starts, np.arange(heads.size + 1), heads, _NONE, _NONE)


def tree_parts(starts: np.ndarray, heads: np.ndarray) -> Parts:
    """The arcs of given trees, for templates that look at the rest of the tree. heads: int32[N]."""
    return Parts(starts, np.arange(heads.size + 1), heads, _NONE, heads)


def arc_parts(starts: np.ndarray, arcs: Arcs) -> Parts:
    return Parts(starts, arcs.first, arcs.heads, _NONE, _NONE)


def pair_parts(starts: np.ndarray, arcs: Arcs, first: np.ndarray, inner: np.ndarray) -> tuple[np.ndarray, list[Parts]]:
    """Split pairs by kind. first, inner: from :func:`.all_siblings`. Returns which pairs are of siblings, bool[B], and the parts of each kind."""
    word_first, heads = first[arcs.first], np.repeat(arcs.heads, np.diff(first))
    first_code = np.repeat(np.diff(starts) + 1, np.diff(word_first[starts])).astype(
        np.int32
    )  # codes of grandparents begin at n + 1
    siblings = inner < first_code
    if siblings.all():
        none = Parts(starts, np.zeros_like(word_first), _NONE, _NONE, _NONE)
        return siblings, [Parts(starts, word_first, heads, inner, _NONE), none]
    parts = []
    for kept, others in ((siblings, inner), (~siblings, inner - first_code)):
        counts = np.concatenate([[0], np.cumsum(kept)])
        parts.append(Parts(starts, counts[word_first], heads[kept], others[kept], _NONE))
    return siblings, parts


def gold_pair_parts(starts: np.ndarray, heads: np.ndarray) -> list[Parts]:
    """The pairs of gold trees, by kind."""
    parts = []
    for kind in (0, 1):
        others = np.empty(heads.size, np.int32)
        _gold_others(starts, heads, kind, others)
        kept = others >= 0
        parts.append(Parts(starts, np.concatenate([[0], np.cumsum(kept)]), heads[kept], others[kept], _NONE))
    return parts


@kernel
def _gold_others(starts, heads, kind, others):
    """Set others[t] to the sibling or grandparent of word t, -1 for none."""
    for s in range(starts.size - 1):
        sentence = heads[starts[s] : starts[s + 1]]
        for m in range(1, sentence.size + 1):
            code = pair_code(sentence, m, kind)
            others[starts[s] + m - 1] = code if kind == 0 else max(code - sentence.size - 1, -1)


def no_rows(parts: Parts) -> Rows:
    """The rows of parts without any template: none."""
    none = FeatureIndex(np.empty(0, np.uint64), np.zeros(1, np.int64))
    return Rows(np.zeros(parts.heads.size + 1, np.int64), np.empty(0, np.int32), np.empty(0, np.int16), none)


def join_rows(kinds: list[Rows]) -> Rows:
    """The rows of arcs, and of each kind of pairs: blocks and parts of the second come after those of the first, and so on.

    The list is emptied, and the arrays of its first element are changed: all of them together take most of a training's memory.
    """
    joined = kinds.pop(0)
    first, rows, templates, index = joined.first, joined.rows, joined.templates, joined.index
    while kinds:
        more = kinds.pop(0)
        extend(rows, np.add(more.rows, np.int32(index.n_rows), out=more.rows))
        extend(templates, np.add(more.templates, np.int16(index.blocks.size - 1), out=more.templates))
        first = np.concatenate([first, first[-1] + more.first[1:]])
        blocks = np.concatenate([index.blocks, index.blocks[-1] + more.index.blocks[1:]])
        index = FeatureIndex(np.concatenate([index.keys, more.index.keys]), blocks)
    return Rows(first, rows, templates, index)


def _local(borders: np.ndarray) -> np.ndarray:
    """The number of each part within its sentence, int32. borders: int64[S + 1], sentence borders among the parts."""
    return (np.arange(borders[-1]) - np.repeat(borders[:-1], np.diff(borders))).astype(np.int32)


def arc_features(starts: np.ndarray, arcs: Arcs, rows: Rows) -> TreeFeatures:
    """Make the features of arcs, each a bundle of its own."""
    borders = arcs.first[starts]
    bundles = Bundles(borders, np.arange(arcs.heads.size, dtype=np.int32), rows.first, rows.rows, rows.templates)
    return TreeFeatures(bundles, _local(borders)[:, None])


def pair_features(
    starts: np.ndarray, arcs: Arcs, first: np.ndarray, inner: np.ndarray, siblings: np.ndarray, rows: Rows
) -> TreeFeatures:
    """Make the features of arcs and pairs, each a bundle of its own.

    first, inner: from :func:`.all_siblings`. siblings: bool[B], which pairs are of siblings. rows: of arcs, of pairs of siblings, and of pairs with
    grandparents, one after the other.
    """
    arc_borders = arcs.first[starts]
    pair_borders = first[arc_borders]
    n_arcs, n_pairs = np.diff(arc_borders), np.diff(pair_borders)
    used = np.empty(arcs.heads.size + inner.size, np.int32)
    used[np.arange(arcs.heads.size) + np.repeat(pair_borders[:-1], n_arcs)] = np.arange(arcs.heads.size)
    order = np.concatenate([np.flatnonzero(siblings), np.flatnonzero(~siblings)])
    used[(np.arange(inner.size) + np.repeat(arc_borders[1:], n_pairs))[order]] = arcs.heads.size + np.arange(inner.size)
    bundles = Bundles(arc_borders + pair_borders, used, rows.first, rows.rows, rows.templates)
    links = (_local(pair_borders) + np.repeat(n_arcs, n_pairs).astype(np.int32))[:, None]
    return TreeFeatures(bundles, _local(arc_borders)[:, None], siblings=Siblings(first, inner, links))


def label_features(starts: np.ndarray, arcs: Arcs, rows: Rows) -> tuple[Bundles, np.ndarray]:
    """Make the features of labels: a bundle for each arc, and links to the bundles. Arcs from the root have none."""
    borders = arcs.first[starts]
    bundles = Bundles(borders, np.arange(arcs.heads.size, dtype=np.int32), rows.first, rows.rows, rows.templates)
    links = np.where(arcs.heads == 0, -1, _local(borders)).astype(np.int32)
    return bundles, links[:, None]
