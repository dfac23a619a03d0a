"""Predicted analyses against an enumeration of all label sequences."""

from itertools import pairwise, product

import numpy as np
import pytest

from spacy_mtl.models.chain.analyses import choose_analyses, max_marginals


@pytest.fixture
def random():
    return np.random.default_rng(5)


def enumerated(nodes, step, first, last):
    """For each position and label of a factor, the score of the best sequence with it, below that of the best."""
    n = len(nodes)
    best = np.full(nodes.shape, -np.inf)
    for labels in product(range(first, last), repeat=n):
        score = sum(nodes[t, y] for t, y in enumerate(labels))
        score += sum(step[x, y] for x, y in pairwise(labels))
        for t, y in enumerate(labels):
            best[t, y] = max(best[t, y], score)
    return best - best.max()


@pytest.mark.parametrize("n", [1, 2, 4])
def test_max_marginals(random, n):
    nodes = random.normal(size=(n, 7)).astype(np.float32)
    step = random.normal(size=(7, 7)).astype(np.float32)
    wanted = enumerated(nodes, step, 2, 5)
    found = nodes.copy()
    max_marginals(found, step, 2, 5, np.empty_like(nodes), np.empty_like(nodes))
    np.testing.assert_allclose(found[:, 2:5], wanted[:, 2:5], atol=1e-5)
    np.testing.assert_array_equal(found[:, :2], nodes[:, :2])
    np.testing.assert_array_equal(found[:, 5:], nodes[:, 5:])


def test_very_long_sentences_stay_finite(random):
    nodes = (100 * random.normal(size=(20000, 3))).astype(np.float32)
    found = nodes.copy()
    max_marginals(found, np.zeros((3, 3), np.float32), 0, 3, np.empty_like(nodes), np.empty_like(nodes))
    np.testing.assert_allclose(found, nodes - nodes.max(axis=1, keepdims=True), atol=1e-3)


@pytest.mark.parametrize("known", [False, True])
def test_the_best_analysis_of_each_word(random, known):
    """Of two sentences, with an empty one between them."""
    starts = np.array([0, 3, 3, 5])
    nodes = random.normal(size=(5, 5)).astype(np.float32)
    step = random.normal(size=(5, 5)).astype(np.float32)
    table = np.array([[0, 2], [0, 3], [1, 4], [1, 2]], np.int32)
    forms = np.array([0, -1, 1, 0, -1], np.int32) if known else np.full(5, -1, np.int32)
    form_labels = np.array([[True, False, False, True], [False, True, False, False]])
    scores = np.zeros((5, 4))
    for a, b in ((0, 3), (3, 5)):
        parts = [enumerated(nodes[a:b], step, first, last) for first, last in ((0, 2), (2, 5))]
        for k, (y, z) in enumerate(table):
            scores[a:b, k] = parts[0][:, y] + parts[1][:, z]
    for t in np.flatnonzero(forms >= 0):
        scores[t, ~form_labels[forms[t]]] = -np.inf
    out = np.zeros(5, np.int32)
    choose_analyses(nodes, starts, step, np.array([[0, 2], [2, 5]]), table, forms, form_labels, out)
    assert out.tolist() == scores.argmax(axis=1).tolist()
