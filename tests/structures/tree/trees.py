"""Ground truth for trees: every assignment of heads, kept where it is a tree, and its score summed in plain Python."""

from functools import cache
from itertools import product

import numpy as np
from hypothesis import strategies as st


def is_tree(heads) -> bool:
    """Whether every word reaches the root. heads[m - 1] is the head of word m."""
    for word in range(1, len(heads) + 1):
        seen = set()
        while word:
            if word in seen:
                return False
            seen.add(word)
            word = heads[word - 1]
    return True


def crosses(heads) -> bool:
    """Whether two arcs cross: one has exactly one end strictly between the ends of the other, and not at them."""
    arcs = [(min(h, m), max(h, m)) for m, h in enumerate(heads, start=1)]
    return any(a < c < b < d for a, b in arcs for c, d in arcs)


@cache
def all_trees(n: int, projective: bool, single_root: bool) -> np.ndarray:
    """Every tree over n words: int64[trees, n]."""
    found = [
        heads
        for heads in product(range(n + 1), repeat=n)
        if is_tree(heads) and not (single_root and heads.count(0) > 1) and not (projective and crosses(heads))
    ]
    return np.array(found)


def scored_trees(scores: np.ndarray, projective: bool, single_root: bool) -> dict[tuple[int, ...], float]:
    """The allowed trees and their scores. scores: float[n + 1, n + 1], -inf where forbidden."""
    n = len(scores) - 1
    trees = all_trees(n, projective, single_root)
    totals = scores[trees, np.arange(1, n + 1)].sum(axis=1)
    return {tuple(tree): float(total) for tree, total in zip(trees.tolist(), totals, strict=True) if total > -np.inf}


def random_scores(rng: np.random.Generator, n: int, forbidden: float = 0.0, spread: float = 1.0) -> np.ndarray:
    """Normal scores, a share of the arcs forbidden."""
    scores = spread * rng.normal(size=(n + 1, n + 1))
    scores[rng.random(scores.shape) < forbidden] = -np.inf
    return scores


@st.composite
def score_matrices(draw, most: int = 5):
    """Small integers (so that scores tie) or normal numbers, of up to ``most`` words; up to a third of the arcs forbidden."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(1, most))
    scores = random_scores(rng, n, draw(st.sampled_from([0.0, 0.1, 0.35])))
    if draw(st.booleans()):
        scores = np.where(np.isfinite(scores), np.round(scores), scores)
    return scores
