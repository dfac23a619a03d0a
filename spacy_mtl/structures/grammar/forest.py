"""Packed forests: all derivations of a sentence that a mask allows, as labelled spans (*items*) and anchored rules (*edges*).

The parts of a grammar are the anchored rules (rule, start, split, end) of Example 2 of Bartlett et al. (2004), and the labelled spans that they
make. Of all that the mask allows, a forest holds those that occur in some derivation of the whole sentence, so decoding and sums take time
linear in its edges. Without a mask these are O(n^3 R) in a sentence of n words; :mod:`.chart` makes masks that leave a small share.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from spacy_mtl.errors import Errors
from spacy_mtl.kernels import kernel, subkernel

from .rules import Grammar

#: The largest number of edges of a sentence, which take about half a gigabyte with what is made of them.
MOST_EDGES = 1 << 23


class Forest(NamedTuple):
    """The items (I) and edges (E) of S sentences with N words.

    first: int64[S + 1], borders of the sentences in words. first_item: int64[S + 1], and first_edge: int64[I + 1]: item a is made by the edges
    ``first_edge[a]:first_edge[a + 1]``; one of a single word by none. Items of a sentence are ordered by width, start and symbol, so those that
    an edge joins come before that which it makes.
    start, end, symbol: int32[I], words of the sentence from 0. root: bool[I], items that may cover the whole sentence.
    left, right: int32[E], the items that are joined, counted from the first of the sentence; the second begins at word middle, int32[E].
    rule: int32[E].
    """

    first: np.ndarray
    first_item: np.ndarray
    first_edge: np.ndarray
    start: np.ndarray
    end: np.ndarray
    symbol: np.ndarray
    root: np.ndarray
    left: np.ndarray
    right: np.ndarray
    rule: np.ndarray
    middle: np.ndarray


@subkernel
def find_made(grammar, allowed, made):
    """Set made to the allowed items that have a derivation. allowed, made: bool[n, n + 1, L], by start, end and symbol."""
    n = made.shape[0]
    for t in range(n):
        made[t, t + 1] = allowed[t, t + 1]
    for width in range(2, n + 1):
        for i in range(n - width + 1):
            j = i + width
            for k in range(i + 1, j):
                for b in np.flatnonzero(made[i, k]):
                    for r in range(grammar.first_left[b], grammar.first_left[b + 1]):
                        if made[k, j, grammar.right[r]] and allowed[i, j, grammar.parent[r]]:
                            made[i, j, grammar.parent[r]] = True


@subkernel
def find_used(grammar, made, used):
    """Set used to the items that occur in a derivation of the whole sentence; return their number and that of their edges."""
    n = made.shape[0]
    used[0, n] = made[0, n] & grammar.root
    n_edges = 0
    for width in range(n, 1, -1):
        for i in range(n - width + 1):
            j = i + width
            if not used[i, j].any():
                continue
            for k in range(i + 1, j):
                for b in np.flatnonzero(made[i, k]):
                    for r in range(grammar.first_left[b], grammar.first_left[b + 1]):
                        if used[i, j, grammar.parent[r]] and made[k, j, grammar.right[r]]:
                            used[i, k, b] = used[k, j, grammar.right[r]] = True
                            n_edges += 1
    return used.sum(), n_edges


@subkernel
def number_items(grammar, used, number, forest):
    """Fill the items of a forest, and number (int32[n, n + 1, L]) with their numbers."""
    n, count = used.shape[0], 0
    for width in range(1, n + 1):
        for i in range(n - width + 1):
            for a in np.flatnonzero(used[i, i + width]):
                number[i, i + width, a] = count
                forest.start[count], forest.end[count], forest.symbol[count] = i, i + width, a
                forest.root[count] = width == n and grammar.root[a]
                count += 1


@subkernel
def list_edges(grammar, used, number, fill, places, forest):
    """Count the edges of each item in places[a + 1]; or, to fill, write edge after edge of an item to places[a] and what follows.

    places: int64[I + 1].
    """
    n = used.shape[0]
    for width in range(2, n + 1):
        for i in range(n - width + 1):
            j = i + width
            for k in range(i + 1, j):
                for b in np.flatnonzero(used[i, k]):
                    for r in range(grammar.first_left[b], grammar.first_left[b + 1]):
                        if not used[i, j, grammar.parent[r]] or not used[k, j, grammar.right[r]]:
                            continue
                        made = number[i, j, grammar.parent[r]]
                        if fill:
                            e = places[made]
                            forest.left[e], forest.right[e] = number[i, k, b], number[k, j, grammar.right[r]]
                            forest.rule[e], forest.middle[e] = r, k
                            places[made] += 1
                        else:
                            places[made + 1] += 1


@kernel
def sentence_forest(grammar, allowed, most=MOST_EDGES):
    """The forest of one sentence. allowed: bool[n, n + 1, L], items that may occur, by start, end and symbol.

    Without a derivation it is empty, and so it is where it would have more than ``most`` edges.
    """
    n, n_symbols = allowed.shape[0], allowed.shape[2]
    made, used = np.zeros((n, n + 1, n_symbols), np.bool_), np.zeros((n, n + 1, n_symbols), np.bool_)
    find_made(grammar, allowed, made)
    n_items, n_edges = find_used(grammar, made, used)
    if n_edges > most:
        used[:] = False
        n_items, n_edges = 0, 0
    forest = Forest(
        np.array([0, n]), np.array([0, n_items]), np.zeros(n_items + 1, np.int64),
        np.empty(n_items, np.int32), np.empty(n_items, np.int32), np.empty(n_items, np.int32), np.zeros(n_items, np.bool_),
        np.empty(n_edges, np.int32), np.empty(n_edges, np.int32), np.empty(n_edges, np.int32), np.empty(n_edges, np.int32),
    )  # fmt: skip
    number = np.empty(used.shape, np.int32)
    number_items(grammar, used, number, forest)
    list_edges(grammar, used, number, False, forest.first_edge, forest)
    for a in range(n_items):
        forest.first_edge[a + 1] += forest.first_edge[a]
    list_edges(grammar, used, number, True, forest.first_edge.copy(), forest)
    return forest


def join_forests(forests: Iterable[Forest]) -> Forest:
    """One forest of the sentences of several."""
    every = list(forests)
    parts = [np.concatenate(arrays) for arrays in zip(*(forest[3:] for forest in every), strict=True)]
    return Forest(*(_chain_borders([forest[k] for forest in every]) for k in range(3)), *parts)


def _chain_borders(borders: list[np.ndarray]) -> np.ndarray:
    """Borders from 0 in several arrays as those of all of it, one after another."""
    sizes = [np.diff(one) for one in borders]
    return np.concatenate([[0], np.cumsum(np.concatenate(sizes))]).astype(np.int64)


def make_forest(grammar: Grammar, allowed: Iterable[np.ndarray]) -> Forest:
    """The forest of a corpus. allowed: a mask bool[n, n + 1, L] for each sentence, of the items that may occur, by start, end and symbol.

    Raises ValueError: M256 for a mask of another shape or type, M252 for a sentence without any derivation.
    """
    forests = []
    for i, mask in enumerate(allowed):
        forests.append(sentence_forest(grammar, _checked_mask(i, np.asarray(mask), grammar.root.size)))
        if not forests[-1].symbol.size:
            raise ValueError(Errors.M252.format(sentence=i))
    return join_forests(forests)


def _checked_mask(i: int, mask: np.ndarray, n_symbols: int) -> np.ndarray:
    """The mask of sentence i as it is in memory for kernels, which do not check indices (M256)."""
    n = len(mask) if mask.ndim else 0
    if mask.dtype != bool or n == 0 or mask.shape != (n, n + 1, n_symbols):
        raise ValueError(Errors.M256.format(sentence=i, symbols=n_symbols, got=f"{mask.dtype} of shape {mask.shape}"))
    return np.ascontiguousarray(mask)


def allow_all(words: np.ndarray) -> np.ndarray:
    """The mask that allows every symbol over every span of several words. words: bool[n, L], the symbols of each single word."""
    n, n_symbols = words.shape
    allowed = np.ones((n, n + 1, n_symbols), bool)
    allowed[np.arange(n), np.arange(1, n + 1)] = words
    return allowed


def spans_of(forest: Forest) -> tuple[np.ndarray, np.ndarray]:
    """The different spans of each sentence: int32[C, 3] of sentence, start and end; and the span of each item, int64[I]."""
    sentence = np.repeat(np.arange(forest.first.size - 1), np.diff(forest.first_item))
    return _different(np.stack([sentence, forest.start, forest.end], axis=1))


def splits_of(forest: Forest) -> tuple[np.ndarray, np.ndarray]:
    """The different splits of spans: int32[D, 4] of sentence, start, middle and end; and the split of each edge, int64[E]."""
    item = np.repeat(np.arange(forest.symbol.size), np.diff(forest.first_edge))
    sentence = np.searchsorted(forest.first_item, item, "right") - 1
    return _different(np.stack([sentence, forest.start[item], forest.middle, forest.end[item]], axis=1))


def _different(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different rows of a table, in ascending order, and the number of each row's, int64."""
    if not len(table):
        return table.astype(np.int32), np.empty(0, np.int64)
    order = np.lexsort(table.T[::-1])
    changes = np.concatenate([[True], (np.diff(table[order], axis=0) != 0).any(axis=1)])
    places = np.empty(len(table), np.int64)
    places[order] = np.cumsum(changes) - 1
    return np.ascontiguousarray(table[order[changes]], np.int32), places
