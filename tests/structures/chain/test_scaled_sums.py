"""Sums in plain numbers: the same as in log space, or an admission that they will not do."""

import numpy as np
import pytest

from spacy_mtl.structures.chain.sums.marginals import log_space_marginals
from spacy_mtl.structures.chain.sums.scaled import LOWEST, backward, forward, set_exponentials
from spacy_mtl.structures.chain.viterbi import FORBIDDEN


def scaled(nodes, pairs):
    """Whether plain numbers did, log partition, node marginals, pair marginals."""
    nodes, pairs = np.asarray(nodes, np.float32), np.asarray(pairs, np.float32)
    emit, alpha, factors = np.empty(nodes.shape), np.empty(nodes.shape), np.empty(pairs.shape)
    node_out, pair_out = np.full(nodes.shape, np.nan), np.full((len(pairs), nodes.shape[1] ** 2), np.nan)
    fine, log_z = forward(nodes, pairs, emit, alpha, factors)
    fine = fine and backward(emit, alpha, factors, node_out, pair_out)
    return fine, log_z, node_out, pair_out


def in_log_space(nodes, pairs):
    node_out, pair_out = np.empty(nodes.shape), np.empty((len(pairs), nodes.shape[1] ** 2))
    log_z = log_space_marginals(nodes, pairs, np.empty(nodes.shape), np.empty(pairs.shape), node_out, pair_out)
    return log_z, node_out, pair_out


def test_exponentials():
    scores = np.linspace(-705, 50, 100_001).astype(np.float32)[None]
    out = np.empty(scores.shape)
    set_exponentials(scores, np.zeros(1), np.empty(scores.shape, np.int64), out)
    np.testing.assert_allclose(out, np.exp(scores.astype(float)), rtol=5e-16)


@pytest.mark.parametrize(
    ("score", "fine", "value"),
    [(0, True, 1), (50, True, np.exp(50)), (51, False, np.exp(51)), (-229, True, np.exp(-229)), (-231, False, np.exp(-231)),
     (-800, False, 0), (FORBIDDEN, True, 0), (2 * FORBIDDEN, True, 0), (np.nan, False, None)],
)  # fmt: skip
def test_range_of_exponentials(score, fine, value):
    scores = np.array([[0, score]], np.float32)
    out = np.empty((1, 2))
    assert set_exponentials(scores, np.zeros(1), np.empty((1, 2), np.int64), out) == fine
    assert out[0, 0] == 1
    if value is not None:
        assert out[0, 1] == pytest.approx(value, rel=5e-16, abs=0)


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("n_labels", [1, 2, 5, 8])
@pytest.mark.parametrize("spread", [1, 5])
def test_same_as_in_log_space(shared, n_labels, spread):
    rng = np.random.default_rng(n_labels)
    n = 20
    nodes = (spread * rng.normal(size=(n, n_labels))).astype(np.float32)
    pairs = (spread * rng.normal(size=(1 if shared else n, n_labels, n_labels))).astype(np.float32)
    pairs[rng.random(pairs.shape) < 0.2] = FORBIDDEN
    pairs[:, 0] = rng.normal(size=n_labels)  # somewhere to go from everywhere
    pairs[:, :, 0] = rng.normal(size=n_labels)
    nodes[0, 1:] = FORBIDDEN
    fine, *found = scaled(nodes, pairs)
    assert fine
    for one, other in zip(found, in_log_space(nodes, pairs), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize(
    ("nodes", "step"),
    [
        ([[2000, 0], [0, 0]], [[0, 0], [0, 0]]),  # a label too far below
        ([[0, 0], [0, 0]], [[LOWEST - 1, 0], [0, 0]]),  # a pair too far below
        ([[0, 0], [0, 0]], [[60, 0], [0, 0]]),  # a pair too high
        ([[0, np.nan], [0, 0]], [[0, 0], [0, 0]]),
        ([[0, 0], [0, 0]], np.full((2, 2), FORBIDDEN)),  # nothing is allowed
        ([[0, FORBIDDEN], [0, 0]], [[FORBIDDEN, FORBIDDEN], [0, 0]]),  # the one prefix cannot go on
        ([[0, -200], [0, 0], [0, -200]], [[0, FORBIDDEN], [-200, 0]]),  # of prefixes all is well, not of suffixes
        ([[0, -200], [0, -200]], [[0, FORBIDDEN], [FORBIDDEN, 0]]),  # shares fade from position to position
    ],
)
def test_says_where_plain_numbers_will_not_do(nodes, step):
    assert not scaled(nodes, [step])[0]
