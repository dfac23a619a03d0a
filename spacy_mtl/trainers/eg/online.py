"""Online EG: theta of one sentence at a time, the weights updated at once, a learning rate of its own for every sentence."""

import numpy as np

from spacy_mtl.structures.contract import Weights
from spacy_mtl.structures.problem import Problem
from spacy_mtl.trainers.base import Carry, Report

from .rates import safe_rate, sentence_spreads
from .settings import EGSettings
from .sweeps import expect_dual, gather, online_pass
from .training import EGTraining, begin_theta, expectation, find_start, new_state

#: Sentences rest whose gap is below this share of what the tolerance allows on average.
REST = 0.1


class OnlineEG(EGTraining):
    """State theta and the marginals M of every sentence; w = C V(M) up to date after each."""

    def __init__(self, settings: EGSettings, problem: Problem):
        super().__init__(settings, problem)
        self._random = np.random.default_rng(settings.seed)
        self._begin_states(problem)

    def _begin_states(self, problem: Problem) -> None:
        """theta at the start, its marginals and the learning rates: stored at once, so that an interrupt leaves the old ones or the new."""
        settings, now, other = self.settings, new_state(problem), new_state(problem)
        self._torn = True  # the weights serve as scratch
        start = settings.start
        if start is None:
            start = find_start(problem, settings.C, other, self._w)
        theta, rates = begin_theta(problem, start), self._begin_rates(problem)

        def expect(vector: Weights) -> float:
            return float(expect_dual(problem.arrays, theta, now, vector))

        dual = expectation(problem, settings.C, expect, self._w)
        side, gaps = np.zeros(problem.n, np.int64), np.zeros(problem.n)
        self.problem, self._theta, self._states, self._side = problem, theta, (now, other), side
        self._gaps, self._rates, self._dual = gaps, rates, dual
        self._report, self.converged, self._torn = None, False, False

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
        self._dual += online_pass(
            problem.arrays, self._w, problem.all_live(), self._theta, self._states, self._side, self._rates,
            self._random.permutation(problem.n), C, self._growth, least, self._gaps,
        )  # fmt: skip

    def _is_near(self) -> bool:
        return bool(self._gaps.sum() * self.settings.C <= 4 * self.settings.tol * self._dual)

    def report(self) -> Report:
        if self._report is None:
            self._remake()  # in place: rounding of the steps since the last report is gone
        return super().report()

    @property
    def loss(self) -> float:
        """Sum of the sentences' duality gaps over C, each as it was met in the last pass: falls to 0 at the optimum."""
        return float(self._gaps.sum())

    def rebind(self, problem: Problem, carry: Carry) -> None:
        """theta and the marginals stay; the weights are made anew from them."""
        w = problem.zeros()
        self.problem, self._w, self._report, self.converged, self._torn = problem, w, None, False, True
        self._remake()

    def recut(self, problem: Problem) -> None:
        """theta belongs to pieces: it and the learning rates begin anew."""
        self._begin_states(problem)
