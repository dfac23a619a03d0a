"""Random chains and trees that are small enough to list all outputs, with the MTLstruct objective and its optimum by cvxpy, in double precision."""

import contextlib
import warnings
from dataclasses import dataclass
from itertools import pairwise, product

import cvxpy as cp
import numpy as np

from spacy_mtl.structures.chain.build import ChainFeatures, Constraints, chain_problem
from spacy_mtl.structures.contract import Weights
from spacy_mtl.structures.problem import Blocks, Problem, block_starts
from spacy_mtl.structures.tree.build import GoldTrees, TreeFeatures, all_arcs, tree_problem
from spacy_mtl.structures.tree.bundles import bundles_of_rows

N_LABELS = 3
KINDS = ("chain", "projective trees", "trees")


@dataclass(frozen=True)
class Enumerated:
    """A problem with all outputs of its sentences.

    sentences: for each one Phi(y) - Phi(gold), float64[K, D], and the losses, float64[K], of its outputs y. blocks: where each template lies in D.
    """

    problem: Problem
    sentences: list[tuple[np.ndarray, np.ndarray]]
    blocks: list[slice]

    def objective(self, w: np.ndarray, p: float, C: float) -> float:
        """1/2 ||w||_{2,p}^2 + C sum_i xi_i(w). w: float64[D]."""
        return 0.5 * self._norm(w, p) ** 2 + C * sum(
            max(0.0, float((d @ w + loss).max())) for d, loss in self.sentences
        )

    def _norm(self, w: np.ndarray, p: float) -> float:
        norms = np.array([np.linalg.norm(w[block]) for block in self.blocks])
        largest = float(norms.max())
        return largest * float(((norms / largest) ** p).sum()) ** (1 / p) if largest > 0 else 0.0

    def optimum(self, p: float, C: float) -> tuple[float, float]:
        """The optimum by cvxpy, and an upper bound of it however well that was solved: the objective of the best multiple of its w."""
        w, hinges = cp.Variable(self.blocks[-1].stop), cp.Variable(len(self.sentences))
        norms = cp.hstack([cp.norm(w[block]) for block in self.blocks])
        kept = [d @ w + loss <= hinges[i] for i, (d, loss) in enumerate(self.sentences)]
        size = cp.norm1(norms) if p == 1 else cp.pnorm(norms, p)
        problem = cp.Problem(cp.Minimize(0.5 * cp.square(size) + C * cp.sum(hinges)), kept)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # how exact the solution is, is measured below
            value = _solved(problem)
        multiples = [1.0, *(1 + k * 10.0**-e for e in range(2, 13) for k in (-1, 1, 2, 5))]
        return float(value), min(self.objective(s * w.value, p, C) for s in multiples)


def _solved(problem: cp.Problem) -> float:
    """Solve as exactly as Clarabel can. Raises cvxpy's SolverError if it cannot at all."""
    for tol in (1e-11, 1e-9, 1e-7):
        with contextlib.suppress(cp.SolverError):
            return float(problem.solve(solver=cp.CLARABEL, tol_gap_abs=tol, tol_gap_rel=tol, tol_feas=tol))
    return float(problem.solve(solver=cp.CLARABEL, tol_gap_abs=1e-5, tol_gap_rel=1e-5, tol_feas=1e-7))


def flat(weights: Weights) -> np.ndarray:
    """A weight vector as float64[D], node entries first."""
    return np.concatenate([weights.node.ravel(), weights.pair.ravel()]).astype(float)


def random_problem(seed: int, kind: str, separable: bool = False) -> Enumerated:
    """Two to eight short sentences; templates that tell the gold parts more or less often, some of them nothing but noise.

    separable: the first template always tells them, so that some weights keep all margins.
    """
    random = np.random.default_rng(seed)
    lengths = random.integers(1, 4 if kind == "chain" else 5, random.integers(2, 9))
    if kind == "chain":
        return _chain(random, lengths, separable)
    return _trees(random, lengths, kind == "projective trees", separable)


def _noisy(random: np.random.Generator, truth: np.ndarray, n_values: int, clear: bool) -> tuple[np.ndarray, np.ndarray]:
    """Rows int32[n, T] of two to five templates, which show the truth (int[n]) or a random value, and the borders of their blocks.

    clear: the first one never shows a random value.
    """
    n_templates = int(random.integers(2, 6))
    drawn, least = random.random((truth.size, n_templates)), random.choice([0.0, 0.2])
    noise = drawn < np.linspace(0.0 if clear else least, 1.0, n_templates)
    values = np.where(noise, random.integers(0, n_values, noise.shape), truth[:, None])
    borders = block_starts([n_values] * n_templates)
    return (values + borders[:-1]).astype(np.int32), borders


