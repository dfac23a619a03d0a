"""Outputs as label arrays: stored and loaded, and their feature differences, against features summed in plain Python."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_mtl.kernels import kernel
from spacy_mtl.structures import contract


@kernel
def new_work(problem):
    return contract.new_work(problem)


@kernel
def slots(problem):
    return contract.n_slots(problem)


@kernel
def store(problem, i, work, outputs):
    contract.store_output(problem, i, work, outputs)


@kernel
def add_and_dot(problem, vector, i, outputs, work, amount, other, node_dots, pair_dots):
    """Load output i, add its difference to ``vector`` and take its inner products with ``other``."""
    contract.load_output(problem, i, outputs, work)
    contract.add_output(problem, vector, i, work, amount)
    contract.dot_output(problem, other, i, work, node_dots, pair_dots)


@settings(max_examples=50)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_stored_outputs_give_their_feature_differences(random_corpus, flat, seed, observed):
    corpus = random_corpus(seed, observed)
    arrays, work = corpus.problem.arrays, new_work(corpus.problem.arrays)
    outputs = np.full(slots(arrays), -1, np.int32)
    chosen = [corpus.random_mix(i)[0][1] for i in range(corpus.problem.n)]
    for i, labels in enumerate(chosen):
        work.labels[: labels.size] = labels
        store(arrays, i, work, outputs)
    vector, other = corpus.problem.zeros(), corpus.random_weights()
    node_dots, pair_dots = np.zeros(corpus.problem.blocks.n_node), np.zeros(corpus.problem.blocks.pair.size - 1)
    for i in reversed(range(corpus.problem.n)):
        add_and_dot(arrays, vector, i, outputs, work, 0.5, other, node_dots, pair_dots)
    difference = sum(corpus.phi(i, corpus.gold(i)) - corpus.phi(i, labels) for i, labels in enumerate(chosen))
    np.testing.assert_allclose(flat(vector), 0.5 * difference, atol=1e-6)
    dots = np.bincount(corpus.owner, weights=difference * flat(other), minlength=corpus.n_templates)
    np.testing.assert_allclose([*node_dots, *pair_dots], dots, atol=1e-5)
