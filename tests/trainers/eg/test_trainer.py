"""Exponentiated gradient: its iterates against explicit distributions over all outputs, its optimum against cvxpy, and its settings."""

import functools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from spacy_mtl.registry import registry
from spacy_mtl.structures.problem import block_starts
from spacy_mtl.trainers.base import fit
from spacy_mtl.trainers.eg.trainer import EG, eg

from ..reference import random_problem, solve_primal
from .naive import NaiveEG, constrained_problem, flat

C = 0.7
MODES = ["online", "batch", "batch_primal"]
BATCH = ["batch", "batch_primal"]
PROBLEMS = {
    "chains": lambda: random_problem(0),
    "observed pairs": lambda: random_problem(2, observed=True),
    "constraints": lambda: constrained_problem(1),
    "constraints, observed pairs": lambda: constrained_problem(4, observed=True),
}


@functools.cache
def reference(seed: int):
    problem = random_problem(seed, observed=seed == 2)
    return problem, solve_primal(problem, 2.0, C)[0]


def marginals(training) -> np.ndarray:
    """Node marginals of the whole corpus."""
    training.report()
    if training.settings.mode != "online":
        training._remake()
        return training._state.nodes
    arrays = training.problem.arrays
    side = np.repeat(training._side, arrays.last - arrays.first)[:, None]
    return np.where(side == 0, training._states[0].nodes, training._states[1].nodes)


def check_same(training, naive: NaiveEG) -> None:
    assert training.report().dual == pytest.approx(naive.dual(), rel=1e-5, abs=1e-5)
    np.testing.assert_allclose(flat(training.weights), naive.weights(), rtol=1e-4, atol=1e-5)
    expected = np.concatenate([naive.marginals(i) for i in range(training.problem.n)])
    np.testing.assert_allclose(marginals(training), expected, rtol=1e-4, atol=1e-6)


# --- the iterates ---


@pytest.mark.parametrize("kind", PROBLEMS)
@pytest.mark.parametrize("mode", BATCH)
def test_batch_steps_are_those_of_explicit_distributions(mode, kind):
    problem = PROBLEMS[kind]()
    training = EG(mode, C, eta=0.3, start=2.0, tol=1e-12).begin(problem)
    naive = NaiveEG(problem, C, 2.0)
    check_same(training, naive)
    for _ in range(6):
        training.end_pass()
        naive.step(0.3, range(problem.n))
        check_same(training, naive)
    assert training._rate == 0.3


@pytest.mark.parametrize("kind", PROBLEMS)
def test_online_steps_are_those_of_explicit_distributions(kind):
    problem = PROBLEMS[kind]()
    training = EG("online", C, eta=0.3, start=2.0, tol=1e-12, seed=5).begin(problem)
    naive, random = NaiveEG(problem, C, 2.0), np.random.default_rng(5)
    check_same(training, naive)
    for _ in range(4):
        training.end_pass()
        for i in random.permutation(problem.n):
            naive.step(0.3, [i])
        check_same(training, naive)
    assert (training._rates == 0.3).all()


