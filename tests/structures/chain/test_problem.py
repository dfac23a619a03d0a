"""The generic functions over chains, against features summed in plain Python and enumeration."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_mtl.kernels import kernel
from spacy_mtl.structures import contract
from spacy_mtl.structures.chain.viterbi import output_score
from spacy_mtl.structures.problem import shares

SEEDS = st.integers(0, 2**32 - 1)
modest = settings(max_examples=60)


@kernel
def new_work(problem):
    return contract.new_work(problem)


@kernel
def score_parts(problem, weights, live, i, work):
    contract.score_parts(problem, weights, live, i, work)


@kernel
def decode(problem, i, work, augmented):
    """Best score, gold score, loss of the output."""
    score = contract.decode(problem, i, work, augmented)
    return score, contract.gold_score(problem, i, work), contract.output_loss(problem, i, work)


@kernel
def direct(problem, state, live, scale, i, work):
    """Inner product of scores and direction, curvature of the direction."""
    product = contract.set_direction(problem, state, i, work)
    return product, contract.curvature(problem, live, scale, i, work)


@kernel
def move(problem, weights, live, scale, state, i, work, step):
    contract.move(problem, weights, live, scale, state, i, work, step)


@kernel
def add_marginals(problem, vector, state, i, amount):
    """Also returns the expected loss."""
    contract.add_marginals(problem, vector, state, i, amount)
    return contract.expected_loss(problem, state, i)


def scored(corpus, i, weights, live):
    """Scratch space that holds the part scores of piece i."""
    work = new_work(corpus.problem.arrays)
    score_parts(corpus.problem.arrays, weights, live, i, work)
    return work


def score_in(corpus, work, i, labels):
    n = len(labels)
    pairs = work.pairs[: n if corpus.problem.arrays.observed else 1]
    return output_score(work.nodes[:n], pairs, labels.astype(np.int32))


def weighted_norms(corpus, scale, vector):
    """sum_j scale_j ||vector_j||^2."""
    scales = np.concatenate([scale.node, scale.pair])
    return (scales[corpus.owner] * vector**2).sum()


def assert_states_equal(state, wanted, tolerance=1e-6):
    np.testing.assert_allclose(state.nodes, wanted.nodes, atol=tolerance)
    np.testing.assert_allclose(state.pairs, wanted.pairs, atol=tolerance)


@modest
@given(SEEDS, st.booleans())
def test_score_parts_sums_the_live_feature_rows(random_corpus, flat, forbidden, seed, observed):
    corpus = random_corpus(seed, observed)
    weights = corpus.random_weights()
    live, is_live = corpus.random_live()
    for i in range(corpus.problem.n):
        work = scored(corpus, i, weights, live)
        for labels in np.ndindex(*[corpus.n_labels] * len(corpus.piece(i))):
            labels = np.array(labels)
            score = score_in(corpus, work, i, labels)
            if corpus.is_allowed(i, labels):
                assert score == pytest.approx((flat(weights) * is_live) @ corpus.phi(i, labels), abs=1e-4)
            else:
                assert score < forbidden


@modest
@given(SEEDS, st.booleans(), st.booleans())
def test_decode_finds_the_best_output(random_corpus, flat, seed, observed, augmented):
    corpus = random_corpus(seed, observed)
    weights = corpus.random_weights()
    for i in range(corpus.problem.n):
        work = scored(corpus, i, weights, corpus.problem.all_live())
        score, gold_score, loss = decode(corpus.problem.arrays, i, work, augmented)
        output = work.labels[: len(corpus.piece(i))]
        scores = {tuple(y): flat(weights) @ corpus.phi(i, y) + augmented * corpus.loss(i, y) for y in corpus.outputs(i)}
        assert score == pytest.approx(max(scores.values()), abs=1e-4)
        assert scores[tuple(output)] == pytest.approx(score, abs=1e-4)
        assert gold_score == pytest.approx(scores[tuple(corpus.gold(i))], abs=1e-4)
        assert loss == corpus.loss(i, output)


@modest
@given(SEEDS, st.booleans())
def test_hinges(random_corpus, flat, seed, observed):
    corpus = random_corpus(seed, observed)
    weights = corpus.random_weights()
    live, is_live = corpus.random_live()
    w = flat(weights) * is_live
    wanted = [
        max(corpus.loss(i, y) + w @ (corpus.phi(i, y) - corpus.phi(i, corpus.gold(i))) for y in corpus.outputs(i))
        for i in range(corpus.problem.n)
    ]
    np.testing.assert_allclose(corpus.problem.hinges(weights, live), wanted, atol=1e-4)


@modest
@given(SEEDS, st.booleans())
def test_gold_state(random_corpus, flat, seed, observed):
    corpus = random_corpus(seed, observed)
    state = corpus.problem.gold_state()
    assert_states_equal(state, corpus.state([[(1.0, corpus.gold(i))] for i in range(corpus.problem.n)]), 0)
    vector, loss = corpus.problem.gold_minus_expected(state)
    assert not flat(vector).any()
    assert loss == 0


@modest
@given(SEEDS, st.booleans())
def test_direction_and_curvature(random_corpus, flat, seed, observed):
    """Features that recur in the sentence (few rows, so most do) are summed before squaring."""
    corpus = random_corpus(seed, observed)
    weights, scale = corpus.random_weights(), corpus.random_scale()
    live, is_live = corpus.random_live()
    mixes = [corpus.random_mix(i) for i in range(corpus.problem.n)]
    state = corpus.state(mixes)
    for i, mix in enumerate(mixes):
        work = scored(corpus, i, weights, live)
        for output in corpus.outputs(i):
            work.labels[: output.size] = output
            product, curvature = direct(corpus.problem.arrays, state, live, scale, i, work)
            difference = is_live * (corpus.phi(i, output) - corpus.expected_phi(i, mix))
            assert product == pytest.approx(flat(weights) @ difference, abs=1e-4)
            assert curvature == pytest.approx(weighted_norms(corpus, scale, difference), abs=1e-4)


@modest
@given(SEEDS, st.booleans())
def test_direction_after_an_augmented_decode_is_the_gap(random_corpus, flat, seed, observed):
    corpus = random_corpus(seed, observed)
    weights, live = corpus.random_weights(), corpus.problem.all_live()
    mixes = [corpus.random_mix(i) for i in range(corpus.problem.n)]
    state = corpus.state(mixes)
    for i, mix in enumerate(mixes):
        work = scored(corpus, i, weights, live)
        decode(corpus.problem.arrays, i, work, True)
        gap, _ = direct(corpus.problem.arrays, state, live, corpus.random_scale(), i, work)
        hinges = [flat(weights) @ corpus.phi(i, y) + corpus.loss(i, y) for y in corpus.outputs(i)]
        expected = sum(p * corpus.loss(i, y) for p, y in mix) + flat(weights) @ corpus.expected_phi(i, mix)
        assert gap == pytest.approx(max(hinges) - expected, abs=1e-4)


@modest
@given(SEEDS, st.booleans())
def test_move_mixes_the_output_in(random_corpus, flat, seed, observed):
    corpus = random_corpus(seed, observed)
    scale = corpus.random_scale()
    live, is_live = corpus.random_live()
    mixes = [corpus.random_mix(i) for i in range(corpus.problem.n)]
    state = corpus.state(mixes)
    i = int(corpus.rng.integers(corpus.problem.n))
    output = corpus.random_mix(i)[0][1]
    step = float(corpus.rng.choice([0.25, 1.0]))
    before, after = corpus.random_weights(), corpus.problem.zeros()
    for old, new in zip(before, after, strict=True):
        new[:] = old
    work = new_work(corpus.problem.arrays)
    work.labels[: output.size] = output
    direct(corpus.problem.arrays, state, live, scale, i, work)
    move(corpus.problem.arrays, after, live, scale, state, i, work, step)
    difference = is_live * (corpus.phi(i, output) - corpus.expected_phi(i, mixes[i]))
    scales = np.concatenate([scale.node, scale.pair])[corpus.owner]
    np.testing.assert_allclose(flat(after), flat(before) - step * scales * difference, atol=1e-5)
    mixes[i] = [*((p * (1 - step), y) for p, y in mixes[i]), (step, output)]
    assert_states_equal(state, corpus.state(mixes))


@settings(max_examples=25)
@given(SEEDS, st.booleans())
def test_many_moves_keep_weights_and_marginals_in_step(random_corpus, flat, seed, observed):
    """w_j = scale_j V_j(M) for every live template, exactly the V that gold_minus_expected gathers; others are not touched."""
    corpus = random_corpus(seed, observed)
    problem, scale = corpus.problem, corpus.random_scale()
    live, is_live = corpus.random_live()
    weights, state, work = problem.zeros(), problem.gold_state(), new_work(problem.arrays)
    for _ in range(60):
        i = int(corpus.rng.integers(problem.n))
        score_parts(problem.arrays, corpus.random_weights(), live, i, work)
        decode(problem.arrays, i, work, True)
        direct(problem.arrays, state, live, scale, i, work)
        step = float(corpus.rng.choice([0.0, 1.0, corpus.rng.random()]))
        move(problem.arrays, weights, live, scale, state, i, work, step)
    vector, _ = problem.gold_minus_expected(state)
    scales = np.concatenate([scale.node, scale.pair])[corpus.owner]
    np.testing.assert_allclose(flat(weights), is_live * scales * flat(vector), atol=1e-4)
    np.testing.assert_allclose(state.nodes.sum(axis=1), (problem.arrays.gold >= 0).astype(float), atol=1e-5)


@modest
@given(SEEDS, st.booleans())
def test_add_marginals_and_expected_loss(random_corpus, flat, seed, observed):
    corpus = random_corpus(seed, observed)
    mixes = [corpus.random_mix(i) for i in range(corpus.problem.n)]
    state = corpus.state(mixes)
    for i, mix in enumerate(mixes):
        vector = corpus.random_weights()
        before = flat(vector)
        loss = add_marginals(corpus.problem.arrays, vector, state, i, 0.5)
        difference = corpus.phi(i, corpus.gold(i)) - corpus.expected_phi(i, mix)
        np.testing.assert_allclose(flat(vector), before + 0.5 * difference, atol=1e-5)
        assert loss == pytest.approx(sum(p * corpus.loss(i, labels) for p, labels in mix), abs=1e-5)


@pytest.mark.parametrize("observed", [False, True])
def test_work_fits_the_longest_piece(random_corpus, observed):
    corpus = random_corpus(3, observed)
    work = new_work(corpus.problem.arrays)
    longest = max(len(corpus.piece(i)) for i in range(corpus.problem.n))
    n_pairs, n_labels = longest if observed else 1, corpus.n_labels
    node_shape, pair_shape = (longest, n_labels), (n_pairs, n_labels, n_labels)
    assert work.nodes.shape == work.best.shape == work.back.shape == work.change.shape == work.alpha.shape == node_shape
    assert work.pairs.shape == work.factors.shape == pair_shape
    assert work.pair_change.shape == (n_pairs, n_labels**2)
    assert work.labels.shape == work.active.shape == (longest,)


def test_shares_splits_by_kind(random_corpus):
    problem = random_corpus(1, False).problem
    values = np.arange(problem.blocks.n, dtype=float)
    scale = shares(problem, values)
    assert [*scale.node, *scale.pair] == values.tolist()
    assert scale.node.size == problem.blocks.n_node
