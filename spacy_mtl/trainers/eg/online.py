"""Online EG: updates theta of one sentence at a time, and the weights with it; every sentence has its own learning rate."""

from typing import Any

import numpy as np

from spacy_mtl.structures.contract import Weights
from spacy_mtl.structures.problem import Problem
from spacy_mtl.trainers.base import Carry, Kept
from spacy_mtl.trainers.shared.exact import Marginals

from .rates import safe_rate, sentence_spreads
from .settings import EGSettings
from .sweeps import expect_dual, gather, online_pass
from .training import EGTraining, begin_theta, expectation, find_start, joined_theta, new_state

#: A sentence is skipped if its gap is below this share of the average gap that the tolerance allows.
REST = 0.1


class OnlineEG(EGTraining):
    """The state is theta and the marginals M of every sentence; w = C V(M) is updated after each sentence."""

    def __init__(self, settings: EGSettings, problem: Problem):
        super().__init__(settings, problem)
        self._random = np.random.default_rng(settings.seed)
        self._begin_states(problem)

    def _begin_states(self, problem: Problem) -> None:
        """Set initial theta, marginals and learning rates."""
        start = self.settings.start
        if start is None:
            start = find_start(problem, self.settings.C, new_state(problem), problem.zeros())
        self._set_states(problem, begin_theta(problem, start), self._begin_rates(problem), start)

    def _set_states(self, problem: Problem, theta: Any, rates: np.ndarray, start: float) -> None:
        """Set theta, marginals and learning rates, all at once, so that an interrupt leaves either the old or the new ones."""
        now, other, w = new_state(problem), new_state(problem), problem.zeros()

        def expect(vector: Weights) -> float:
            return float(expect_dual(problem.arrays, theta, now, vector, 0, problem.n))

        dual = expectation(problem, self.settings.C, expect, w)
        side, gaps = np.zeros(problem.n, np.int64), np.zeros(problem.n)
        self.problem, self._w, self._theta, self._states, self._side = problem, w, theta, (now, other), side
        self._gaps, self._rates, self._start, self._dual = gaps, rates, start, dual
        self._report, self.converged, self.ended, self._torn = None, False, False, False
        self._bound, self._moved = -np.inf, True

    def _begin_rates(self, problem: Problem) -> np.ndarray:
        if self.settings.eta != "safe":
            return np.full(problem.n, self._first_rate())
        return safe_rate(sentence_spreads(problem), self.settings.C)

    def _remake(self) -> None:
        def expect(vector: Weights) -> float:
            return float(gather(self.problem.arrays, self._states, self._side, vector))

        self._torn = True
        self._dual = expectation(self.problem, self.settings.C, expect, self._w)
        self._torn = False

    def _pass(self) -> None:
        C, problem = self.settings.C, self.problem
        least = REST * self.settings.tol * max(self._dual, 0.0) / (C * problem.n)
        before = self._side.copy()
        self._dual += online_pass(
            problem.arrays, self._w, problem.all_live(), self._theta, self._states, self._side, self._rates,
            self._random.permutation(problem.n), C, self._growth, least, self._gaps,
        )  # fmt: skip
        self._moved = bool((before != self._side).any())

    def _is_stuck(self) -> bool:
        return not self._moved

    def _marginals(self) -> Marginals:
        return Marginals(self._states, self._side)

    def _is_near(self) -> bool:
        near = bool(self._gaps.sum() * self.settings.C <= 4 * self.settings.tol * self._dual)
        if near:
            self._remake()  # in place: removes the rounding errors of the steps since the last time
        return near

    @property
    def loss(self) -> float:
        """Sum of the sentences' duality gaps over C, each before its step in the last pass; goes to 0 at the optimum."""
        return float(self._gaps.sum())

    def rebind(self, problem: Problem, carry: Carry) -> None:
        """Keep theta and the marginals; the weights are computed again from them."""
        w = problem.zeros()
        self.problem, self._w, self._report, self.converged, self._torn = problem, w, None, False, True
        self.ended, self._bound = False, -np.inf
        self._remake()

    def extend(self, problem: Problem, carry: Carry, kept: Kept) -> None:
        """Keep theta and the learning rate of each old sentence; new ones begin near gold, where they add next to nothing to the weights."""
        theta = joined_theta(self.problem, self._theta, problem, self._start, kept)
        old = np.flatnonzero(kept.alike)
        rates = self._begin_rates(problem)
        rates[old] = self._rates[kept.sentences[old]]
        self._set_states(problem, theta, rates, self._start)

    def recut(self, problem: Problem) -> None:
        """theta belongs to the pieces, so theta and the learning rates start again."""
        self._begin_states(problem)
