"""Summed scores of templates that look at a single position: one row for each distinct value and each offset of the window."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from spacy_mtl.kernels import kernel
from spacy_mtl.templates.grammar import Template
from spacy_mtl.templates.index import Table
from spacy_mtl.templates.program import compile_program

from .lookup import Lookup, add_looked_up, add_outside


class WindowScores(NamedTuple):
    """Scores of a window. offsets: int64[K]. values: float32[n_values, K, L]. outside: float32[K, D, L], for positions d outside the sentence."""

    offsets: np.ndarray
    values: np.ndarray
    outside: np.ndarray


@kernel
def add_window(ids, starts, scores, out):
    """Add to out[t] the scores of the values in the window of t. ids: int32[N], rows of ``scores.values``; out: float32[N, L]."""
    offsets, values, outside = scores.offsets, scores.values, scores.outside
    for s in range(starts.size - 1):
        start, end = starts[s], starts[s + 1]
        for t in range(start, end):
            for k in range(offsets.size):  # no views of rows here: numba counts references to them
                at = t + offsets[k]
                if start <= at < end:
                    for y in range(out.shape[1]):
                        out[t, y] += values[ids[at], k, y]
                else:
                    distance = start - at - 1 if at < start else at - end
                    for y in range(out.shape[1]):
                        out[t, y] += outside[k, distance, y]


def one_position(template: Template, attributes: Collection[str]) -> bool:
    """Whether a template looks at a single position, and only at these attributes."""
    offsets = {obs.offset for obs in template.observations}
    return len(offsets) == 1 and all(obs.attr in attributes for obs in template.observations)


class Window:
    """Templates that look at a single position each.

    columns: attribute name -> row of the column matrix. table: key -> row. rows: float32[R, L], the weights. with_offsets: offsets that the window
    has in any case.
    """

    def __init__(
        self,
        templates: Sequence[Template],
        columns: Mapping[str, int],
        table: Table,
        rows: np.ndarray,
        with_offsets: Collection[int] = (),
    ):
        self.offsets = sorted({t.observations[0].offset for t in templates} | set(with_offsets))
        self.n_labels = rows.shape[1]
        self._lookups = [
            Lookup(compile_program([t for t in templates if t.observations[0].offset == offset], columns), table, rows)
            for offset in self.offsets
        ]
        self._places = np.array(self.offsets, np.int64)
        self.outside = self._score_outside()

    def _score_outside(self) -> np.ndarray:
        reach = max((abs(offset) for offset in self.offsets), default=0)
        outside = np.zeros((len(self.offsets), reach, self.n_labels), np.float32)
        for k, (offset, lookup) in enumerate(zip(self.offsets, self._lookups, strict=True)):
            for d in range(abs(offset)):
                for j in range(lookup.program.seed.size):
                    add_outside(lookup, j, -(d + 1) if offset < 0 else d + 1, outside[k, d])
        return outside

    def score(self, columns: np.ndarray) -> np.ndarray:
        """Scores float32[n, K, L] of n values at each offset of the window. columns: uint64[A, n]."""
        n = columns.shape[1]
        scores = np.zeros((n, len(self.offsets), self.n_labels), np.float32)
        for k, (offset, lookup) in enumerate(zip(self.offsets, self._lookups, strict=True)):
            # every value is a sentence of its own, read at offset 0: keys do not depend on the offset
            here = lookup._replace(program=lookup.program._replace(offset=lookup.program.offset - offset))
            out = np.zeros((n, self.n_labels), np.float32)
            add_looked_up(columns, np.arange(n + 1), here, np.arange(here.program.seed.size), out)
            scores[:, k] = out
        return scores

    def table(self, values: np.ndarray) -> WindowScores:
        """The arguments of :func:`add_window`. values: from :meth:`score`."""
        return WindowScores(self._places, values, self.outside)
