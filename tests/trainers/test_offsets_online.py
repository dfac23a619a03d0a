"""Online trainers and StructReg in addition to constant scores (offsets): the same steps as with dense vectors over all outputs, and the optimum of
the pieces that a sentence has been cut into, by cvxpy."""

from itertools import product

import cvxpy as cp
import numpy as np
import pytest

from spacy_mtl.trainers.base import fit
from spacy_mtl.trainers.mtlstruct.trainer import MTLStruct
from spacy_mtl.trainers.online.mira import MIRA
from spacy_mtl.trainers.online.perceptron import Perceptron
from spacy_mtl.trainers.online_mkl.trainer import OnlineMKL
from spacy_mtl.trainers.structreg import StructReg

from ..structures.offsets import give_chain, tree_with_offset
from ..structures.tree.corpora import random_tree_corpus
from .online.test_mira import all_outputs, dense, least_change, margins
from .online_mkl.reference_groups import Dense, flat, kinds, outputs_of, untied_problem
from .reference import LABELS, block_slices, feature_vector, random_problem
from .test_structreg import long_problem


def chain_rows(problem, given) -> list:
    """For each sentence: Phi(gold) - Phi(y), loss, and what the offset gives y more than gold, of every output y."""
    rows = []
    for i in range(problem.n):
        outputs = all_outputs(problem, i)
        base = np.array([given.more_than_gold(i, y) for y in outputs])
        rows.append((*margins(problem, i, outputs), base))
    return rows


def tree_rows(corpus, given) -> list:
    rows = []
    for i in range(corpus.problem.n):
        outputs, gold = corpus.outputs(i), corpus.phi(i, corpus.gold(i))
        differences = np.stack([gold - corpus.phi(i, y) for y in outputs])
        losses = np.array([corpus.loss(i, y) for y in outputs])
        rows.append((differences, losses, np.array([given.more_than_gold(i, y) for y in outputs])))
    return rows


def chain(seed, observed):
    problem = random_problem(seed, n_sentences=7, observed=observed)
    given = give_chain(problem, seed, 1.5)
    return given.problem, chain_rows(problem, given)


def tree(seed, second_order):
    corpus = random_tree_corpus(seed, 2, True, True, second_order, 3)
    given = tree_with_offset(corpus, seed, 1.5)
    return given.problem, tree_rows(corpus, given)


CASES = [
    (make, seed, more) for make, seeds in ((chain, (1, 2)), (tree, (4, 7))) for seed in seeds for more in (False, True)
]


@pytest.mark.parametrize("margin", [False, True])
@pytest.mark.parametrize(("make", "seed", "more"), CASES)
def test_the_perceptron_adds_constant_scores_in_decoding(make, seed, more, margin):
    problem, rows = make(seed, more)
    training = Perceptron(margin=margin, seed=0).begin(problem)
    w, total = np.zeros(rows[0][0].shape[1]), 0.0
    for i in [*range(problem.n)] * 4:
        differences, losses, base = rows[i]
        scores = base - differences @ w + (losses if margin else 0)
        steps = (losses > 0)[:, None] * differences  # an output may cost nothing and not be gold
        training.step(np.array([i]))
        found = dense(training._state.w) - w
        fits = [y for y in np.flatnonzero(scores > scores.max() - 1e-6) if np.allclose(steps[y], found)]
        assert fits  # of outputs that are equally good, any may be decoded
        w, total = w + steps[fits[0]], total + losses[fits[0]]
    training.end_pass()
    assert training.loss == pytest.approx(total)
    assert total > 0


@pytest.mark.parametrize("augmented", [False, True])
@pytest.mark.parametrize("C", [0.05, 10.0])
@pytest.mark.parametrize(("make", "seed", "more"), CASES)
def test_mira_makes_the_least_change_that_outweighs_constant_scores(make, seed, more, C, augmented):
    problem, rows = make(seed, more)
    most = max(losses.size for _, losses, _ in rows)
    training = MIRA(k=most, C=C, augmented=augmented).begin(problem)
    w, hinges = np.zeros(rows[0][0].shape[1]), 0.0
    for i in [*range(problem.n), *range(problem.n)]:
        differences, losses, base = rows[i]
        hinges += (losses + base - differences @ w).max()
        training.step(np.array([i]))
        w = least_change(w, differences, losses + base, C)
        np.testing.assert_allclose(dense(training._state.w), w, atol=1e-3)
    training.end_pass()
    assert training.loss == pytest.approx(hinges, abs=1e-2)


class DenseOffset(Dense):
    """With constant scores. bases: float64[Y] of each sentence."""

    bases: list

    def gradient(self, i):
        differences, losses = self.outputs[i]
        scores = differences @ self.theta + self.bases[i]
        if self.settings.loss == "hinge":
            worst = np.argmax(scores + losses)
            return differences[worst], scores[worst] + losses[worst]
        probability = np.exp(scores - scores.max())
        return probability @ differences / probability.sum(), scores.max() + np.log(probability.sum())


