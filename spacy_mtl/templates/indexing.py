"""Who numbers the observations of a corpus: the corpus itself, or, where it is one of many shards, all of them together."""

from itertools import pairwise
from typing import NamedTuple, Protocol

import numpy as np

from spacy_mtl.threads.crew import ALONE, Crew

from .arcs.index import Parts, build_arc_index, counted_arc_index
from .arcs.program import ArcProgram
from .extract import Program
from .index import FeatureIndex, Table, build_index


class Indexer(Protocol):
    """Makes the indices of a corpus, one after the other, always in the same order."""

    def of_positions(
        self, columns: np.ndarray, starts: np.ndarray, program: Program, min_count: int, crew: Crew = ALONE
    ) -> tuple[FeatureIndex, np.ndarray]:
        """As :func:`.build_index`: the index, and the rows int32[N, T] of each token."""

    def of_parts(
        self, columns: np.ndarray, program: ArcProgram, n_templates: int, parts: Parts, min_count: int
    ) -> tuple[FeatureIndex, Table]:
        """As :func:`.build_arc_index`: the index and its table."""


class OwnIndexer:
    """Numbers what the corpus itself has."""

    def of_positions(
        self, columns: np.ndarray, starts: np.ndarray, program: Program, min_count: int, crew: Crew = ALONE
    ) -> tuple[FeatureIndex, np.ndarray]:
        return build_index(columns, starts, program, min_count, crew)

    def of_parts(
        self, columns: np.ndarray, program: ArcProgram, n_templates: int, parts: Parts, min_count: int
    ) -> tuple[FeatureIndex, Table]:
        return build_arc_index(columns, program, n_templates, parts, min_count)


class Counts(NamedTuple):
    """The distinct observations of an index, in any order: keys uint64[R], the template of each int32[R], how often it occurs int64[R].

    n_templates, min_count: of the index.
    """

    keys: np.ndarray
    owners: np.ndarray
    times: np.ndarray
    n_templates: int
    min_count: int

    @property
    def nbytes(self) -> int:
        return self.keys.nbytes + self.owners.nbytes + self.times.nbytes


class CountingIndexer(OwnIndexer):
    """Numbers all that the corpus has, however rare, and keeps how often each observation occurs. counts: of each index."""

    def __init__(self) -> None:
        self.counts: list[Counts] = []

    def of_positions(
        self, columns: np.ndarray, starts: np.ndarray, program: Program, min_count: int, crew: Crew = ALONE
    ) -> tuple[FeatureIndex, np.ndarray]:
        index, rows = build_index(columns, starts, program, crew=crew)
        times = np.zeros(index.n_rows, np.int64)
        for j, (first, end) in enumerate(pairwise(index.blocks.tolist())):
            own = rows[:, j]
            times[first:end] = np.bincount(own[own >= 0] - first, minlength=end - first)
        self._keep(index, times, min_count)
        return index, rows

    def of_parts(
        self, columns: np.ndarray, program: ArcProgram, n_templates: int, parts: Parts, min_count: int
    ) -> tuple[FeatureIndex, Table]:
        index, table, times = counted_arc_index(columns, program, n_templates, parts)
        self._keep(index, times, min_count)
        return index, table

    def _keep(self, index: FeatureIndex, times: np.ndarray, min_count: int) -> None:
        n = index.blocks.size - 1
        owners = np.repeat(np.arange(n, dtype=np.int32), np.diff(index.blocks))
        self.counts.append(Counts(index.keys, owners, times, n, min_count))


class GivenIndexer:
    """Numbers what a given list of indices has, in their order, and nothing else."""

    def __init__(self, indices: list[FeatureIndex]):
        self._left = list(indices)

    def _next(self) -> FeatureIndex:
        return self._left.pop(0)

    def of_positions(
        self, columns: np.ndarray, starts: np.ndarray, program: Program, min_count: int, crew: Crew = ALONE
    ) -> tuple[FeatureIndex, np.ndarray]:
        index = self._next()
        return index, index.rows(columns, starts, program)

    def of_parts(
        self, columns: np.ndarray, program: ArcProgram, n_templates: int, parts: Parts, min_count: int
    ) -> tuple[FeatureIndex, Table]:
        index = self._next()
        return index, index.table
