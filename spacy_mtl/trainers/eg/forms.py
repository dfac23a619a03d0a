"""The two ways batch EG keeps theta: a number for every part, or one weight vector from which it is computed."""

from typing import Any

import numpy as np

from spacy_mtl.structures.contract import Weights
from spacy_mtl.structures.problem import Problem
from spacy_mtl.trainers.base import Carry

from .sweeps import add_gradients, add_weights, expect_dual, expect_primal
from .training import begin_theta


class DualForm:
    """theta_{i,r} of every part, in the layout of the marginals (Figure 2 of the paper).

    Memory: three numbers a part (theta, theta after the step, marginals). Chains whose pair templates read observations have L + L^2 parts a token,
    others L a token and L^2 a sentence.
    """

    def __init__(self, problem: Problem, start: float):
        self._problem = problem
        self._theta = begin_theta(problem, start)
        self._next = type(self._theta)(*(array.copy() for array in self._theta))

    def propose(self, weights: Weights, amount: float) -> None:
        """theta after a step: theta_{i,r} + amount * (l_{i,r} + <w, phi_{i,r}>)."""
        for new, old in zip(self._next, self._theta, strict=True):
            new[:] = old
        add_gradients(self._problem.arrays, weights, self._problem.all_live(), 1.0, self._next, amount)

    def accept(self) -> None:
        """Keep what was proposed."""
        self._theta, self._next = self._next, self._theta

    def withdraw(self, weights: Weights) -> None:
        """Drop what was proposed: nothing, theta itself has not moved."""

    def gather(self, proposed: bool, state: Any, vector: Weights) -> float:
        """vector += V(M) for the marginals M, which ``state`` becomes; returns E_M[loss]. proposed: of the theta proposed, else of that kept."""
        return float(expect_dual(self._problem.arrays, self._next if proposed else self._theta, state, vector))

    def rebind(self, problem: Problem, carry: Carry) -> None:
        """theta belongs to parts, which have not changed."""
        self._problem = problem


class PrimalForm:
    """theta_{i,r} = a l_{i,r} + <z, phi_{i,r}>, with z the sum of eta C w over the steps and a that of eta C, less the start.

    With one eta for all steps this is the paper's eta C ((t - 1) l_{i,r} + <z, phi_{i,r}>). Memory: z and the marginals. A step is taken in z
    itself; one that is withdrawn leaves a rounding of what it had moved z to.
    """

    def __init__(self, problem: Problem, start: float):
        self._problem = problem
        self._z = problem.zeros()
        # a, and what the step proposed adds to it; the kernel that moves z writes the second, so that an interrupt cannot come between
        self._amounts = np.array([-start, 0.0])

    def propose(self, weights: Weights, amount: float) -> None:
        """z and a after a step of ``amount`` = eta C along the weights, which stay as they are until it is accepted or withdrawn."""
        add_weights(self._z, weights, amount, self._amounts)

    def accept(self) -> None:
        """Keep what was proposed."""
        self._amounts[:] = self._amounts.sum(), 0.0

    def withdraw(self, weights: Weights) -> None:
        """Take back what was proposed, if anything was. weights: those of the proposal."""
        if self._amounts[1]:
            add_weights(self._z, weights, -self._amounts[1], self._amounts)

    def gather(self, proposed: bool, state: Any, vector: Weights) -> float:
        """As of :class:`DualForm`; proposed: whether a step is."""
        arrays, live = self._problem.arrays, self._problem.all_live()
        return float(expect_primal(arrays, self._z, live, self._amounts.sum(), state, vector))

    def rebind(self, problem: Problem, carry: Carry) -> None:
        """z is a weight vector."""
        self._problem, self._z, self._amounts = problem, carry(self._z), self._amounts.copy()
