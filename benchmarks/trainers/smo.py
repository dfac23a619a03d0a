"""SMO on the marginals of chains, and the hybrid with exponentiated gradient that section 5 of Bartlett et al. (2004) proposes.

SMO after Taskar, Guestrin and Koller (2003): of a sentence two outputs are taken, the most violated one and the least violated one that has mass, and
mass is moved from the second to the first, as much as is best. The state is part marginals, which many distributions share; mass is that of the
distribution of largest entropy, where a label depends on the label before alone. For chains whose label pairs have features of every position.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from spacy_mtl.kernels import kernel, subkernel
from spacy_mtl.structures.contract import (
    Weights,
    add_direction,
    add_loss,
    curvature,
    decode,
    expected_loss,
    n_sentences,
    new_work,
    score_parts,
    set_difference,
    stored_score,
)
from spacy_mtl.structures.problem import Problem, shares
from spacy_mtl.trainers.base import Carry, Report, Trainer, Training, relative_gap
from spacy_mtl.trainers.eg.online import OnlineEG
from spacy_mtl.trainers.eg.trainer import EG
from spacy_mtl.trainers.eg.training import new_state

#: Marginals below are rounding errors.
NOTHING = 1e-10
#: Share of EG's own start that is mixed into the marginals when EG takes over: it never leaves a probability of 0.
INTERIOR = 1e-2


@subkernel
def least_violated(nodes, pairs, state, first, n, out, costs, back):
    """Write the output of lowest score that has mass to ``out`` (int32[N], from ``first``).

    nodes: scores [n, L], pairs: [n, L, L]; costs: float64[n, L] and back: int64[n, L] are buffers.
    """
    n_labels = nodes.shape[1]
    for y in range(n_labels):
        costs[0, y] = nodes[0, y] if state.nodes[first, y] > NOTHING else np.inf
    for t in range(1, n):
        for y in range(n_labels):
            costs[t, y] = np.inf
            for x in range(n_labels):
                if state.pairs[first + t, x * n_labels + y] > NOTHING:
                    cost = costs[t - 1, x] + pairs[t, x, y] + nodes[t, y]
                    if cost < costs[t, y]:
                        costs[t, y], back[t, y] = cost, x
    label = int(np.argmin(costs[n - 1]))
    for t in range(n - 1, -1, -1):
        out[first + t] = label
        label = int(back[t, label])


@subkernel
def mass_of(state, outputs, first, n, n_labels):
    """The probability of an output by the distribution of largest entropy."""
    mass = state.nodes[first, outputs[first]]
    for t in range(first + 1, first + n):
        x, y = outputs[t - 1], outputs[t]
        mass *= state.pairs[t, x * n_labels + y] / state.nodes[t - 1, x]
    return min(mass, 1.0)


@subkernel
def add_mass(state, outputs, first, n, n_labels, amount):
    """Add ``amount`` to the marginals of an output's parts; nothing falls below 0 by rounding."""
    for t in range(first, first + n):
        y = outputs[t]
        state.nodes[t, y] = max(0.0, state.nodes[t, y] + amount)
        if t > first:
            z = outputs[t - 1] * n_labels + y
            state.pairs[t, z] = max(0.0, state.pairs[t, z] + amount)


@kernel
def smo_pass(arrays, weights, live, scale, state, order, least, costs, back):
    """A step for each sentence of ``order``. scale: C of all blocks. least: int32[N], costs, back: buffers."""
    work, other = new_work(arrays), new_work(arrays)
    n_labels = state.nodes.shape[1]
    most = least.copy()
    for i in order:
        first, n = arrays.first[i], arrays.last[i] - arrays.first[i]
        score_parts(arrays, weights, live, i, work)
        add_loss(arrays, i, work, 1.0)
        least_violated(work.nodes[:n], work.pairs[:n], state, first, n, least, costs, back)
        decode(arrays, i, work, False)
        for t in range(n):
            most[first + t] = work.labels[t]
        rise = stored_score(arrays, i, most, work) - stored_score(arrays, i, least, work)
        if rise <= 0:
            continue
        for t in range(n):
            other.labels[t] = most[first + t]
        set_difference(arrays, i, least, other)
        bend = curvature(arrays, live, scale, i, other)
        longest = mass_of(state, least, first, n, n_labels)
        step = longest if rise >= longest * bend else rise / bend
        add_direction(arrays, weights, live, scale, i, other, -step)
        add_mass(state, most, first, n, n_labels, step)
        add_mass(state, least, first, n, n_labels, -step)


