"""The two ways batch EG keeps theta: a number for every part, or one weight vector from which it is computed."""

from typing import Any

import numpy as np

from ..structures.contract import Weights
from ..structures.problem import Problem
from .base import Carry
from .eg_training import begin_theta
from .optim.eg import add_gradients, add_weights, expect_dual, expect_primal


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

    def gather(self, proposed: bool, state: Any, vector: Weights) -> float:
        """vector += V(M) for the marginals M, which ``state`` becomes; returns E_M[loss]. proposed: of the theta proposed, else of that kept."""
        return float(expect_dual(self._problem.arrays, self._next if proposed else self._theta, state, vector))

    def rebind(self, problem: Problem, carry: Carry) -> None:
        """theta belongs to parts, which have not changed."""
        self._problem = problem


class PrimalForm:
    """theta_{i,r} = a l_{i,r} + <z, phi_{i,r}>, with z the sum of eta C w over the steps and a that of eta C, less the start.

    With one eta for all steps this is the paper's eta C ((t - 1) l_{i,r} + <z, phi_{i,r}>). Memory: z, z after the step, and the marginals.
    """

    def __init__(self, problem: Problem, start: float):
        self._problem = problem
        self._z, self._next = problem.zeros(), problem.zeros()
        self._steps = self._next_steps = -start

    def propose(self, weights: Weights, amount: float) -> None:
        """z and the steps after a step of ``amount`` = eta C."""
        self._next_steps = self._steps + amount
        for new, old, matrix in zip(self._next, self._z, weights, strict=True):
            add_weights(new, old, matrix, np.float32(amount))

    def accept(self) -> None:
        """Keep what was proposed."""
        self._z, self._next, self._steps = self._next, self._z, self._next_steps

    def gather(self, proposed: bool, state: Any, vector: Weights) -> float:
        """As of :class:`DualForm`."""
        z, steps = (self._next, self._next_steps) if proposed else (self._z, self._steps)
        return float(expect_primal(self._problem.arrays, z, self._problem.all_live(), steps, state, vector))

    def rebind(self, problem: Problem, carry: Carry) -> None:
        """z is a weight vector."""
        self._problem, self._z, self._next = problem, carry(self._z), problem.zeros()
