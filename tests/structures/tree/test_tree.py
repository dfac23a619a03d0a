"""The generic functions over trees, against features summed in plain Python and enumeration of all outputs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp

from spacy_mtl.kernels import kernel
from spacy_mtl.structures import contract
from spacy_mtl.structures.contract import Weights
from spacy_mtl.structures.tree.decode import tree_score
from spacy_mtl.structures.tree.problem import TreeState

from .corpora import flat, random_tree_corpus

modest = settings(max_examples=40)
#: labels, projective, single_root, second_order
KINDS = [(1, True, True, False), (1, False, True, False), (2, True, False, False), (2, False, False, False)]
KINDS += [(1, True, True, True), (2, True, True, True), (2, True, False, True)]


@st.composite
def corpora(draw):
    n_labels, *kind = draw(st.sampled_from(KINDS))
    return random_tree_corpus(draw(st.integers(0, 2**32 - 1)), n_labels, *kind, most=4 if n_labels == 1 else 3)


@st.composite
def rough_corpora(draw):
    """Or with grandparents: then there are no sums, and decoding is approximate where arcs may cross."""
    if draw(st.booleans()):
        return draw(corpora())
    n_labels, projective, single_root = draw(st.sampled_from([1, 2])), draw(st.booleans()), draw(st.booleans())
    most = 4 if n_labels == 1 else 3
    return random_tree_corpus(draw(st.integers(0, 2**32 - 1)), n_labels, projective, single_root, True, most, True)


@kernel
def new_work(problem):
    return contract.new_work(problem)


@kernel
def score(problem, weights, live, i, work, loss):
    contract.score_parts(problem, weights, live, i, work)
    contract.add_loss(problem, i, work, loss)


@kernel
def score_scaled(problem, weights, live, scale, i, work):
    contract.score_scaled(problem, weights, live, scale, i, work)


@kernel
def decode(problem, i, work, augmented):
    """Best score, gold score, loss of the output."""
    best = contract.decode(problem, i, work, augmented)
    return best, contract.gold_score(problem, i, work), contract.output_loss(problem, i, work)


@kernel
def direct(problem, state, i, work):
    return contract.set_direction(problem, state, i, work)


@kernel
def from_gold(problem, i, work):
    contract.gold_direction(problem, i, work)


@kernel
def to_marginals(problem, i, work):
    return contract.marginal_direction(problem, i, work)


@kernel
def from_stored(problem, i, outputs, work):
    """Direction from the stored output to the one in ``work``; returns the stored one's score."""
    contract.set_difference(problem, i, outputs, work)
    return contract.stored_score(problem, i, outputs, work)


@kernel
def use_direction(problem, vector, other, live, scale, i, work, amount, node, pair, node2, pair2):
    contract.add_direction(problem, vector, live, scale, i, work, amount)
    contract.block_products(problem, other, live, i, work, node, pair)
    contract.block_curvatures(problem, live, i, work, node2, pair2)
    return contract.curvature(problem, live, scale, i, work)


@kernel
def use_metric(problem, vector, live, metric, i, work, amount):
    contract.add_direction(problem, vector, live, metric, i, work, amount)
    return contract.curvature(problem, live, metric, i, work), contract.direction_entries(problem, i, work)


@kernel
def move(problem, weights, live, scale, state, i, work, step):
    contract.move(problem, weights, live, scale, state, i, work, step)


@kernel
def sum_state(problem, vector, state, i, work, amount):
    contract.add_state(problem, vector, state, i, amount)
    return contract.dot_state(problem, state, i, work)


@kernel
def add_marginals(problem, vector, state, i, amount):
    contract.add_marginals(problem, vector, state, i, amount)
    return contract.expected_loss(problem, state, i)


@kernel
def add_and_load(problem, state, i, work, amount):
    contract.add_parts(problem, state, i, work, amount)
    contract.load_parts(problem, state, i, work)


