"""Regularizers of block norms written out densely: Algorithm 1 step by step over all outputs, and its objective for cvxpy."""

from dataclasses import replace
from functools import cache
from itertools import product

import cvxpy as cp
import numpy as np

from spacy_mtl.structures.problem import Problem
from spacy_mtl.trainers.online_mkl.prox import prox
from spacy_mtl.trainers.online_mkl.trainer import OnlineMKL

from ..reference import LABELS, block_slices, feature_vector, random_problem


def untied_problem(seed: int, observed: bool, n_sentences: int = 8) -> Problem:
    """A small problem where no two outputs cost the same, so that the most violated output is unique even at zero weights."""
    problem = random_problem(seed, n_sentences, observed=observed)
    cost = np.random.default_rng(seed).uniform(0.5, 1.5, (len(LABELS), len(LABELS))) * (1 - np.eye(len(LABELS)))
    return replace(problem, arrays=problem.arrays._replace(cost=cost.astype(np.float32)))


def flat(weights) -> np.ndarray:
    """A weight vector as one, in the order of the blocks."""
    return np.concatenate([weights.node.ravel(), weights.pair.ravel()]).astype(float)


def outputs_of(problem: Problem, i: int) -> tuple[np.ndarray, np.ndarray]:
    """Every output of sentence i: Phi(y) - Phi(gold), float64[Y, d], and its loss, float64[Y]."""
    gold = problem.arrays.gold[problem.arrays.first[i] : problem.arrays.last[i]]
    outputs = list(product(range(len(LABELS)), repeat=gold.size))
    phi = feature_vector(problem, i, gold)
    differences = np.stack([feature_vector(problem, i, y) - phi for y in outputs])
    return differences, np.array([problem.arrays.cost[gold, list(y)].sum() for y in outputs], float)


def kinds(problem: Problem, transition: str) -> tuple[list[slice], list[slice]]:
    """Blocks regularized together, and alone. The first pair template of :func:`random_problem` is the transitions."""
    slices, n = block_slices(problem), problem.blocks.n_node
    if transition == "learned":
        return slices, []
    return slices[:n] + slices[n + 1 :], slices[n : n + 1] if transition == "fixed" else []


class Dense:
    """Algorithm 1 with a dense vector, O(number of features) a step.

    outputs: for each sentence what :func:`outputs_of` returns. together, alone: entries of each block that shares the regularizer, or has its own.
    """

    def __init__(self, settings: OnlineMKL, outputs: list, together: list, alone: list):
        self.settings, self.outputs, self.together, self.alone = settings, outputs, together, alone
        self.theta = np.zeros(outputs[0][0].shape[1])
        self.sum = np.zeros_like(self.theta)
        self.t = 0
        self.deaths = 0

    def gradient(self, i: int) -> tuple[np.ndarray, float]:
        differences, losses = self.outputs[i]
        scores = differences @ self.theta
        if self.settings.loss == "hinge":
            worst = np.argmax(scores + losses)
            return differences[worst], scores[worst] + losses[worst]
        top = scores.max()
        probability = np.exp(scores - top)
        return probability @ differences / probability.sum(), top + np.log(probability.sum())

    def rate(self) -> float:
        if self.settings.schedule == "sqrt":
            return self.settings.eta0 / np.sqrt(self.t)
        sigma = self.settings.summands().l2
        sigma = (min(sigma, 1.0) if self.settings.transition == "fixed" else sigma) / (
            self.settings.C * len(self.outputs)
        )
        return min(self.settings.eta0, 1 / (sigma * self.t))

    def step(self, i: int) -> float:
        self.t += 1
        eta = self.rate()
        tau = eta / (self.settings.C * len(self.outputs))
        gradient, loss = self.gradient(i)
        theta = self.theta - eta * gradient
        norms = np.array([np.linalg.norm(theta[s]) for s in self.together])
        for s, before, after in zip(self.together, norms, prox(norms, self.settings.summands(), tau), strict=True):
            theta[s] *= after / before if before else 0
            self.deaths += after == 0 and self.theta[s].any()
        for s in self.alone:
            theta[s] /= 1 + tau
        size = np.linalg.norm(theta)
        if self.settings.gamma is not None and size > self.settings.gamma:
            theta *= self.settings.gamma / size
        self.theta = theta
        self.sum += theta
        return loss

    @property
    def weights(self) -> np.ndarray:
        return self.sum / self.t if self.settings.model == "average" else self.theta


def dense_chain(settings: OnlineMKL, problem: Problem) -> Dense:
    """The same training as ``settings.begin(problem)`` of a chain."""
    outputs = [outputs_of(problem, i) for i in range(problem.n)]
    return Dense(settings, outputs, *kinds(problem, settings.transition))


@cache
def optimum(items: tuple, seed: int, observed: bool) -> float:
    """min Omega + C sum of losses by cvxpy. items: settings of OnlineMKL that matter, a dict as a tuple, so that the answer can be kept."""
    settings = OnlineMKL(**{key: dict(value) if isinstance(value, tuple) else value for key, value in items})
    problem = random_problem(seed, observed=observed)
    w = cp.Variable(block_slices(problem)[-1].stop)
    losses = []
    for i in range(problem.n):
        differences, cost = outputs_of(problem, i)
        scores = differences @ w
        losses.append(cp.max(scores + cost) if settings.loss == "hinge" else cp.log_sum_exp(scores))
    together, alone = kinds(problem, settings.transition)
    l2, l21, lq, q = settings.summands()
    norms = cp.hstack([cp.norm(w[s]) for s in together])
    size = l2 / 2 * cp.sum_squares(norms) + l21 / 2 * cp.square(cp.sum(norms)) + lq / q * cp.sum(cp.power(norms, q))
    size += sum(0.5 * cp.sum_squares(w[s]) for s in alone)
    return float(cp.Problem(cp.Minimize(size + settings.C * sum(losses))).solve(solver=cp.SCS, eps=1e-7))
