"""The n-slack cutting plane: its stop, its best point, what remains after interrupts and when features or borders change."""

import numpy as np
import pytest

from spacy_mtl.structures.chain_build import Constraints
from spacy_mtl.trainers import l1m3n_cutting_plane as module
from spacy_mtl.trainers.base import fit
from spacy_mtl.trainers.l1m3n import L1M3N
from spacy_mtl.trainers.optim.sparse_lp import SparseLP

from .l1_reference import cut_elsewhere, flat, solve
from .reference import LABELS, random_problem

C = 0.4


def trainer(**settings):
    return L1M3N("cutting_plane", C=C, **{"tol": 1e-9, "eps": 1e-4, **settings})


@pytest.mark.parametrize("eps", [0.5, 1e-3])
def test_it_stops_when_no_sentence_is_violated_by_more_than_eps(eps):
    problem = random_problem(2, n_sentences=10, observed=True)
    training = fit(trainer(eps=eps), problem, 100)
    assert training.converged
    report = training.report()
    assert report.primal - report.dual <= C * problem.n * eps + 1e-6


def test_an_eps_below_single_precision_ends_too():
    training = fit(trainer(eps=1e-12, tol=1e-15), random_problem(2, n_sentences=12), 100)
    assert training.converged


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


def test_only_weights_of_cuts_have_variables():
    training = fit(trainer(), random_problem(1), 1)
    keys = np.unique(np.concatenate([cut.keys for cut in training._cuts(*training._rounds[0])]))
    assert training._lp._keys.tolist() == keys.tolist()
    assert keys.size < sum(matrix.size for matrix in training.weights)


@pytest.mark.parametrize(("owner", "name"), [(SparseLP, "add"), (SparseLP, "solve"), (module, "violated_outputs")])
def test_an_interrupt_inside_a_pass_costs_nothing_but_the_pass(monkeypatch, owner, name):
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
    while not training.converged:
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
    while not training.converged:
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
    while not training.converged:
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
