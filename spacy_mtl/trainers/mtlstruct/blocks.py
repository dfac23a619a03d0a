"""The steps of dual ascent that go template by template, each template on one thread: norms, scales, and the penalty of a pass."""

import numpy as np

from spacy_mtl.structures.contract import Weights
from spacy_mtl.structures.problem import Problem, shares
from spacy_mtl.threads.crew import Crew
from spacy_mtl.trainers.shared.batched_ascent import Passes
from spacy_mtl.trainers.shared.frank_wolfe import Atoms


def _dealt_blocks(problem: Problem, crew: Crew) -> list[np.ndarray]:
    """Masks bool[T + Tp] of templates, one for each thread, with every template in one of them."""
    numbers = np.arange(problem.blocks.n) % crew.size
    whole = crew.size == 1 or "features" not in problem.offers  # norms of kernelised blocks are computed all at once
    return [np.ones(numbers.size, bool)] if whole else [numbers == k for k in range(crew.size)]


def norms_by(crew: Crew, problem: Problem, weights: Weights) -> np.ndarray:
    """||w_j|| of every template, float64[T + Tp]; each by one thread."""
    return np.sum(crew.map(lambda mask: problem.block_norms(weights, mask), _dealt_blocks(problem, crew)), axis=0)


def scale_by(crew: Crew, problem: Problem, weights: Weights, factors: np.ndarray) -> None:
    """Multiply w_j by factors[j], in place; each by one thread. factors: float64[T + Tp]."""
    crew.map(lambda mask: problem.scale_blocks(weights, np.where(mask, factors, 1.0)), _dealt_blocks(problem, crew))


def _penalty(norms: np.ndarray, scales: np.ndarray) -> float:
    """What the dual subtracts from the expected loss, if it is divided by C: 1/2 sum_j C mu_j ||V_j||^2 = 1/2 sum_j ||w_j||^2 / (C mu_j)."""
    return 0.5 * float(np.divide(norms**2, scales, out=np.zeros_like(norms), where=scales > 0).sum())


def run_pass(
    passes: Passes, problem: Problem, weights: Weights, scales: np.ndarray, atoms: Atoms, order: np.ndarray, gaps: np.ndarray, pace: float
) -> np.ndarray:  # fmt: skip
    """A pass as :meth:`.Passes.run` makes it; returns the block norms of the weights, float64[T + Tp]. scales: C mu_j, float64[T + Tp]."""
    norms: np.ndarray | None = None

    def penalty() -> float:
        nonlocal norms
        norms = norms_by(passes.crew, problem, weights)
        return _penalty(norms, scales)

    passes.run(problem, weights, problem.live(scales > 0), shares(problem, scales), atoms, order, gaps, pace, penalty)
    return problem.block_norms(weights) if norms is None else norms