@kernel
def set_marginals(problem, state, i, work):
    log_z = contract.log_partition(problem, i, work)
    return log_z, contract.set_marginals(problem, state, i, work)


@kernel
def store(problem, i, work, outputs):
    """Store the output in ``work``; returns whether it was there before and whether it is now."""
    before = contract.same_output(problem, i, work, outputs)
    contract.store_output(problem, i, work, outputs)
    return before, contract.same_output(problem, i, work, outputs)


@kernel
def gold_outputs(problem):
    return contract.gold_outputs(problem), contract.n_slots(problem)


@kernel
def load_add_dot(problem, vector, i, outputs, work, amount, other, node, pair):
    contract.load_output(problem, i, outputs, work)
    contract.add_output(problem, vector, i, work, amount)
    contract.dot_output(problem, other, i, work, node, pair)


@kernel
def set_vertex(problem, state, i, work):
    contract.set_vertex(problem, state, i, work)


@kernel
def kbest(problem, i, work, k):
    return contract.kbest(problem, i, work, k)


@kernel
def take_output(problem, i, output, work):
    contract.take_output(problem, i, output, work)


def score_in(corpus, i, work, output):
    heads, labels = (np.array(part, np.int32) for part in output)
    return tree_score(corpus.problem.arrays, i, heads, labels, work)


def output_in(corpus, i, work):
    n = len(corpus.words(i))
    return tuple(work.heads[:n].tolist()), tuple(work.labels[:n].tolist())


def sums_by_block(corpus, values):
    return np.bincount(corpus.owner, weights=values, minlength=corpus.problem.blocks.n)


def assert_states_equal(state, wanted, tolerance=1e-6):
    for found, array in zip(state, wanted, strict=True):
        np.testing.assert_allclose(found, array, atol=tolerance)


def assert_direction(corpus, i, work, difference):
    """The direction in ``work`` is ``difference``, a flat feature vector, for every function that reads it."""
    problem, scale = corpus.problem, corpus.random_scale()
    live, is_live = corpus.random_live()
    vector, other = corpus.random_weights(), corpus.random_weights()
    before = flat(vector)
    node, pair, node2, pair2 = (np.full(n, 99.0) for n in (scale.node.size, scale.pair.size) * 2)
    bend = use_direction(problem.arrays, vector, other, live, scale, i, work, 0.5, node, pair, node2, pair2)
    scales = np.concatenate([scale.node, scale.pair])[corpus.owner] * is_live
    np.testing.assert_allclose(flat(vector), before + 0.5 * scales * difference, atol=1e-5)
    alive = np.zeros(problem.blocks.n, bool)
    alive[np.concatenate([live.node, live.pair + problem.blocks.n_node])] = True
    for values, wanted in (((node, pair), flat(other) * difference), ((node2, pair2), difference**2)):
        values = np.concatenate(values)
        np.testing.assert_allclose(values[alive], sums_by_block(corpus, wanted)[alive], atol=1e-4)
        assert (values[~alive] == 99.0).all()
    assert bend == pytest.approx(scales @ difference**2, abs=1e-4)
    metric = Weights(*(np.abs(matrix) for matrix in corpus.random_weights()))
    before = flat(vector)
    bend, (keys, values, pair_keys, pair_values) = use_metric(problem.arrays, vector, live, metric, i, work, 0.5)
    np.testing.assert_allclose(flat(vector), before + 0.5 * is_live * flat(metric) * difference, atol=1e-5)
    assert bend == pytest.approx((is_live * flat(metric)) @ difference**2, abs=1e-4)
    dense = [np.zeros(matrix.size) for matrix in problem.zeros()]
    np.add.at(dense[0], keys, values)
    np.add.at(dense[1], pair_keys, pair_values)
    np.testing.assert_allclose(np.concatenate(dense), difference, atol=1e-5)


