"""Random working sets of cuts, with the blocks p_j^r in the open so that tests need not trust Gram matrices."""

from dataclasses import dataclass, field

import numpy as np
import pytest


@dataclass
class Cuts:
    """blocks: m arrays (s, d_j) of p_j^r. q: (s,) losses. Q: (m, s, s) their Gram matrices."""

    blocks: list[np.ndarray]
    q: np.ndarray
    Q: np.ndarray = field(init=False)

    def __post_init__(self):
        self.Q = np.stack([block @ block.T for block in self.blocks])


@pytest.fixture
def random_cuts():
    """make(seed, m, s, dims=(s, s + 4), shift=1): m templates of random dimension, s cuts around one direction."""

    def make(seed: int, m: int = 6, s: int = 8, dims: tuple[int, int] | None = None, shift: float = 1.0) -> Cuts:
        rng = np.random.default_rng(seed)
        low, high = dims or (s, s + 4)
        blocks = []
        for _ in range(m):
            d = int(rng.integers(low, high + 1))
            blocks.append(rng.normal(size=(s, d)) + shift * rng.normal(size=d))
        return Cuts(blocks, rng.uniform(0.1, 1.0, s))

    return make
