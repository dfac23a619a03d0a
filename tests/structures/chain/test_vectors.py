"""Chains with blocks of real-valued features, explicit and kernelised, against feature vectors summed in plain Python.

A kernelised block is made of positions whose feature vectors are known here: a weight alpha_u in dual coordinates is sum_u alpha_u phi(x_u).
"""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spacy_mtl.kernels import kernel
from spacy_mtl.structures import contract
from spacy_mtl.structures.chain.build import ChainFeatures, chain_lacks, chain_offers, chain_problem
from spacy_mtl.structures.chain.vectors import inner_product, side_by_side
from spacy_mtl.structures.contract import Scale, Weights
from spacy_mtl.structures.problem import Blocks, Problem, block_starts

SEEDS = st.integers(0, 2**32 - 1)
modest = settings(max_examples=50)


@dataclass
class VectorCorpus:
    """A random corpus of templates (``plain``) that has vector blocks too.

    maps: float64[N, d] of each vector block, the features of every position. kernelised: whether the block is known by inner products only.
    """

    plain: object
    problem: Problem
    maps: list
    kernelised: list

    @property
    def arrays(self):
        return self.problem.arrays

    @property
    def n_plain(self) -> int:
        return self.problem.blocks.n_node - len(self.maps)

    def vector_block(self, weights, v):
        """The weights float64[d, L] of vector block v, in the coordinates of ``maps``."""
        at = self.problem.blocks.node[self.n_plain + v : self.n_plain + v + 2]
        rows = weights.node[at[0] : at[1]].astype(float)
        return self.maps[v].T @ rows if self.kernelised[v] else rows

    def explicit(self, weights) -> list:
        """Every block of a weight vector, flat, in explicit coordinates: what :meth:`phi` is multiplied with."""
        blocks, n_plain = self.problem.blocks, self.n_plain
        node = [weights.node[a:b].astype(float).ravel() for a, b in zip(blocks.node, blocks.node[1:], strict=False)]
        pair = [weights.pair[a:b].astype(float).ravel() for a, b in zip(blocks.pair, blocks.pair[1:], strict=False)]
        vectors = [self.vector_block(weights, v).ravel() for v in range(len(self.maps))]
        return [*node[:n_plain], *vectors, *pair]

    def phi(self, i, labels) -> list:
        """Feature vector of one output, block by block."""
        plain, n_plain, n_labels = self.plain.problem, self.n_plain, self.plain.n_labels
        flat = self.plain.phi(i, labels)
        owned = [flat[self.plain.owner == j] for j in range(plain.blocks.n)]
        vectors = []
        for features in self.maps:
            total = np.zeros((features.shape[1], n_labels))
            for k, t in enumerate(self.plain.piece(i)):
                total[:, labels[k]] += features[t]
            vectors.append(total.ravel())
        return [*owned[:n_plain], *vectors, *owned[n_plain:]]

    def expected_phi(self, i, mix) -> list:
        return combine((probability, self.phi(i, labels)) for probability, labels in mix)

    def random_weights(self):
        draw = self.plain.rng.normal
        return Weights(*(draw(size=matrix.shape).astype(np.float32) for matrix in self.problem.zeros()))

    def random_scale(self):
        blocks, rng = self.problem.blocks, self.plain.rng
        return Scale(rng.random(blocks.n_node), rng.random(blocks.pair.size - 1))

    def random_live(self):
        """A random choice of blocks, and the same as 0 or 1 for each."""
        mask = self.plain.rng.random(self.problem.blocks.n) < 0.7
        return self.problem.live(mask), mask.astype(float)


def combine(terms) -> list:
    """sum of amount * vector, block by block."""
    terms = list(terms)
    return [sum(amount * vector[j] for amount, vector in terms) for j in range(len(terms[0][1]))]


def products(left, right) -> np.ndarray:
    """<left_j, right_j> of every block."""
    return np.array([float(x @ y) for x, y in zip(left, right, strict=True)])


