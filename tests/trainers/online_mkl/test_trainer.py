"""Online MKL: against the same algorithm with dense vectors, step by step, and its objective against cvxpy over all outputs."""

from dataclasses import replace

import numpy as np
import pytest
from spacy.util import registry
from thinc.api import Config

from spacy_mtl.structures.chain.build import ChainFeatures, chain_problem
from spacy_mtl.structures.chain.vectors import side_by_side
from spacy_mtl.structures.contract import Weights
from spacy_mtl.structures.problem import Blocks, block_starts
from spacy_mtl.trainers.base import fit
from spacy_mtl.trainers.online_mkl.scaled_blocks import LOG
from spacy_mtl.trainers.online_mkl.trainer import OnlineMKL, online_mkl

from ..reference import LABELS, block_slices, random_problem
from .reference_groups import dense_chain, flat, kinds, optimum, outputs_of, untied_problem

ELASTIC = {"l21": 1.0, "l2": 0.3}
STRONG = {"schedule": "strongly_convex"}
#: Small C: proximal steps so long that blocks come and go all the time.
MANY_DEATHS = {"C": 0.02, "eta0": 0.5}


def in_steps(training, problem, order, size=1):
    """Learn in the given order, a few sentences a call; yields after each call."""
    for begin in range(0, order.size, size):
        training.take(problem, order[begin : begin + size])
        yield begin + size


def random_order(n: int, n_steps: int) -> np.ndarray:
    return np.random.default_rng(0).integers(0, n, n_steps)


# --- the algorithm ---


@pytest.mark.parametrize("model", ["last", "average"])
@pytest.mark.parametrize("observed", [False, True])
@pytest.mark.parametrize(
    "settings",
    [
        {"regularizer": "l2", "C": 0.5},
        {"regularizer": "l2", "C": 0.5, "transition": "learned", "gamma": 1.5, **STRONG},
        {"regularizer": "l21", "C": 0.5, "transition": "free"},
        {"regularizer": "l21", **MANY_DEATHS},
        {"regularizer": "l21", "transition": "learned", **MANY_DEATHS},
        {"regularizer": "l21", "loss": "log", "transition": "learned", **MANY_DEATHS},
        {"regularizer": "lq", "q": 1.0, "C": 0.1},
        {"regularizer": "lq", "q": 1.2, "C": 0.1},
        {"regularizer": "lq", "q": 3.0, "loss": "log", "transition": "learned"},
        {"regularizer": ELASTIC, "C": 0.1, **STRONG},
    ],
    ids=str,
)
def test_scaled_blocks_do_what_dense_vectors_do(settings, observed, model):
    problem = untied_problem(1, observed, 12)
    ours = OnlineMKL(model=model, **settings).begin(problem)
    dense = dense_chain(ours.settings, problem)
    order = random_order(problem.n, 300)
    for done in in_steps(ours, problem, order, 3):
        losses = [dense.step(i) for i in order[done - 3 : done]]
        assert ours._pass_loss == pytest.approx(sum(losses), rel=1e-5, abs=1e-5)
        ours._pass_loss = 0.0
        np.testing.assert_allclose(flat(ours.current_weights()), dense.weights, atol=1e-5 * abs(dense.weights).max())
    assert dense.deaths > 30 or "eta0" not in settings


@pytest.mark.parametrize("loss", ["hinge", "log"])
def test_blocks_come_back_whether_the_log_knows_their_past_or_not(loss):
    """More sentences than the log holds, none seen twice within it: blocks come back by taking updates back, and by being overwritten."""
    problem = untied_problem(3, True, LOG + 40)
    settings = OnlineMKL(C=0.004, eta0=0.5, loss=loss, transition="learned")
    ours, dense = settings.begin(problem), dense_chain(settings, problem)
    order = np.tile(np.random.default_rng(1).permutation(problem.n), 2)
    seen = set()
    for done in in_steps(ours, problem, order):
        blocks = ours._blocks
        seen |= {(bool(deep), bool(scale == 0)) for deep, scale in zip(blocks.deep, blocks.scale, strict=True)}
        dense.step(order[done - 1])
        if done % 50 == 0:
            np.testing.assert_allclose(flat(ours.current_weights()), dense.weights, atol=1e-5 * abs(dense.weights).max())  # fmt: skip
    assert dense.deaths > 100
    assert seen == {(False, False), (False, True), (True, False), (True, True)}