@modest
@given(rough_corpora(), st.sampled_from([0.0, 0.5, 2.0]))
def test_scores_and_losses(corpus, amount):
    weights, work, problem = corpus.random_weights(), new_work(corpus.problem.arrays), corpus.problem
    live, is_live = corpus.random_live()
    scale = corpus.random_scale()
    scales = np.concatenate([scale.node, scale.pair])[corpus.owner]
    for i in range(problem.n):
        score(problem.arrays, weights, live, i, work, amount)
        for output in corpus.outputs(i):
            wanted = (flat(weights) * is_live) @ corpus.phi(i, output) + amount * corpus.loss(i, output)
            assert score_in(corpus, i, work, output) == pytest.approx(wanted, abs=1e-4)
        score_scaled(problem.arrays, weights, live, scale, i, work)
        for output in corpus.outputs(i):
            wanted = (flat(weights) * is_live * scales) @ corpus.phi(i, output)
            assert score_in(corpus, i, work, output) == pytest.approx(wanted, abs=1e-4)


@settings(max_examples=100)
@given(corpora(), st.booleans())
def test_decode_finds_the_best_output(corpus, augmented):
    weights, work, problem = corpus.random_weights(), new_work(corpus.problem.arrays), corpus.problem
    for i in range(problem.n):
        score(problem.arrays, weights, problem.all_live(), i, work, 0.0)
        best, gold_score, loss = decode(problem.arrays, i, work, augmented)
        w = flat(weights)
        scores = {y: w @ corpus.phi(i, y) + augmented * corpus.loss(i, y) for y in corpus.outputs(i)}
        output = output_in(corpus, i, work)
        assert best == pytest.approx(max(scores.values()), abs=1e-4)
        assert scores[output] == pytest.approx(best, abs=1e-4)
        assert gold_score == pytest.approx(scores[corpus.gold(i)], abs=1e-4)
        assert loss == corpus.loss(i, output)


@modest
@given(corpora())
def test_hinges(corpus):
    weights, (live, is_live) = corpus.random_weights(), corpus.random_live()
    w = flat(weights) * is_live
    wanted = [
        max(corpus.loss(i, y) + w @ (corpus.phi(i, y) - corpus.phi(i, corpus.gold(i))) for y in corpus.outputs(i))
        for i in range(corpus.problem.n)
    ]
    np.testing.assert_allclose(corpus.problem.hinges(weights, live), wanted, atol=1e-4)


@modest
@given(rough_corpora())
def test_gold_state(corpus):
    state = corpus.problem.gold_state()
    assert_states_equal(state, corpus.state([[(1.0, corpus.gold(i))] for i in range(corpus.problem.n)]), 0)
    vector, loss = corpus.problem.gold_minus_expected(state)
    assert not flat(vector).any()
    assert loss == 0


@modest
@given(rough_corpora())
def test_directions(corpus):
    """From marginals, from gold, from a stored output, one after another in the same scratch space."""
    problem, weights, work = corpus.problem, corpus.random_weights(), new_work(corpus.problem.arrays)
    mixes = [corpus.random_mix(i) for i in range(problem.n)]
    state, outputs = corpus.state(mixes), gold_outputs(problem.arrays)[0]
    for i, mix in enumerate(mixes):
        score(problem.arrays, weights, problem.all_live(), i, work, 0.0)
        first, second = corpus.random_mix(i)[0][1], corpus.random_mix(i)[-1][1]
        corpus.put(work, first)
        difference = corpus.phi(i, first) - corpus.expected_phi(i, mix)
        assert direct(problem.arrays, state, i, work) == pytest.approx(flat(weights) @ difference, abs=1e-4)
        assert_direction(corpus, i, work, difference)
        from_gold(problem.arrays, i, work)
        assert_direction(corpus, i, work, corpus.phi(i, first) - corpus.phi(i, corpus.gold(i)))
        store(problem.arrays, i, work, outputs)
        corpus.put(work, second)
        stored = from_stored(problem.arrays, i, outputs, work)
        assert stored == pytest.approx(flat(weights) @ corpus.phi(i, first), abs=1e-4)
        assert_direction(corpus, i, work, corpus.phi(i, second) - corpus.phi(i, first))