def entries_of(features, inner, first_row):
    """For each position: rows and values of its entries, those at 0 left out. inner: kernel values against all positions, or None."""
    table = features if inner is None else inner
    return [(first_row + np.flatnonzero(line), line[line != 0]) for line in table]


def vectors_of(maps, kernelised, first_row):
    """Vectors as training sees them, and the number of rows of each block."""
    lists, own, sizes = [], [], []
    n = maps[0].shape[0]
    for features, hidden in zip(maps, kernelised, strict=True):
        at = first_row + sum(sizes)
        lists.append(entries_of(features, features @ features.T if hidden else None, at))
        own.append(at + np.arange(n) if hidden else np.full(n, -1))
        sizes.append(n if hidden else features.shape[1])
    in_order = [lists[v][t] for t in range(n) for v in range(len(maps))]
    rows = np.concatenate([rows for rows, _ in in_order]).astype(np.int32)
    values = np.concatenate([values for _, values in in_order]).astype(np.float32)
    starts = block_starts([rows.size for rows, _ in in_order])
    return side_by_side(starts, rows, values, np.stack(own, axis=1).astype(np.int32)), sizes


@kernel
def product_of(vectors, t, u, v):
    return inner_product(vectors, t, u, v)


@pytest.mark.parametrize("seed", range(5))
def test_inner_products_of_positions(seed):
    """Of explicit and of kernelised blocks, where a value that is not stored is 0."""
    rng = np.random.default_rng(seed)
    maps = [rng.integers(-2, 3, (7, 3)) * (rng.random((7, 3)) < 0.5).astype(float) for _ in range(2)]
    vectors, _ = vectors_of(maps, [False, True], 4)
    for v, features in enumerate(maps):
        found = [[product_of(vectors, t, u, v) for u in range(7)] for t in range(7)]
        np.testing.assert_allclose(found, features @ features.T)


def vector_corpus(plain, kinds) -> VectorCorpus:
    """``plain`` with a vector block for each kind: "dense", "sparse" or "kernel" (of sparse features, so that kernel values are 0 too)."""
    rng, n = plain.rng, plain.problem.arrays.gold.size
    maps = []
    for kind in kinds:
        features = rng.integers(-2, 3, size=(n, int(rng.integers(1, 5)))).astype(float)
        maps.append(features if kind == "dense" else features * (rng.random(features.shape) < 0.5))
    hidden = [kind == "kernel" for kind in kinds]
    old = plain.problem.blocks
    vectors, sizes = vectors_of(maps, hidden, int(old.node[-1]))
    names = old.names[: old.n_node] + tuple(f"V{v}" for v in range(len(kinds))) + old.names[old.n_node :]
    blocks = Blocks(block_starts([*np.diff(old.node), *sizes]), old.pair, names)
    arrays = plain.problem.arrays._replace(vectors=vectors)
    problem = replace(plain.problem, arrays=arrays, blocks=blocks, lacks=chain_lacks(any(hidden)))
    return VectorCorpus(plain, problem, maps, hidden)


@st.composite
def kinds_of_blocks(draw):
    return draw(st.lists(st.sampled_from(["dense", "sparse", "kernel"]), min_size=1, max_size=3))


given_corpora = given(SEEDS, st.booleans(), kinds_of_blocks())


@kernel
def new_work(problem):
    return contract.new_work(problem)


@kernel
def score_parts(problem, weights, live, i, work):
    contract.score_parts(problem, weights, live, i, work)


@kernel
def score_scaled(problem, weights, live, scale, i, work):
    contract.score_scaled(problem, weights, live, scale, i, work)


@kernel
def output_score(problem, i, outputs, work):
    return contract.stored_score(problem, i, outputs, work)


@kernel
def direct(problem, state, i, work):
    return contract.set_direction(problem, state, i, work)


@kernel
def curvature(problem, live, scale, i, work):
    return contract.curvature(problem, live, scale, i, work)


@kernel
def block_curvatures(problem, live, i, work, node, pair):
    contract.block_curvatures(problem, live, i, work, node, pair)


@kernel
def block_products(problem, vector, live, i, work, node, pair):
    contract.block_products(problem, vector, live, i, work, node, pair)


