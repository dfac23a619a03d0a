"""MTLstruct: both solvers against cvxpy over all outputs, their certificates, and their settings."""

import dataclasses
import functools

import numpy as np
import pytest

from spacy_mtl.structures import problem as structures
from spacy_mtl.trainers.base import fit
from spacy_mtl.trainers.mtlstruct import dual_ascent
from spacy_mtl.trainers.mtlstruct.trainer import MTLStruct, mtl_struct, ssvm
from spacy_mtl.trainers.shared.mixture import gather
from spacy_mtl.trainers.structreg import StructReg

from ..reference import random_problem, solve_primal

EXPONENTS = [1.0, 4 / 3, 2.0, 4.0, 100.0]
C = 0.7


@functools.cache
def reference(seed: int, p: float):
    problem = random_problem(seed, observed=seed == 2)
    return problem, *solve_primal(problem, p, C)


def template_weights(norms: np.ndarray, p: float) -> np.ndarray:
    """mu at an optimum from its block norms, mu_j ~ ||w_j||^{2-p}, normalised to sum 1; blocks at 0 have mu 0 where p < 2."""
    ratio = norms / norms.max()
    live = ratio > 1e-4
    mu = np.zeros_like(ratio)
    mu[live] = ratio[live] ** (2 - p)
    return mu / mu.sum()


@pytest.mark.filterwarnings("ignore:pnorm with p")
@pytest.mark.filterwarnings("ignore:.*M332")
@pytest.mark.parametrize("p", EXPONENTS)
@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("solver", ["dual_ascent", "cutting_plane"])
def test_both_solvers_reach_the_optimum(solver, seed, p):
    problem, optimum, norms = reference(seed, p)
    training = fit(MTLStruct(p=p, C=C, solver=solver, tol=2e-5), problem, 8000)
    report = training.report()
    assert training.converged
    assert report.primal == pytest.approx(optimum, rel=1e-4)
    assert report.dual <= optimum * (1 + 1e-5)
    assert report.gap == pytest.approx((report.primal - report.dual) / report.primal)
    assert report.gap <= 1e-4
    mu = training.template_weights
    np.testing.assert_allclose(mu / mu.sum(), template_weights(norms, p), atol=1e-2)


@pytest.mark.parametrize("solver", ["dual_ascent", "cutting_plane"])
@pytest.mark.parametrize("p", [1.0, 2.0])
def test_report_is_true_of_the_weights(solver, p):
    """primal is the objective of the weights one would predict with; dual bounds the optimum; at every pass."""
    problem, optimum, _ = reference(1, p)

    def check(training):
        report, weights = training.report(), training.weights
        norms = problem.block_norms(weights)
        objective = 0.5 * np.sum(norms**p) ** (2 / p) + C * problem.hinges(weights).sum()
        assert report.primal == pytest.approx(objective, rel=1e-4)
        assert report.primal >= optimum * (1 - 1e-6)
        assert report.dual <= optimum * (1 + 1e-6)

    fit(MTLStruct(p=p, C=C, solver=solver, tol=1e-5), problem, 12, check)


def test_template_selection_leaves_dead_templates_out():
    training = fit(MTLStruct(p=1.0, C=C, tol=1e-5), random_problem(0), 2000)
    report = training.report()
    assert report.live_templates < report.n_templates
    assert report.live_templates == int((training.template_weights > 1e-5).sum())


def test_the_dual_never_falls_at_fixed_template_weights():
    duals = []
    fit(MTLStruct(p=2.0, C=C, tol=1e-9), random_problem(3), 30, lambda training: duals.append(training.report().dual))
    assert np.all(np.diff(duals) >= -1e-6)


