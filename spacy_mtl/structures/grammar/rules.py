"""The binary rules of a grammar as arrays."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from spacy_mtl.errors import Errors


class Grammar(NamedTuple):
    """R binary rules over L symbols, in Chomsky normal form: a span of one word has any symbol that its word allows, a wider one is made by a rule.

    parent, left, right: int32[R], rule r is ``parent -> left right``; rules are in the order of left, right and parent. first_left: int64[L + 1],
    those with the left symbol B are ``first_left[B]:first_left[B + 1]``. root: bool[L], symbols that may cover a whole sentence.

    There are no unary rules: a chain of them is joined into one symbol (``S+VP``) before the grammar is read, and taken apart in what is predicted.
    """

    parent: np.ndarray
    left: np.ndarray
    right: np.ndarray
    first_left: np.ndarray
    root: np.ndarray


def make_grammar(rules: Sequence[tuple[int, int, int]] | np.ndarray, root: Sequence[bool] | np.ndarray) -> Grammar:
    """A grammar from its rules, int[R, 3] of parent, left and right symbol in any order, and the symbols that may be the root, bool[L].

    Raises ValueError (M251) for what are no triples of whole numbers, symbols out of range, a rule listed twice, or no symbol for the root.
    """
    roots = np.asarray(root, bool)
    n = roots.size
    table = _triples(rules, n)
    twice = len(np.unique(table, axis=0)) < len(table)
    if table.min(initial=0) < 0 or table.max(initial=-1) >= n or twice or not roots.any():
        raise ValueError(Errors.M251.format(n=n))
    table = table[np.lexsort((table[:, 0], table[:, 2], table[:, 1]))]
    parent, left, right = (np.ascontiguousarray(column, np.int32) for column in table.T)
    return Grammar(parent, left, right, np.searchsorted(left, np.arange(n + 1)).astype(np.int64), roots)


def _triples(rules: Sequence[tuple[int, int, int]] | np.ndarray, n: int) -> np.ndarray:
    """The rules as int64[R, 3]. n: number of symbols, for the message."""
    try:
        table = np.asarray(rules)
    except ValueError:  # of different lengths
        raise ValueError(Errors.M251.format(n=n)) from None
    if not table.size:
        return np.empty((0, 3), np.int64)
    if table.ndim != 2 or table.shape[1] != 3 or table.dtype.kind not in "iu":
        raise ValueError(Errors.M251.format(n=n))
    return table