@kernel
def add_direction(problem, vector, live, scale, i, work, amount):
    contract.add_direction(problem, vector, live, scale, i, work, amount)


@kernel
def move(problem, weights, live, scale, state, i, work, step):
    contract.move(problem, weights, live, scale, state, i, work, step)


@kernel
def add_marginals(problem, vector, state, i, amount):
    contract.add_marginals(problem, vector, state, i, amount)


@kernel
def add_state(problem, vector, state, i, amount):
    contract.add_state(problem, vector, state, i, amount)


@kernel
def dot_state(problem, state, i, work):
    return contract.dot_state(problem, state, i, work)


@kernel
def add_output(problem, vector, i, work, amount):
    contract.add_output(problem, vector, i, work, amount)


@kernel
def dot_output(problem, vector, i, work, node, pair):
    contract.dot_output(problem, vector, i, work, node, pair)


def assert_scores(corpus, i, work, weights, factors):
    """Every allowed output scores sum_j factor_j <w_j, Phi_j>."""
    wanted = corpus.explicit(weights)
    stored = np.zeros(corpus.arrays.gold.size, np.int32)
    for labels in corpus.plain.outputs(i):
        stored[corpus.plain.piece(i)] = labels
        score = factors @ products(wanted, corpus.phi(i, labels))
        assert output_score(corpus.arrays, i, stored, work) == pytest.approx(score, abs=1e-3, rel=1e-5)


def directed(corpus, live=None):
    """A random piece, its scratch space with a direction in it, the state and mixes it starts from, and the direction's features by block."""
    mixes = [corpus.plain.random_mix(i) for i in range(corpus.problem.n)]
    state = corpus.plain.state(mixes)
    i = int(corpus.plain.rng.integers(corpus.problem.n))
    output = corpus.plain.random_mix(i)[0][1]
    work = new_work(corpus.arrays)
    score_parts(corpus.arrays, corpus.random_weights(), corpus.problem.all_live(), i, work)
    work.labels[: output.size] = output
    direct(corpus.arrays, state, i, work)
    difference = combine([(1.0, corpus.phi(i, output)), (-1.0, corpus.expected_phi(i, mixes[i]))])
    return i, work, state, mixes, output, difference


def untouched(problem):
    """Room for a number a block, filled with what no result is."""
    return np.full(problem.blocks.n_node, -77.0), np.full(problem.blocks.pair.size - 1, -77.0)


def assert_blocks(corpus, vector, before, changes, tolerance=1e-4):
    """Block j of the vector has become ``before_j + changes_j``."""
    for found, old, change in zip(corpus.explicit(vector), corpus.explicit(before), changes, strict=True):
        np.testing.assert_allclose(found, old + change, atol=tolerance, rtol=1e-5)


def copied(weights):
    return Weights(*(matrix.copy() for matrix in weights))


@modest
@given_corpora
def test_scores(random_corpus, seed, observed, kinds):
    corpus = vector_corpus(random_corpus(seed, observed), kinds)
    weights, scale = corpus.random_weights(), corpus.random_scale()
    live, is_live = corpus.random_live()
    factors = is_live * np.concatenate([scale.node, scale.pair])
    work = new_work(corpus.arrays)
    for i in range(corpus.problem.n):
        score_parts(corpus.arrays, weights, live, i, work)
        assert_scores(corpus, i, work, weights, is_live)
        score_scaled(corpus.arrays, weights, live, scale, i, work)
        assert_scores(corpus, i, work, weights, factors)


@modest
@given_corpora
def test_curvatures_of_a_direction(random_corpus, seed, observed, kinds):
    corpus = vector_corpus(random_corpus(seed, observed), kinds)
    live, is_live = corpus.random_live()
    scale = corpus.random_scale()
    i, work, *_, difference = directed(corpus)
    norms2 = products(difference, difference)
    node, pair = untouched(corpus.problem)
    block_curvatures(corpus.arrays, live, i, work, node, pair)
    wanted = np.where(is_live > 0, norms2, -77.0)
    np.testing.assert_allclose([*node, *pair], wanted, atol=1e-4, rtol=1e-5)
    bend = curvature(corpus.arrays, live, scale, i, work)
    assert bend == pytest.approx(np.concatenate([scale.node, scale.pair]) @ (is_live * norms2), abs=1e-4, rel=1e-5)