@pytest.mark.parametrize("eta", [None, 0.2, 50.0])
@pytest.mark.parametrize("seed", range(4))
def test_both_batch_forms_take_the_same_steps(seed, eta):
    """Halvings and all."""
    problem = random_problem(seed, observed=seed == 2)
    dual_form, primal_form = (EG(mode, C, eta, tol=1e-12).begin(problem) for mode in BATCH)
    for _ in range(8):
        dual_form.end_pass()
        primal_form.end_pass()
        assert primal_form._rate == dual_form._rate
        assert primal_form.report().dual == pytest.approx(dual_form.report().dual, rel=1e-5)
        np.testing.assert_allclose(flat(primal_form.weights), flat(dual_form.weights), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("mode", MODES)
def test_a_step_too_long_is_taken_again_at_half_the_rate(mode):
    """Nothing is left of the tries: the next steps are those of a training that began with the rate they ended at."""
    problem = random_problem(3, n_sentences=1 if mode == "online" else 6)
    long = EG(mode, 5.0, 300.0, start=5.0, tol=1e-12).begin(problem)
    begin = long.report().dual
    long.end_pass()
    rate = float(np.max(long._rates if mode == "online" else long._rate))
    assert rate <= 75
    assert np.log2(300 / rate) == pytest.approx(round(np.log2(300 / rate)))
    assert long.report().dual >= begin
    short = EG(mode, 5.0, rate, start=5.0, tol=1e-12).begin(problem)
    short.end_pass()
    np.testing.assert_allclose(flat(long.weights), flat(short.weights), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(marginals(long), marginals(short), rtol=1e-4, atol=1e-6)


@pytest.mark.filterwarnings("ignore:.*M336")
@pytest.mark.parametrize("best", [1e9, np.nan])
@pytest.mark.parametrize("mode", ["batch", "batch_primal"])
def test_a_dual_out_of_reach_ends_the_training(mode, best, monkeypatch):
    """Rounding may add up in z until no step gets back to the best dual that was seen: shorter ones are not tried for ever."""
    training, tries = EG(mode, C, tol=1e-9).begin(random_problem(0)), []
    propose = training._form.propose

    def counted(*arguments):
        tries.append(arguments)
        assert len(tries) < 200
        propose(*arguments)

    monkeypatch.setattr(training._form, "propose", counted)
    training._best = best
    for _ in range(2):  # a step that is hardly too short to be tried is taken, and the next pass ends it
        training.end_pass()
    assert training.ended


@pytest.mark.parametrize("mode", MODES)
def test_only_a_rate_of_our_own_rises(mode):
    problem = random_problem(0)
    own, given = EG(mode, C, start=8.0).begin(problem), EG(mode, C, 3 / C, start=8.0).begin(problem)
    for training in (own, given):
        training.end_pass()
    rates = [np.max(t._rates if mode == "online" else t._rate) for t in (own, given)]
    assert rates == pytest.approx([1.05 * 3 / C, 3 / C])


@pytest.mark.parametrize("scale", [0.01, 1.0, 30.0])
@pytest.mark.parametrize("seed", range(3))
def test_the_start_is_where_the_dual_is_highest(seed, scale):
    problem = random_problem(seed)
    found = EG("batch", scale).begin(problem).report().dual
    others = [NaiveEG(problem, scale, start).dual() for start in np.linspace(0, 20, 81)]
    assert found >= 0.9 * max(others)


# --- the optimum ---


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("mode", MODES)
def test_every_mode_reaches_the_optimum(mode, seed):
    problem, optimum = reference(seed)
    training = fit(EG(mode, C, tol=1e-3), problem, 4000)
    report = training.report()
    assert training.converged
    assert report.primal == pytest.approx(optimum, rel=1e-3)
    assert report.dual == pytest.approx(optimum, rel=1e-3)
    assert report.dual <= optimum * (1 + 1e-6)
    assert report.gap == pytest.approx((report.primal - report.dual) / report.primal)
    assert report.gap <= 1e-3


@pytest.mark.parametrize("mode", MODES)
def test_report_is_true_of_the_weights(mode):
    problem, optimum = reference(1)
    duals = []

    def check(training):
        report, weights = training.report(), flat(training.weights)
        objective = 0.5 * weights @ weights + C * problem.hinges(training.weights).sum()
        assert report.primal == pytest.approx(objective, rel=1e-5)
        assert report.primal >= optimum * (1 - 1e-6)
        assert report.dual <= optimum * (1 + 1e-6)
        duals.append(report.dual)

    fit(EG(mode, C, tol=1e-6), problem, 60, check)
    assert np.all(np.diff(duals) >= -1e-5 * optimum)
    assert duals[-1] > 0.9 * optimum


@pytest.mark.filterwarnings("ignore:.*M336")  # some are solved up to single precision
@hypothesis_settings(max_examples=40)
@given(st.integers(0, 10_000), st.floats(0.01, 30), st.sampled_from(MODES), st.floats(0, 6), st.booleans())
def test_the_dual_never_falls_at_the_safe_rate(seed, scale, mode, start, observed):
    """And no step is halved for it."""
    problem = random_problem(seed, n_sentences=3, n_templates=2, observed=observed)
    training = EG(mode, scale, "safe", start, tol=1e-12).begin(problem)
    before = np.array(training._rates if mode == "online" else training._rate)
    duals = [training.report().dual]
    for _ in range(5):
        training.end_pass()
        duals.append(training.report().dual)
    size = abs(duals[0]) + flat(training.weights) @ flat(training.weights)
    assert np.all(np.diff(duals) >= -2e-6 * size)
    np.testing.assert_array_equal(training._rates if mode == "online" else training._rate, before)


@pytest.mark.parametrize(
    ("settings", "advice"),
    [
        ({"start": 1e6}, "Leave out start, or choose SSVM"),
        ({"C": 1e9}, "Steps become shorter as C grows. Choose a smaller C, or SSVM"),
    ],
)
def test_a_gap_that_stays_is_put_down_to_what_is_set(settings, advice):
    with pytest.warns(UserWarning, match=rf"M336.*{advice}"):
        fit(EG(**settings), random_problem(0), 100)


@pytest.mark.parametrize("mode", MODES)
def test_the_safe_rate_gets_somewhere(mode):
    problem, optimum = reference(0)
    training = fit(EG(mode, C, "safe", tol=1e-3), problem, 1500)
    assert training.report().dual > 0.97 * optimum


@pytest.mark.parametrize("mode", MODES)
def test_long_steps_leave_forbidden_parts_forbidden(mode):
    problem = constrained_problem(1)
    arrays = problem.arrays
    training = EG(mode, 20.0, 1e15, tol=1e-9).begin(problem)
    begin = training.report().dual
    for _ in range(20):
        training.end_pass()
    found = marginals(training)
    assert np.isfinite(training.report().primal)
    assert training.report().dual > begin
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-5)
    assert not found[arrays.first][:, arrays.start < 0].any()


# --- going on ---


@pytest.mark.parametrize("mode", MODES)
def test_rebinding_to_the_same_features_changes_nothing(mode):
    problem = random_problem(1)
    straight, rebound = (EG(mode, C, tol=1e-12).begin(problem) for _ in range(2))
    for _ in range(5):
        straight.end_pass()
        rebound.end_pass()
        rebound.rebind(random_problem(1), lambda weights: weights)
    assert rebound.report().dual == pytest.approx(straight.report().dual, rel=1e-5)
    np.testing.assert_allclose(flat(rebound.weights), flat(straight.weights), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("mode", MODES)
def test_rebinding_follows_rows_that_have_moved(mode):
    """Two rows of the first template change places."""
    problem = random_problem(1)
    order = np.arange(problem.blocks.node[-1])
    order[:2] = order[1::-1]
    moved = replace(problem, arrays=problem.arrays._replace(rows=order[problem.arrays.rows].astype(np.int32)))
    straight, rebound = (EG(mode, C, tol=1e-12).begin(problem) for _ in range(2))
    for _ in range(4):
        straight.end_pass()
        rebound.end_pass()
    rebound.rebind(moved, lambda weights: weights._replace(node=np.ascontiguousarray(weights.node[order])))
    for _ in range(3):
        straight.end_pass()
        rebound.end_pass()
    np.testing.assert_allclose(rebound.weights.node[order], straight.weights.node, rtol=1e-4, atol=1e-5)


def cut_in_two(problem):
    """The same tokens, every sentence of more than one cut after its first."""
    arrays = problem.arrays
    long = arrays.last - arrays.first > 1
    first = np.sort(np.concatenate([arrays.first, arrays.first[long] + 1]))
    last = np.append(first[1:], arrays.last[-1])
    inside = np.isin(first, arrays.first)
    repeats = np.ones((first.size, arrays.repeats.shape[1]), np.bool_)
    pieces = {"first": first, "last": last, "open_left": ~inside, "open_right": ~np.append(inside[1:], True)}
    return replace(problem, arrays=arrays._replace(repeats=repeats, **pieces))


@pytest.mark.parametrize("mode", ["online", "batch"])
def test_theta_of_parts_begins_anew_where_the_corpus_is_cut_elsewhere(mode):
    problem = random_problem(1)
    pieces = cut_in_two(problem)
    assert pieces.n > problem.n
    training, fresh = fit(EG(mode, C, eta=0.5), problem, 3), EG(mode, C, eta=0.5, seed=1).begin(pieces)
    training.recut(pieces)
    assert training.report().dual == pytest.approx(fresh.report().dual, rel=1e-4)
    training._random = np.random.default_rng(1)
    for either in (training, fresh):
        either.end_pass()
    np.testing.assert_allclose(flat(training.weights), flat(fresh.weights), rtol=1e-4, atol=1e-5)


def test_theta_from_weights_goes_on_where_the_corpus_is_cut_elsewhere():
    problem = random_problem(1)
    pieces = cut_in_two(problem)
    optimum = fit(EG("batch", C, tol=1e-3), pieces, 3000).report().primal
    training = fit(EG("batch_primal", C, tol=1e-3), problem, 30)
    z = flat(training._form._z)
    training.recut(pieces)
    np.testing.assert_array_equal(flat(training._form._z), z)
    training._remake()
    vector, loss = pieces.gold_minus_expected(training._state)
    np.testing.assert_allclose(flat(training.weights), C * flat(vector), rtol=1e-4, atol=1e-5)
    assert training.report().dual == pytest.approx(C * loss - 0.5 * C**2 * np.sum(flat(vector) ** 2), rel=1e-4)
    while training.passes < 3000 and not training.converged:
        training.end_pass()
    assert training.report().primal == pytest.approx(optimum, rel=2e-3)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("where", ["_scale_blocks", "theta"])
def test_an_interrupt_inside_a_pass_leaves_no_torn_weights(monkeypatch, mode, where):
    """Ctrl-C arrives when a kernel returns: weights and theta go together again before anyone sees them."""
    from spacy_mtl.structures import problem as structures
    from spacy_mtl.trainers.eg import forms, online

    kernels = {
        "online": (online, "online_pass"),
        "batch": (forms, "add_gradients"),
        "batch_primal": (forms, "add_weights"),
    }
    module, kernel = kernels[mode] if where == "theta" else (structures, "_scale_blocks")
    training = fit(EG(mode, C, tol=1e-12), random_problem(1), 5)
    original = getattr(module, kernel)

    def interrupted(*arguments):
        original(*arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(module, kernel, interrupted)
    with pytest.raises(KeyboardInterrupt):  # noqa: PT012  whichever calls the kernel first
        training.end_pass()
        training.report()
        training._remake()
    monkeypatch.setattr(module, kernel, original)
    kept = flat(training.weights)
    training._remake()
    np.testing.assert_allclose(kept, flat(training.weights), rtol=1e-4, atol=1e-5)
    before = training.report().dual
    training.end_pass()
    assert training.report().dual >= before - 1e-6


@pytest.mark.parametrize("name", ["add_weights", "expect_primal", "withdraw", "accept"])
@pytest.mark.parametrize(("rate", "call"), [(0.5, 1), (64.0, 1), (64.0, 2)])
def test_a_step_left_open_by_an_interrupt_is_taken_back(monkeypatch, name, rate, call):
    """In primal form z moves before the dual objective is known. Where the rate is too high, a step is withdrawn and a shorter one accepted."""
    from spacy_mtl.trainers.eg import forms

    training, straight = (fit(EG("batch_primal", C, eta=0.5, tol=1e-12), random_problem(1), 5) for _ in range(2))
    training._rate = straight._rate = rate
    owner = forms.PrimalForm if hasattr(forms.PrimalForm, name) else forms
    original, calls = getattr(owner, name), []

    def interrupted(*arguments):
        result = original(*arguments)
        calls.append(name)
        if len(calls) == call:
            raise KeyboardInterrupt
        return result

    monkeypatch.setattr(owner, name, interrupted)
    with pytest.raises(KeyboardInterrupt):  # noqa: PT012  one pass may accept only once
        training.end_pass()
        training.end_pass()
    monkeypatch.setattr(owner, name, original)
    for _ in range(call if name == "accept" else 0):  # after this a step counts
        straight.end_pass()
        assert straight._rate < 64
    np.testing.assert_allclose(flat(training.weights), flat(straight.weights), rtol=1e-4, atol=1e-5)
    for _ in range(2):
        training.end_pass()
        straight.end_pass()
        assert training._form._amounts == pytest.approx(straight._form._amounts)
        np.testing.assert_allclose(flat(training._form._z), flat(straight._form._z), rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(flat(training.weights), flat(straight.weights), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("mode", MODES)
def test_interrupt_keeps_what_was_learnt(mode):
    def interrupt(training):
        if training.passes == 3:
            raise KeyboardInterrupt

    training = fit(EG(mode, C), random_problem(1), 50, interrupt)
    assert training.passes == 3
    assert training.weights.node.any()


@pytest.mark.parametrize("mode", MODES)
def test_inner_passes_are_passes(mode):
    problem = random_problem(1)
    one, three = fit(EG(mode, C, tol=1e-9), problem, 6), fit(EG(mode, C, tol=1e-9, inner_passes=3), problem, 6)
    assert one.passes == three.passes == 6
    np.testing.assert_array_equal(one.weights.node, three.weights.node)


@pytest.mark.parametrize("mode", MODES)
def test_a_converged_training_stays_as_it_is(mode):
    training = fit(EG(mode, C, tol=0.05), random_problem(1), 500)
    assert training.converged
    assert training.loss >= 0
    before = training.weights.node.copy()
    training.end_pass()
    np.testing.assert_array_equal(training.weights.node, before)


# --- features of other kinds, settings ---


@pytest.mark.parametrize("mode", MODES)
def test_templates_without_features_weigh_nothing(mode):
    problem = random_problem(1)
    blocks = replace(
        problem.blocks, node=np.append(problem.blocks.node, problem.blocks.node[-1]), names=("", *problem.blocks.names)
    )
    rows = np.concatenate([problem.arrays.rows, np.full((problem.arrays.gold.size, 1), -1, np.int32)], axis=1)
    repeats = np.concatenate([problem.arrays.repeats, np.zeros((problem.n, 1), np.bool_)], axis=1)
    padded = replace(problem, blocks=blocks, arrays=problem.arrays._replace(rows=rows, repeats=repeats))
    training = fit(EG(mode, C), padded, 5)
    np.testing.assert_array_equal(training.template_weights, [1, 1, 1, 1, 0, 1])
    assert training.report().live_templates == 5
    assert training.report().n_templates == 6
    np.testing.assert_allclose(training.weights.node, fit(EG(mode, C), problem, 5).weights.node, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("kernelised", [False, True])
@pytest.mark.parametrize("eta", [None, "safe"])
@pytest.mark.parametrize("mode", MODES)
def test_real_valued_and_kernelised_blocks_are_templates_of_another_kind(mode, eta, kernelised):
    """The last template as indicator vectors, or known by its inner products only: nothing but the numbering of rows changes."""
    from spacy_mtl.structures.chain.vectors import side_by_side

    problem = random_problem(1)
    arrays, blocks = problem.arrays, problem.blocks
    values, n = arrays.rows[:, -1], arrays.gold.size
    if kernelised:
        own = int(blocks.node[-2]) + np.arange(n, dtype=np.int32)
        alike = [np.flatnonzero(values == value) for value in values]
        starts, rows = block_starts([found.size for found in alike]), own[np.concatenate(alike)]
        blocks = replace(blocks, node=np.append(blocks.node[:-1], blocks.node[-2] + n))
    else:
        own, starts, rows = np.full(n, -1, np.int32), np.arange(n + 1), values
    vectors = side_by_side(starts, rows.astype(np.int32), np.ones(rows.size, np.float32), own[:, None])
    short = {"rows": np.ascontiguousarray(arrays.rows[:, :-1]), "repeats": np.ascontiguousarray(arrays.repeats[:, :-1])}
    other = replace(problem, arrays=arrays._replace(vectors=vectors, **short), blocks=blocks)
    if kernelised:
        other = replace(other, lacks=frozenset({"features"}))
    one, two = fit(EG(mode, C, eta, tol=1e-9), problem, 6), fit(EG(mode, C, eta, tol=1e-9), other, 6)
    assert two.report().dual == pytest.approx(one.report().dual, rel=1e-4)
    assert two.report().primal == pytest.approx(one.report().primal, rel=1e-3)
    np.testing.assert_allclose(marginals(two), marginals(one), rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ({"mode": "stochastic"}, "M306"),
        ({"eta": "fast"}, "M307"),
        ({"eta": 0.0}, "M307"),
        ({"eta": float("nan")}, "M307"),
        ({"start": -1.0}, "M308"),
        ({"start": 1e16}, "M308.*from 0 to 1e15"),
        ({"start": float("inf")}, "M308"),
        ({"C": 0.0}, "M302"),
        ({"C": float("inf")}, "M302"),
        ({"tol": 0.0}, "M302"),
        ({"inner_passes": 0}, "M305"),
        ({"seed": -1}, "M305"),
    ],
)
def test_settings_out_of_range_are_refused(settings, code):
    with pytest.raises(ValueError, match=code):
        eg(**settings)


@pytest.mark.parametrize(("eta", "expected"), [(None, None), (0.5, 0.5), (2, 2.0), ("safe", "safe")])
def test_settings_in_a_config(eta, expected):
    config = {"trainer": {"@mtl_trainers": "spacy_mtl.EG.v1", "mode": "batch", "eta": eta, "start": None}}
    assert registry.resolve(config)["trainer"] == EG("batch", eta=expected)


@pytest.mark.parametrize("missing", ["marginals", "decode"])
def test_a_structure_that_lacks_what_is_needed_is_refused(missing):
    problem = random_problem(0)
    with pytest.raises(ValueError, match=rf"M301.*{missing}"):
        EG().begin(replace(problem, lacks=frozenset({missing})))
