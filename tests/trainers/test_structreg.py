"""Structure regularization around every kind of trainer: what the training within gets to see, and that it is never asked twice."""

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest
from spacy.util import registry

from spacy_mtl.structures import problem as structures
from spacy_mtl.structures.problem import block_starts
from spacy_mtl.trainers.base import Trainer, fit
from spacy_mtl.trainers.eg.trainer import EG
from spacy_mtl.trainers.mtlstruct.trainer import MTLStruct
from spacy_mtl.trainers.online.mira import MIRA
from spacy_mtl.trainers.online.perceptron import Perceptron
from spacy_mtl.trainers.online_mkl.trainer import OnlineMKL
from spacy_mtl.trainers.shared.passes import OnlineTraining
from spacy_mtl.trainers.structreg import StructReg, struct_reg

from .reference import random_problem

ONLINE = [Perceptron(seed=3), Perceptron(margin=True, seed=3), MIRA(k=3, seed=3)]
BATCH = [
    MTLStruct(p=1.0, C=3.0, tol=1e-9),
    MTLStruct(p=2.0, C=3.0, tol=1e-9),
    MTLStruct(p=4 / 3, C=3.0, solver="cutting_plane", tol=1e-9),
]


def long_problem(seed: int = 0):
    """The reference problem with sentences run together by threes, so that there is something to cut."""
    problem = random_problem(seed, n_sentences=15, observed=True)
    arrays = problem.arrays
    borders = block_starts((arrays.last - arrays.first).reshape(-1, 3).sum(axis=1))
    together = arrays._replace(
        first=borders[:-1], last=borders[1:], open_left=np.zeros(5, bool), open_right=np.zeros(5, bool),
        repeats=np.ones((5, arrays.rows.shape[1]), bool),
    )  # fmt: skip
    return replace(problem, arrays=together)


@dataclass(frozen=True)
class Recorder(Trainer):
    """An online trainer that notes what it is shown."""

    batch: ClassVar[bool] = False

    def _begin(self, problem):
        return Recording(problem, 0)


class Recording(OnlineTraining):
    def __init__(self, problem, seed):
        super().__init__(problem, seed)
        self.shown = []

    def learn(self, problem, order):
        self.shown.append([(int(problem.arrays.first[i]), int(problem.arrays.last[i])) for i in order])
        return 1.0

    def current_weights(self):
        return self.problem.zeros()

    def measure(self):
        raise NotImplementedError

    template_weights = None

    def rebind(self, problem, carry):
        self.problem = problem


@dataclass(frozen=True)
class OddOne(Trainer):
    """An online trainer whose training is no OnlineTraining."""

    batch: ClassVar[bool] = False

    def _begin(self, problem):
        return MTLStruct().begin(problem)


def weights_of(training) -> np.ndarray:
    return np.concatenate([matrix.ravel() for matrix in training.weights])


@pytest.mark.parametrize("trainer", ONLINE, ids=repr)
def test_long_mini_samples_are_the_plain_online_trainer(trainer):
    problem = long_problem()
    plain, cut = fit(trainer, problem, 4), fit(StructReg(trainer, size=100, seed=3), problem, 4)
    np.testing.assert_array_equal(weights_of(cut), weights_of(plain))
    np.testing.assert_array_equal(cut.template_weights, plain.template_weights)
    assert cut.loss == plain.loss
    assert cut.passes == plain.passes == 4
    assert weights_of(plain).any()


@pytest.mark.parametrize("redraw", [0, 3])
@pytest.mark.parametrize("trainer", BATCH, ids=repr)
def test_long_mini_samples_are_the_plain_batch_trainer(trainer, redraw):
    """Drawn again, sentences that are not cut are the same: a cutting plane goes on as if nothing had been."""
    problem = long_problem()
    plain, cut = fit(trainer, problem, 7), fit(StructReg(trainer, size=100, redraw=redraw), problem, 7)
    if not redraw:
        np.testing.assert_array_equal(weights_of(cut), weights_of(plain))
        assert cut.report() == plain.report()
    elif trainer.solver == "cutting_plane":
        np.testing.assert_allclose(weights_of(cut), weights_of(plain), atol=1e-3)


@pytest.mark.parametrize("trainer", [*ONLINE, *BATCH], ids=repr)
def test_cutting_changes_what_is_learnt_and_seeds_reproduce_it(trainer):
    problem = long_problem()
    one, two, other = (fit(StructReg(trainer, size=2, seed=seed, redraw=2), problem, 5) for seed in (1, 1, 2))
    np.testing.assert_array_equal(weights_of(one), weights_of(two))
    assert (weights_of(one) != weights_of(other)).any()
    assert (weights_of(one) != weights_of(fit(trainer, problem, 5))).any()
    assert one.passes == 5
    assert one.report().passes == 5
    assert one.template_weights.shape == (problem.blocks.n,)