@modest
@given(corpora())
def test_marginals(corpus):
    problem, weights, work = corpus.problem, corpus.random_weights(), new_work(corpus.problem.arrays)
    state = TreeState(*(np.full_like(array, 9.0) for array in problem.gold_state()))
    mixes = []
    for i in range(problem.n):
        score(problem.arrays, weights, problem.all_live(), i, work, 1.0)
        outputs = corpus.outputs(i)
        scores = np.array([flat(weights) @ corpus.phi(i, y) + corpus.loss(i, y) for y in outputs])
        mixes.append(list(zip(np.exp(scores - logsumexp(scores)), outputs, strict=True)))
        for log_z in (*set_marginals(problem.arrays, state, i, work), to_marginals(problem.arrays, i, work)):
            assert log_z == pytest.approx(logsumexp(scores), abs=1e-4)
        assert_direction(corpus, i, work, corpus.expected_phi(i, mixes[-1]) - corpus.phi(i, corpus.gold(i)))
    assert_states_equal(state, corpus.state(mixes), 1e-5)


@modest
@given(rough_corpora(), st.sampled_from([0.25, 1.0]))
def test_move_mixes_the_output_in(corpus, step):
    problem, scale, work = corpus.problem, corpus.random_scale(), new_work(corpus.problem.arrays)
    live, is_live = corpus.random_live()
    mixes = [corpus.random_mix(i) for i in range(problem.n)]
    state = corpus.state(mixes)
    i = int(corpus.rng.integers(problem.n))
    output = corpus.random_mix(i)[0][1]
    before = corpus.random_weights()
    after = Weights(*(matrix.copy() for matrix in before))
    corpus.put(work, output)
    direct(problem.arrays, state, i, work)
    move(problem.arrays, after, live, scale, state, i, work, step)
    difference = is_live * (corpus.phi(i, output) - corpus.expected_phi(i, mixes[i]))
    scales = np.concatenate([scale.node, scale.pair])[corpus.owner]
    np.testing.assert_allclose(flat(after), flat(before) - step * scales * difference, atol=1e-5)
    mixes[i] = [*((p * (1 - step), y) for p, y in mixes[i]), (step, output)]
    assert_states_equal(state, corpus.state(mixes))


@settings(max_examples=15)
@given(rough_corpora())
def test_many_moves_keep_weights_and_marginals_in_step(corpus):
    """w_j = scale_j V_j(M) for every live template, exactly the V that gold_minus_expected gathers; others are not touched."""
    problem, scale = corpus.problem, corpus.random_scale()
    live, is_live = corpus.random_live()
    weights, state, work = problem.zeros(), problem.gold_state(), new_work(problem.arrays)
    for _ in range(40):
        i = int(corpus.rng.integers(problem.n))
        score(problem.arrays, corpus.random_weights(), live, i, work, 0.0)
        decode(problem.arrays, i, work, True)
        direct(problem.arrays, state, i, work)
        step = float(corpus.rng.choice([0.0, 1.0, corpus.rng.random()]))
        move(problem.arrays, weights, live, scale, state, i, work, step)
    vector, _ = problem.gold_minus_expected(state)
    scales = np.concatenate([scale.node, scale.pair])[corpus.owner]
    np.testing.assert_allclose(flat(weights), is_live * scales * flat(vector), atol=1e-4)
    words = np.repeat(np.arange(problem.arrays.gold.size), np.diff(problem.arrays.first_arc))
    np.testing.assert_allclose(np.bincount(words, weights=state.arcs.sum(axis=1)), 1, atol=1e-5)


