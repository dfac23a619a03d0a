"""Safe learning rates of exponentiated gradient, against all outputs."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from spacy_mtl.trainers.eg.rates import corpus_spread, safe_rate, sentence_spreads

from ..reference import random_problem
from .naive import NaiveEG, constrained_problem

PROBLEMS = [
    *(random_problem(seed, n_sentences=2, observed=seed % 2 == 1) for seed in range(12)),
    *(constrained_problem(seed) for seed in range(4)),
]


def differences(naive: NaiveEG, i: int) -> np.ndarray:
    """Phi(y) - Phi(z) of all pairs of outputs of sentence i."""
    return np.array([a - b for a, b in combinations(naive.gaps[i], 2)])


@pytest.mark.parametrize("problem", PROBLEMS)
def test_the_spread_of_a_sentence_is_its_squared_diameter(problem):
    naive = NaiveEG(problem, 1.0, 0.0)
    diameters = [np.sum(differences(naive, i) ** 2, axis=1).max() for i in range(problem.n)]
    np.testing.assert_allclose(sentence_spreads(problem), diameters, rtol=1e-5)


@pytest.mark.parametrize("seed", range(8))
def test_the_spread_of_a_corpus_is_the_greatest_eigenvalue_over_differences(seed):
    problem = random_problem(seed, n_sentences=2, n_templates=2, observed=seed % 2 == 1)
    naive = NaiveEG(problem, 1.0, 0.0)
    first, second = (
        differences(naive, i)[np.argsort(-np.sum(differences(naive, i) ** 2, axis=1))[:400]] for i in (0, 1)
    )
    a, b, c = np.sum(first**2, axis=1)[:, None], np.sum(second**2, axis=1)[None], first @ second.T
    greatest = ((a + b) / 2 + np.sqrt(((a - b) / 2) ** 2 + c**2)).max()
    assert 0.99 * greatest <= corpus_spread(problem) <= greatest * (1 + 1e-5)


@pytest.mark.parametrize("problem", PROBLEMS)
def test_the_spread_of_a_corpus_lies_between_bounds_of_any_eigenvalue(problem):
    spreads = sentence_spreads(problem)
    found = corpus_spread(problem)
    assert 0.99 * spreads.max() <= found
    assert found <= 1.01 * spreads.sum()


@pytest.mark.parametrize("C", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("seed", range(4))
def test_the_safe_rate_is_above_the_rate_of_theorem_2(seed, C):
    """0.4 / (B + lambda), with A and B <= 2 (n max |A| + max |b|) written out over all outputs; both have C in the same place."""
    problem = random_problem(seed, n_sentences=2)
    naive = NaiveEG(problem, C, 0.0)
    rows, losses = C * np.concatenate(naive.gaps), C * np.concatenate(naive.losses)
    eigenvalue = np.linalg.norm(rows, 2) ** 2
    bound = 2 * (problem.n * np.abs(rows @ rows.T).max() + losses.max())
    assert safe_rate(corpus_spread(problem), C) > 0.4 / (bound + eigenvalue)


def test_without_spread_any_rate_is_safe():
    """Templates that have no feature."""
    problem = random_problem(0, n_templates=1)
    bare = problem.arrays._replace(
        rows=np.full_like(problem.arrays.rows, -1), pair_rows=np.full_like(problem.arrays.pair_rows, -1)
    )
    problem = replace(problem, arrays=bare)
    assert not sentence_spreads(problem).any()
    assert corpus_spread(problem) == 0
    assert np.isfinite(safe_rate(0.0, 1.0))
