"""Figure 1 of the OnlineMKL paper: learning kernel weights online, or by a wrapper around a trainer with fixed ones.

Everybody minimizes  1/2 (sum_m ||w_m||)^2 + 1/2 ||w_0||^2 + C sum_i xi_i(w), w_0 for label pairs. A wrapper trains w by structured Pegasos on the
kernel sum_m beta_m K_m, beta >= 0 and sum beta = 1, where the norm is sum_m ||w_m||^2 / beta_m, and moves beta on the way.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from benchmarks.common.rows import Row
from spacy_mtl.structures.contract import Weights
from spacy_mtl.structures.problem import Problem
from spacy_mtl.trainers.online_mkl.trainer import OnlineMKL

#: First rates, of which each method shows its best: Algorithm 1 wants larger ones than the wrappers.
RATES = (0.1, 0.3, 1.0, 3.0, 10.0)
#: Passes of Pegasos between two looks at the kernel weights.
INNER = 5
#: No kernel weight falls below this share, so that none is lost for good by an early mistake.
LEAST = 1e-4

#: Passes so far, and the weights of the kernels' blocks in the unscaled problem.
Point = tuple[int, Weights]
Minimizer = Callable[[Problem, float, float], Iterator[Point]]


def block_factors(problem: Problem, beta: np.ndarray) -> np.ndarray:
    """What each vector block's weights are multiplied with: in dual coordinates beta, else sqrt(beta)."""
    own = problem.arrays.vectors.own
    return np.where(own[0] >= 0, beta, np.sqrt(beta))


def scaled(problem: Problem, beta: np.ndarray) -> Problem:
    """The problem over the kernels beta_m K_m; all node blocks are vectors."""
    vectors = problem.arrays.vectors
    factors = np.tile(block_factors(problem, beta), vectors.own.shape[0])
    values = vectors.values * np.repeat(factors, np.diff(vectors.starts)).astype(np.float32)
    return replace(problem, arrays=problem.arrays._replace(vectors=vectors._replace(values=values)))


def times(problem: Problem, weights: Weights, factors: np.ndarray) -> Weights:
    """A copy with node block m times ``factors[m]``."""
    rows = np.repeat(factors, np.diff(problem.blocks.node)).astype(np.float32)
    return Weights(weights.node * rows[:, None], weights.pair.copy())


def objective(problem: Problem, weights: Weights, C: float) -> float:
    """What all minimize; the last block is that of the label pairs."""
    norms = problem.block_norms(weights)
    return float(0.5 * norms[:-1].sum() ** 2 + 0.5 * norms[-1] ** 2 + C * problem.hinges(weights).sum())


class Pegasos:
    """Structured Pegasos whose kernel weights can be changed on the way; w stays what it is."""

    def __init__(self, problem: Problem, C: float, eta0: float):
        self.problem, self.C, self.passes = problem, C, 0
        n = problem.blocks.n_node
        self.beta = np.full(n, 1 / n)
        settings = OnlineMKL(regularizer="l2", C=C, schedule="strongly_convex", eta0=eta0)
        self._training = settings.begin(scaled(problem, self.beta))

    def train(self) -> float:
        """INNER passes; returns the objective for these kernel weights."""
        everything = np.arange(self.problem.n)
        for _ in range(INNER):
            self._training.step(everything)
            self._training.end_pass()
        self.passes += INNER
        return self._training.report().primal

    def norms(self) -> np.ndarray:
        """||w_m|| / sqrt(beta_m) of every kernel."""
        return self._training.problem.block_norms(self._training.weights)[:-1]

    def weights(self) -> Weights:
        """Of the unscaled problem."""
        return times(self.problem, self._training.weights, block_factors(self.problem, self.beta))

    def change(self, beta: np.ndarray) -> None:
        """Other kernel weights, the same w."""
        beta = np.maximum(beta, LEAST)
        beta /= beta.sum()
        ratio = block_factors(self.problem, self.beta) / block_factors(self.problem, beta)
        self.beta = beta
        self._training.rebind(scaled(self.problem, beta), lambda weights: times(self.problem, weights, ratio))


def online(problem: Problem, C: float, eta0: float) -> Iterator[Point]:
    """Algorithm 1."""
    training, everything, passes = OnlineMKL(regularizer="l21", C=C, eta0=eta0).begin(problem), np.arange(problem.n), 0
    while True:
        training.step(everything)
        training.end_pass()
        passes += 1
        yield passes, training.weights


def gauss_seidel(problem: Problem, C: float, eta0: float) -> Iterator[Point]:
    """Alternation: w by Pegasos, then beta_m = ||w_m|| / sum_k ||w_k||, best for this w."""
    pegasos = Pegasos(problem, C, eta0)
    while True:
        pegasos.train()
        yield pegasos.passes, pegasos.weights()
        norms = np.sqrt(pegasos.beta) * pegasos.norms()
        pegasos.change(norms / norms.sum())


def descent(beta: np.ndarray, gradient: np.ndarray) -> tuple[np.ndarray, float]:
    """A reduced direction of descent on the simplex, and the longest step along it (Rakotomamonjy et al. 2008, equation 12)."""
    base = int(np.argmax(beta))
    direction = gradient[base] - gradient
    direction[(beta <= LEAST) & (direction < 0)] = 0
    direction[base] = 0
    direction[base] = -direction.sum()
    falling = direction < 0
    longest = float(np.min(-beta[falling] / direction[falling])) if falling.any() else 0.0
    return direction, longest


def simple_mkl(problem: Problem, C: float, eta0: float) -> Iterator[Point]:
    """Gradient descent on the kernel weights: dJ/dbeta_m = -1/2 (||w_m|| / beta_m)^2, every trial of the line search a training."""
    pegasos = Pegasos(problem, C, eta0)
    best = pegasos.train()
    yield pegasos.passes, pegasos.weights()
    while True:
        beta = pegasos.beta
        direction, step = descent(beta, -0.5 * pegasos.norms() ** 2 / beta)
        for _ in range(4):
            pegasos.change(beta + step * direction)
            value = pegasos.train()
            yield pegasos.passes, pegasos.weights()
            step /= 4
            if value < best:
                break
        best = value


METHODS: dict[str, Minimizer] = {"OnlineMKL": online, "Gauss-Seidel": gauss_seidel, "SimpleMKL": simple_mkl}


def curve(method: str, problem: Problem, C: float, eta0: float, passes: int) -> Iterator[tuple[int, float]]:
    """Passes and objective, every INNER passes, up to ``passes``."""
    for done, weights in METHODS[method](problem, C, eta0):
        if done % INNER == 0 or done == 1:
            yield done, objective(problem, weights, C)
        if done >= passes:
            return


def run(method: str, problem: Problem, C: float, eta0: float, passes: int) -> Row:
    """The curve of one method, and CPU seconds (objectives included)."""
    begin = time.process_time()
    points = list(curve(method, problem, C, eta0, passes))
    return {"method": method, "C": C, "eta0": eta0, "points": points, "cpu": time.process_time() - begin}


def table(rows: dict[str, Row]) -> list[Row]:
    """Objectives at some numbers of passes."""
    return [{**row, **{str(passes): value for passes, value in row["points"]}} for row in rows.values()]


COLUMNS = {
    "method": "method",
    "eta0": "eta0",
    **{str(k): f"{k} passes" for k in (5, 10, 20, 30, 50, 100)},
    "cpu": "CPU s",
}
