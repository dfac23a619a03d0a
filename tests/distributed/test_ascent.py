"""Training in shards: the optimum of one machine, true certificates whatever dies, and the same weights everywhere."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.reliability.enumerated import KINDS, flat
from benchmarks.reliability.enumerated import random_problem as enumerated_problem
from spacy_mtl.distributed.ascent import MOST_LOST, ShardedAscent
from spacy_mtl.distributed.shard import Shard
from spacy_mtl.distributed.workers import LocalWorkers
from spacy_mtl.trainers.base import fit
from spacy_mtl.trainers.mtlstruct.trainer import MTLStruct

from ..trainers.reference import random_problem
from .shards import local_workers, part


def trained(settings, workers, rounds, tol=1e-3):
    ascent = ShardedAscent(settings, workers)
    for number in range(1, rounds + 1):
        ascent.round()
        if number % 20 == 0 and ascent.certify().gap <= tol:
            break
    return ascent


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("p", "C"), [(1.0, 0.1), (4 / 3, 0.3), (2.0, 1.0), (3.0, 0.1)])
@pytest.mark.parametrize("count", [1, 3])
def test_the_optimum_over_all_outputs_is_reached_and_certified(kind, p, C, count):
    enumerated = enumerated_problem(3, kind)
    ascent = trained(MTLStruct(p, C), local_workers(enumerated.problem, count), 400)
    report, optimum = ascent.certify(), enumerated.optimum(p, C)
    assert report.gap <= 1e-3
    assert report.primal == pytest.approx(enumerated.objective(flat(ascent.weights), p, C), rel=1e-6)
    assert report.dual <= min(optimum) * (1 + 1e-9)
    assert min(optimum) <= report.primal * (1 + 1e-9)


@pytest.mark.parametrize("count", [2, 8])
@pytest.mark.parametrize("p", [1.0, 1.5, 2.0])
def test_many_shards_end_where_one_machine_does(count, p):
    problem = random_problem(0, n_sentences=60, n_templates=8)
    alone = fit(MTLStruct(p, 0.3, tol=1e-4), problem, 2000).report()
    report = trained(MTLStruct(p, 0.3), local_workers(problem, count), 1000, tol=5e-4).certify()
    assert report.gap <= 5e-4
    assert report.primal == pytest.approx(alone.primal, rel=1e-3)
    assert report.dual <= alone.primal


@pytest.mark.parametrize("observed", [False, True])
def test_all_have_the_same_weights_to_the_bit(observed):
    workers = local_workers(random_problem(1, n_sentences=30, observed=observed), 3)
    ascent = ShardedAscent(MTLStruct(1.5, 0.3), workers, passes=2)
    for _ in range(7):
        ascent.round()
    workers.call("hinges", [(ascent._next,)] * 3)  # they follow
    for shard in workers.shards:
        assert all(map(np.array_equal, shard._w, ascent.weights))


def test_weights_are_those_of_the_mixtures_after_rounds():
    workers = local_workers(random_problem(1, n_sentences=30), 3)
    ascent = ShardedAscent(MTLStruct(1.0, 0.3), workers)
    for _ in range(9):
        ascent.round()
    before = [matrix.copy() for matrix in ascent.weights]
    assert np.abs(before[0]).max() > 0.01
    ascent.certify()
    for found, expected in zip(before, ascent.weights, strict=True):
        assert np.allclose(found, expected, atol=1e-4)


def test_an_average_is_what_is_certified():
    enumerated = enumerated_problem(3, "chain")
    ascent = ShardedAscent(MTLStruct(4 / 3, 0.3, average=3), local_workers(enumerated.problem, 2))
    seen = []
    for _ in range(6):
        ascent.round()
        seen.append(ascent._w.node.copy())
    assert np.allclose(ascent.weights.node, _running(seen, 3), atol=1e-6)
    for _ in range(2):  # nor does a certificate change what follows
        assert ascent.certify().primal == pytest.approx(
            enumerated.objective(flat(ascent.weights), 4 / 3, 0.3), rel=1e-6
        )
        ascent.round()
    for _ in range(300):
        ascent.round()
    assert ascent.certify().gap <= 1e-3


def _running(matrices, length):
    mean = 0.0
    for number, matrix in enumerate(matrices, start=1):
        mean = mean + (matrix - mean) / min(number, length)
    return mean


@pytest.mark.parametrize("seed", range(10))
def test_workers_may_die_at_any_moment(seed, monkeypatch):
    """Before any call of any worker: the certificate is as true as ever, and training ends where it would have."""
    enumerated = enumerated_problem(3, "chain")
    workers, random = local_workers(enumerated.problem, 2), np.random.default_rng(seed)
    call, deaths = workers.call, []

    def deadly(method, arguments):
        if method != "shape" and len(deaths) < 8 and random.random() < 0.1:
            deaths.append(method)
            workers.kill(int(random.integers(2)))
        return call(method, arguments)

    monkeypatch.setattr(workers, "call", deadly)
    ascent = ShardedAscent(MTLStruct(4 / 3, 0.3), workers)
    for number in range(1, 401):
        ascent.round()
        if number % 10 == 0:
            report = ascent.certify()
            assert report.primal == pytest.approx(enumerated.objective(flat(ascent.weights), 4 / 3, 0.3), rel=1e-6)
            assert report.dual <= min(enumerated.optimum(4 / 3, 0.3)) * (1 + 1e-9)
    assert len(deaths) == 8
    assert ascent.certify().gap <= 1e-3


def test_workers_that_die_again_and_again_end_the_training():
    workers = local_workers(random_problem(0), 2)
    ascent = ShardedAscent(MTLStruct(), workers)
    call = workers.call

    def dying(method, arguments):
        workers.kill(1)
        return call(method, arguments)

    workers.call = dying
    with pytest.raises(ValueError, match=rf"M377.*{MOST_LOST} workers"):
        ascent.certify()


def test_bytes_of_a_round_are_below_those_of_the_weights():
    problem = random_problem(0, n_sentences=60, n_templates=8)
    workers = local_workers(problem, 4)
    ascent = ShardedAscent(MTLStruct(1.5, 0.3), workers)
    size = sum(matrix.nbytes for matrix in ascent.weights)
    envelope = 25 * problem.blocks.n + 16  # mask, factors, scales and sigma of the templates
    for _ in range(5):
        sent, received = list(workers.sent), list(workers.received)
        ascent.round()
        assert all(0 < now - before <= size + envelope for now, before in zip(workers.sent, sent, strict=True))
        assert all(
            0 < now - before <= size + 8 * problem.blocks.n + 8
            for now, before in zip(workers.received, received, strict=True)
        )


def shard_of(problem):
    return lambda: Shard(problem)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda p: replace(p, blocks=replace(p.blocks, names=("x", *p.blocks.names[1:]))), "other templates"),
        (lambda p: replace(p, node_width=p.node_width + 1), "another number of labels"),
        (lambda p: replace(p, blocks=replace(p.blocks, node=p.blocks.node * 2)), "features with other numbers"),
        (lambda p: replace(p, blocks=replace(p.blocks, pair=p.blocks.pair * 2)), "label pairs with other numbers"),
    ],
)
def test_shards_that_differ_are_refused_by_the_name_of_the_worker(change, what):
    problem = random_problem(0)
    with pytest.raises(ValueError, match=rf"M374.*worker 2 of 3 has .*{what}.* worker 1 of 3"):
        ShardedAscent(MTLStruct(), LocalWorkers(list(map(shard_of, (problem, change(problem), problem)))))


def test_workers_of_another_version_are_refused(monkeypatch):
    workers = local_workers(random_problem(0), 2)
    shard = workers.shards[1]
    monkeypatch.setattr(shard, "shape", lambda: Shard.shape(shard)._replace(version="0.0.0"))
    with pytest.raises(ValueError, match=r"M374.*worker 2 of 2 has another version of spacy_mtl \(0\.0\.0, not"):
        ShardedAscent(MTLStruct(), workers)


def test_an_empty_shard_is_refused_by_the_name_of_its_worker():
    problem = random_problem(0)
    empty = part(problem, np.empty(0))
    with pytest.raises(ValueError, match=r"M375.*worker 2 of 2"):
        ShardedAscent(MTLStruct(), LocalWorkers(list(map(shard_of, (problem, empty)))))


def test_dropped_templates_stay_dropped_when_a_training_goes_on():
    """At p = 1 the template weights come back with their own state: C mu_j V_j(M) = w_j in the first round, too."""
    problem = random_problem(0, n_sentences=60, n_templates=8)
    settings = MTLStruct(1.0, 0.02)
    ascent = ShardedAscent(settings, local_workers(problem, 2))
    for _ in range(120):
        ascent.round()
    live = ascent.mu > 0
    assert 0 < live.sum() < live.size
    other = ShardedAscent(settings, ascent.workers)
    other.resume(ascent.state())
    other.round()
    assert np.array_equal(other.mu > 0, live)
    assert np.abs(other.mu - ascent.mu).max() < 0.2