def _chain(random: np.random.Generator, lengths: np.ndarray, separable: bool) -> Enumerated:
    starts = block_starts(lengths)
    gold = random.integers(0, N_LABELS, starts[-1]).astype(np.int32)
    rows, borders = _noisy(random, gold, 4, separable)
    pair = np.zeros((gold.size, 1), np.int32)
    names = tuple(f"t{j}" for j in range(borders.size))
    problem = chain_problem(
        ChainFeatures(rows, pair, False), Blocks(borders, np.array([0, 1]), names), gold, starts,
        ["a", "b", "c"], Constraints.none(N_LABELS),
    )  # fmt: skip
    edges = [*(borders * N_LABELS), borders[-1] * N_LABELS + N_LABELS**2]

    def phi(first: int, labels: np.ndarray) -> np.ndarray:
        vector = np.zeros(edges[-1])
        for t, label in enumerate(labels):
            vector[rows[first + t] * N_LABELS + label] += 1
        np.add.at(vector, edges[-2] + labels[:-1] * N_LABELS + labels[1:], 1)
        return vector

    sentences = []
    for a, b in pairwise(starts):
        outputs = [np.array(y) for y in product(range(N_LABELS), repeat=b - a)]
        truth = phi(a, gold[a:b])
        losses = np.array([np.sum(y != gold[a:b]) for y in outputs], float)
        sentences.append((np.stack([phi(a, y) for y in outputs]) - truth, losses))
    return Enumerated(problem, sentences, [slice(int(a), int(b)) for a, b in pairwise(edges)])


def trees_of(n: int, projective: bool) -> list[tuple[int, ...]]:
    """Heads of all trees of n words with one word at the root, which is 0."""
    return [
        heads for heads in product(range(n + 1), repeat=n) if _is_tree(heads) and not (projective and _crosses(heads))
    ]


def _is_tree(heads: tuple[int, ...]) -> bool:
    def root_of(m: int, steps: int = 0) -> bool:
        return m == 0 or (steps < len(heads) and root_of(heads[m - 1], steps + 1))

    return heads.count(0) == 1 and all(root_of(m) for m in range(1, len(heads) + 1))


def _crosses(heads: tuple[int, ...]) -> bool:
    arcs = [(min(h, m), max(h, m)) for m, h in enumerate(heads, start=1)]
    return any(a < c < b < d for a, b in arcs for c, d in arcs)


def _trees(random: np.random.Generator, lengths: np.ndarray, projective: bool, separable: bool) -> Enumerated:
    starts = block_starts(lengths)
    outputs = [trees_of(int(n), projective) for n in lengths]
    gold = np.concatenate([trees[random.integers(len(trees))] for trees in outputs]).astype(np.int32)
    arcs = all_arcs(starts)
    word = np.repeat(np.arange(gold.size), np.diff(arcs.first))
    rows, borders = _noisy(random, (arcs.heads == gold[word]).astype(int), 3, separable)
    sentence = np.repeat(np.arange(lengths.size), lengths)[word]
    first_use = block_starts(np.bincount(sentence))
    links = (np.arange(word.size) - first_use[sentence]).astype(np.int32)[:, None]
    features = TreeFeatures(bundles_of_rows(rows, first_use), links, None, None, None, False)
    blocks = Blocks(borders, np.zeros(1, np.int64), tuple(f"t{j}" for j in range(borders.size - 1)))
    labels = GoldTrees(gold, np.zeros(gold.size, np.int32))
    problem = tree_problem(features, arcs, blocks, labels, starts, ["y"], projective)
    arc_of = {(int(word[k]), int(arcs.heads[k])): k for k in range(word.size)}

    def phi(first: int, heads: tuple[int, ...]) -> np.ndarray:
        vector = np.zeros(borders[-1])
        for t, head in enumerate(heads):
            vector[rows[arc_of[first + t, head]]] += 1
        return vector

    sentences = []
    for (a, b), trees in zip(pairwise(starts), outputs, strict=True):
        truth, heads = phi(a, tuple(gold[a:b].tolist())), gold[a:b]
        losses = np.array([np.sum(np.array(tree) != heads) for tree in trees], float)
        sentences.append((np.stack([phi(a, tree) for tree in trees]) - truth, losses))
    return Enumerated(problem, sentences, [slice(int(a), int(b)) for a, b in pairwise(borders)])
