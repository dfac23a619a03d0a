"""Viterbi for many labels: the same labels and scores, and few predecessors looked at."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_mtl.structures.chain.viterbi import FORBIDDEN, row_bounds, viterbi, viterbi_many


def both(nodes, step):
    """Score and labels by either, and the number of predecessors looked at."""
    n, n_labels = nodes.shape
    best, back = np.empty((n, n_labels), np.float32), np.empty((n, n_labels), np.int32)
    expected, found = np.zeros(n, np.int32), np.zeros(n, np.int32)
    score = viterbi(nodes, step[None], best, back, expected)
    least, most = np.empty(n_labels, np.float32), np.empty(n_labels, np.float32)
    row_bounds(step, least, most)
    assert np.array_equal(least, step.min(axis=1))
    assert np.array_equal(most, step.max(axis=1))
    other, looked = viterbi_many(nodes, step, least, most, best, back, found)
    return (score, expected.tolist()), (other, found.tolist()), looked


@given(
    st.integers(0, 2**32 - 1), st.integers(1, 9), st.integers(1, 12), st.sampled_from([0, 1, 3]), st.booleans(), st.booleans()
)  # fmt: skip
def test_labels_and_score_are_those_of_viterbi(seed, n, n_labels, spread, whole, forbidden):
    """Whole numbers have many ties."""
    random = np.random.default_rng(seed)
    nodes = spread * random.normal(size=(n, n_labels)).astype(np.float32)
    step = random.normal(size=(n_labels, n_labels)).astype(np.float32)
    if whole:
        nodes, step = nodes.round(), step.round()
    if forbidden:
        step[random.random(step.shape) < 0.4] += FORBIDDEN
        nodes[random.random(nodes.shape) < 0.2] += FORBIDDEN
    expected, found, _ = both(nodes, step)
    assert found == expected


@pytest.mark.parametrize("n_labels", [100, 400, 1600])
def test_work_does_not_grow_with_the_square_of_the_labels(n_labels):
    """Where a word has a few likely labels, as words have."""
    random = np.random.default_rng(n_labels)
    nodes = random.normal(size=(30, n_labels)).astype(np.float32)
    nodes[np.arange(30)[:, None], random.integers(0, n_labels, (30, 3))] += 12
    step = random.normal(size=(n_labels, n_labels)).clip(-3, 3).astype(np.float32)
    expected, found, looked = both(nodes, step)
    assert found == expected
    assert looked <= 29 * 10
