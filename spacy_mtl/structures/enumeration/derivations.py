"""Enumeration of the derivations in a packed forest."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np


def every_derivation(arrays: Any) -> Iterator[Iterator[np.ndarray]]:
    """For each sentence of a ``GrammarProblem``, all derivations of its forest."""
    return (_of_sentence(arrays, i) for i in range(arrays.first.size - 1))


def _of_sentence(arrays: Any, i: int) -> Iterator[np.ndarray]:
    """The derivations of sentence i, int32[n] each: the item that covers the sentence, and the edges."""
    begin, end = arrays.first_item[i], arrays.first_item[i + 1]
    for top in np.flatnonzero(arrays.root[begin:end]).tolist():
        for edges in _of_item(arrays, int(begin), top):
            yield np.array([top, *sorted(edges)], np.int32)


def _of_item(arrays: Any, begin: int, item: int) -> Iterator[list[int]]:
    """The edges of each derivation of an item, counted from the first of the sentence."""
    first, edges = arrays.first_edge[begin], range(*arrays.first_edge[begin + item : begin + item + 2].tolist())
    if not edges:
        yield []
    for e in edges:
        parts = [_of_item(arrays, begin, int(side[e])) for side in (arrays.left, arrays.right)]
        for left, right in product(*parts):
            yield [int(e - first), *left, *right]