def test_averaging_predicts_with_the_mean_of_the_last_passes():
    """The plain mean of all passes so far; from pass ``average`` on, each new one counts 1 / average."""
    problem, plain, means = random_problem(1), [], []
    fit(MTLStruct(C=C, tol=1e-9), problem, 8, lambda training: plain.append(training.weights.node.astype(float)))
    keep = lambda training: means.append(training.weights.node.astype(float))  # noqa: E731
    training = fit(MTLStruct(C=C, tol=1e-9, average=4), problem, 8, keep)
    for passes in range(1, 5):
        np.testing.assert_allclose(means[passes - 1], np.mean(plain[:passes], axis=0), rtol=1e-4, atol=1e-6)
    for passes in range(5, 9):
        np.testing.assert_allclose(
            means[passes - 1], 0.75 * means[passes - 2] + 0.25 * plain[passes - 1], rtol=1e-4, atol=1e-6
        )
    assert np.abs(means[7] - plain[7]).max() > 0.01
    norms = problem.block_norms(training.weights)
    objective = 0.5 * norms.sum() ** 2 + C * problem.hinges(training.weights).sum()
    assert training.report().primal == pytest.approx(objective, rel=1e-5)


def test_inner_passes_are_passes():
    problem = random_problem(1)
    one, three = fit(MTLStruct(C=C, tol=1e-9), problem, 6), fit(MTLStruct(C=C, tol=1e-9, inner_passes=3), problem, 6)
    assert one.passes == three.passes == 6
    assert fit(MTLStruct(C=C, tol=1e-9, inner_passes=4), problem, 6).passes == 8  # the inner ones are run to their end
    np.testing.assert_array_equal(one.weights.node, three.weights.node)


def test_a_converged_training_stays_as_it_is():
    training = fit(MTLStruct(C=C, tol=0.05), random_problem(1), 500)
    assert training.converged
    before = training.weights.node.copy()
    training.end_pass()
    np.testing.assert_array_equal(training.weights.node, before)


@pytest.mark.parametrize("solver", ["dual_ascent", "cutting_plane"])
@pytest.mark.filterwarnings("ignore:.*M331")
def test_rebinding_to_the_same_features_changes_nothing(solver):
    problem = random_problem(1)
    settings = MTLStruct(C=C, tol=1e-9, solver=solver)
    straight, rebound = settings.begin(problem), settings.begin(problem)
    for _ in range(5):
        straight.end_pass()
        rebound.end_pass()
        rebound.rebind(random_problem(1), lambda weights: weights)
    assert rebound.report().primal == pytest.approx(straight.report().primal, rel=1e-4)


def test_cvxpy_subproblem_gives_the_same_optimum():
    problem, optimum, _ = reference(0, 1.0)
    training = fit(MTLStruct(C=C, solver="cutting_plane", subproblem="cvxpy:CLARABEL", tol=1e-5), problem, 200)
    assert training.report().primal == pytest.approx(optimum, rel=1e-4)


