"""Prediction on new arrays against the training's own kernels and enumeration; in pieces as at once; and what is refused."""

from dataclasses import is_dataclass, replace
from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse

from spacy_mtl.kernels import kernel
from spacy_mtl.sequences import Categories, Constraints, KernelBlock, fit, gram, problem_from_arrays
from spacy_mtl.structures import contract
from spacy_mtl.structures.contract import Weights
from spacy_mtl.trainers.mtlstruct.trainer import MTLStruct


@kernel
def decode(problem, weights, live, i, work):
    contract.score_parts(problem, weights, live, i, work)
    return contract.decode(problem, i, work, False)


@kernel
def set_marginals(problem, weights, live, state, i, work):
    contract.score_parts(problem, weights, live, i, work)
    contract.set_marginals(problem, state, i, work)


@kernel
def new_work(problem):
    return contract.new_work(problem)


def blocks_of(data):
    """Every kind of block over some letters."""
    return {
        "dense": data.vectors,
        "near": KernelBlock(data.vectors, "gaussian", sigma2=2.0, normalize=True),
        "codes": Categories(data.columns),
        "sparse": sparse.csr_array(data.vectors * (data.vectors > 0)),
        "square": KernelBlock(sparse.csr_array(data.vectors), "quadratic", offset=1.0, normalize=True),
    }


def random_weights(problem, seed=0):
    rng = np.random.default_rng(seed)
    weights = Weights(*(rng.normal(size=matrix.shape).astype(np.float32) for matrix in problem.zeros()))
    weights.node[problem.blocks.node[-2] :: 2] = 0  # some positions of the last kernel support nothing
    return weights


def constrained():
    allowed = Constraints.none(3)
    allowed.start[2] = allowed.end[1] = allowed.step[0, 2] = False
    return allowed


def allow(data, allowed):
    """Gold that the constraints allow: whatever is not becomes unknown."""
    y, before = [], None
    starts = set(np.cumsum([0, *data.lengths]).tolist())
    for t, label in enumerate(data.y.tolist()):
        first, last = t in starts, t + 1 in starts
        fits = (not first or allowed.start[label]) and (not last or allowed.end[label])
        fits = fits and (first or before is None or allowed.step[before, label])
        before = label if fits else None
        y.append(before)
    return y


@pytest.mark.parametrize("transitions", [True, False])
def test_training_positions_score_as_in_training(letters, transitions):
    """Under any weights, prediction on the training's arrays is the training's own decoding."""
    problem = problem_from_arrays(blocks_of(letters), letters.y, letters.lengths, transitions=transitions)
    weights, arrays = random_weights(problem), problem.arrays
    trained, work, starts = problem.model(weights), new_work(problem.arrays), np.cumsum([0, *letters.lengths])
    scores, labels = trained.scores(blocks_of(letters)), trained.predict(blocks_of(letters), letters.lengths)
    marginals, state = trained.marginals(blocks_of(letters), letters.lengths), problem.gold_state()
    for i, (a, b) in enumerate(pairwise(starts)):
        decode(arrays, weights, problem.all_live(), i, work)
        np.testing.assert_array_equal(labels[a:b], work.labels[: b - a])
        np.testing.assert_allclose(scores[a:b], work.nodes[: b - a], atol=1e-3)
        set_marginals(arrays, weights, problem.all_live(), state, i, work)
    np.testing.assert_allclose(marginals, state.nodes, atol=2e-3)
    np.testing.assert_allclose(marginals.sum(axis=1), 1, atol=1e-4)


def best_by_enumeration(nodes, step, allowed):
    n, n_labels = nodes.shape
    outputs = np.indices([n_labels] * n).reshape(n, -1).T
    fits = allowed.start[outputs[:, 0]] & allowed.end[outputs[:, -1]]
    total = nodes[np.arange(n), outputs].sum(axis=1)
    for t in range(1, n):
        fits &= allowed.step[outputs[:, t - 1], outputs[:, t]]
        total += step[outputs[:, t - 1], outputs[:, t]]
    return outputs[fits][np.argmax(total[fits])]


def test_new_sequences_obey_the_constraints(letters, new_letters):
    allowed = constrained()
    problem = problem_from_arrays(blocks_of(letters), allow(letters, allowed), letters.lengths, constraints=allowed)
    trained = problem.model(random_weights(problem))
    nodes, labels = trained.scores(blocks_of(new_letters)), trained.predict(blocks_of(new_letters), new_letters.lengths)
    a = 0
    for length in new_letters.lengths:
        wanted = best_by_enumeration(nodes[a : a + length].astype(float), trained.step, allowed)
        np.testing.assert_array_equal(labels[a : a + length], wanted)
        a += length


def test_pieces_of_any_size_give_the_same_scores(letters, new_letters, monkeypatch):
    problem = problem_from_arrays(blocks_of(letters), letters.y, letters.lengths)
    trained = problem.model(random_weights(problem))
    whole = trained.scores(blocks_of(new_letters))
    monkeypatch.setattr(gram, "CHUNK", 100)
    np.testing.assert_allclose(trained.scores(blocks_of(new_letters)), whole, atol=1e-4)


