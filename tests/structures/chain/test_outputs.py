"""Stored outputs, and feature differences and directions made of them, against features summed in plain Python."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_mtl.kernels import kernel
from spacy_mtl.structures import contract

SEEDS = st.integers(0, 2**32 - 1)
modest = settings(max_examples=50)


@kernel
def new_work(problem):
    return contract.new_work(problem)


@kernel
def gold_outputs(problem):
    return contract.gold_outputs(problem)


@kernel
def n_slots(problem):
    return contract.n_slots(problem)


@kernel
def store(problem, i, work, outputs):
    """Store the output in ``work``; returns whether it was there before and whether it is now."""
    before = contract.same_output(problem, i, work, outputs)
    contract.store_output(problem, i, work, outputs)
    return before, contract.same_output(problem, i, work, outputs)


@kernel
def add_and_dot(problem, vector, i, outputs, work, amount, other, node_dots, pair_dots):
    """Load output i, add its difference to ``vector`` and take its inner products with ``other``."""
    contract.load_output(problem, i, outputs, work)
    contract.add_output(problem, vector, i, work, amount)
    contract.dot_output(problem, other, i, work, node_dots, pair_dots)


@kernel
def stored_score(problem, weights, live, i, outputs, work):
    contract.score_parts(problem, weights, live, i, work)
    return contract.stored_score(problem, i, outputs, work)


@kernel
def move_from(problem, weights, live, scale, state, i, outputs, work, step):
    """Move weight from the stored output to the one in ``work``; returns the curvature."""
    contract.set_difference(problem, i, outputs, work)
    bend = contract.curvature(problem, live, scale, i, work)
    contract.move(problem, weights, live, scale, state, i, work, step)
    return bend


@kernel
def set_vertex(problem, state, i, work):
    contract.set_vertex(problem, state, i, work)


def choose_outputs(corpus):
    """An allowed output for every piece, and all of them as stored."""
    chosen = [corpus.random_mix(i)[0][1] for i in range(corpus.problem.n)]
    outputs, work = gold_outputs(corpus.problem.arrays), new_work(corpus.problem.arrays)
    for i, labels in enumerate(chosen):
        work.labels[: labels.size] = labels
        store(corpus.problem.arrays, i, work, outputs)
    return chosen, outputs


@modest
@given(SEEDS, st.booleans())
def test_stored_outputs_give_their_feature_differences(random_corpus, flat, seed, observed):
    corpus = random_corpus(seed, observed)
    arrays, work = corpus.problem.arrays, new_work(corpus.problem.arrays)
    chosen, outputs = choose_outputs(corpus)
    vector, other = corpus.problem.zeros(), corpus.random_weights()
    node_dots, pair_dots = np.zeros(corpus.problem.blocks.n_node), np.zeros(corpus.problem.blocks.pair.size - 1)
    for i in reversed(range(corpus.problem.n)):
        add_and_dot(arrays, vector, i, outputs, work, 0.5, other, node_dots, pair_dots)
    difference = sum(corpus.phi(i, corpus.gold(i)) - corpus.phi(i, labels) for i, labels in enumerate(chosen))
    np.testing.assert_allclose(flat(vector), 0.5 * difference, atol=1e-6)
    dots = np.bincount(corpus.owner, weights=difference * flat(other), minlength=corpus.n_templates)
    np.testing.assert_allclose([*node_dots, *pair_dots], dots, atol=1e-5)


@modest
@given(SEEDS, st.booleans())
def test_same_output_sees_every_difference(random_corpus, seed, observed):
    corpus = random_corpus(seed, observed)
    arrays, work = corpus.problem.arrays, new_work(corpus.problem.arrays)
    outputs = gold_outputs(arrays)
    for i in range(corpus.problem.n):
        for labels in corpus.outputs(i):
            work.labels[: labels.size] = labels
            stored = outputs[corpus.piece(i)].copy()
            assert store(arrays, i, work, outputs) == ((stored == labels).all(), True)


@modest
@given(SEEDS, st.booleans())
def test_score_of_stored_outputs(random_corpus, flat, seed, observed):
    corpus = random_corpus(seed, observed)
    chosen, outputs = choose_outputs(corpus)
    weights, work = corpus.random_weights(), new_work(corpus.problem.arrays)
    for i, labels in enumerate(chosen):
        score = stored_score(corpus.problem.arrays, weights, corpus.problem.all_live(), i, outputs, work)
        assert score == pytest.approx(flat(weights) @ corpus.phi(i, labels), abs=1e-4)


@modest
@given(SEEDS, st.booleans())
def test_moves_between_outputs(random_corpus, flat, seed, observed):
    """M_i moves by the difference of two indicators, w by scale times the difference of their features."""
    corpus = random_corpus(seed, observed)
    arrays, work, scale = corpus.problem.arrays, new_work(corpus.problem.arrays), corpus.random_scale()
    live, is_live = corpus.random_live()
    chosen, outputs = choose_outputs(corpus)
    mixes = [corpus.random_mix(i) for i in range(corpus.problem.n)]
    state, weights = corpus.state(mixes), corpus.problem.zeros()
    scales = np.concatenate([scale.node, scale.pair])[corpus.owner] * is_live
    wanted = np.zeros(scales.size)
    for i, labels in enumerate(chosen):
        target = corpus.random_mix(i)[0][1]
        work.labels[: target.size] = target
        bend = move_from(arrays, weights, live, scale, state, i, outputs, work, 0.25)
        difference = corpus.phi(i, target) - corpus.phi(i, labels)
        assert bend == pytest.approx(scales @ difference**2, abs=1e-4)
        wanted -= 0.25 * scales * difference
        mixes[i] += [(0.25, target), (-0.25, labels)]
    np.testing.assert_allclose(flat(weights), wanted, atol=1e-5)
    after = corpus.state(mixes)
    np.testing.assert_allclose(state.nodes, after.nodes, atol=1e-6)
    np.testing.assert_allclose(state.pairs, after.pairs, atol=1e-6)


@modest
@given(SEEDS, st.booleans())
def test_set_vertex_is_exact(random_corpus, seed, observed):
    corpus = random_corpus(seed, observed)
    work = new_work(corpus.problem.arrays)
    mixes = [corpus.random_mix(i) for i in range(corpus.problem.n)]
    state = corpus.state(mixes)
    for i in range(corpus.problem.n):
        output = corpus.random_mix(i)[0][1]
        work.labels[: output.size] = output
        set_vertex(corpus.problem.arrays, state, i, work)
        mixes[i] = [(1.0, output)]
        for found, wanted in zip(state, corpus.state(mixes), strict=True):
            np.testing.assert_array_equal(found, wanted)


@modest
@given(SEEDS, st.booleans())
def test_gold_outputs(random_corpus, seed, observed):
    corpus = random_corpus(seed, observed)
    outputs = gold_outputs(corpus.problem.arrays)
    assert outputs.shape == (n_slots(corpus.problem.arrays),)
    assert outputs.dtype == np.int32
    assert not np.shares_memory(outputs, corpus.problem.arrays.gold)
    for i in range(corpus.problem.n):
        np.testing.assert_array_equal(outputs[corpus.piece(i)], corpus.gold(i))