@modest
@given_corpora
def test_products_with_a_direction(random_corpus, seed, observed, kinds):
    corpus = vector_corpus(random_corpus(seed, observed), kinds)
    live, is_live = corpus.random_live()
    vector = corpus.random_weights()
    i, work, *_, difference = directed(corpus)
    node, pair = untouched(corpus.problem)
    block_products(corpus.arrays, vector, live, i, work, node, pair)
    wanted = np.where(is_live > 0, products(corpus.explicit(vector), difference), -77.0)
    np.testing.assert_allclose([*node, *pair], wanted, atol=1e-3, rtol=1e-5)


@modest
@given_corpora
def test_adding_a_direction(random_corpus, seed, observed, kinds):
    corpus = vector_corpus(random_corpus(seed, observed), kinds)
    live, is_live = corpus.random_live()
    scale, vector = corpus.random_scale(), corpus.random_weights()
    before = copied(vector)
    i, work, *_, difference = directed(corpus)
    add_direction(corpus.arrays, vector, live, scale, i, work, -0.5)
    factors = is_live * np.concatenate([scale.node, scale.pair])
    changes = [-0.5 * factor * block for factor, block in zip(factors, difference, strict=True)]
    assert_blocks(corpus, vector, before, changes)


@modest
@given_corpora
def test_moving_weights_and_marginals(random_corpus, seed, observed, kinds):
    corpus = vector_corpus(random_corpus(seed, observed), kinds)
    live, is_live = corpus.random_live()
    scale, weights = corpus.random_scale(), corpus.random_weights()
    before = copied(weights)
    i, work, state, mixes, output, difference = directed(corpus)
    step = float(corpus.plain.rng.choice([0.25, 1.0]))
    move(corpus.arrays, weights, live, scale, state, i, work, step)
    factors = is_live * np.concatenate([scale.node, scale.pair])
    changes = [-step * factor * block for factor, block in zip(factors, difference, strict=True)]
    assert_blocks(corpus, weights, before, changes)
    mixes[i] = [*((p * (1 - step), labels) for p, labels in mixes[i]), (step, output)]
    for found, wanted in zip(state, corpus.plain.state(mixes), strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-6)


@modest
@given_corpora
def test_marginals_and_states_as_weights(random_corpus, seed, observed, kinds):
    corpus = vector_corpus(random_corpus(seed, observed), kinds)
    mixes = [corpus.plain.random_mix(i) for i in range(corpus.problem.n)]
    state = corpus.plain.state(mixes)
    for i, mix in enumerate(mixes):
        vector, other = corpus.random_weights(), corpus.random_weights()
        before, other_before = copied(vector), copied(other)
        add_marginals(corpus.arrays, vector, state, i, 0.5)
        expected = corpus.expected_phi(i, mix)
        assert_blocks(corpus, vector, before, combine([(0.5, corpus.phi(i, corpus.plain.gold(i))), (-0.5, expected)]))
        add_state(corpus.arrays, other, state, i, -0.25)
        assert_blocks(corpus, other, other_before, combine([(-0.25, expected)]))


@modest
@given_corpora
def test_scores_and_states_are_adjoint(random_corpus, seed, observed, kinds):
    """<state, scores under w> = <adjoint of the state, w>, constraints apart."""
    corpus = vector_corpus(random_corpus(seed, observed), kinds)
    mixes = [corpus.plain.random_mix(i) for i in range(corpus.problem.n)]
    state, weights, work = corpus.plain.state(mixes), corpus.random_weights(), new_work(corpus.arrays)
    for i, mix in enumerate(mixes):
        score_parts(corpus.arrays, weights, corpus.problem.all_live(), i, work)
        wanted = products(corpus.explicit(weights), corpus.expected_phi(i, mix)).sum()
        assert dot_state(corpus.arrays, state, i, work) == pytest.approx(wanted, abs=1e-3, rel=1e-5)


