"""Directions from gold, scaled scores and numbers in the parts, against features summed in plain Python and enumeration."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp

from spacy_mtl.kernels import kernel
from spacy_mtl.structures import contract
from spacy_mtl.structures.chain.problem import ChainState
from spacy_mtl.structures.chain.viterbi import output_score

SEEDS = st.integers(0, 2**32 - 1)
modest = settings(max_examples=50)


@kernel
def new_work(problem):
    return contract.new_work(problem)


@kernel
def score(problem, weights, live, i, work, amount):
    contract.score_parts(problem, weights, live, i, work)
    contract.add_loss(problem, i, work, amount)


@kernel
def score_scaled(problem, weights, live, scale, i, work):
    contract.score_scaled(problem, weights, live, scale, i, work)


@kernel
def from_gold(problem, i, output, work):
    contract.take_output(problem, i, output, work)
    contract.gold_direction(problem, i, work)


@kernel
def to_marginals(problem, i, work):
    return contract.marginal_direction(problem, i, work)


@kernel
def use_direction(problem, vector, other, live, scale, i, work, amount, products, pair_products, norms, pair_norms):
    """Everything that reads a direction; returns its curvature."""
    contract.add_direction(problem, vector, live, scale, i, work, amount)
    contract.block_products(problem, other, live, i, work, products, pair_products)
    contract.block_curvatures(problem, live, i, work, norms, pair_norms)
    return contract.curvature(problem, live, scale, i, work)


@kernel
def use_state(problem, vector, state, i, work, amount):
    """vector += amount * Phi(state); returns <state, scores in work>."""
    contract.add_state(problem, vector, state, i, amount)
    return contract.dot_state(problem, state, i, work)


@kernel
def add_and_load(problem, state, i, work, amount):
    contract.add_parts(problem, state, i, work, amount)
    contract.load_parts(problem, state, i, work)


def score_in(corpus, work, i, labels):
    n = len(labels)
    pairs = work.pairs[: n if corpus.problem.arrays.observed else 1]
    return output_score(work.nodes[:n], pairs, labels.astype(np.int32))


def assert_direction(corpus, flat, i, work, difference):
    """The direction in ``work`` is ``difference``, a flat feature vector, for every function that reads it."""
    problem, scale = corpus.problem, corpus.random_scale()
    live, is_live = corpus.random_live()
    vector, other = corpus.random_weights(), corpus.random_weights()
    before = flat(vector)
    node, pair, node2, pair2 = (np.full(n, 99.0) for n in (scale.node.size, scale.pair.size) * 2)
    bend = use_direction(problem.arrays, vector, other, live, scale, i, work, 0.5, node, pair, node2, pair2)
    scales = np.concatenate([scale.node, scale.pair])
    np.testing.assert_allclose(flat(vector), before + 0.5 * is_live * scales[corpus.owner] * difference, atol=1e-5)
    for values, wanted in (((node, pair), flat(other) * difference), ((node2, pair2), difference**2)):
        values = np.concatenate(values)
        alive = np.zeros(problem.blocks.n, bool)
        alive[np.concatenate([live.node, live.pair + problem.blocks.n_node])] = True
        sums = np.bincount(corpus.owner, weights=wanted, minlength=problem.blocks.n)
        np.testing.assert_allclose(values[alive], sums[alive], atol=1e-4)
        assert (values[~alive] == 99.0).all()
    assert bend == pytest.approx((is_live * scales[corpus.owner] * difference**2).sum(), abs=1e-4)


@modest
@given(SEEDS, st.booleans())
def test_scaled_scores(random_corpus, flat, forbidden, seed, observed):
    corpus = random_corpus(seed, observed)
    weights, scale = corpus.random_weights(), corpus.random_scale()
    live, is_live = corpus.random_live()
    scales = np.concatenate([scale.node, scale.pair])[corpus.owner]
    work = new_work(corpus.problem.arrays)
    for i in range(corpus.problem.n):
        score_scaled(corpus.problem.arrays, weights, live, scale, i, work)
        for labels in np.ndindex(*[corpus.n_labels] * len(corpus.piece(i))):
            found = score_in(corpus, work, i, np.array(labels))
            if corpus.is_allowed(i, np.array(labels)):
                wanted = (flat(weights) * scales * is_live) @ corpus.phi(i, np.array(labels))
                assert found == pytest.approx(wanted, abs=1e-4)
            else:
                assert found < forbidden


@modest
@given(SEEDS, st.booleans(), st.sampled_from([0.0, 0.5, 2.0]))
def test_loss_is_added_in_any_amount(random_corpus, flat, seed, observed, amount):
    corpus = random_corpus(seed, observed)
    weights, work = corpus.random_weights(), new_work(corpus.problem.arrays)
    for i in range(corpus.problem.n):
        score(corpus.problem.arrays, weights, corpus.problem.all_live(), i, work, amount)
        for labels in corpus.outputs(i):
            wanted = flat(weights) @ corpus.phi(i, labels) + amount * corpus.loss(i, labels)
            assert score_in(corpus, work, i, labels) == pytest.approx(wanted, abs=1e-4)


@modest
@given(SEEDS, st.booleans())
def test_direction_from_gold_to_an_output(random_corpus, flat, seed, observed):
    corpus = random_corpus(seed, observed)
    work = new_work(corpus.problem.arrays)
    for i in range(corpus.problem.n):
        output = corpus.random_mix(i)[0][1]
        from_gold(corpus.problem.arrays, i, output.astype(np.int32), work)
        assert_direction(corpus, flat, i, work, corpus.phi(i, output) - corpus.phi(i, corpus.gold(i)))


@modest
@given(SEEDS, st.booleans())
def test_direction_from_gold_to_the_marginals(random_corpus, flat, seed, observed):
    corpus = random_corpus(seed, observed)
    weights, work = corpus.random_weights(), new_work(corpus.problem.arrays)
    for i in range(corpus.problem.n):
        score(corpus.problem.arrays, weights, corpus.problem.all_live(), i, work, 0.0)
        log_z = to_marginals(corpus.problem.arrays, i, work)
        outputs = corpus.outputs(i)
        scores = np.array([flat(weights) @ corpus.phi(i, y) for y in outputs])
        assert log_z == pytest.approx(logsumexp(scores), abs=1e-4)
        expected = corpus.expected_phi(i, list(zip(np.exp(scores - logsumexp(scores)), outputs, strict=True)))
        assert_direction(corpus, flat, i, work, expected - corpus.phi(i, corpus.gold(i)))


@modest
@given(SEEDS, st.booleans())
def test_positions_that_have_settled_among_others(random_corpus, flat, seed, observed):
    """Where gold is the first label nothing else has any probability; such positions are left out of the direction."""
    corpus = random_corpus(seed, observed)
    cost = np.zeros((corpus.n_labels, corpus.n_labels), np.float32)
    cost[0, 1:] = 100
    arrays = corpus.problem.arrays._replace(cost=cost)
    weights, work = corpus.random_weights(), new_work(arrays)
    for i in range(corpus.problem.n):
        gold, outputs = corpus.gold(i), corpus.outputs(i)
        score(arrays, weights, corpus.problem.all_live(), i, work, -1.0)
        to_marginals(arrays, i, work)
        scores = np.array([flat(weights) @ corpus.phi(i, y) - cost[gold, y].sum() for y in outputs])
        expected = corpus.expected_phi(i, list(zip(np.exp(scores - logsumexp(scores)), outputs, strict=True)))
        assert_direction(corpus, flat, i, work, expected - corpus.phi(i, gold))
        assert work.n_active[0] <= (gold != 0).sum()


@modest
@given(SEEDS, st.booleans())
def test_numbers_in_the_parts_and_scores_are_adjoint(random_corpus, flat, seed, observed):
    """<Phi(state), w> is <state, scores under w>; and Phi of marginals is the expected feature vector."""
    corpus = random_corpus(seed, observed)
    weights, work = corpus.random_weights(), new_work(corpus.problem.arrays)
    mixes = [corpus.random_mix(i) for i in range(corpus.problem.n)]
    state = corpus.state(mixes)
    state = ChainState(*(3 * numbers for numbers in state))
    for i, mix in enumerate(mixes):
        vector = corpus.random_weights()
        before = flat(vector)
        score(corpus.problem.arrays, weights, corpus.problem.all_live(), i, work, 0.0)
        product = use_state(corpus.problem.arrays, vector, state, i, work, 0.5)
        expected = 3 * corpus.expected_phi(i, mix)
        np.testing.assert_allclose(flat(vector), before + 0.5 * expected, atol=1e-5)
        assert product == pytest.approx(flat(weights) @ expected, abs=1e-3)


@modest
@given(SEEDS, st.booleans())
def test_numbers_in_the_parts_as_scores(random_corpus, flat, forbidden, seed, observed):
    """What is added up in a state from two scorings is a scoring by the sum of the weights; what is forbidden stays so."""
    corpus = random_corpus(seed, observed)
    arrays, work = corpus.problem.arrays, new_work(corpus.problem.arrays)
    state = ChainState(*(np.zeros_like(numbers) for numbers in corpus.problem.gold_state()))
    first, second = corpus.random_weights(), corpus.random_weights()
    for i in range(corpus.problem.n):
        score(arrays, first, corpus.problem.all_live(), i, work, 1.0)
        add_and_load(arrays, state, i, work, 0.5)
        score(arrays, second, corpus.problem.all_live(), i, work, 0.0)
        add_and_load(arrays, state, i, work, 1e-4)
        for labels in np.ndindex(*[corpus.n_labels] * len(corpus.piece(i))):
            found = score_in(corpus, work, i, np.array(labels))
            if corpus.is_allowed(i, np.array(labels)):
                w = 0.5 * flat(first) + 1e-4 * flat(second)
                wanted = w @ corpus.phi(i, np.array(labels)) + 0.5 * corpus.loss(i, np.array(labels))
                assert found == pytest.approx(wanted, abs=1e-4)
            else:
                assert found < forbidden


@modest
@given(SEEDS, st.booleans())
def test_scores_far_apart_settle_on_one_output(random_corpus, seed, observed):
    """Where all probability is on gold there is no direction at all."""
    corpus = random_corpus(seed, observed)
    arrays, work = corpus.problem.arrays, new_work(corpus.problem.arrays)
    if (corpus.cost.sum(axis=1) == 0).any() or (corpus.cost + np.eye(corpus.n_labels) == 0).any():
        return  # a wrong label that costs nothing
    for i in range(corpus.problem.n):
        score(arrays, corpus.problem.zeros(), corpus.problem.all_live(), i, work, -100.0)
        to_marginals(arrays, i, work)
        assert work.n_active[0] == 0
        assert not work.pair_change.round(6).any()
