"""The two ways in which batch EG stores theta: as a number per part, or as one weight vector from which it is computed."""

from typing import Any

import numpy as np

from spacy_mtl.structures.contract import Weights
from spacy_mtl.structures.problem import Problem
from spacy_mtl.threads.crew import ALONE, Crew
from spacy_mtl.trainers.base import Carry, Kept
from spacy_mtl.trainers.shared.gathering import Gathering

from .sweeps import add_gradients, add_weights, expect_dual, expect_primal
from .training import begin_theta, joined_theta


def copied(state: Any) -> Any:
    """A copy of a state."""
    return type(state)(*(array.copy() for array in state))


class DualForm:
    """theta_{i,r} of every part, in the layout of the marginals (Figure 2 of the paper).

    Memory: three numbers per part (theta, theta after the step, marginals). Chains whose pair templates read observations have L + L^2 parts per
    token, others L per token and L^2 per sentence.
    """

    def __init__(self, problem: Problem, start: float, crew: Crew = ALONE):
        self._problem, self._start = problem, start
        self._crew, self._gather = crew, Gathering(crew)
        self._theta = begin_theta(problem, start)
        self._next = copied(self._theta)

    def propose(self, weights: Weights, amount: float) -> None:
        """Propose a step: theta_{i,r} + amount * (l_{i,r} + <w, phi_{i,r}>)."""
        for new, old in zip(self._next, self._theta, strict=True):
            new[:] = old
        given = self._problem.arrays, weights, self._problem.all_live(), 1.0, 0.0, self._next, amount
        self._crew.map(lambda part: add_gradients(*given, *part), self._crew.parts(self._problem.n))

    def accept(self) -> None:
        """Accept the proposed step."""
        self._theta, self._next = self._next, self._theta

    def withdraw(self, weights: Weights) -> None:
        """Withdraw the proposed step, which takes no work: theta itself has not moved."""

    def gather(self, proposed: bool, state: Any, vector: Weights) -> float:
        """Add V(M) to ``vector`` for the marginals M, which are written to ``state``; return E_M[loss]. proposed: use the proposed theta."""
        arrays, theta = self._problem.arrays, self._next if proposed else self._theta
        return self._gather(vector, self._problem.n, lambda out, *part: expect_dual(arrays, theta, state, out, *part))

    def rebind(self, problem: Problem, carry: Carry) -> None:
        """Do nothing: theta belongs to the parts, which have not changed."""
        self._problem = problem

    def extend(self, problem: Problem, carry: Carry, kept: Kept) -> None:
        """Keep theta of the old sentences, see :func:`.joined_theta`."""
        self._theta = joined_theta(self._problem, self._theta, problem, self._start, kept)
        self._problem, self._next = problem, copied(self._theta)


class PrimalForm:
    """theta_{i,r} = a l_{i,r} + <z, phi_{i,r}>, where z is the sum of eta C w over the steps, and a the sum of eta C minus the start.

    Offsets, which are a part of l, do not begin at minus the start but at 0.

    With one eta for all steps this is the paper's eta C ((t - 1) l_{i,r} + <z, phi_{i,r}>). Memory: z and the marginals. A step changes z itself;
    one that is withdrawn leaves a rounding error in z.
    """

    def __init__(self, problem: Problem, start: float, crew: Crew = ALONE):
        self._problem, self._gather = problem, Gathering(crew)
        self._z, self._start = problem.zeros(), start
        # a, and its change by the proposed step, which is written by the kernel that moves z, so that an interrupt cannot come between
        self._amounts = np.array([-start, 0.0])

    def propose(self, weights: Weights, amount: float) -> None:
        """Propose a step of ``amount`` = eta C along the weights, which must not change until it is accepted or withdrawn."""
        add_weights(self._z, weights, amount, self._amounts)

    def accept(self) -> None:
        """Accept the proposed step."""
        self._amounts[:] = self._amounts.sum(), 0.0

    def withdraw(self, weights: Weights) -> None:
        """Take back the proposed step, if there is one. weights: those of the proposal."""
        if self._amounts[1]:
            add_weights(self._z, weights, -self._amounts[1], self._amounts)

    def gather(self, proposed: bool, state: Any, vector: Weights) -> float:
        """As in :class:`DualForm`. proposed: whether a step is open."""
        given = self._problem.arrays, self._z, self._problem.all_live(), self._amounts.sum(), self._start, state
        return self._gather(vector, self._problem.n, lambda out, *part: expect_primal(*given, out, *part))

    def rebind(self, problem: Problem, carry: Carry) -> None:
        """Carry z over, which is a weight vector."""
        self._problem, self._z, self._amounts = problem, carry(self._z), self._amounts.copy()

    def extend(self, problem: Problem, carry: Carry, kept: Kept) -> None:
        """Carry z over: new sentences begin where old ones with their features are.

        They cannot begin at gold, as in :class:`DualForm`, since theta of all sentences comes from one z and one a. A new sentence that the weights
        get wrong so begins with nearly all mass on one wrong output, and the dual objective falls when it joins, far below 0 if many do. It rises
        again with every pass, and to the same optimum; ``batch`` does not fall.
        """
        self.rebind(problem, carry)