def test_sentences_may_come_from_several_problems_with_the_same_features():
    problems = [untied_problem(1, True, 12) for _ in range(2)]
    settings = OnlineMKL(transition="learned", **MANY_DEATHS)
    ours, dense = settings.begin(problems[0]), dense_chain(settings, problems[0])
    for k, i in enumerate(random_order(12, 200)):
        ours.take(problems[k // 7 % 2], np.array([i]))
        dense.step(i)
    np.testing.assert_allclose(flat(ours.current_weights()), dense.weights, atol=1e-5 * abs(dense.weights).max())


@pytest.mark.parametrize("regularizer", ["l21", "l2", "lq", ELASTIC], ids=str)
def test_incremental_norms_are_exact(regularizer):
    problem = untied_problem(2, True, 12)
    training = OnlineMKL(regularizer=regularizer, C=0.05).begin(problem)
    for _ in in_steps(training, problem, random_order(problem.n, 200), 50):
        blocks = training._blocks
        exact = blocks.scale * problem.block_norms(blocks.vector)
        np.testing.assert_allclose(blocks.norms, exact, rtol=1e-5, atol=1e-7)
    training._blocks.norms[:] = 7.0
    training.end_pass()
    np.testing.assert_array_equal(blocks.norms, exact)


@pytest.mark.parametrize("model", ["last", "average"])
@pytest.mark.parametrize("loss", ["hinge", "log"])
@pytest.mark.parametrize(
    ("regularizer", "more"),
    [
        ("l2", {"transition": "learned"}),
        ("l2", STRONG),
        ("l21", {"transition": "learned"}),
        ("l21", {}),
        ("lq", {"q": 1.2}),
        ("lq", {"q": 3.0, "transition": "learned"}),
        (ELASTIC, {}),
        ({"l21": 0.5, "lq": 0.5}, {"q": 4 / 3}),
    ],
    ids=str,
)
def test_the_objective_comes_close_to_the_optimum(regularizer, more, loss, model):
    seed = 2 if loss == "log" else 0
    settings = OnlineMKL(regularizer=regularizer, C=0.7, loss=loss, model=model, eta0=0.15, **more)
    key = {"C": 0.7, "loss": loss, "regularizer": regularizer, **more}
    key["regularizer"] = tuple(regularizer.items()) if isinstance(regularizer, dict) else regularizer
    best = optimum(tuple(sorted(key.items())), seed, seed == 2)
    training = fit(settings, random_problem(seed, observed=seed == 2), 1500)
    assert best * (1 - 1e-5) <= training.report().primal <= best * 1.02


def test_lq_at_q_2_is_l2():
    problem = random_problem(1)
    one, two = (fit(OnlineMKL(regularizer=name, q=2.0, C=0.5), problem, 5) for name in ("l2", "lq"))
    np.testing.assert_allclose(flat(one.weights), flat(two.weights), rtol=1e-6, atol=1e-7)


def test_the_radius_is_kept():
    problem = random_problem(1)
    for model in ("last", "average"):
        assert np.linalg.norm(flat(fit(OnlineMKL(C=10.0, model=model), problem, 5).weights)) > 1
        size = np.linalg.norm(flat(fit(OnlineMKL(C=10.0, model=model, gamma=0.5), problem, 5).weights))
        assert size <= 0.5 * (1 + 1e-5)
        assert size > 0.499 or model == "average"


# --- kernelised blocks ---


def vector_problem(kernelised: bool):
    """Two templates, a block of explicit vectors, and one that is either explicit or known by its linear kernel only."""
    rng = np.random.default_rng(5)
    lengths = rng.integers(1, 4, 10)
    n, n_labels = int(lengths.sum()), len(LABELS)
    gold = rng.integers(0, n_labels, n).astype(np.int32)
    first, second = rng.normal(size=(2, n, 3)).astype(np.float32)
    second[:, 0] += gold
    sizes = [4, 4, 3, n if kernelised else 3]
    blocks = block_starts(sizes)
    rows = (rng.integers(0, 4, (n, 2)) + blocks[:2]).astype(np.int32)
    own = np.full((n, 2), -1, np.int32)
    if kernelised:
        own[:, 1] = blocks[3] + np.arange(n)
        second = second @ second.T
    starts = block_starts([first.shape[1], second.shape[1]] * n)
    entries = [np.arange(first.shape[1]) + blocks[2], np.arange(second.shape[1]) + blocks[3]]
    values = np.concatenate([np.concatenate(pair) for pair in zip(first, second, strict=True)])
    vectors = side_by_side(starts, np.tile(np.concatenate(entries), n).astype(np.int32), values.astype(np.float32), own)
    features = ChainFeatures(rows, np.zeros((n, 1), np.int32), False, vectors)
    names = tuple("abcde")
    return chain_problem(features, Blocks(blocks, np.array([0, 1]), names), gold, block_starts(lengths), LABELS)


@pytest.mark.parametrize("model", ["last", "average"])
@pytest.mark.parametrize("settings", [{"C": 0.03}, {"regularizer": "l2"}, {"loss": "log", "C": 0.1}], ids=str)
def test_a_linear_kernel_learns_what_its_features_learn(settings, model):
    explicit, kernelised = (vector_problem(flag) for flag in (False, True))
    settings = OnlineMKL(model=model, eta0=0.2, **settings)
    one, two = fit(settings, explicit, 6), fit(settings, kernelised, 6)
    assert one.loss == pytest.approx(two.loss, rel=1e-4)
    assert one.report().primal == pytest.approx(two.report().primal, rel=1e-4)
    np.testing.assert_allclose(one.template_weights, two.template_weights, atol=1e-4)


# --- what it reports ---


@pytest.mark.parametrize("transition", ["fixed", "learned", "free"])
@pytest.mark.parametrize("loss", ["hinge", "log"])
@pytest.mark.parametrize("regularizer", ["l21", {"l2": 0.5, "lq": 2.0}], ids=str)
def test_report_is_true_of_the_weights(regularizer, loss, transition):
    problem = untied_problem(1, True)
    settings = OnlineMKL(regularizer=regularizer, C=0.3, loss=loss, transition=transition)
    training = fit(settings, problem, 4)
    theta, report = flat(training.weights), training.report()
    losses = []
    for i in range(problem.n):
        differences, cost = outputs_of(problem, i)
        scores = differences @ theta
        losses.append((scores + cost).max() if loss == "hinge" else np.log(np.exp(scores).sum()))
    together, alone = ([np.linalg.norm(theta[s]) for s in slices] for slices in kinds(problem, transition))
    b = np.array(together)
    l21, rest = 0.5 * b.sum() ** 2, 0.25 * (b**2).sum() + 2 / 1.5 * (b**1.5).sum()
    size = (l21 if regularizer == "l21" else rest) + sum(0.5 * x**2 for x in alone)
    assert report.primal == pytest.approx(size + 0.3 * sum(losses), rel=1e-5)
    assert np.isnan(report.dual)
    assert np.isnan(report.gap)
    assert report.passes == 4
    norms = np.array([np.linalg.norm(theta[s]) for s in block_slices(problem)])
    np.testing.assert_allclose(training.template_weights, norms / norms.sum(), rtol=1e-5)
    assert report.live_templates == (norms > 0).sum()
    assert report.n_templates == norms.size


def test_a_template_removed_entirely_has_no_weight():
    training = fit(OnlineMKL(C=0.05, model="last", transition="learned"), random_problem(0), 300)
    dead = training.template_weights == 0
    assert 0 < dead.sum() < dead.size
    assert training.report().live_templates == dead.size - dead.sum()
    for s, is_dead in zip(block_slices(training.problem), dead, strict=True):
        assert flat(training.weights)[s].any() != is_dead


def test_a_template_without_features_has_no_weight():
    problem = random_problem(0)
    arrays = problem.arrays._replace(rows=problem.arrays.rows.copy())
    arrays.rows[:, 1] = -1
    for model in ("last", "average"):
        training = fit(OnlineMKL(model=model), replace(problem, arrays=arrays), 3)
        assert (training.template_weights == 0).tolist() == [False, True, False, False, False]


def test_no_pass():
    problem = random_problem(0)
    for model in ("last", "average"):
        training = OnlineMKL(C=2.0, model=model).begin(problem)
        assert not flat(training.weights).any()
        assert not training.template_weights.any()
        report = training.report()
        assert report.primal == 2.0 * problem.arrays.gold.size  # every label wrong
        assert report.live_templates == report.passes == 0


@pytest.mark.parametrize(("eta0", "C"), [(1e6, 1e9), (1e12, 1e9)])
@pytest.mark.parametrize("settings", [{}, {"loss": "log"}, {"regularizer": "lq"}, {"model": "last"}], ids=str)
def test_an_absurd_learning_rate_is_noticed(settings, eta0, C):
    problem = random_problem(1)
    with pytest.warns(UserWarning, match="M330"):
        training = fit(OnlineMKL(eta0=eta0, C=C, **settings), problem, 5)
    assert training.ended
    assert not training.converged
    assert training.passes == 1
    assert not flat(training.weights).any()
    assert np.isfinite(training.report().primal)
    training.step(np.arange(problem.n))
    training.end_pass()
    assert training.passes == 1


@pytest.mark.filterwarnings("ignore:.*M33[09]")
@pytest.mark.parametrize("eta0", [1e6, 1e15])
@pytest.mark.parametrize("regularizer", ["l2", "l21", "lq"])
def test_weights_are_finite_at_any_learning_rate(regularizer, eta0):
    """At a usual C the proximal step outweighs an absurd step: whether this counts as diverged or not, the weights can be used."""
    training = fit(OnlineMKL(regularizer=regularizer, eta0=eta0), random_problem(1), 3)
    assert np.isfinite(flat(training.weights)).all()
    assert np.isfinite(training.report().primal)


@pytest.mark.parametrize(
    "settings", [{"q": 1.5}, {"q": 3.0, "loss": "log"}, {"regularizer": "l2", "model": "last"}], ids=str
)
def test_steps_that_undo_all_before_them_are_noticed(settings):
    """Once. The proximal step keeps the losses moderate, so they have not diverged."""
    trainer = OnlineMKL(**{"regularizer": "lq", "eta0": 1e15, "transition": "learned", **settings})
    with pytest.warns(UserWarning, match=r"M339.*OnlineMKL") as told:
        training = fit(trainer, random_problem(1), 3)
    assert len(told) == 1
    assert not training.ended


@pytest.mark.parametrize(("eta0", "C"), [(1e15, 1.0), (1.0, 1e-6)])
def test_the_rate_that_is_advised_does_not_undo_steps(eta0, C):
    problem = random_problem(1)
    with pytest.warns(UserWarning, match="M339") as told:
        fit(OnlineMKL(regularizer="lq", eta0=eta0, C=C), problem, 1)
    advised = float(str(told[0].message).rsplit("such as ", 1)[1].rstrip("."))
    assert advised < eta0
    fit(OnlineMKL(regularizer="lq", eta0=advised, C=C), problem, 1)


def test_a_strong_regularizer_is_no_absurd_rate():
    """Steps that leave little of the weights before them are right where C is small."""
    fit(OnlineMKL(C=1e-3, schedule="strongly_convex", regularizer="l2"), random_problem(1), 5)


def test_the_best_pass_is_kept_when_a_later_one_diverges():
    problem = random_problem(1)
    training = fit(OnlineMKL(), problem, 3)
    best = flat(training.weights).copy()
    training._blocks.vector.node[0] = np.inf
    training.step(np.arange(problem.n))
    with pytest.warns(UserWarning, match=r"M330.*best pass"):
        training.end_pass()
    np.testing.assert_array_equal(flat(training.weights), best)


# --- as a training among others ---


def test_the_seed_orders_the_sentences():
    first, again, other = (fit(OnlineMKL(seed=seed), random_problem(1), 3) for seed in (0, 0, 1))
    np.testing.assert_array_equal(flat(first.weights), flat(again.weights))
    assert (flat(first.weights) != flat(other.weights)).any()


def test_interrupt_keeps_what_was_learnt():
    def interrupt(training):
        if training.passes == 3:
            raise KeyboardInterrupt

    training = fit(OnlineMKL(), random_problem(1), 50, interrupt)
    assert training.passes == 3
    assert flat(training.weights).any()


def with_an_unused_row(problem):
    """The same features with one more at the front of each block, and how weights are carried over."""
    new = block_starts(np.diff(problem.blocks.node) + 1), block_starts(np.diff(problem.blocks.pair) + 1)
    columns = [np.arange(borders.size - 1) + 1 for borders in new]
    arrays = problem.arrays._replace(
        rows=(problem.arrays.rows + columns[0]).astype(np.int32),
        pair_rows=(problem.arrays.pair_rows + columns[1]).astype(np.int32),
    )
    target = replace(problem, arrays=arrays, blocks=Blocks(*new, problem.blocks.names))

    def carry(weights):
        carried = target.zeros()
        for matrix, before, borders in zip(carried, weights, new, strict=True):
            matrix[np.setdiff1d(np.arange(borders[-1]), borders[:-1])] = before
        return carried

    return target, carry


@pytest.mark.parametrize("model", ["last", "average"])
def test_rebinding_carries_weights_and_average(model):
    problem = untied_problem(1, True, 12)
    settings = OnlineMKL(model=model, transition="learned", **MANY_DEATHS)
    straight, rebound = settings.begin(problem), settings.begin(problem)
    carry = None
    for k, i in enumerate(random_order(12, 120)):
        straight.take(problem, np.array([i]))
        rebound.take(rebound.problem, np.array([i]))
        if k == 60:
            target, carry = with_an_unused_row(problem)
            rebound.rebind(target, carry)
    straight.end_pass()
    rebound.end_pass()
    expected = flat(carry(straight.weights))
    np.testing.assert_allclose(flat(rebound.weights), expected, atol=1e-5 * abs(expected).max())
    assert rebound.report().primal == pytest.approx(straight.report().primal, rel=1e-5)


def test_rebinding_carries_the_best_pass():
    problem = random_problem(1)
    training = fit(OnlineMKL(), problem, 3)
    target, carry = with_an_unused_row(problem)
    best = flat(carry(training.weights))
    training.rebind(target, carry)
    training._blocks.vector.node[1] = np.inf
    training.step(np.arange(target.n))
    with pytest.warns(UserWarning, match=r"M330.*best pass"):
        training.end_pass()
    np.testing.assert_array_equal(flat(training.weights), best)


def test_the_regularizer_counts_the_pieces_that_are_shown():
    """Where sentences come in more pieces than the problem has, lambda is 1/(C pieces) from the second pass on."""
    problem = random_problem(1)
    training = OnlineMKL(C=2.0).begin(problem)
    assert training._plan().step == 1 / (2.0 * problem.n)
    training.take(problem, np.tile(np.arange(problem.n), 3))
    training.end_pass()
    assert training._plan().step == 1 / (2.0 * 3 * problem.n)


def test_settings_as_a_config_has_them():
    text = '[trainer]\n@mtl_trainers = "spacy_mtl.OnlineMKL.v1"\nregularizer = {}\nC = 0.1\nloss = "log"\ngamma = null'
    for written, regularizer in (('"lq"', "lq"), ('{"l21": 1.0, "l2": 0.3}', ELASTIC)):
        config = Config().from_str(text.format(written))
        trainer = registry.resolve(Config().from_str(config.to_str()))["trainer"]
        assert trainer == OnlineMKL(regularizer, C=0.1, loss="log")
    assert online_mkl() == OnlineMKL()


def test_it_takes_a_stream():
    assert OnlineMKL().batch is False


@pytest.mark.parametrize(
    ("loss", "missing"), [("hinge", "decode"), ("hinge", "outputs"), ("hinge", "directions"), ("log", "marginals")]
)
def test_a_structure_that_lacks_what_the_loss_needs_is_refused(loss, missing):
    with pytest.raises(ValueError, match=rf"M301.*{missing}"):
        OnlineMKL(loss=loss).begin(replace(random_problem(0), lacks=frozenset({missing})))


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ({"regularizer": "l1"}, "M310.*'l1'"),
        ({"regularizer": {}}, "M310"),
        ({"regularizer": {"l2": 1.0, "l3": 1.0}}, "M310"),
        ({"regularizer": {"l2": 0.0}}, "M302.*'l2'"),
        ({"regularizer": {"l2": 1.0, "l21": -1.0}}, "M302.*'l21'"),
        ({"q": 0.9}, "M311"),
        ({"q": float("nan")}, "M311"),
        ({"q": float("inf")}, "M311"),
        ({"C": 0.0}, "M302.* C "),
        ({"C": float("nan")}, "M302"),
        ({"eta0": 0.0}, "M302.* eta0 "),
        ({"eta0": -1.0}, "M302"),
        ({"gamma": 0.0}, "M302.* gamma "),
        ({"gamma": -2.0}, "M302"),
        ({"seed": -1}, "M305"),
        ({"loss": "squared"}, "M312.*loss.*'log'"),
        ({"model": "best"}, "M312.*model"),
        ({"schedule": "constant"}, "M312.*schedule"),
        ({"transition": "none"}, "M312.*transition"),
        ({"schedule": "strongly_convex"}, "M313.*l2"),
        ({"schedule": "strongly_convex", "regularizer": "l2", "transition": "free"}, "M313.*transition"),
    ],
)
def test_settings_out_of_range_are_refused(settings, code):
    with pytest.raises(ValueError, match=code):
        online_mkl(**settings)


def test_weights_are_weights_of_the_problem():
    problem = random_problem(0)
    training = fit(OnlineMKL(), problem, 1)
    assert isinstance(training.weights, Weights)
    assert [matrix.shape for matrix in training.weights] == [matrix.shape for matrix in problem.zeros()]
    assert all(matrix.dtype == np.float32 for matrix in training.weights)
