"""Ground truth for chains: every label sequence, and feature vectors summed in plain Python."""

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
import pytest

from spacy_mtl.structures.chain.build import ChainFeatures, Constraints, chain_problem
from spacy_mtl.structures.chain.problem import ChainState
from spacy_mtl.structures.chain.viterbi import FORBIDDEN
from spacy_mtl.structures.contract import Live, Scale, Weights
from spacy_mtl.structures.problem import Blocks, Problem, block_starts


def all_sequences(n: int, n_labels: int) -> np.ndarray:
    """Every label sequence: int64[L ** n, n]."""
    return np.indices([n_labels] * n).reshape(n, -1).T


def enumerate_chain(nodes: np.ndarray, pairs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Every label sequence of a chain, int64[L ** n, n], and its score, float64[L ** n]."""
    n, n_labels = nodes.shape
    labels = all_sequences(n, n_labels)
    scores = nodes[0].astype(float)[labels[:, 0]]
    for t in range(1, n):
        step = pairs[0 if len(pairs) == 1 else t].astype(float)
        scores = scores + nodes[t].astype(float)[labels[:, t]] + step[labels[:, t - 1], labels[:, t]]
    return labels, scores


@dataclass
class Corpus:
    """A small random problem, and the same in plain Python. A distribution over outputs is a list of (probability, labels)."""

    problem: Problem
    features: ChainFeatures
    allowed: Constraints
    cost: np.ndarray
    n_labels: int
    rng: np.random.Generator

    @property
    def n_templates(self) -> int:
        return self.problem.blocks.n

    @cached_property
    def owner(self) -> np.ndarray:
        """Template of every entry of a flat weight vector."""
        blocks, n_labels = self.problem.blocks, self.n_labels
        node = np.repeat(np.arange(blocks.n_node), np.diff(blocks.node) * n_labels)
        pair = np.repeat(np.arange(blocks.n_node, blocks.n), np.diff(blocks.pair) * n_labels**2)
        return np.concatenate([node, pair])

    def piece(self, i: int) -> range:
        return range(self.problem.arrays.first[i], self.problem.arrays.last[i])

    def gold(self, i: int) -> np.ndarray:
        return self.problem.arrays.gold[self.piece(i)]

    def outputs(self, i: int) -> list[np.ndarray]:
        """Every allowed output of piece i."""
        every = all_sequences(len(self.piece(i)), self.n_labels)
        return [labels for labels in every if self.is_allowed(i, labels)]

    def is_allowed(self, i: int, labels: np.ndarray) -> bool:
        arrays = self.problem.arrays
        return bool(
            (arrays.open_left[i] or self.allowed.start[labels[0]])
            and (arrays.open_right[i] or self.allowed.end[labels[-1]])
            and all(self.allowed.step[x, y] for x, y in pairwise(labels))
            and all(
                form < 0 or self.allowed.form_labels[form, y] for form, y in zip(self.forms(i), labels, strict=True)
            )
        )

    def forms(self, i: int) -> np.ndarray:
        """Row of the form constraints of each token of piece i, -1 where there is none."""
        return self.problem.arrays.forms[self.piece(i)]

    def phi(self, i: int, labels: np.ndarray) -> np.ndarray:
        """Feature vector of one output, flat: node entries, then pair entries."""
        vector = Weights(*(matrix.astype(float) for matrix in self.problem.zeros()))
        for k, t in enumerate(self.piece(i)):
            for row in self.features.node[t]:
                if row >= 0:
                    vector.node[row, labels[k]] += 1
            for row in self.features.pair[t]:
                if row >= 0 and k > 0:
                    vector.pair[row, labels[k - 1] * self.n_labels + labels[k]] += 1
        return flat(vector)

    def expected_phi(self, i: int, mix: list) -> np.ndarray:
        return sum(probability * self.phi(i, labels) for probability, labels in mix)

    def loss(self, i: int, labels: np.ndarray) -> float:
        return float(self.cost[self.gold(i), labels].sum())

    def random_mix(self, i: int) -> list:
        """A random distribution over one to three allowed outputs of piece i."""
        outputs = self.outputs(i)
        support = self.rng.integers(len(outputs), size=self.rng.integers(1, 4))
        return [(p, outputs[k]) for p, k in zip(self.rng.dirichlet(np.ones(support.size)), support, strict=True)]

    def state(self, mixes: list) -> ChainState:
        """Part marginals of one distribution a piece."""
        n_labels, arrays = self.n_labels, self.problem.arrays
        nodes = np.zeros((arrays.gold.size, n_labels))
        pairs = np.zeros((arrays.gold.size if arrays.observed else self.problem.n, n_labels**2))
        for i, mix in enumerate(mixes):
            for probability, labels in mix:
                for k, t in enumerate(self.piece(i)):
                    nodes[t, labels[k]] += probability
                    if k > 0:
                        pairs[t if arrays.observed else i, labels[k - 1] * n_labels + labels[k]] += probability
        return ChainState(nodes.astype(np.float32), pairs.astype(np.float32))

    def random_weights(self) -> Weights:
        return Weights(*(self.rng.normal(size=m.shape).astype(np.float32) for m in self.problem.zeros()))

    def random_scale(self) -> Scale:
        return Scale(self.rng.random(self.problem.blocks.n_node), self.rng.random(self.problem.blocks.pair.size - 1))

    def random_live(self) -> tuple[Live, np.ndarray]:
        """A random choice of templates, and where a flat weight vector belongs to one of them."""
        mask = self.rng.random(self.n_templates) < 0.7
        return self.problem.live(mask), mask[self.owner]


def flat(weights: Weights) -> np.ndarray:
    """A weight vector as one float64 array, in the order of :meth:`Corpus.phi`."""
    return np.concatenate([weights.node.ravel(), weights.pair.ravel()]).astype(float)


def random_blocks(rng: np.random.Generator, n_templates: int, n_tokens: int) -> tuple[np.ndarray, np.ndarray]:
    """Blocks of one to three rows, and rows int32[N, T] in them; some -1."""
    sizes = rng.integers(1, 4, n_templates)
    blocks = block_starts(sizes)
    rows = blocks[:-1] + rng.integers(sizes, size=(n_tokens, n_templates))
    return blocks, np.where(rng.random(rows.shape) < 0.15, -1, rows).astype(np.int32)


def random_constraints(rng: np.random.Generator, n_labels: int, gold: np.ndarray, starts: np.ndarray) -> Constraints:
    """Forbid about a third, but nothing that gold does."""
    start, end, step = (rng.random(shape) < 0.65 for shape in (n_labels, n_labels, (n_labels, n_labels)))
    known = gold >= 0
    start[gold[starts[:-1]][known[starts[:-1]]]] = True
    end[gold[starts[1:] - 1][known[starts[1:] - 1]]] = True
    both = known[1:] & known[:-1]
    step[gold[:-1][both], gold[1:][both]] = True
    return Constraints(start, end, step)


def with_forms(rng: np.random.Generator, allowed: Constraints, gold: np.ndarray) -> tuple[Constraints, np.ndarray]:
    """The constraints, and two forms that may have half of the labels; forms int32[N] of the tokens, -1 where it would forbid gold."""
    labels = rng.random((2, allowed.start.size)) < 0.5
    labels[:, rng.integers(allowed.start.size)] = True
    forms = rng.integers(-1, 2, gold.size)
    forms = np.where((gold >= 0) & ~labels[np.maximum(forms, 0), gold], -1, forms).astype(np.int32)
    return replace(allowed, forms=np.array([3, 7], np.uint64), form_labels=labels), forms


def random_corpus(seed: int, observed: bool) -> Corpus:
    """One to three sentences of up to four tokens, up to three labels, templates and pair templates; some gold missing."""
    rng = np.random.default_rng(seed)
    n_labels = int(rng.integers(1, 4))
    starts = block_starts(rng.integers(1, 5, rng.integers(1, 4)))
    n_tokens = int(starts[-1])
    gold = rng.integers(n_labels, size=n_tokens).astype(np.int32)
    gold[rng.random(n_tokens) < 0.15] = -1
    gold[0] = max(gold[0], 0)
    blocks, rows = random_blocks(rng, int(rng.integers(4)), n_tokens)
    pair_blocks, pair_rows = random_blocks(rng, int(rng.integers(4)), n_tokens)
    if not observed:  # one row a template, the same at every token (or none, where it was cut off)
        pair_rows = np.repeat(pair_rows[:1], n_tokens, axis=0)
    allowed, forms = with_forms(rng, random_constraints(rng, n_labels, gold, starts), gold)
    features = ChainFeatures(rows, pair_rows, observed, forms=forms)
    cost = (rng.integers(4, size=(n_labels, n_labels)) * (1 - np.eye(n_labels)) / 2).astype(np.float32)
    names = tuple(f"U{j}" for j in range(rows.shape[1])) + tuple(f"B{j}" for j in range(pair_rows.shape[1]))
    labels = [f"y{y}" for y in range(n_labels)]
    problem = chain_problem(features, Blocks(blocks, pair_blocks, names), gold, starts, labels, allowed, cost)
    return Corpus(problem, features, allowed, cost, n_labels, rng)


@pytest.fixture(scope="session", name="enumerate_chain")
def _enumerate_chain():
    return enumerate_chain


@pytest.fixture(scope="session", name="random_corpus")
def _random_corpus():
    return random_corpus


@pytest.fixture(scope="session", name="flat")
def _flat():
    return flat


@pytest.fixture(scope="session")
def forbidden() -> float:
    """Scores below this are forbidden."""
    return float(FORBIDDEN) / 2