@pytest.mark.parametrize("trainer", BATCH, ids=repr)
def test_single_positions_are_a_classifier(trainer):
    """Mini-samples of one position are the same however they are drawn, and no label pair is ever learnt."""
    problem = long_problem()
    training = fit(StructReg(trainer, size=1, redraw=0), problem, 12)
    n = problem.arrays.gold.size
    alone = replace(
        problem,
        arrays=problem.arrays._replace(
            first=np.arange(n), last=np.arange(n) + 1, open_left=np.ones(n, bool), open_right=np.ones(n, bool),
            repeats=np.zeros((n, problem.arrays.rows.shape[1]), bool),
        ),
    )  # fmt: skip
    plain = fit(trainer, alone, 12)
    np.testing.assert_allclose(weights_of(training), weights_of(plain), atol=1e-5)
    assert not training.weights.pair.any()
    assert training.weights.node.any()
    hinges = alone.hinges(training.weights).sum()
    norm = np.linalg.norm(problem.block_norms(training.weights), ord=trainer.p)
    assert training.report().primal == pytest.approx(0.5 * norm**2 + trainer.C * hinges, rel=1e-4)


@pytest.mark.parametrize("trainer", ONLINE, ids=repr)
def test_single_positions_are_a_classifier_online(trainer):
    training = fit(StructReg(trainer, size=1), long_problem(), 5)
    assert not training.weights.pair.any()
    assert training.weights.node.any()


def test_online_trainers_see_every_position_once_cut_anew_and_shuffled():
    problem = long_problem()
    training = StructReg(Recorder(), size=2.5, seed=4).begin(problem)
    everything = np.arange(problem.n)
    for _ in range(3):
        training.step(everything)
    training.step(np.array([3, 1]))
    *passes, last = training.inner.shown
    for pieces in passes:
        positions = np.sort(np.concatenate([np.arange(a, b) for a, b in pieces]))
        np.testing.assert_array_equal(positions, np.arange(problem.arrays.gold.size))
        assert pieces != sorted(pieces)
        assert {b - a for a, b in pieces} <= {1, 2, 3}
    assert len({tuple(sorted(pieces)) for pieces in passes}) == 3
    owner = [np.searchsorted(problem.arrays.last, a, side="right") for a, _ in passes[0]]
    assert owner != sorted(owner)  # the pieces of different sentences are mixed
    lengths = problem.arrays.last - problem.arrays.first
    assert sum(b - a for a, b in last) == lengths[[3, 1]].sum()
    for _ in range(2):
        training.end_pass()
    assert (training.passes, training.loss) == (2, 0.0)


def starts_of(training) -> list[int]:
    return training.inner.problem.arrays.first.tolist()


def test_batch_trainers_are_cut_elsewhere_every_so_many_passes():
    problem = long_problem()
    training = StructReg(MTLStruct(tol=1e-9), size=2, redraw=3).begin(problem)
    draws = []
    for _ in range(9):
        training.step(np.arange(2))
        training.end_pass()
        draws.append(starts_of(training))
    assert [draws[0] == draw for draw in draws] == [True] * 3 + [False] * 6
    assert draws[3] == draws[4] == draws[5] != draws[6] == draws[8]
    training = fit(StructReg(MTLStruct(tol=1e-9, inner_passes=4), size=2, redraw=8), problem, 16)
    assert training.passes == 16
    assert starts_of(training) != draws[0]


def test_draws_and_averages_go_together():
    """Dual ascent begins anew with each draw; the average over the passes goes on."""
    problem, last = long_problem(), []
    plain, averaged = (StructReg(MTLStruct(p=2.0, tol=1e-9, average=n), size=2, redraw=1) for n in (1, 50))
    fit(plain, problem, 12, lambda training: last.append(weights_of(training)))
    training = fit(averaged, problem, 12)
    assert training.passes == 12
    np.testing.assert_allclose(weights_of(training), np.mean(last, axis=0), atol=1e-6)
    assert np.abs(weights_of(training) - last[-1]).max() > 0.05


def test_a_converged_training_stays_as_it_is():
    problem = long_problem()
    training = fit(StructReg(MTLStruct(tol=0.2), size=2, redraw=1000), problem, 500)
    assert training.converged
    assert training.passes < 500
    before = weights_of(training)
    training.end_pass()
    np.testing.assert_array_equal(weights_of(training), before)


@pytest.mark.parametrize("trainer", [*ONLINE, *BATCH], ids=repr)
def test_features_indexed_anew_keep_the_cuts(trainer):
    """The weights after are those before; a training whose marginals belong to pieces must find the same pieces again."""
    problem = long_problem()
    settings = StructReg(trainer, size=2, redraw=2, seed=1)
    straight, rebound = settings.begin(problem), settings.begin(problem)
    for _ in range(5):
        for training in (straight, rebound):
            training.step(np.arange(problem.n))
            training.end_pass()
        other, before = replace(problem), weights_of(rebound).copy()
        rebound.rebind(other, lambda weights: weights)
        assert rebound.problem is other
        assert rebound.inner.problem is not problem
        np.testing.assert_allclose(weights_of(rebound), before, atol=1e-3)
        if settings.batch:
            assert starts_of(rebound) == starts_of(straight)


