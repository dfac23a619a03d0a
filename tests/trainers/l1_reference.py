"""The l1-M3N's problems over every output of a small chain problem, for cvxpy; and the same tokens cut elsewhere."""

from itertools import product

import cvxpy as cp
import numpy as np

from spacy_mtl.structures.chain.build import ChainFeatures, Constraints, chain_problem
from spacy_mtl.structures.contract import Weights
from spacy_mtl.structures.problem import Problem
from spacy_mtl.trainers.mtlstruct.subproblem.projections import project_simplex_slack

from .reference import LABELS, feature_vector


def margins(problem: Problem) -> list[tuple[np.ndarray, np.ndarray]]:
    """For each sentence Phi(y) - Phi(gold), float64[Y, K], and loss, float64[Y], of every output."""
    arrays, out = problem.arrays, []
    for i in range(problem.n):
        truth = arrays.gold[arrays.first[i] : arrays.last[i]]
        outputs = list(product(range(len(LABELS)), repeat=truth.size))
        gold = feature_vector(problem, i, truth)
        rows = np.stack([feature_vector(problem, i, y) - gold for y in outputs])
        out.append((rows, np.array([np.sum(np.array(y) != truth) for y in outputs], float)))
    return out


def solve(problem: Problem, algorithm: str, constant: float, rate: float = 1.0) -> tuple[float, np.ndarray]:
    """Optimum, and w at it (of laplace: the part marginals' dual, so none), of what ``algorithm`` minimizes. constant: C or radius. rate: lambda."""
    rows = margins(problem)
    if algorithm == "laplace":
        mixes = [cp.Variable(loss.size, nonneg=True) for _, loss in rows]
        vector = sum(-(mix @ row) for mix, (row, _) in zip(mixes, rows, strict=True))
        gain = sum(mix @ loss for mix, (_, loss) in zip(mixes, rows, strict=True))
        dual = 0.5 * cp.sum(cp.log(1 - cp.square(constant * vector) / rate)) + constant * gain
        return float(
            cp.Problem(cp.Maximize(dual), [cp.sum(mix) == 1 for mix in mixes]).solve(solver=cp.CLARABEL)
        ), np.empty(0)
    w = cp.Variable(rows[0][0].shape[1])
    hinge = sum(cp.max(row @ w + loss) for row, loss in rows)
    objective, within = {
        "em": (0.5 * cp.square(cp.norm1(w)) + constant * hinge, []),
        "cutting_plane": (0.5 * cp.norm1(w) + constant * hinge, []),
        "subgradient": (hinge / problem.n, [cp.norm1(w) <= constant]),
    }[algorithm]
    optimum = cp.Problem(cp.Minimize(objective), within).solve(solver=cp.CLARABEL)
    return float(optimum), w.value


def objective(problem: Problem, algorithm: str, weights: Weights, constant: float, rate: float = 1.0) -> float:
    """What ``algorithm`` minimizes, at these weights, by the features of every output."""
    w = flat(weights)
    hinge = sum(float(np.max(row @ w + loss)) for row, loss in margins(problem))
    size = np.abs(w).sum()
    if algorithm == "subgradient":
        return hinge / problem.n
    root = np.sqrt(1 + 4 * rate * w**2)
    penalty = {
        "em": 0.5 * size**2,
        "cutting_plane": 0.5 * size,
        "laplace": 0.5 * np.sum(root - 1 - np.log((root + 1) / 2)),
    }[algorithm]
    return float(penalty + constant * hinge)


def flat(weights: Weights) -> np.ndarray:
    """One float64 vector in the order of feature_vector."""
    return np.concatenate([matrix.ravel() for matrix in weights]).astype(float)


def cut_elsewhere(problem: Problem, starts: list[int], constraints: Constraints | None = None) -> Problem:
    """The same tokens and features with other borders."""
    arrays = problem.arrays
    features = ChainFeatures(arrays.rows, arrays.pair_rows, arrays.observed)
    return chain_problem(features, problem.blocks, arrays.gold, np.array(starts), LABELS, constraints)


def project_l1_ball(v: np.ndarray, radius: float) -> np.ndarray:
    """The point of {x: sum |x_i| <= radius} nearest to v, by sorting. v: float64[d], d > 0."""
    return np.copysign(project_simplex_slack(np.abs(v), radius), v)