@pytest.mark.parametrize(("owner", "function"), [(dual_ascent, "gather"), (structures, "_scale_blocks")])
def test_an_interrupt_inside_a_pass_leaves_no_torn_weights(monkeypatch, owner, function):
    """Ctrl-C arrives when a function returns: the weights may then be half rewritten, and are made anew before anyone sees them."""
    training = fit(MTLStruct(C=C, tol=1e-9), random_problem(1), dual_ascent.REVIVAL)
    original = getattr(owner, function)

    def interrupted(*arguments, **named):
        original(*arguments, **named)
        raise KeyboardInterrupt

    monkeypatch.setattr(owner, function, interrupted)
    with pytest.raises(KeyboardInterrupt):
        training.end_pass()
    monkeypatch.setattr(owner, function, original)
    vector = training.problem.zeros()
    gather(training.problem, training._atoms, vector, C * training.template_weights)
    np.testing.assert_allclose(training.weights.node, vector.node, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(training.weights.pair, vector.pair, rtol=1e-4, atol=1e-6)


def test_a_template_that_was_dropped_comes_back_if_it_pulls():
    """The features of a dropped template change (an attribute that is set while training) and now tell the label: the optimum needs it."""
    problem = random_problem(5, n_sentences=8)
    rows = problem.arrays.rows.copy()
    rows[:, 3] = problem.blocks.node[3]  # at first the last template sees the same everywhere
    dull = random_problem(5, n_sentences=8)
    dull = dataclasses.replace(dull, arrays=dull.arrays._replace(rows=rows))
    telling = rows.copy()
    telling[:, 3] += problem.arrays.gold
    bright = dataclasses.replace(dull, arrays=dull.arrays._replace(rows=telling))
    training = fit(MTLStruct(C=C, tol=1e-9), dull, 300)
    assert training.template_weights[3] == 0
    training.rebind(bright, lambda weights: weights)
    for _ in range(300):
        training.end_pass()
    optimum, norms = solve_primal(bright, 1.0, C)
    assert norms[3] > 0.1 * norms.sum()
    assert training.report().primal == pytest.approx(optimum, rel=1e-3)


@pytest.mark.parametrize("p", [2.0, 4.0])
def test_a_template_that_had_no_features_learns_once_it_has_some(p):
    """As one about an attribute that is not set before another component is there."""
    whole = random_problem(1)
    rows = np.where(np.arange(4) < 3, whole.arrays.rows, -1).astype(np.int32)
    blocks = dataclasses.replace(whole.blocks, node=np.minimum(whole.blocks.node, whole.blocks.node[3]))
    without = dataclasses.replace(whole, arrays=whole.arrays._replace(rows=rows), blocks=blocks)
    settings = MTLStruct(p=p, C=C, tol=1e-9)
    training = settings.begin_after(fit(settings, without, 5))
    for k in range(20):
        if k == 5:
            training.rebind(whole, lambda weights: weights)
        training.end_pass()
    vector = whole.zeros()
    assert gather(whole, training._atoms, vector, C * training.template_weights)[3] > 0
    assert training.template_weights[3] > 0
    np.testing.assert_allclose(training.weights.node, vector.node, rtol=1e-4, atol=1e-6)


@pytest.mark.filterwarnings("ignore:.*M331")
def test_cuts_are_dropped_once_they_have_been_idle_long_enough():
    """A cut leaves the working set after ``max_idle`` rounds in a row without a multiplier, neither earlier nor later."""
    most, seen, dropped = 3, {}, []

    def check(training):
        here = {id(cut): (cut, alpha) for cut, alpha in zip(training._cuts, training._alpha, strict=True)}
        dropped.extend(seen.pop(key)[1] for key in [*seen] if key not in here)
        for key, (cut, alpha) in here.items():  # the cut itself is kept, too, so that no other gets its id
            seen[key] = cut, [*(seen[key][1] if key in seen else []), float(alpha)]
        assert all(max(alphas[-most:]) > 0 for _, alphas in seen.values() if len(alphas) >= most)

    settings = MTLStruct(p=2.0, C=5.0, solver="cutting_plane", tol=1e-7, max_idle=most)
    training = fit(settings, random_problem(4, n_sentences=12), 200, check)
    assert len(dropped) > 3
    assert all(
        len(alphas) >= most - 1 and max(alphas[1 - most :]) < 1e-3 for alphas in dropped
    )  # the last round is not seen
    assert training.report().gap <= 1e-4  # weights are single precision


def test_ssvm_is_p_2():
    assert ssvm(C=3.0) == MTLStruct(p=2.0, C=3.0)


def test_interrupt_keeps_what_was_learnt():
    def interrupt(training):
        if training.passes == 3:
            raise KeyboardInterrupt

    training = fit(MTLStruct(C=C), random_problem(1), 50, interrupt)
    assert training.passes == 3
    assert training.weights.node.any()


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ({"p": 0.5}, "M303"),
        ({"p": float("nan")}, "M303"),
        ({"C": 0.0}, "M302"),
        ({"C": -1.0}, "M302"),
        ({"C": float("inf")}, "M302"),
        ({"tol": 0.0}, "M302"),
        ({"average": 0}, "M305"),
        ({"average": 1.5}, "M305"),
        ({"max_idle": 0}, "M305"),
        ({"seed": -1}, "M305"),
        ({"subproblem": "nonsense"}, "M359"),
        ({"solver": "simplex"}, "M304"),
    ],
)
def test_settings_out_of_range_are_refused(settings, code):
    with pytest.raises(ValueError, match=code):
        mtl_struct(**settings)