@pytest.mark.parametrize("observed", [False, True])
@pytest.mark.parametrize("loss", ["hinge", "log"])
@pytest.mark.parametrize("settings", [{"regularizer": "l2"}, {"regularizer": "l21", "transition": "learned"}], ids=str)
def test_online_mkl_does_what_dense_vectors_do(settings, loss, observed):
    problem = untied_problem(1, observed, 12)
    given = give_chain(problem, 1, 1.5)
    ours = OnlineMKL(C=0.1, loss=loss, **settings).begin(given.problem)
    outputs = [outputs_of(problem, i) for i in range(problem.n)]
    plain = DenseOffset(ours.settings, outputs, *kinds(problem, ours.settings.transition))
    plain.bases = [np.array([given.more_than_gold(i, y) for y in all_outputs(problem, i)]) for i in range(problem.n)]
    for i in np.random.default_rng(0).integers(0, problem.n, 200):
        ours.take(given.problem, np.array([i]))
        found = plain.step(i)
        assert ours._pass_loss == pytest.approx(found, rel=1e-5, abs=1e-4)
        ours._pass_loss = 0.0
        most = max(abs(plain.weights).max(), 1e-3)
        np.testing.assert_allclose(flat(ours.current_weights()), plain.weights, atol=2e-5 * most)


def piece_rows(problem, given, cut) -> list:
    """Of every output of every piece: Phi(y) - Phi(gold), and its loss, to which the constant scores within the piece are added.

    problem: whole sentences with the offset ``given``, which have observed pairs. cut: the same in pieces.
    """
    rows, arrays = [], cut.arrays
    for i in range(cut.n):
        begin, end = int(arrays.first[i]), int(arrays.last[i])
        gold = problem.arrays.gold[begin:end]

        def offset(labels, begin=begin):
            total = sum(float(given.offset.nodes[begin + t, y]) for t, y in enumerate(labels))
            observed = given.offset.pairs.shape[0] > 1
            pairs = zip(range(1, len(labels)), labels, labels[1:], strict=False)
            return total + sum(float(given.offset.pairs[begin + t if observed else 0, a, b]) for t, a, b in pairs)

        outputs = list(product(range(len(LABELS)), repeat=gold.size))
        truth = feature_vector(cut, i, gold)
        loss = np.array([np.sum(np.array(y) != gold) + offset(y) - offset(gold) for y in outputs])
        rows.append((np.stack([feature_vector(cut, i, y) - truth for y in outputs]), loss))
    return rows


@pytest.mark.parametrize("observed", [False, True])
@pytest.mark.parametrize("solver", ["dual_ascent", "cutting_plane"])
def test_structreg_reaches_the_optimum_of_its_pieces(solver, observed):
    """Scores of label pairs across a cut do not count, neither those of weights nor constant ones."""
    problem = long_problem(1) if observed else random_problem(1, n_sentences=6)
    given, C = give_chain(problem, 1, 1.5), 0.7
    settings = StructReg(MTLStruct(p=2.0, C=C, tol=1e-4, solver=solver), size=1.6, redraw=0)
    training = fit(settings, given.problem, 400)
    cut = training.inner.problem
    assert cut.n > problem.n
    rows = piece_rows(problem, given, cut)
    w = cp.Variable(block_slices(problem)[-1].stop)
    hinges = [cp.max(differences @ w + loss) for differences, loss in rows]
    best = cp.Problem(cp.Minimize(0.5 * cp.sum_squares(w) + C * sum(hinges))).solve(solver=cp.CLARABEL)
    report = training.report()
    assert training.converged
    assert report.dual <= best * (1 + 1e-6)
    assert best * (1 - 1e-6) <= report.primal <= best * (1 + 2e-4)


@pytest.mark.parametrize("observed", [False, True])
def test_structreg_of_the_perceptron_decodes_its_pieces_with_their_constant_scores(observed):
    """Each step of the training within is one of the perceptron on the piece that was cut."""
    problem = long_problem(2) if observed else random_problem(2, n_sentences=6)
    given = give_chain(problem, 2, 1.5)
    training = StructReg(Perceptron(), size=1.6, seed=1).begin(given.problem)
    w, learn = np.zeros(block_slices(problem)[-1].stop), training.inner.take
    changed = 0

    def take(cut, order):
        nonlocal w, changed
        rows = piece_rows(problem, given, cut)
        for i in order:
            differences, loss = rows[i]
            gold = cut.arrays.gold[cut.arrays.first[i] : cut.arrays.last[i]]
            costs = np.array([np.sum(np.array(y) != gold) for y in product(range(len(LABELS)), repeat=gold.size)])
            best = int(np.argmax(differences @ w + loss - costs))
            w, changed = w - differences[best], changed + bool(costs[best])
        learn(cut, order)
        np.testing.assert_allclose(flat(training.inner._state.w), w, atol=1e-6)

    training.inner.take = take
    for _ in range(4):
        training.step(np.arange(problem.n))
        training.end_pass()
    assert changed > 3
