"""The linear program of the n-slack cutting plane method for an l1 norm. It grows by cuts and weights; HiGHS starts from its last basis.

min 1/2 sum_k |w_k| + C sum_i xi_i   s.t.  xi_i >= loss_r + <w, d_r>  for every cut r of sentence i,   xi >= 0,
where d = Phi(output) - Phi(gold), and weights that are not in the program are 0. HiGHS solves its dual,

max sum_r loss_r alpha_r   s.t.  -1/2 <= sum_r d_rk alpha_r <= 1/2  for every weight k,   sum of alpha_r over the cuts of i <= C,   alpha >= 0:

in which a weight is one row instead of two columns, a sentence with a single cut needs no row (0 <= alpha_r <= C), and the dual simplex method can
pass many bounds in one step.
"""

from typing import Any, NamedTuple

import numpy as np

from spacy_mtl.errors import Errors


class Entries(NamedTuple):
    """Sparse vectors, one per cut.

    starts: int64[cuts + 1]. places: int[entries], numbers of the weights, each at most once per cut. values: float64[entries].
    """

    starts: np.ndarray
    places: np.ndarray
    values: np.ndarray


class Optimum(NamedTuple):
    """An optimum. keys: int64[k] and values: float64[k], the non-zero weights. slacks: float64[n]. alphas: float64[cuts]. value: of the objective."""

    keys: np.ndarray
    values: np.ndarray
    slacks: np.ndarray
    alphas: np.ndarray
    value: float


class SparseLP:
    """The linear program. n: number of sentences. C: weight of the sum of their slacks.

    Raises ValueError: M327 if highspy is not installed, in :meth:`add_cuts` and :meth:`add_weights` M329 if it refuses what is added, such as values
    of 1e15 or more, and in :meth:`solve` M328 if it finds no optimum.
    """

    def __init__(self, n: int, C: float):
        try:
            import highspy
        except ImportError as error:
            raise ValueError(Errors.M327.format(reason=error)) from None
        self._highs = highspy.Highs()
        self._infinity = highspy.kHighsInf
        self._optimal, self._refused = highspy.HighsModelStatus.kOptimal, highspy.HighsStatus.kError
        for option, value in (("output_flag", False), ("threads", 1), ("solver", "simplex")):
            self._highs.setOptionValue(option, value)
        # what a cut may be violated by is multiplied by C in the objective
        self._highs.setOptionValue("dual_feasibility_tolerance", float(np.clip(1e-7 / C, 1e-10, 1e-7)))
        self._C = C
        self._sentences = np.empty(0, np.int64)  # of the cuts
        self._rows = np.full(n, -1, np.int64)  # of the sentences with several cuts
        self._last = np.full(n, -1, np.int64)  # one of the cuts of each sentence
        self._n_rows = 0
        self._keys = np.empty(0, np.int64)  # ascending
        self._places = np.empty(0, np.int64)  # their rows

    @property
    def keys(self) -> np.ndarray:
        """The weights in the program: int64[k], ascending."""
        return self._keys

    @property
    def n_cuts(self) -> int:
        return self._sentences.size

    @property
    def iterations(self) -> int:
        """Number of simplex steps in the last :meth:`solve`."""
        return int(self._highs.getInfo().simplex_iteration_count)

    def add_cuts(self, sentences: np.ndarray, losses: np.ndarray, entries: Entries) -> None:
        """Add cuts. sentences: int64[k]. losses: float64[k]. entries: of their d, for the weights in ``self.keys``."""
        self._add_sentence_rows(sentences)
        ends, rows = entries.starts[1:], self._rows[sentences]
        several = rows >= 0
        # every column: its weights first, then its sentence
        indices = np.insert(self._places[entries.places], ends[several], rows[several])
        values = np.insert(entries.values, ends[several], 1.0)
        starts = entries.starts[:-1] + np.cumsum(several) - several
        added = self._highs.addCols(
            sentences.size, -losses, np.zeros(sentences.size), np.full(sentences.size, self._C), indices.size,
            starts.astype(np.int32), indices.astype(np.int32), values,
        )  # fmt: skip
        self._check_added(added, values)
        self._last[sentences] = self.n_cuts + np.arange(sentences.size)
        self._sentences = np.concatenate([self._sentences, sentences])

    def _add_sentence_rows(self, sentences: np.ndarray) -> None:
        """Add rows for the sentences that are about to have several cuts, with the cut that they have."""
        counts = np.bincount(sentences, minlength=self._rows.size)
        new = np.flatnonzero((self._rows < 0) & (counts + (self._last >= 0) > 1) & (counts > 0))
        known = self._last[new] >= 0
        starts: np.ndarray = np.cumsum(known) - known
        self._add_rows(
            np.full(new.size, -self._infinity), self._C, starts, self._last[new[known]], np.ones(known.sum())
        )
        self._rows[new] = self._n_rows - new.size + np.arange(new.size)

    def _add_rows(
        self, lower: np.ndarray, upper: float, starts: np.ndarray, cuts: np.ndarray, values: np.ndarray
    ) -> None:
        added = self._highs.addRows(
            lower.size, lower, np.full(lower.size, upper), values.size, starts.astype(np.int32), cuts.astype(np.int32), values
        )  # fmt: skip
        self._check_added(added, values)
        self._n_rows += lower.size

    def _check_added(self, status: Any, values: np.ndarray) -> None:
        if status == self._refused:
            raise ValueError(Errors.M329.format(largest=np.abs(values).max(initial=0.0)))

    def add_weights(self, keys: np.ndarray, entries: Entries) -> None:
        """Add weights that are not in the program yet. keys: int64[k], ascending. entries: of the d of all cuts, for these weights."""
        by_weight = np.argsort(entries.places, kind="stable")
        cuts = np.repeat(np.arange(self.n_cuts), np.diff(entries.starts))
        starts = np.searchsorted(entries.places[by_weight], np.arange(keys.size))
        self._add_rows(np.full(keys.size, -0.5), 0.5, starts, cuts[by_weight], entries.values[by_weight])
        all_keys = np.concatenate([self._keys, keys])
        places = np.concatenate([self._places, self._n_rows - keys.size + np.arange(keys.size)])
        order = np.argsort(all_keys)
        self._keys, self._places = all_keys[order], places[order]

    def solve(self) -> Optimum:
        """The optimum over the cuts and weights so far."""
        if not self.n_cuts:
            return Optimum(np.empty(0, np.int64), np.empty(0), np.zeros(self._rows.size), np.empty(0), 0.0)
        self._highs.run()
        status = self._highs.getModelStatus()
        if status != self._optimal:
            name = self._highs.modelStatusToString(status)
            raise ValueError(Errors.M328.format(cuts=self.n_cuts, weights=self._keys.size, status=name))
        solution = self._highs.getSolution()
        alphas, costs, duals = (np.array(x, float) for x in (solution.col_value, solution.col_dual, solution.row_dual))
        weights = duals[self._places]
        used = weights != 0
        slacks = np.bincount(self._sentences, np.maximum(0.0, -costs), self._rows.size)
        slacks[self._rows >= 0] -= duals[self._rows[self._rows >= 0]]
        value = -float(self._highs.getInfo().objective_function_value)
        return Optimum(self._keys[used], weights[used], slacks, alphas, value)