def enlarged(problem):
    """The same corpus with a row of no use before all others, as (problem, carry)."""
    arrays, blocks = problem.arrays, problem.blocks
    node = np.concatenate([blocks.node[:1], blocks.node[1:] + 1])
    rows = np.where(arrays.rows < 0, -1, arrays.rows + 1).astype(np.int32)
    more = replace(problem, arrays=arrays._replace(rows=rows), blocks=replace(blocks, node=node))
    return more, lambda weights: weights._replace(node=np.vstack([np.zeros_like(weights.node[:1]), weights.node]))


@pytest.mark.parametrize("when", ["carry", "_scale_blocks", "_block_norms", "inner"])
@pytest.mark.parametrize("trainer", [*ONLINE, *BATCH, EG("batch_primal"), OnlineMKL()], ids=repr)
def test_an_interrupt_while_features_are_indexed_anew_leaves_the_old_or_the_new(monkeypatch, trainer, when):
    """Whenever Ctrl-C comes, problem and weights belong together, and training goes on."""
    problem = long_problem()
    other, carry = enlarged(problem)
    training = fit(StructReg(trainer, size=2, redraw=1), problem, 3)
    before = training.weights.node.copy()

    def interrupted(function):
        def call(*arguments):
            function(*arguments)
            raise KeyboardInterrupt

        return call

    with monkeypatch.context() as patch:
        if when == "inner":
            patch.setattr(training.inner, "rebind", interrupted(training.inner.rebind))
        elif when != "carry":
            patch.setattr(structures, when, interrupted(getattr(structures, when)))
        with suppress(KeyboardInterrupt):  # not everyone calls all of these
            training.rebind(other, interrupted(carry) if when == "carry" else carry)
    assert training.problem is (other if training.inner.problem.blocks is other.blocks else problem)
    assert training.weights.node.shape[0] == training.problem.blocks.node[-1]
    np.testing.assert_allclose(training.weights.node[-before.shape[0] :], before, rtol=1e-3, atol=1e-3)
    for _ in range(2):
        training.step(np.arange(problem.n))
        training.end_pass()
    assert training.weights.node.shape[0] == training.problem.blocks.node[-1]


def test_needs_and_kind_follow_the_trainer_within():
    assert StructReg(MIRA()).needs == MIRA().needs | {"cut"}
    assert not StructReg(MIRA()).batch
    assert StructReg(MTLStruct()).batch


def test_a_structure_that_cannot_be_cut_is_refused():
    problem = random_problem(0)
    whole = replace(problem, cut_arrays=None)
    Perceptron().begin(whole)
    with pytest.raises(ValueError, match=r"M301.*StructReg.*linear chain.*cut"):
        StructReg(Perceptron()).begin(whole)


def test_what_the_trainer_within_needs_is_asked_for():
    with pytest.raises(ValueError, match=r"M301.*kbest"):
        StructReg(MIRA()).begin(replace(random_problem(0), lacks=frozenset({"kbest"})))


def test_an_online_trainer_that_cannot_be_shown_pieces_is_refused():
    with pytest.raises(ValueError, match=r"M324.*OddOne"):
        StructReg(OddOne()).begin(random_problem(0))


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ({"trainer": "Perceptron"}, "M321"),
        ({"trainer": None}, "M321"),
        ({"trainer": StructReg(Perceptron())}, "M322"),
        ({"size": 0.99}, "M323"),
        ({"size": 1e300}, "M323.*from 1 to 1e15"),
        ({"size": float("nan")}, "M323"),
        ({"size": float("inf")}, "M323"),
        ({"redraw": -1}, "M305"),
        ({"redraw": 1.5}, "M305"),
        ({"seed": -1}, "M305"),
    ],
)
def test_settings_out_of_range_are_refused(settings, code):
    with pytest.raises(ValueError, match=code):
        struct_reg(**{"trainer": Perceptron(), **settings})


def test_defaults_of_factory_and_settings_agree():
    assert struct_reg(Perceptron()) == StructReg(Perceptron())


def test_a_config_nests_the_trainer_within():
    config = {
        "trainer": {
            "@mtl_trainers": "spacy_mtl.StructReg.v1",
            "size": 3.5,
            "trainer": {"@mtl_trainers": "spacy_mtl.MIRA.v1", "C": 0.1},
        }
    }
    assert registry.resolve(config)["trainer"] == StructReg(MIRA(C=0.1), size=3.5)
