"""A factor for each single weight in place of one for each template, and directions as sparse vectors, against features summed in plain Python."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_mtl.kernels import kernel
from spacy_mtl.structures import contract
from spacy_mtl.structures.chain.build import ChainFeatures, chain_problem
from spacy_mtl.structures.chain.vectors import side_by_side
from spacy_mtl.structures.contract import Weights
from spacy_mtl.structures.problem import Blocks, block_starts, shares

SEEDS = st.integers(0, 2**32 - 1)
modest = settings(max_examples=60)


@kernel
def new_work(problem):
    return contract.new_work(problem)


@kernel
def direct(problem, weights, state, live, scale, i, work):
    """Inner product of scores and direction, curvature of the direction."""
    contract.score_parts(problem, weights, live, i, work)
    product = contract.set_direction(problem, state, i, work)
    return product, contract.curvature(problem, live, scale, i, work)


@kernel
def move(problem, weights, live, scale, state, i, work, step):
    contract.move(problem, weights, live, scale, state, i, work, step)


@kernel
def entries(problem, state, i, work):
    contract.set_direction(problem, state, i, work)
    return contract.direction_entries(problem, i, work)


def with_vectors(corpus, seed):
    """The same corpus with two blocks of real-valued features besides; some positions have none."""
    rng, n, sizes = np.random.default_rng(seed), len(corpus.features.node), (3, 2)
    borders = corpus.problem.blocks.node[-1] + block_starts(sizes)
    rows = [
        borders[v] + np.flatnonzero(rng.random(size) < 0.7) for _ in range(n) for v, size in enumerate(sizes)
    ]  # fmt: skip
    flat_rows = np.concatenate([*rows, []]).astype(np.int32)
    vectors = side_by_side(
        block_starts([r.size for r in rows]), flat_rows, rng.normal(size=flat_rows.size).astype(np.float32),
        np.full((n, len(sizes)), -1, np.int32),
    )  # fmt: skip
    blocks, old, arrays = corpus.problem.blocks, corpus.features, corpus.problem.arrays
    names = (*blocks.names[: blocks.n_node], "V0", "V1", *blocks.names[blocks.n_node :])
    node = np.concatenate([blocks.node, borders[1:]])
    starts = np.unique([0, *arrays.first[~arrays.open_left], n])  # pieces that begin a sentence, and the end
    problem = chain_problem(
        ChainFeatures(old.node, old.pair, old.observed, vectors), Blocks(node, blocks.pair, names), arrays.gold,
        starts, [f"y{y}" for y in range(corpus.n_labels)], None, corpus.cost,
    )  # fmt: skip
    return replace(corpus, problem=problem), vectors


def phi(corpus, vectors, i, labels):
    """Feature vector of one output with its real-valued features, flat."""
    dense = np.zeros_like(corpus.problem.zeros().node, dtype=float)
    for k, t in enumerate(corpus.piece(i)) if vectors is not None else ():
        for e in range(vectors.starts[2 * t], vectors.starts[2 * t + 2]):
            dense[vectors.rows[e], labels[k]] += vectors.values[e]
    vector = corpus.phi(i, labels)
    vector[: dense.size] += dense.ravel()
    return vector


@pytest.fixture(scope="session", name="some_corpus")
def _some_corpus(random_corpus):
    """A random corpus, its real-valued features or None, and a random metric."""

    def make(seed, observed, real):
        corpus, vectors = (
            with_vectors(random_corpus(seed, observed), seed) if real else (random_corpus(seed, observed), None)
        )
        metric = Weights(*(np.abs(matrix) for matrix in corpus.random_weights()))
        return corpus, vectors, metric

    return make


def mixed(corpus, vectors, mix, i):
    return sum(p * phi(corpus, vectors, i, labels) for p, labels in mix)


@modest
@given(SEEDS, st.booleans(), st.booleans())
def test_curvature_sums_before_squaring_weight_by_weight(some_corpus, flat, seed, observed, real):
    corpus, vectors, metric = some_corpus(seed, observed, real)
    weights, (live, is_live) = corpus.random_weights(), corpus.random_live()
    mixes = [corpus.random_mix(i) for i in range(corpus.problem.n)]
    state, work = corpus.state(mixes), new_work(corpus.problem.arrays)
    for i, mix in enumerate(mixes):
        for output in corpus.outputs(i):
            work.labels[: output.size] = output
            product, curvature = direct(corpus.problem.arrays, weights, state, live, metric, i, work)
            difference = is_live * (phi(corpus, vectors, i, output) - mixed(corpus, vectors, mix, i))
            assert product == pytest.approx(flat(weights) @ difference, abs=1e-4)
            assert curvature == pytest.approx(flat(metric) @ difference**2, rel=1e-4, abs=1e-4)


@modest
@given(SEEDS, st.booleans(), st.booleans())
def test_move_scales_each_weight(some_corpus, flat, seed, observed, real):
    corpus, vectors, metric = some_corpus(seed, observed, real)
    live, is_live = corpus.random_live()
    mixes = [corpus.random_mix(i) for i in range(corpus.problem.n)]
    state, work = corpus.state(mixes), new_work(corpus.problem.arrays)
    i = int(corpus.rng.integers(corpus.problem.n))
    output = corpus.random_mix(i)[0][1]
    before = corpus.random_weights()
    after = Weights(*(matrix.copy() for matrix in before))
    work.labels[: output.size] = output
    direct(corpus.problem.arrays, before, state, live, metric, i, work)
    move(corpus.problem.arrays, after, live, metric, state, i, work, 0.25)
    difference = is_live * (phi(corpus, vectors, i, output) - mixed(corpus, vectors, mixes[i], i))
    np.testing.assert_allclose(flat(after), flat(before) - 0.25 * flat(metric) * difference, atol=1e-4)
    mixes[i] = [*((p * 0.75, y) for p, y in mixes[i]), (0.25, output)]
    np.testing.assert_allclose(state.nodes, corpus.state(mixes).nodes, atol=1e-6)


@modest
@given(SEEDS, st.booleans(), st.booleans())
def test_one_value_in_every_block_is_a_scale(some_corpus, seed, observed, real):
    """Both paths agree where the metric is constant within blocks."""
    corpus, _, metric = some_corpus(seed, observed, real)
    problem, values = corpus.problem, corpus.rng.random(corpus.n_templates)
    for matrix, blocks, factors in zip(
        metric, (problem.blocks.node, problem.blocks.pair), shares(problem, values), strict=True
    ):
        matrix[:] = np.repeat(factors, np.diff(blocks))[:, None]
    weights, live, state = corpus.random_weights(), problem.all_live(), problem.gold_state()
    for i in range(problem.n):
        work, other = new_work(problem.arrays), new_work(problem.arrays)
        work.labels[:] = other.labels[:] = corpus.rng.integers(corpus.n_labels, size=work.labels.size)
        _, by_weight = direct(problem.arrays, weights, state, live, metric, i, work)
        _, by_block = direct(problem.arrays, weights, state, live, shares(problem, values), i, other)
        assert by_weight == pytest.approx(by_block, rel=1e-4, abs=1e-5)


@modest
@given(SEEDS, st.booleans(), st.booleans())
def test_direction_entries(some_corpus, seed, observed, real):
    corpus, vectors, _ = some_corpus(seed, observed, real)
    mixes = [corpus.random_mix(i) for i in range(corpus.problem.n)]
    state, work = corpus.state(mixes), new_work(corpus.problem.arrays)
    for i, mix in enumerate(mixes):
        output = corpus.random_mix(i)[0][1]
        work.labels[: output.size] = output
        node, node_values, pair, pair_values = entries(corpus.problem.arrays, state, i, work)
        dense = [np.zeros(matrix.size) for matrix in corpus.problem.zeros()]
        np.add.at(dense[0], node, node_values)
        np.add.at(dense[1], pair, pair_values)
        difference = phi(corpus, vectors, i, output) - mixed(corpus, vectors, mix, i)
        np.testing.assert_allclose(np.concatenate(dense), difference, atol=1e-5)
        assert node_values.all()
        assert pair_values.all()
