"""The 1-slack cutting plane: what remains after interrupts, and when sentences are cut elsewhere."""

import functools

import numpy as np
import pytest

from spacy_mtl.structures import problem as structures
from spacy_mtl.structures.chain.build import ChainFeatures, Constraints, chain_problem
from spacy_mtl.structures.problem import Blocks
from spacy_mtl.trainers.base import fit
from spacy_mtl.trainers.mtlstruct import cutting_plane as module
from spacy_mtl.trainers.mtlstruct.trainer import MTLStruct

from ..l1_reference import cut_elsewhere
from ..reference import LABELS, random_problem

C = 0.7


def trainer(p=1.0, **settings):
    return MTLStruct(p=p, C=C, solver="cutting_plane", **{"tol": 2e-5, **settings})


def check_report(training, p):
    """True of the weights one would predict with."""
    report, weights = training.report(), training.weights
    norms = training.problem.block_norms(weights)
    hinges = training.problem.hinges(weights).sum()
    assert report.primal == pytest.approx(0.5 * np.linalg.norm(norms, p) ** 2 + C * hinges, rel=1e-4)
    assert report.dual <= report.primal * (1 + 1e-5)


@functools.cache
def optimum_of(p):
    return fit(trainer(p), random_problem(1), 500).report()


@pytest.mark.parametrize("p", [4 / 3, 2.0])
@pytest.mark.parametrize(
    ("owner", "kernel", "call"),
    [
        (module, "most_violated", 0),
        (module, "dot_cut", 0),
        (module, "solve_subproblem", 0),
        (module, "add_cut", 1),
        (module, "add_cut", 2),
        (structures, "_scale_blocks", 0),
    ],
)
def test_an_interrupt_inside_a_pass_leaves_no_torn_weights(monkeypatch, owner, kernel, call, p):
    """Ctrl-C arrives when a kernel returns, here the first or a later one of a pass."""
    problem = random_problem(1)
    training, optimum = fit(trainer(p), problem, 4), optimum_of(p)
    original, calls = getattr(owner, kernel), []

    def interrupted(*arguments, **named):
        calls.append(kernel)
        result = original(*arguments, **named)
        if len(calls) > call:
            raise KeyboardInterrupt
        return result

    training._found = None
    monkeypatch.setattr(owner, kernel, interrupted)
    with pytest.raises(KeyboardInterrupt):
        training.end_pass()
    monkeypatch.setattr(owner, kernel, original)
    check_report(training, p)
    assert training.report().dual <= optimum.primal
    for _ in range(200):
        training.end_pass()
        check_report(training, p)
        if training.converged:
            break
    assert training.report().primal == pytest.approx(optimum.primal, rel=1e-4)


def test_outputs_that_new_pieces_forbid_become_gold():
    problem = random_problem(5, n_sentences=8)
    gold, n = problem.arrays.gold, problem.arrays.gold.size
    training = fit(trainer(), problem, 3)
    # whatever gold does not do is forbidden from now on
    step, free = np.zeros((len(LABELS), len(LABELS)), bool), np.ones(len(LABELS), bool)
    step[gold[:-1], gold[1:]] = True
    other = cut_elsewhere(problem, [0, 2, n - 1, n], Constraints(free, free, step))
    before = training._cuts
    training.recut(other)
    assert len(training._cuts) == len(before)
    n_gold = 0
    for old, new, loss in zip(before, training._cuts, training._losses, strict=True):
        assert loss == (new != gold).sum()
        for a, b in zip(other.arrays.first, other.arrays.last, strict=True):
            allowed = step[old[a : b - 1], old[a + 1 : b]].all()
            np.testing.assert_array_equal(new[a:b], old[a:b] if allowed else gold[a:b])
            n_gold += not allowed
    assert n_gold
    optimum = fit(trainer(), other, 500).report().primal
    assert 0 < training.report().dual <= optimum
    check_report(training, 1.0)
    for _ in range(200):
        training.end_pass()
    assert training.report().primal == pytest.approx(optimum, rel=1e-4)


def test_a_report_has_plain_numbers():
    report = fit(trainer(), random_problem(0), 3).report()
    assert "np." not in repr(report)


def test_without_cuts_the_weights_are_zero():
    """Gold is all that is allowed: its cut is idle, and dropped."""
    arrays, blocks = random_problem(1).arrays, random_problem(1).blocks
    n, only = arrays.gold.size, np.array([True, False, False])
    features = ChainFeatures(arrays.rows, arrays.pair_rows, arrays.observed)
    allowed = Constraints(only, only, np.outer(only, only))
    problem = chain_problem(features, blocks, np.zeros(n, np.int32), np.array([0, n]), LABELS, allowed)
    training = fit(trainer(max_idle=1), problem, 2)
    assert not training._cuts
    assert not training.weights.node.any()
    assert training.report().primal == 0


@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
def test_short_cuts_are_not_swallowed_by_long_ones(order):
    """At a large exponent a block's weights may come from cuts a billionth as long as another one, which adds and takes away the same there."""
    one, every = np.zeros((3, 1), np.int32), Constraints.none(len(LABELS))
    blocks, gold = Blocks(np.array([0, 1]), np.array([0, 1]), ("t", "B")), np.array([0, 1, 2], np.int32)
    problem = chain_problem(ChainFeatures(one, one, False), blocks, gold, np.array([0, 3]), LABELS, every)
    training = trainer(p=100.0).begin(problem)
    outputs, lengths = np.array([[1, 2, 0], [0, 0, 2]], np.int32)[order], np.array([0.3, 1e-19])[order]
    for output in outputs:
        training._add(output, 1.0)
    training._alpha, training.mu, training._torn = lengths, np.array([1e19, 1.0]), True
    np.testing.assert_allclose(training.weights.node, [[-1, 1, 0]], rtol=1e-6)


@pytest.mark.parametrize("max_idle", [1, 3])
def test_small_multipliers_hold_their_cuts_at_a_gigantic_constant(max_idle):
    """Where all margins can be kept, multipliers do not grow with C: a share of C is no measure of whether a cut is idle."""
    problem = random_problem(1)
    training = fit(MTLStruct(2.0, 1e9, "cutting_plane", max_idle=max_idle), problem, 200)
    report = training.report()
    assert training.converged
    assert len(training._cuts) > 5
    assert problem.hinges(training.weights).sum() < 1e-6
    assert report.dual == pytest.approx(0.70763, rel=1e-3)
