"""Small random chain problems, and the MTLstruct primal written out over all outputs for cvxpy."""

from itertools import pairwise, product

import cvxpy as cp
import numpy as np

from spacy_mtl.structures.chain.build import ChainFeatures, Constraints, chain_problem
from spacy_mtl.structures.problem import Blocks, Problem, block_starts

LABELS = ("a", "b", "c")


def random_problem(seed: int, n_sentences: int = 6, n_templates: int = 4, observed: bool = False) -> Problem:
    """A few short sentences, informative and noisy templates, features that recur inside sentences."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 4, n_sentences)
    n = int(lengths.sum())
    gold = rng.integers(0, len(LABELS), n).astype(np.int32)
    sizes = [4] * n_templates
    noise = rng.random((n, n_templates)) < np.linspace(0.2, 1.0, n_templates)
    values = np.where(noise, rng.integers(0, 4, (n, n_templates)), gold[:, None])
    rows = (values + block_starts(sizes)[:-1]).astype(np.int32)
    pair = np.zeros((n, 1), np.int32)
    pair_blocks = np.array([0, 1])
    if observed:
        pair = np.stack([np.zeros(n), 1 + rng.integers(0, 2, n)], axis=1).astype(np.int32)
        pair_blocks = np.array([0, 1, 3])
    names = tuple(f"t{j}" for j in range(n_templates + pair.shape[1]))
    return chain_problem(
        ChainFeatures(rows, pair, observed),
        Blocks(block_starts(sizes), pair_blocks, names),
        gold,
        block_starts(lengths.tolist()),
        LABELS,
        Constraints.none(len(LABELS)),
    )


def feature_vector(problem: Problem, i: int, labels) -> np.ndarray:
    """Phi(x_i, labels), node features first, as one dense vector."""
    arrays, n_labels = problem.arrays, len(LABELS)
    node = np.zeros((problem.blocks.node[-1], n_labels))
    pair = np.zeros((problem.blocks.pair[-1], n_labels**2))
    a = arrays.first[i]
    for k, label in enumerate(labels):
        for row in arrays.rows[a + k]:
            node[row, label] += 1
        if k:
            for row in arrays.pair_rows[a + k]:
                pair[row, labels[k - 1] * n_labels + label] += 1
    return np.concatenate([node.ravel(), pair.ravel()])


def block_slices(problem: Problem) -> list[slice]:
    """Where each template's block lies in the dense vector."""
    width = len(LABELS)
    node = problem.blocks.node * width
    pair = problem.blocks.node[-1] * width + problem.blocks.pair * width**2
    return [slice(int(a), int(b)) for borders in (node, pair) for a, b in pairwise(borders)]


def solve_primal(problem: Problem, p: float, C: float) -> tuple[float, np.ndarray]:
    """min 1/2 ||w||_{2,p}^2 + C sum_i xi_i over every output, by cvxpy. Returns the optimum and the block norms at it."""
    gold = problem.arrays.gold
    slices = block_slices(problem)
    w = cp.Variable(slices[-1].stop)
    hinges = []
    for i in range(problem.n):
        truth = gold[problem.arrays.first[i] : problem.arrays.last[i]]
        phi = feature_vector(problem, i, truth)
        outputs = list(product(range(len(LABELS)), repeat=truth.size))
        difference = np.stack([feature_vector(problem, i, y) - phi for y in outputs])
        loss = np.array([np.sum(np.array(y) != truth) for y in outputs], float)
        hinges.append(cp.max(difference @ w + loss))
    norms = cp.hstack([cp.norm(w[s]) for s in slices])
    size = cp.norm1(norms) if p == 1 else cp.pnorm(norms, p)
    objective = cp.Problem(cp.Minimize(0.5 * cp.square(size) + C * sum(hinges)))
    optimum = objective.solve(solver=cp.CLARABEL)
    return float(optimum), np.array([np.linalg.norm(w.value[s]) for s in slices])