@kernel
def total_loss(arrays, state):
    """sum_i E_M[loss]."""
    loss = 0.0
    for i in range(n_sentences(arrays)):
        loss += expected_loss(arrays, state, i)
    return loss


@kernel
def set_conditionals(arrays, mixed, theta):
    """Write theta_{i,r} that belong to these marginals, the logarithms of conditional probabilities; all of ``mixed`` that may be is above 0."""
    n_labels = mixed.nodes.shape[1]
    for i in range(n_sentences(arrays)):
        first = arrays.first[i]
        for y in range(n_labels):
            theta.nodes[first, y] = np.log(max(mixed.nodes[first, y], 1e-300))
        for t in range(first + 1, arrays.last[i]):
            for x in range(n_labels):
                before = np.log(max(mixed.nodes[t - 1, x], 1e-300))
                for y in range(n_labels):
                    theta.pairs[t, x * n_labels + y] = np.log(max(mixed.pairs[t, x * n_labels + y], 1e-300)) - before


@dataclass(frozen=True)
class SMO(Trainer):
    """hybrid: passes after which EG goes on, 0 for never."""

    C: float = 1.0
    tol: float = 1e-12
    hybrid: int = 0
    seed: int = 0

    def _begin(self, problem: Problem) -> Training:
        if not getattr(problem.arrays, "observed", False):
            raise ValueError("SMO is for chains whose label pairs have features of every position.")
        return SMOTraining(self, problem)


class SMOTraining(Training):
    """Part marginals, and w = C V(M)."""

    def __init__(self, settings: SMO, problem: Problem):
        super().__init__(problem)
        self.settings, self._w = settings, problem.zeros()
        self._state: Any = new_state(problem)
        for mine, gold in zip(self._state, problem.gold_state(), strict=True):
            mine[:] = gold
        self._random = np.random.default_rng(settings.seed)
        longest = int((problem.arrays.last - problem.arrays.first).max())
        shape = (longest, self._state.nodes.shape[1])
        self._buffers = np.zeros(problem.arrays.gold.size, np.int32), np.zeros(shape), np.zeros(shape, np.int64)
        self._successor: OnlineEG | None = None

    def step(self, sentences: np.ndarray) -> None:
        """Nothing: passes have an order of their own."""

    def end_pass(self) -> None:
        """A pass of SMO, or of EG where that has taken over."""
        settings, problem = self.settings, self.problem
        if settings.hybrid and self.passes == settings.hybrid:
            self._successor = self._hand_over()
        self.passes += 1
        if self._successor is not None:
            self._successor.end_pass()
            return
        live, scale = problem.all_live(), shares(problem, np.full(problem.blocks.n, settings.C))
        order = self._random.permutation(problem.n)
        smo_pass(problem.arrays, self._w, live, scale, self._state, order, *self._buffers)

    def _hand_over(self) -> OnlineEG:
        """EG from marginals that are nearly these."""
        training = EG(C=self.settings.C, tol=self.settings.tol, mode="online").begin(self.problem)
        assert isinstance(training, OnlineEG)
        own, _ = training._states
        mixed, theta = new_state(self.problem), new_state(self.problem)
        for to, mine, other in zip(mixed, self._state, own, strict=True):
            to[:] = (1 - INTERIOR) * mine + INTERIOR * other
        set_conditionals(self.problem.arrays, mixed, theta)
        training._set_states(self.problem, theta, training._begin_rates(self.problem), training._start)
        return training

    def report(self) -> Report:
        """primal, and the dual at the present marginals."""
        if self._successor is not None:
            report = self._successor.report()
            return Report(
                report.primal, report.dual, report.gap, report.live_templates, report.n_templates, self.passes
            )
        norms, C = self.problem.block_norms(self._w), self.settings.C
        bend = 0.5 * float(norms @ norms)
        primal = bend + C * float(self.problem.hinges(self._w).sum())
        dual = C * float(total_loss(self.problem.arrays, self._state)) - bend
        return Report(primal, dual, relative_gap(primal, dual), int((norms > 0).sum()), norms.size, self.passes)

    @property
    def loss(self) -> float:
        """Sum of the hinges."""
        return float(self.problem.hinges(self.weights).sum())

    @property
    def weights(self) -> Weights:
        return self._w if self._successor is None else self._successor.weights

    @property
    def template_weights(self) -> np.ndarray:
        """1 for templates with weights."""
        return (self.problem.block_norms(self.weights) > 0).astype(float)

    def rebind(self, problem: Problem, carry: Carry) -> None:
        """Keep marginals and weights."""
        self.problem, self._w = problem, carry(self._w)