def test_labels_come_back_as_they_were_given(letters, new_letters):
    for names in (np.array(["left", "mid", "right"]), np.array([30, -1, 5])):
        problem = problem_from_arrays(letters.vectors, names[letters.y], letters.lengths)
        trained = problem.model(fit(MTLStruct(p=2.0), problem, 5).weights)
        found = trained.predict(new_letters.vectors, new_letters.lengths)
        assert found.dtype.kind == names.dtype.kind
        assert (found == names[new_letters.y]).mean() > 0.8


def test_only_positions_with_weight_are_kept(letters):
    problem = problem_from_arrays(KernelBlock(letters.vectors), letters.y, letters.lengths)
    weights = problem.zeros()
    weights.node[[2, 5]] = 1
    (block,) = problem.model(weights).blocks
    np.testing.assert_array_equal(block.vectors, letters.vectors[[2, 5]])
    nothing = problem.model(problem.zeros())
    assert nothing.blocks[0].n_rows == 0
    assert not nothing.scores(letters.vectors).any()
    assert nothing.predict(letters.vectors, letters.lengths).size == letters.y.size


def test_a_model_does_not_change_with_the_training(letters):
    problem = problem_from_arrays(letters.vectors, letters.y, letters.lengths)
    weights = random_weights(problem)
    trained = problem.model(weights)
    before = trained.scores(letters.vectors)
    weights.node[:] = weights.pair[:] = 0
    np.testing.assert_array_equal(trained.scores(letters.vectors), before)
    assert trained.step.any()


def test_unknown_categories_have_no_weight(letters):
    problem = problem_from_arrays(Categories(letters.columns), letters.y, letters.lengths)
    trained = problem.model(random_weights(problem))
    scores = trained.scores(Categories([[99, -1], [1, 2], [-1, 2]]))
    assert not scores[0].any()
    np.testing.assert_allclose(scores[1] - scores[2], trained.weights[0][1], atol=1e-6)


@pytest.fixture
def trained(letters):
    problem = problem_from_arrays(blocks_of(letters), letters.y, letters.lengths)
    return problem.model(random_weights(problem))


def refused(code, trained, X, lengths):
    for method in (trained.predict, trained.marginals):
        with pytest.raises(ValueError, match=rf"\[{code}\]") as error:
            method(X, lengths)
    return str(error.value)


def test_no_positions_have_no_labels(trained, new_letters):
    none = {
        name: replace(value, **{of: getattr(value, of)[:0] for of in ("vectors", "columns") if hasattr(value, of)})
        if is_dataclass(value)
        else value[:0]
        for name, value in blocks_of(new_letters).items()
    }
    labels = trained.predict(none, [])
    assert (labels.size, labels.dtype) == (0, trained.labels.dtype)
    assert trained.marginals(none, np.array([], int)).shape == (0, trained.labels.size)
    refused("M220", trained, none, [1])


def test_new_arrays_that_do_not_fit(trained, new_letters):
    X, lengths = blocks_of(new_letters), new_letters.lengths
    n = new_letters.y.size
    less = {name: value for name, value in X.items() if name != "near"}
    assert "Block 'near'" in refused("M232", trained, less, lengths)
    assert "Block 'other'" in refused("M232", trained, {**X, "other": X["dense"]}, lengths)
    assert "Block 'other'" in refused("M232", trained, {**less, "other": X["near"]}, lengths)
    refused("M232", trained, X["dense"], lengths)
    for name, value in (
        ("dense", X["near"]),
        ("dense", X["codes"]),
        ("near", X["codes"]),
        ("codes", new_letters.columns),
        ("near", KernelBlock(new_letters.vectors, "gaussian", sigma2=3.0, normalize=True)),
        ("near", KernelBlock(new_letters.vectors, "gaussian", sigma2=2.0)),
        ("near", KernelBlock(new_letters.vectors, lambda a, b: a @ b.T)),
    ):
        assert f"'{name}'" in refused("M232", trained, {**X, name: value}, lengths)
    for name, value in (
        ("dense", X["dense"][:, 1:]),
        ("near", X["dense"][:, 1:]),
        ("sparse", X["sparse"][:, 1:]),
        ("codes", Categories(new_letters.columns[:, :1])),
    ):
        assert f"'{name}'" in refused("M233", trained, {**X, name: value}, lengths)
    assert "'near'" in refused("M222", trained, {**X, "near": X["dense"][1:]}, lengths)
    assert f"positions, {n}" in refused("M220", trained, X, lengths[1:])
    bad = new_letters.vectors.copy()
    bad[2, 2] = np.inf
    assert "'near'" in refused("M223", trained, {**X, "near": bad}, lengths)


def test_vectors_are_enough_where_training_had_a_kernel(trained, new_letters):
    X = blocks_of(new_letters)
    plain = {**X, "near": new_letters.vectors, "square": new_letters.vectors}
    np.testing.assert_allclose(trained.scores(plain), trained.scores(X), atol=1e-4)


def test_a_width_found_in_training_need_not_be_given_again(letters, new_letters):
    problem = problem_from_arrays(KernelBlock(letters.vectors, "b1_spline"), letters.y, letters.lengths)
    trained = problem.model(random_weights(problem))
    found = trained.blocks[0].kernel.h
    wanted = trained.scores(new_letters.vectors)
    for h in (None, found):
        np.testing.assert_array_equal(trained.scores(KernelBlock(new_letters.vectors, "b1_spline", h=h)), wanted)
    refused("M232", trained, KernelBlock(new_letters.vectors, "b1_spline", h=2 * found), new_letters.lengths)
