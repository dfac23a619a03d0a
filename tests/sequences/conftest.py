"""Made-up sequences: positions of three shapes, noisy, and labels that like to follow one another."""

from dataclasses import dataclass

import numpy as np
import pytest


@dataclass
class Letters:
    """vectors: float64[N, 6]. columns: int[N, 2]. y: int[N]. lengths: int[S]."""

    vectors: np.ndarray
    columns: np.ndarray
    y: np.ndarray
    lengths: np.ndarray


def make_letters(seed: int, n_sequences: int = 12, noise: float = 0.3) -> Letters:
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 6, n_sequences)
    y = rng.integers(0, 3, lengths.sum())
    follows = rng.random(y.size) < 0.4
    y[1:][follows[1:]] = (y[:-1][follows[1:]] + 1) % 3
    shapes = np.array([[2, 1, 0, 0, 0, 1], [0, 0, 2, 1, 0, 1], [0, 1, 0, 0, 2, 0]], float)
    vectors = shapes[y] + noise * rng.integers(-2, 3, (y.size, 6))
    columns = np.stack([np.where(rng.random(y.size) < 0.3, -1, y), rng.integers(0, 4, y.size)], axis=1)
    return Letters(vectors, columns, y, lengths)


@pytest.fixture
def letters() -> Letters:
    return make_letters(0)


@pytest.fixture
def new_letters() -> Letters:
    return make_letters(1)


@pytest.fixture(scope="session", name="make_letters")
def _make_letters():
    return make_letters
