"""Log partition and marginals, against sums over every label sequence."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import logsumexp

from spacy_mtl.kernels import kernel
from spacy_mtl.structures import contract
from spacy_mtl.structures.chain.sums.marginals import log_partition, marginals
from spacy_mtl.structures.chain.viterbi import FORBIDDEN


@st.composite
def chains(draw):
    """Scores of a short chain, up to +-1e4 apart, some forbidden."""
    n, n_labels = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    n_pairs = draw(st.sampled_from([1, n]))
    scores = st.floats(-1, 1, width=32).map(lambda score: float(np.float32(score * scale)))
    scale = draw(st.sampled_from([1, 60, 800, 1e4]))
    if draw(st.booleans()):
        scores = st.one_of(scores, st.just(float(FORBIDDEN)))
    nodes = draw(arrays(np.float32, (n, n_labels), elements=scores))
    return nodes, draw(arrays(np.float32, (n_pairs, n_labels, n_labels), elements=scores))


def random_chain(scale, n=4, n_labels=3, n_pairs=4, seed=0):
    rng = np.random.default_rng(seed)
    nodes, pairs = rng.normal(size=(n, n_labels)), rng.normal(size=(n_pairs, n_labels, n_labels))
    return (scale * nodes).astype(np.float32), (scale * pairs).astype(np.float32)


def sums(nodes, pairs):
    """Log partition, node marginals, pair marginals."""
    n, n_labels = nodes.shape
    alpha, factors = np.empty((n, n_labels)), np.empty(pairs.shape)
    node_out, pair_out = np.full((n, n_labels), np.nan), np.full((len(pairs), n_labels**2), np.nan)
    log_z = marginals(nodes, pairs, alpha, factors, node_out, pair_out)
    assert log_z == log_partition(nodes, pairs, alpha, factors)
    return log_z, node_out, pair_out


def naive_sums(labels, scores, n_labels, n_pairs):
    """The same by enumeration."""
    log_z = logsumexp(scores)
    n = labels.shape[1]
    node, pair = np.zeros((n, n_labels)), np.zeros((n_pairs, n_labels**2))
    for sequence, probability in zip(labels, np.exp(scores - log_z), strict=True):
        for t in range(n):
            node[t, sequence[t]] += probability
            if t:
                pair[0 if n_pairs == 1 else t, sequence[t - 1] * n_labels + sequence[t]] += probability
    return log_z, node, pair


def underflow(first, second, step):
    """A chain of two positions and two labels."""
    return np.array([first, second], np.float32), np.array([step], np.float32)


@given(chains())
@example(underflow([0, -750], [0, 0], [[-740, -740], [45, 45]]))  # the winner's prefix is lost in a sum that is not
@example(underflow([0, -750], [0, 0], [[-600, -600], [700, 700]]))  # the same in a sum far above the least float
@example(underflow([0, 0], [0, -750], [[-740, 45], [-740, 45]]))  # the winner's suffix is lost
@example(underflow([0, 0], [0, 750], [[45, -1e4], [-1e4, -1e4]]))  # best prefix and best suffix do not go together
@example(random_chain(1))
@example(random_chain(1, n_pairs=1))
@example(random_chain(100))
@example(random_chain(1e4, n_pairs=1))
@example((np.full((3, 2), FORBIDDEN), np.zeros((1, 2, 2), np.float32)))
@example((np.zeros((3, 2), np.float32), np.full((3, 2, 2), FORBIDDEN)))
def test_sums_of_every_sequence(enumerate_chain, chain):
    """float64 has a resolution of 1e-7 at the score of a forbidden sequence, so 1e-5 where nothing else is left."""
    nodes, pairs = chain
    log_z, node, pair = sums(nodes, pairs)
    naive_log_z, naive_node, naive_pair = naive_sums(*enumerate_chain(nodes, pairs), nodes.shape[1], len(pairs))
    np.testing.assert_allclose(log_z, naive_log_z, rtol=1e-12, atol=1e-10)
    tolerance = 1e-9 if log_z > FORBIDDEN / 2 else 1e-5
    np.testing.assert_allclose(node, naive_node, atol=tolerance)
    np.testing.assert_allclose(pair, naive_pair, atol=tolerance)


@given(chains())
def test_marginals_are_consistent(chain):
    """Labels of a position sum to 1; label pairs sum to the labels on either side."""
    nodes, pairs = chain
    n_labels = nodes.shape[1]
    log_z, node, pair = sums(nodes, pairs)
    tolerance = 1e-9 if log_z > FORBIDDEN / 2 else 1e-5
    np.testing.assert_allclose(node.sum(axis=1), 1, atol=tolerance)
    pair = pair.reshape(len(pairs), n_labels, n_labels)
    if len(pairs) == 1:
        np.testing.assert_allclose(pair[0].sum(axis=1), node[:-1].sum(axis=0), atol=4 * tolerance)
        np.testing.assert_allclose(pair[0].sum(axis=0), node[1:].sum(axis=0), atol=4 * tolerance)
    else:
        assert not pair[0].any()
        np.testing.assert_allclose(pair[1:].sum(axis=2), node[:-1], atol=tolerance)
        np.testing.assert_allclose(pair[1:].sum(axis=1), node[1:], atol=tolerance)


@pytest.mark.parametrize("n_pairs", [1, 4])
def test_marginals_are_the_gradient_of_the_log_partition(n_pairs):
    """Central differences; scores and step lie on a grid of powers of 2, so that float32 holds them exactly."""
    step = 2.0**-10
    nodes, pairs = (np.round(scores / step) * np.float32(step) for scores in random_chain(2, n_pairs=n_pairs))
    _, node, pair = sums(nodes, pairs)
    for scores, gradient in ((nodes, node), (pairs, pair.reshape(pairs.shape))):
        numeric = np.empty(scores.shape)
        for at in np.ndindex(scores.shape):
            ends = []
            for shift in (step, -2 * step):
                scores[at] += shift
                ends.append(sums(nodes, pairs)[0])
            scores[at] += step
            numeric[at] = (ends[0] - ends[1]) / (2 * step)
        np.testing.assert_allclose(gradient, numeric, atol=1e-6)


@pytest.mark.parametrize("scale", [1, 30])
def test_long_chains_neither_overflow_nor_drift(scale):
    """With equal rows of pair scores positions are independent: the log partition is a sum of logs."""
    nodes, pairs = random_chain(scale, n=3000, n_labels=5, n_pairs=1)
    pairs[0] = pairs[0, 0]
    log_z, node, _ = sums(nodes, pairs)
    scores = nodes.astype(float)
    scores[1:] += pairs[0, 0]
    np.testing.assert_allclose(log_z, logsumexp(scores, axis=1).sum(), rtol=1e-12)
    np.testing.assert_allclose(node, np.exp(scores - logsumexp(scores, axis=1, keepdims=True)), atol=1e-9)


def test_a_prefix_hundreds_below_the_best_can_win():
    """Label 1 is 2000 behind after the first position, and the only one that may go on."""
    nodes = np.array([[2000, 0], [0, 0]], np.float32)
    pairs = np.array([[[-1e4, -1e4], [3, 5]]], np.float32)
    log_z, node, pair = sums(nodes, pairs)
    np.testing.assert_allclose(log_z, logsumexp([3, 5]))
    np.testing.assert_allclose(node[0], [0, 1], atol=1e-12)
    np.testing.assert_allclose(pair[0, 2:], np.exp([3 - log_z, 5 - log_z]))


@kernel
def piece_sums(problem, weights, live, state, i):
    work = contract.new_work(problem)
    contract.score_parts(problem, weights, live, i, work)
    log_z = contract.log_partition(problem, i, work)
    return log_z, contract.set_marginals(problem, state, i, work), contract.gold_score(problem, i, work)


def corpus_sums(corpus, weights):
    """The state at ``weights``, and log partition and gold score of every piece."""
    state = corpus.problem.gold_state()
    live = corpus.problem.all_live()
    found = [piece_sums(corpus.problem.arrays, weights, live, state, i) for i in range(corpus.problem.n)]
    return state, np.array(found)


@pytest.mark.parametrize("observed", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_set_marginals_of_a_corpus(random_corpus, flat, observed, seed):
    corpus = random_corpus(seed, observed)
    weights = corpus.random_weights()
    state, found = corpus_sums(corpus, weights)
    mixes = []
    for i in range(corpus.problem.n):
        outputs = corpus.outputs(i)
        scores = np.array([flat(weights) @ corpus.phi(i, labels) for labels in outputs])
        np.testing.assert_allclose(found[i, :2], logsumexp(scores), atol=1e-5)
        mixes.append(list(zip(np.exp(scores - logsumexp(scores)), outputs, strict=True)))
    wanted = corpus.state(mixes)
    np.testing.assert_allclose(state.nodes, wanted.nodes, atol=1e-5)
    np.testing.assert_allclose(state.pairs, wanted.pairs, atol=1e-5)


@pytest.mark.parametrize("observed", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_gradient_of_the_log_loss(random_corpus, flat, observed, seed):
    """V(M) at the marginals is the gradient of sum_i (gold score - log partition) in the weights."""
    corpus = random_corpus(seed, observed)
    weights = corpus.random_weights()
    gradient = flat(corpus.problem.gold_minus_expected(corpus_sums(corpus, weights)[0])[0])
    direction = corpus.random_weights()
    ends = []
    for step in (1e-2, -1e-2):
        moved = type(weights)(*(w + np.float32(step) * d for w, d in zip(weights, direction, strict=True)))
        found = corpus_sums(corpus, moved)[1]
        ends.append((found[:, 2] - found[:, 0]).sum())
    assert (ends[0] - ends[1]) / 2e-2 == pytest.approx(gradient @ flat(direction), abs=5e-3)
