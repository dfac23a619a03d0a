"""The k best label sequences, against all of them sorted."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from spacy_mtl.kernels import kernel
from spacy_mtl.structures import contract
from spacy_mtl.structures.chain.kbest import kbest
from spacy_mtl.structures.chain.viterbi import FORBIDDEN


@st.composite
def chains(draw):
    """Scores of a short chain: small integers, for ties, and forbidden entries."""
    n, n_labels = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    n_pairs = draw(st.sampled_from([1, n]))
    scores = st.one_of(st.integers(-4, 4).map(float), st.just(float(FORBIDDEN)))
    nodes = draw(arrays(np.float32, (n, n_labels), elements=scores))
    return nodes, draw(arrays(np.float32, (n_pairs, n_labels, n_labels), elements=scores))


@kernel
def best_outputs(problem, weights, live, i, k):
    work = contract.new_work(problem)
    contract.score_parts(problem, weights, live, i, work)
    return contract.kbest(problem, i, work, k)


@given(chains(), st.integers(1, 90))
def test_kbest_is_the_head_of_all_sequences_sorted(enumerate_chain, forbidden, chain, k):
    every, scores = enumerate_chain(*chain)
    allowed = {tuple(labels): score for labels, score in zip(every, scores, strict=True) if score > forbidden}
    labels, found = kbest(*chain, k)
    assert found.tolist() == sorted(allowed.values(), reverse=True)[:k]
    sequences = [tuple(sequence) for sequence in labels.tolist()]
    assert len(set(sequences)) == len(sequences)
    assert [allowed[sequence] for sequence in sequences] == found.tolist()


def test_real_scores_far_apart(enumerate_chain):
    rng = np.random.default_rng(0)
    nodes = rng.uniform(-1e4, 1e4, (4, 3)).astype(np.float32)
    pairs = rng.uniform(-1e4, 1e4, (4, 3, 3)).astype(np.float32)
    every, scores = enumerate_chain(nodes, pairs)
    order = np.argsort(-scores)[:20]
    labels, found = kbest(nodes, pairs, 20)
    np.testing.assert_array_equal(labels, every[order])
    np.testing.assert_allclose(found, scores[order], rtol=1e-12)


def test_of_equal_sequences_the_lowest_last_labels_come_first():
    labels, _ = kbest(np.zeros((2, 2), np.float32), np.zeros((1, 2, 2), np.float32), 9)
    assert labels.tolist() == [[0, 0], [1, 0], [0, 1], [1, 1]]


def test_nothing_where_nothing_is_allowed():
    nodes = np.full((3, 2), FORBIDDEN)
    labels, scores = kbest(nodes, np.zeros((1, 2, 2), np.float32), 4)
    assert labels.shape == (0, 3)
    assert scores.size == 0


@pytest.mark.parametrize("observed", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_kbest_outputs_of_a_corpus(random_corpus, flat, observed, seed):
    corpus = random_corpus(seed, observed)
    weights = corpus.random_weights()
    for i in range(corpus.problem.n):
        wanted = sorted((flat(weights) @ corpus.phi(i, labels) for labels in corpus.outputs(i)), reverse=True)
        labels, scores = best_outputs(corpus.problem.arrays, weights, corpus.problem.all_live(), i, 5)
        np.testing.assert_allclose(scores, wanted[:5], atol=1e-4)
        assert all(corpus.is_allowed(i, sequence) for sequence in labels)