@modest
@given(rough_corpora())
def test_states_as_feature_vectors_and_scores(corpus):
    """Adjointness of scores and features, expected loss, and states used as scores."""
    problem, weights, work = corpus.problem, corpus.random_weights(), new_work(corpus.problem.arrays)
    mixes = [corpus.random_mix(i) for i in range(problem.n)]
    state = corpus.state(mixes)
    theta = TreeState(*(np.zeros_like(array) for array in state))
    for i, mix in enumerate(mixes):
        vector, expected = corpus.random_weights(), corpus.expected_phi(i, mix)
        before = flat(vector)
        score(problem.arrays, weights, problem.all_live(), i, work, 0.0)
        product = sum_state(problem.arrays, vector, state, i, work, 0.5)
        np.testing.assert_allclose(flat(vector), before + 0.5 * expected, atol=1e-5)
        assert product == pytest.approx(flat(weights) @ expected, abs=1e-4)
        before = flat(vector)
        loss = add_marginals(problem.arrays, vector, state, i, 0.5)
        difference = corpus.phi(i, corpus.gold(i)) - expected
        np.testing.assert_allclose(flat(vector), before + 0.5 * difference, atol=1e-5)
        assert loss == pytest.approx(sum(p * corpus.loss(i, y) for p, y in mix), abs=1e-5)
        score(problem.arrays, weights, problem.all_live(), i, work, 1.0)
        add_and_load(problem.arrays, theta, i, work, 0.5)
        for output in corpus.outputs(i):
            wanted = 0.5 * (flat(weights) @ corpus.phi(i, output) + corpus.loss(i, output))
            assert score_in(corpus, i, work, output) == pytest.approx(wanted, abs=1e-4)


@modest
@given(rough_corpora())
def test_stored_outputs(corpus):
    problem, work = corpus.problem, new_work(corpus.problem.arrays)
    arrays, (outputs, n_slots) = problem.arrays, gold_outputs(problem.arrays)
    assert outputs.size == n_slots == arrays.gold.size
    assert not np.shares_memory(outputs, arrays.gold_output)
    stored, chosen = [corpus.gold(i) for i in range(problem.n)], []
    for i in range(problem.n):
        for output in [*corpus.outputs(i)[:20], corpus.random_mix(i)[0][1]]:
            corpus.put(work, output)
            assert store(arrays, i, work, outputs) == (output == stored[i], True)
            stored[i] = output
        chosen.append(output)
    vector, other = problem.zeros(), corpus.random_weights()
    node, pair = np.zeros(problem.blocks.n_node), np.zeros(problem.blocks.pair.size - 1)
    state = problem.gold_state()
    for i in reversed(range(problem.n)):
        load_add_dot(arrays, vector, i, outputs, work, 0.5, other, node, pair)
        assert output_in(corpus, i, work) == chosen[i]
        set_vertex(arrays, state, i, work)
    difference = sum(corpus.phi(i, corpus.gold(i)) - corpus.phi(i, y) for i, y in enumerate(chosen))
    np.testing.assert_allclose(flat(vector), 0.5 * difference, atol=1e-6)
    np.testing.assert_allclose([*node, *pair], sums_by_block(corpus, difference * flat(other)), atol=1e-5)
    assert_states_equal(state, corpus.state([[(1.0, output)] for output in chosen]), 0)


@modest
@given(corpora(), st.sampled_from([1, 2, 5, 40]))
def test_the_k_best_outputs(corpus, k):
    problem, weights, work = corpus.problem, corpus.random_weights(), new_work(corpus.problem.arrays)
    for i in range(problem.n):
        score(problem.arrays, weights, problem.all_live(), i, work, 0.0)
        outputs, scores = kbest(problem.arrays, i, work, k)
        wanted = {y: flat(weights) @ corpus.phi(i, y) for y in corpus.outputs(i)}
        np.testing.assert_allclose(scores, sorted(wanted.values(), reverse=True)[:k], atol=1e-4)
        assert outputs.dtype == np.int32
        assert len({tuple(output) for output in outputs.tolist()}) == len(outputs)
        for output, found in zip(outputs, scores, strict=True):
            take_output(problem.arrays, i, output, work)
            assert wanted[output_in(corpus, i, work)] == pytest.approx(found, abs=1e-4)
