"""The n-slack cutting plane: its stop, its best point, how programs grow, what remains after interrupts and when features change."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from spacy_mtl.structures.chain.build import Constraints
from spacy_mtl.trainers.base import fit
from spacy_mtl.trainers.l1m3n import cutting_plane as module
from spacy_mtl.trainers.l1m3n.sparse_lp import SparseLP
from spacy_mtl.trainers.l1m3n.trainer import L1M3N

from ...structures.tree.corpora import random_tree_corpus
from ..l1_reference import cut_elsewhere, flat, solve
from ..reference import LABELS, feature_vector, random_problem

C = 0.4


def trainer(**settings):
    return L1M3N("cutting_plane", C=C, **{"tol": 1e-6, "eps": 1e-4, **settings})


@pytest.mark.parametrize("eps", [0.5, 1e-3])
def test_a_large_eps_leaves_out_no_cut_that_tol_needs(eps):
    problem = random_problem(2, n_sentences=10, observed=True)
    training = fit(trainer(eps=eps), problem, 100)
    assert training.converged
    assert training.report().gap <= 1e-6
    assert training.report().primal == pytest.approx(solve(problem, "cutting_plane", C)[0], rel=2e-6)


def test_a_tol_below_single_precision_ends_with_a_warning():
    with pytest.warns(UserWarning, match="M338"):
        training = fit(trainer(tol=1e-15), random_problem(2, n_sentences=12), 100)
    assert training.ended
    assert not training.converged
    assert training.report().gap < 1e-5


def test_the_best_weights_are_returned():
    best = [np.inf]

    def check(training):
        best.append(training.report().primal)
        assert best[-1] <= best[-2]

    training = fit(trainer(), random_problem(4, n_sentences=12), 100, check)
    assert training.report().primal == pytest.approx(solve(training.problem, "cutting_plane", C)[0], rel=1e-4)


def test_bounds_rise():
    duals = [0.0]

    def check(training):
        duals.append(training.report().dual)
        assert duals[-1] >= duals[-2]

    fit(trainer(), random_problem(4, n_sentences=12), 100, check)
    assert duals[-1] > duals[1]


def optimum_over_cuts(training, gold, phi, loss) -> float:
    """Of the linear program over the rounds of a training and all weights. gold: as stored; phi(i, output as stored); loss(i, output as stored)."""
    arrays, rows, losses = training.problem.arrays, [], []
    for outputs, chosen in training._rounds:
        for i in np.flatnonzero(chosen):
            words = slice(arrays.first[i], arrays.last[i])
            d = phi(i, outputs[words]) - phi(i, gold[words])
            rows.append(np.concatenate([d, -d, -np.eye(training.problem.n)[i]]))
            losses.append(loss(i, outputs[words]))
    n_weights = len(rows[0]) - training.problem.n
    cost = np.concatenate([np.full(n_weights, 0.5), np.full(training.problem.n, C)])
    return linprog(cost, np.stack(rows), -np.array(losses)).fun


@settings(max_examples=15)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_no_weight_of_a_chain_is_missed(seed, observed):
    problem = random_problem(seed, 8, 10, observed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "FIRST", 2)
        training = fit(trainer(), problem, 3)
    gold, first = problem.arrays.gold, problem.arrays.first
    expected = optimum_over_cuts(
        training, gold, lambda i, output: feature_vector(problem, i, output),
        lambda i, output: (output != gold[first[i] : first[i] + output.size]).sum(),
    )  # fmt: skip
    assert training.report().dual == pytest.approx(expected, rel=1e-5)


@settings(max_examples=15)
@given(st.integers(0, 2**32 - 1), st.sampled_from([(1, True), (2, True), (2, False)]))
def test_no_weight_of_a_tree_is_missed(seed, kind):
    n_labels, projective = kind
    corpus = random_tree_corpus(seed, n_labels, projective, True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "FIRST", 2)
        training = fit(trainer(), corpus.problem, 3)
    if not training._rounds:  # no words, or none with a choice
        return
    expected = optimum_over_cuts(
        training, corpus.problem.arrays.gold_output,
        lambda i, output: corpus.phi(i, (output // n_labels, output % n_labels)),
        lambda i, output: corpus.loss(i, (output // n_labels, output % n_labels)),
    )  # fmt: skip
    assert training.report().dual == pytest.approx(expected, rel=1e-5, abs=1e-6)


def watch_pricing(monkeypatch, look: Callable) -> None:
    """look(training, lp) after every look at the weights outside."""
    original = module.NSlackCuttingPlane._priced_in

    def watched(self, lp, alphas, most):
        new = original(self, lp, alphas, most)
        assert new.size <= most
        assert np.intersect1d(new, lp.keys).size == 0
        look(self, lp)
        return new

    monkeypatch.setattr(module.NSlackCuttingPlane, "_priced_in", watched)


def test_the_dual_is_a_lower_bound_while_weights_are_missing(monkeypatch):
    problem = random_problem(4, n_sentences=12, n_templates=10)
    optimum, above, duals = solve(problem, "cutting_plane", C)[0], [], []

    def look(training, lp):
        above.append(lp.solve().value > 1.1 * optimum)
        duals.append(training.report().dual)

    monkeypatch.setattr(module, "FIRST", 1)
    monkeypatch.setattr(module, "GROWTH", 1)
    watch_pricing(monkeypatch, look)
    fit(trainer(), problem, 100)
    assert any(above)
    assert max(duals) <= optimum * (1 + 1e-6)
    assert len(set(duals)) > 10
    assert duals[-1] == pytest.approx(optimum, rel=1e-3)


def test_most_weights_of_the_cuts_stay_outside(monkeypatch):
    """The program holds some more weights than are not zero, and not all that differ in a cut."""
    problem = random_problem(1, n_sentences=12, n_templates=60)
    monkeypatch.setattr(module, "FIRST", 4)
    training = fit(trainer(), problem, 100)
    found = training._entries(*training._rounds[0], np.arange(sum(matrix.size for matrix in training.weights)))
    assert training.report().primal == pytest.approx(solve(problem, "cutting_plane", C)[0], rel=1e-4)
    assert np.count_nonzero(flat(training.weights)) <= training._lp.keys.size < 0.3 * np.unique(found.places).size


def test_outputs_met_before_are_no_new_cuts():
    problem = random_problem(4, n_sentences=12)
    training = fit(trainer(), problem, 100)
    for i in range(problem.n):
        words = slice(problem.arrays.first[i], problem.arrays.last[i])
        outputs = [tuple(outputs[words]) for outputs, chosen in training._rounds if chosen[i]]
        assert len(set(outputs)) == len(outputs)
    assert training._lp.n_cuts == sum(chosen.sum() for _, chosen in training._rounds)


INTERRUPTED = [
    *((SparseLP, name) for name in ("add_cuts", "add_weights", "solve")),
    *((module, name) for name in ("forget_known", "cut_columns", "add_cuts", "largest_entries", "violated_outputs")),
]


@pytest.mark.parametrize(("owner", "name"), INTERRUPTED)
def test_an_interrupt_inside_a_pass_costs_nothing_but_the_pass(monkeypatch, owner, name):
    monkeypatch.setattr(module, "FIRST", 2)
    problem = random_problem(4, n_sentences=12)
    training = fit(trainer(), problem, 1)
    original = getattr(owner, name)

    def interrupted(*arguments):
        original(*arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(owner, name, interrupted)
    before = flat(training.weights)
    with pytest.raises(KeyboardInterrupt):
        training.end_pass()
    monkeypatch.setattr(owner, name, original)
    np.testing.assert_array_equal(flat(training.weights), before)
    assert training.report().primal >= training.report().dual
    while not training.finished:
        training.end_pass()
    assert training.report().primal == pytest.approx(solve(problem, "cutting_plane", C)[0], rel=1e-4)


def test_rebinding_keeps_the_cuts():
    problem = random_problem(4, n_sentences=12)
    training = fit(trainer(), problem, 3)
    n_cuts, report = training._lp.n_cuts, training.report()
    training.rebind(random_problem(4, n_sentences=12), lambda weights: weights)
    assert training._lp.n_cuts == n_cuts
    assert training.report().dual == pytest.approx(report.dual)
    rounds = training.passes
    while not training.finished:
        training.end_pass()
    assert training.passes - rounds < fit(trainer(), problem, 100).passes


def test_outputs_remain_cuts_of_other_pieces_where_they_are_allowed():
    problem = random_problem(5, n_sentences=8)
    gold = problem.arrays.gold
    n = gold.size
    training = fit(trainer(), problem, 2)
    # whatever gold does not do is forbidden from now on
    step = np.zeros((len(LABELS), len(LABELS)), bool)
    step[gold[:-1], gold[1:]] = True
    free = np.ones(len(LABELS), bool)
    other = cut_elsewhere(problem, [0, 2, n - 1, n], Constraints(free, free, step))
    outputs = [outputs for outputs, _ in training._rounds]
    training.recut(other)
    allowed = sum(
        step[kept[a : b - 1], kept[a + 1 : b]].all() and (kept[a:b] != gold[a:b]).any()
        for kept in outputs for a, b in zip(other.arrays.first, other.arrays.last, strict=True)
    )  # fmt: skip
    assert sum(chosen.sum() for _, chosen in training._rounds) == allowed
    assert 0 < allowed < other.n * len(outputs)
    assert training.report().dual > 0
    while not training.finished:
        training.end_pass()
    fresh = fit(trainer(), other, 100)
    assert training.report().primal == pytest.approx(fresh.report().primal, rel=1e-4)


def test_rebinding_keeps_the_best_weights():
    problem = random_problem(4, n_sentences=12)
    training = trainer().begin(problem)
    for _ in range(30):
        training.end_pass()
        before = training.report().primal
        training.rebind(random_problem(4, n_sentences=12), lambda weights: weights)
        report = training.report()
        assert report.primal <= before * (1 + 1e-6)
        norm, hinges = np.abs(flat(training.weights)).sum(), problem.hinges(training.weights).sum()
        assert report.primal == pytest.approx(0.5 * norm + C * hinges, rel=1e-5)
        training.end_pass()
