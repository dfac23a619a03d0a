"""Every tree of a short sentence, with its score."""

from itertools import product
from typing import NamedTuple

import numpy as np

from spacy_mtl.structures.enumeration.trees import _crosses, _is_tree


class Trees(NamedTuple):
    """Trees of a sentence: scores (N,), heads (N, n), labels (N, n), or (N, 0) where labels are not part of a tree."""

    scores: np.ndarray
    heads: np.ndarray
    labels: np.ndarray

    def where(self, kept) -> "Trees":
        return Trees(*(column[kept] for column in self))

    def same(self, heads, labels) -> np.ndarray:
        """Which of them have these heads and labels: the label of an arc from the root says nothing."""
        found = (self.heads == heads).all(1)
        if self.labels.shape[1]:
            found &= ((self.labels == labels) | (self.heads == 0)).all(1)
        return found


def all_trees(own, rules) -> Trees:
    """Every tree of the arcs and pairs that are considered in a sentence of :mod:`spacy_mtl.explaining.tree`."""
    search, found = own.search, []
    choices = [search.arcs.heads[search.arcs.first[t] : search.arcs.first[t + 1]].tolist() for t in range(own.n)]
    for heads in product(*choices):
        if not _is_tree(heads) or (rules.projective and _crosses(heads)) or (rules.single_root and heads.count(0) != 1):
            continue
        found.append(labelled(own, heads) if own.joint else unlabelled(own, heads))
    return Trees(*(np.concatenate(columns) for columns in zip(*found, strict=True)))


def unlabelled(own, heads) -> Trees:
    score = own.score(own.search, np.array(heads, np.int32))
    return Trees(np.array([score]), np.array([heads]), np.zeros((1, 0), int))


def labelled(own, heads) -> Trees:
    """The tree with every choice of labels."""
    rows = np.array([own.search.by_label[own.arc(own.search, m, heads[m - 1], True)] for m in own.words()], float)
    labels = np.array([*product(range(rows.shape[1]), repeat=own.n)])
    arcs = own.score(own.search, np.array(heads, np.int32)) - rows.max(1).sum()
    return Trees(arcs + rows[np.arange(own.n), labels].sum(1), np.tile(heads, (len(labels), 1)), labels)
