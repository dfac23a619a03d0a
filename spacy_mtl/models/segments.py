"""Segments of a chain: spans that a label sequence makes, such as entities, as sets of label sequences.

Whether a span [i, j) of some kind is there depends on pairs of neighbouring labels alone: it begins at i, goes on at i + 1 .. j - 1, and does not
go on at j. So the best sequence with or without it, and the sum over all sequences with it, are found by the ordinary recursions over fewer pairs.
"""

from typing import NamedTuple

import numpy as np


class Segments(NamedTuple):
    """Which labels are of which kind of span, and which go on.

    kinds: int64[L], the kind of each label, -1 for the label outside. goes_on: bool[L, L], whether label y (column) goes on with the span of label x.
    """

    kinds: np.ndarray
    goes_on: np.ndarray

    def spans(self, labels: np.ndarray) -> list[tuple[int, int, int]]:
        """The spans of a label sequence int32[n], as (start, end, kind)."""
        n = labels.size
        on = np.zeros(n + 1, bool)
        on[1:n] = self.goes_on[labels[:-1], labels[1:]]
        starts = np.flatnonzero((self.kinds[labels] >= 0) & ~on[:n]).tolist()
        found = []
        for start in starts:
            end = start + 1
            while on[end]:
                end += 1
            found.append((start, end, int(self.kinds[labels[start]])))
        return found

    def steps(self, start: int, end: int, kind: int, n: int) -> list[np.ndarray]:
        """The pairs of labels, bool[L, L] each, that sequences of length n with this span may have at ``start`` and the positions after it.

        Pair t is of the labels at t - 1 and t; at the first position of a sequence its rows are all the same for labels that there may be.
        """
        of_kind = self.kinds == kind
        begins = ~self.goes_on & of_kind[None, :]
        inside = self.goes_on & of_kind[None, :]
        after = [~self.goes_on] if end < n else []
        return [begins, *([inside] * (end - start - 1)), *after]