@modest
@given_corpora
def test_outputs_as_weights(random_corpus, seed, observed, kinds):
    corpus = vector_corpus(random_corpus(seed, observed), kinds)
    other, work = corpus.random_weights(), new_work(corpus.arrays)
    for i in range(corpus.problem.n):
        vector = corpus.random_weights()
        before = copied(vector)
        output = corpus.plain.random_mix(i)[0][1]
        work.labels[: output.size] = output
        add_output(corpus.arrays, vector, i, work, 0.5)
        difference = combine([(1.0, corpus.phi(i, corpus.plain.gold(i))), (-1.0, corpus.phi(i, output))])
        assert_blocks(corpus, vector, before, combine([(0.5, difference)]))
        node, pair = np.ones(corpus.problem.blocks.n_node), np.ones(corpus.problem.blocks.pair.size - 1)
        dot_output(corpus.arrays, other, i, work, node, pair)
        wanted = 1 + products(corpus.explicit(other), difference)
        np.testing.assert_allclose([*node, *pair], wanted, atol=1e-3, rtol=1e-5)


@modest
@given_corpora
def test_block_norms(random_corpus, seed, observed, kinds):
    corpus = vector_corpus(random_corpus(seed, observed), kinds)
    weights = corpus.random_weights()
    wanted = [np.linalg.norm(block) for block in corpus.explicit(weights)]
    np.testing.assert_allclose(corpus.problem.block_norms(weights), wanted, atol=1e-3, rtol=1e-4)


@modest
@given_corpora
def test_gathered_marginals(random_corpus, seed, observed, kinds):
    corpus = vector_corpus(random_corpus(seed, observed), kinds)
    mixes = [corpus.plain.random_mix(i) for i in range(corpus.problem.n)]
    vector, loss = corpus.problem.gold_minus_expected(corpus.plain.state(mixes))
    gold = [(1.0, corpus.phi(i, corpus.plain.gold(i))) for i in range(corpus.problem.n)]
    expected = [(-1.0, corpus.expected_phi(i, mix)) for i, mix in enumerate(mixes)]
    assert_blocks(corpus, vector, corpus.problem.zeros(), combine(gold + expected))
    losses = [probability * corpus.plain.loss(i, labels) for i, mix in enumerate(mixes) for probability, labels in mix]
    assert loss == pytest.approx(sum(losses), abs=1e-4)


def vectors_alone(kernelised, gold=(0, 1, 1, 0, 2)):
    """A problem without templates over positions that are unit vectors, a block for each entry of ``kernelised``."""
    n = len(gold)
    vectors, sizes = vectors_of([np.eye(n)] * len(kernelised), kernelised, 0)
    nothing = np.empty((n, 0), np.int32)
    blocks = Blocks(block_starts(sizes), np.zeros(1, np.int64), tuple(f"V{v}" for v in range(len(sizes))))
    features = ChainFeatures(nothing, nothing, False, vectors)
    return chain_problem(features, blocks, np.array(gold, np.int32), np.array([0, 2, n]), ["a", "b", "c"])


def test_only_explicit_blocks_offer_features():
    explicit = vectors_alone([False, False])
    assert explicit.offers == chain_offers()
    assert vectors_alone([False, True]).offers == chain_offers() - {"features", "metric"}


def test_chains_without_templates():
    """Unit vectors: a weight of one position alone, with or without its kernel."""
    problem = vectors_alone([False, True])
    vector, loss = problem.gold_minus_expected(problem.gold_state()._replace(nodes=np.zeros((5, 3), np.float32)))
    np.testing.assert_array_equal(vector.node, np.tile(np.eye(3)[[0, 1, 1, 0, 2]], (2, 1)))
    np.testing.assert_allclose(problem.block_norms(vector), [np.sqrt(5)] * 2, rtol=1e-6)
    assert loss == 0
    assert problem.hinges(vector).tolist() == [0, 0]
    assert problem.hinges(problem.zeros()).tolist() == [2, 3]
