"""Batch EG: updates theta of all sentences at once, in dual or primal form."""

from copy import copy
from typing import Any

import numpy as np

from spacy_mtl.structures.contract import Weights
from spacy_mtl.structures.problem import Problem
from spacy_mtl.trainers.base import Carry, Kept
from spacy_mtl.trainers.shared.exact import Marginals, marginals_of

from .forms import DualForm, PrimalForm
from .rates import corpus_spread, safe_rate
from .settings import EGSettings
from .training import EGTraining, expectation, find_start, new_state

#: A decrease of the dual objective below this share of its terms is a rounding error of single precision.
ROUNDING = 1e-6
#: A rate times C below which a step changes no probability.
LEAST_STEP = 1e-12
#: Factor on the number of passes between two computations of the gap.
LOOKS = 1.25


class BatchEG(EGTraining):
    """One pass is one step, theta_{i,r} += eta C (l_{i,r} + <w, phi_{i,r}>), repeated at half the rate if the dual objective decreases."""

    def __init__(self, settings: EGSettings, problem: Problem):
        super().__init__(settings, problem)
        self._state = new_state(problem)
        self._form = self._begin_form(problem, self._state, self._w)
        self._remake()
        self._rate = self._begin_rate(problem)
        self._trial = problem.zeros()
        self._next_look = 1.0

    def _begin_form(self, problem: Problem, state: Any, vector: Weights) -> DualForm | PrimalForm:
        """The initial theta, in the form of the settings. state, vector: buffers."""
        start = self.settings.start
        if start is None:
            start = find_start(problem, self.settings.C, state, vector)
        return (DualForm if self.settings.mode == "batch" else PrimalForm)(problem, start, self._crew)

    def _begin_rate(self, problem: Problem) -> float:
        if self.settings.eta != "safe":
            return self._first_rate()
        return float(safe_rate(corpus_spread(problem), self.settings.C))

    def _expect(self, proposed: bool, vector: Weights) -> float:
        """Write w of the current or the proposed theta to ``vector``; return the dual objective."""

        def gather(out: Weights) -> float:
            return self._form.gather(proposed, self._state, out)

        return expectation(self.problem, self.settings.C, gather, vector)

    def _remake(self) -> None:
        self._form.withdraw(self._w)  # a step that an interrupt left open
        self._torn = True
        self._dual = self._best = self._expect(False, self._w)
        self._torn = False

    def _pass(self) -> None:
        self._form.withdraw(self._w)  # a step that an interrupt left open
        while True:
            self._form.propose(self._w, self._rate * self.settings.C)
            dual = self._expect(True, self._trial)
            norms = self.problem.block_norms(self._trial)
            if dual >= self._best - ROUNDING * (abs(dual) + float(norms @ norms)) or self._is_stuck():
                break
            self._form.withdraw(self._w)
            self._rate /= 2
        self._torn = True
        self._form.accept()
        self._w, self._trial = self._trial, self._w
        self._rise, self._dual, self._best = dual - self._dual, dual, max(dual, self._best)
        self._torn = False
        self._rate *= self._growth

    def _is_near(self) -> bool:
        if self.passes < self._next_look:
            return False
        self._next_look = LOOKS * self.passes
        return True

    def _is_stuck(self) -> bool:
        return self._rate * self.settings.C < LEAST_STEP

    def _marginals(self) -> Marginals:
        return marginals_of(self.problem, self._state)

    @property
    def loss(self) -> float:
        """The increase of the dual objective in the last pass, which goes to 0 at the optimum."""
        return self._rise

    def rebind(self, problem: Problem, carry: Carry) -> None:
        """Keep theta, or carry z over; the weights are computed again."""
        self._form.withdraw(self._w)
        form = copy(self._form)
        form.rebind(problem, carry)
        w, trial = problem.zeros(), problem.zeros()
        self.problem, self._form, self._w, self._trial = problem, form, w, trial
        self._report, self.converged, self.ended, self._torn = None, False, False, True
        self._bound = -np.inf
        self._remake()

    def extend(self, problem: Problem, carry: Carry, kept: Kept) -> None:
        """Keep theta of the old sentences, or z."""
        self._form.withdraw(self._w)
        form = copy(self._form)
        form.extend(problem, carry, kept)
        self._continue(problem, form)

    def recut(self, problem: Problem) -> None:
        """In dual form theta belongs to the pieces, so theta and the learning rate start again; in primal form they continue."""
        self._form.withdraw(self._w)
        form = None
        if self.settings.mode == "batch_primal":
            form = copy(self._form)
            form.rebind(problem, lambda weights: weights)
        self._continue(problem, form)

    def _continue(self, problem: Problem, form: DualForm | PrimalForm | None) -> None:
        """Continue with this theta, or with a new one and another learning rate."""
        state, rate = new_state(problem), self._rate
        w, trial = problem.zeros(), problem.zeros()
        if form is None:
            form, rate = self._begin_form(problem, state, trial), self._begin_rate(problem)
        # all at once, so that an interrupt leaves either the old or the new pieces
        self.problem, self._form, self._state, self._rate = problem, form, state, rate
        self._w, self._trial = w, trial
        self._report, self.converged, self.ended, self._torn = None, False, False, True
        self._bound = -np.inf
        self._remake()
