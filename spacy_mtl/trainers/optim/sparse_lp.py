"""The linear program of the n-slack cutting plane method for an l1 norm, grown cut by cut; HiGHS goes on from its last basis.

min 1/2 sum_k (u_k + v_k) + C sum_i xi_i   s.t.  xi_i - <u - v, d> >= loss  for every cut (i, d, loss),   u, v, xi >= 0,
where d = Phi(output) - Phi(gold) and w = u - v. Only weights that occur in a cut have variables; all others are 0 at the optimum.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ...errors import Errors


class Cut(NamedTuple):
    """One output of one sentence. keys: int64[k], weights in which it differs from gold, each once; values: float64[k], by how much."""

    sentence: int
    keys: np.ndarray
    values: np.ndarray
    loss: float


class Optimum(NamedTuple):
    """keys: int64[k] and values: float64[k], the weights that are not zero. slacks: float64[n]. value: of the program."""

    keys: np.ndarray
    values: np.ndarray
    slacks: np.ndarray
    value: float


class SparseLP:
    """n: sentences. C: of the sum of their slacks. Raises ValueError: M327 where highspy is missing, and in :meth:`solve` M328 where it fails."""

    def __init__(self, n: int, C: float):
        try:
            import highspy
        except ImportError as error:
            raise ValueError(Errors.M327.format(reason=error)) from None
        self._highs = highspy.Highs()
        self._infinity = highspy.kHighsInf
        self._optimal = highspy.HighsModelStatus.kOptimal
        for option, value in (("output_flag", False), ("threads", 1), ("solver", "simplex")):
            self._highs.setOptionValue(option, value)
        self._n = n
        self._known: set[tuple[int, bytes, bytes, float]] = set()
        self._keys = np.empty(0, np.int64)  # ascending
        self._places = np.empty(0, np.int64)  # of their variables, in order of arrival
        self._add_columns(n, C)

    def _add_columns(self, count: int, cost: float) -> None:
        nothing = np.empty(0, np.int32)
        self._highs.addCols(
            count, np.full(count, cost), np.zeros(count), np.full(count, self._infinity), 0,
            np.zeros(count, np.int32), nothing, np.empty(0),
        )  # fmt: skip

    def _columns(self, keys: np.ndarray) -> np.ndarray:
        """The columns of u of these weights; that of v comes right after."""
        new = np.setdiff1d(keys, self._keys)
        if new.size:
            self._add_columns(2 * new.size, 0.5)
            places = np.concatenate([self._places, self._keys.size + np.arange(new.size)])
            all_keys = np.concatenate([self._keys, new])
            order = np.argsort(all_keys)
            self._keys, self._places = all_keys[order], places[order]
        return self._n + 2 * self._places[np.searchsorted(self._keys, keys)]

    def add(self, cuts: Iterable[Cut]) -> int:
        """Add a row for each cut that is new, and columns for weights that are; returns how many cuts were."""
        cuts = [cut for cut in cuts if self._is_new(cut)]
        if not cuts:
            return 0
        sizes = np.array([cut.keys.size for cut in cuts])
        columns = self._columns(np.concatenate([cut.keys for cut in cuts]))
        values = np.concatenate([cut.values for cut in cuts])
        ends = np.cumsum(sizes)
        slacks = np.array([cut.sentence for cut in cuts])
        # every row: its slack first, then -d for u and d for v
        indices = np.insert(np.stack([columns, columns + 1], axis=1).ravel(), 2 * (ends - sizes), slacks)
        coefficients = np.insert(np.stack([-values, values], axis=1).ravel(), 2 * (ends - sizes), 1.0)
        starts = 2 * (ends - sizes) + np.arange(len(cuts))
        losses = np.array([cut.loss for cut in cuts], float)
        self._highs.addRows(
            len(cuts), losses, np.full(len(cuts), self._infinity), indices.size,
            starts.astype(np.int32), indices.astype(np.int32), coefficients,
        )  # fmt: skip
        return len(cuts)

    def _is_new(self, cut: Cut) -> bool:
        mark = cut.sentence, cut.keys.tobytes(), cut.values.tobytes(), cut.loss  # outputs of one Phi may differ in loss
        if mark in self._known:
            return False
        self._known.add(mark)
        return True

    @property
    def n_cuts(self) -> int:
        return len(self._known)

    @property
    def iterations(self) -> int:
        """Simplex steps of the last :meth:`solve`."""
        return int(self._highs.getInfo().simplex_iteration_count)

    def solve(self) -> Optimum:
        """The optimum over the cuts so far."""
        self._highs.run()
        status = self._highs.getModelStatus()
        if status != self._optimal:
            name = self._highs.modelStatusToString(status)
            raise ValueError(Errors.M328.format(cuts=self.n_cuts, weights=self._keys.size, status=name))
        solution = np.array(self._highs.getSolution().col_value)
        columns = self._n + 2 * self._places
        weights = solution[columns] - solution[columns + 1]
        used = weights != 0
        value = self._highs.getInfo().objective_function_value
        return Optimum(self._keys[used], weights[used], solution[: self._n], float(value))