@pytest.mark.parametrize("wrap", [lambda trainer: trainer, StructReg])
def test_a_solver_that_is_not_installed_is_refused_before_training(wrap):
    offers = frozenset({"decode", "outputs", "directions", "cut"})
    trainer = wrap(MTLStruct(solver="cutting_plane", subproblem="cvxpy:NOPE"))  # a model trained with it can be loaded
    with pytest.raises(ValueError, match=r"M357.*'NOPE'.*CLARABEL"):
        trainer.check(offers, "chain")
    for subproblem in ("cvxpy", "cvxpy:CLARABEL", "interior_point"):
        wrap(MTLStruct(solver="cutting_plane", subproblem=subproblem)).check(offers, "chain")
    wrap(MTLStruct(subproblem="cvxpy:NOPE")).check(offers, "chain")


def test_a_structure_that_lacks_what_is_needed_is_refused():
    from dataclasses import replace

    problem = replace(random_problem(0), lacks=frozenset({"directions"}))
    with pytest.raises(ValueError, match=r"M301.*MTLStruct.*linear chain.*directions \(part marginals, and steps"):
        MTLStruct().begin(problem)
    MTLStruct(solver="cutting_plane").begin(problem)
    with pytest.raises(ValueError, match=r"M301.*outputs"):
        MTLStruct(solver="cutting_plane").begin(replace(problem, lacks=frozenset({"outputs"})))


def test_the_average_goes_on_after_rebinding():
    """Rebound after every pass, an average of ten passes is still not the last weights."""
    problem = random_problem(3)
    averaged, last = (MTLStruct(C=0.5, average=n, tol=1e-9).begin(problem) for n in (10, 1))
    for _ in range(6):
        for training in (averaged, last):
            training.end_pass()
            training.rebind(problem, lambda weights: weights)
    assert np.abs(averaged.weights.node - last.weights.node).max() > 1e-3


def test_whole_numbers_of_numpy_are_whole():
    assert MTLStruct(average=np.int64(3)).average == 3


@pytest.mark.parametrize("after", EXPONENTS[:4])
@pytest.mark.parametrize("before", [1.0, 2.0])
def test_a_warm_start_is_the_mixtures_of_before(before, after):
    """The weights are those that the mixtures and template weights give, the bound is feasible, and the optimum is the same."""
    problem, optimum, _ = reference(0, after)
    earlier = fit(MTLStruct(p=before, C=5 * C), problem, 30)
    atoms = [part.copy() for part in earlier._atoms]
    training = MTLStruct(p=after, C=C, tol=2e-5).begin_after(earlier)
    assert training.passes == 0
    expected = problem.zeros()
    pull = gather(problem, training._atoms, expected, C * training.template_weights)
    for matrix, own in zip(training.weights, expected, strict=True):
        np.testing.assert_allclose(matrix, own, rtol=1e-4, atol=1e-6)
    assert pull.any()
    assert 0 < training.report().dual <= optimum * (1 + 1e-5)
    everything = np.arange(problem.n)
    while training.passes < 8000 and not training.finished:
        training.step(everything)
        training.end_pass()
    assert training.report().primal == pytest.approx(optimum, rel=1e-4)
    for part, own in zip(earlier._atoms, atoms, strict=True):
        assert np.array_equal(part, own)


def test_templates_that_were_dropped_stay_dropped_in_a_warm_start():
    """w_j = C mu_j V_j(M) after the first pass, too."""
    problem = random_problem(0, n_sentences=60, n_templates=8)
    earlier = fit(MTLStruct(C=0.02, tol=1e-9), problem, 35)  # dropped since all were looked up last, after 30
    dropped = earlier.template_weights == 0
    assert dropped.any()
    training = MTLStruct(C=0.02, tol=1e-9).begin_after(earlier)
    training.end_pass()
    assert np.array_equal(training.template_weights == 0, dropped)
    vector = problem.zeros()
    gather(problem, training._atoms, vector, 0.02 * training.template_weights)
    np.testing.assert_allclose(training.weights.node, vector.node, rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize("after", [4 / 3, 4.0])
def test_the_template_weights_of_a_warm_start_are_those_of_its_pulls(after):
    problem, _, _ = reference(0, after)
    training = MTLStruct(p=after, C=C).begin_after(fit(MTLStruct(p=2.0, C=C), problem, 30))
    pull = gather(problem, training._atoms)
    ratio = (pull / pull.max()) ** ((2 - after) / (after - 1))
    np.testing.assert_allclose(
        training.template_weights / training.template_weights.max(), ratio / ratio.max(), rtol=1e-6
    )
