"""Exponentiated gradient written out over all outputs, and variants of the small random problems to try it on."""

from dataclasses import replace
from itertools import pairwise, product

import numpy as np

from spacy_mtl.structures.chain.viterbi import FORBIDDEN
from spacy_mtl.structures.contract import Weights
from spacy_mtl.structures.problem import Problem

from ..reference import LABELS, feature_vector, random_problem


def constrained_problem(seed: int, observed: bool = False) -> Problem:
    """A random problem where some starts and label pairs that gold does without are forbidden."""
    problem = random_problem(seed, n_sentences=4, observed=observed)
    arrays = problem.arrays
    start, step = np.full(len(LABELS), FORBIDDEN), np.full((len(LABELS), len(LABELS)), FORBIDDEN)
    start[arrays.gold[arrays.first]] = 0
    for a, b in zip(arrays.first, arrays.last, strict=True):
        for x, y in pairwise(arrays.gold[a:b]):
            step[x, y] = 0
    start[0] = step[0] = 0
    assert (start < 0).any() or (step < 0).any()
    return replace(problem, arrays=arrays._replace(start=start, step=step))


def flat(weights: Weights) -> np.ndarray:
    """A weight vector in the order of :func:`.reference.feature_vector`."""
    return np.concatenate([weights.node.ravel(), weights.pair.ravel()]).astype(float)


class NaiveEG:
    """The paper's Figure 3 on the explicit distributions a_i, for the dual of its Figure 1.

    For sentence i: outputs[i] all allowed label sequences, gaps[i] their Phi(gold) - Phi(y) as rows, losses[i], logs[i] = log a_i.
    """

    def __init__(self, problem: Problem, C: float, start: float):
        arrays = problem.arrays
        self.C = C
        self.outputs, self.gaps, self.losses, self.logs = [], [], [], []
        for i in range(problem.n):
            gold = arrays.gold[arrays.first[i] : arrays.last[i]]
            outputs = [y for y in product(range(len(LABELS)), repeat=gold.size) if is_allowed(arrays, y)]
            truth = feature_vector(problem, i, gold)
            self.outputs.append(outputs)
            self.gaps.append(np.stack([truth - feature_vector(problem, i, y) for y in outputs]))
            self.losses.append(np.array([np.sum(np.array(y) != gold) for y in outputs], float))
            self.logs.append(-start * self.losses[-1])

    def distribution(self, i: int) -> np.ndarray:
        shares = np.exp(self.logs[i] - self.logs[i].max())
        return shares / shares.sum()

    def weights(self) -> np.ndarray:
        return self.C * sum(self.distribution(i) @ gaps for i, gaps in enumerate(self.gaps))

    def dual(self) -> float:
        losses = sum(self.distribution(i) @ losses for i, losses in enumerate(self.losses))
        return float(self.C * losses - 0.5 * np.sum(self.weights() ** 2))

    def step(self, eta: float, sentences) -> None:
        """a_i(y) *= exp(eta dF/da_i(y)) for these sentences, with the gradient at the present a."""
        weights = self.weights()
        for i in sentences:
            self.logs[i] = self.logs[i] + eta * self.C * (self.losses[i] - self.gaps[i] @ weights)

    def marginals(self, i: int) -> np.ndarray:
        """Probability of every label at every position of sentence i."""
        out = np.zeros((len(self.outputs[i][0]), len(LABELS)))
        for probability, labels in zip(self.distribution(i), self.outputs[i], strict=True):
            out[np.arange(len(labels)), list(labels)] += probability
        return out


def is_allowed(arrays, labels) -> bool:
    steps = all(arrays.step[x, y] == 0 for x, y in pairwise(labels))
    return bool(arrays.start[labels[0]] == 0 and arrays.end[labels[-1]] == 0 and steps)
