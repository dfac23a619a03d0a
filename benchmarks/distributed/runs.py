"""Runs in one process, in which the workers take turns."""

import time
import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.common.measure import median
from benchmarks.threads.training import extracted
from spacy_mtl.distributed.ascent import ShardedAscent
from spacy_mtl.distributed.shard import Shard
from spacy_mtl.distributed.workers import LocalWorkers
from spacy_mtl.structures.problem import Problem
from spacy_mtl.thresholds import LIVE
from spacy_mtl.trainers.base import fit


def run_of(problem: Problem, first: int, last: int) -> Problem:
    """Sentences first to last - 1 of a chain problem, with nothing but their tokens."""
    arrays = problem.arrays
    a, b = arrays.first[first], arrays.last[last - 1]
    tokens = {name: getattr(arrays, name)[a:b].copy() for name in ("gold", "rows", "pair_rows", "forms")}
    sentences = {
        name: getattr(arrays, name)[first:last].copy()
        for name in ("first", "last", "open_left", "open_right", "repeats")
    }
    sentences["first"] -= a
    sentences["last"] -= a
    return replace(problem, arrays=arrays._replace(**tokens, **sentences))


def workers_of(problem: Problem, count: int) -> LocalWorkers:
    """Workers with a run of sentences each, of about as many as the others have."""
    ends = np.linspace(0, problem.n, count + 1).astype(int)

    def maker(k: int) -> Any:
        return lambda: Shard(run_of(problem, ends[k], ends[k + 1]), seed=k)

    return LocalWorkers([maker(k) for k in range(count)])


def simulated(of: dict[str, Any], counts: list[int], passes: int, most: int) -> list[dict[str, Any]]:
    """A row for each number of workers: rounds and CPU seconds to gaps of 5% and 1%, and bytes a round. Certificates do not count."""
    warnings.simplefilter("ignore")
    problem, trainer = extracted(of)
    begin = time.process_time()
    alone = fit(trainer, problem, 1000)
    seconds = time.process_time() - begin
    rows = []
    for count in counts:
        workers = workers_of(problem, count)
        ascent = ShardedAscent(trainer, workers, passes)
        row = _to_gaps(ascent, workers, most)
        serial = {"serial_cpu": seconds, "serial_passes": alone.passes, "serial_primal": alone.report().primal}
        rows.append({"workers": count, "passes": passes, "sentences": problem.n, **row, **serial})
    return rows


def _to_gaps(ascent: ShardedAscent, workers: LocalWorkers, most: int) -> dict[str, Any]:
    cpu, gaps, sigmas = 0.0, [], []
    sent, received, live = [], [], []
    found: dict[str, Any] = {}
    while len(gaps) < most:
        before = sum(workers.sent), sum(workers.received)
        begin = time.process_time()
        ascent.round()
        cpu += time.process_time() - begin
        sent.append((sum(workers.sent) - before[0]) / len(workers))
        received.append((sum(workers.received) - before[1]) / len(workers))
        live.append(_live_bytes(ascent))
        report = ascent.certify()
        gaps.append(report.gap)
        sigmas.append(float(ascent.sigma[ascent.mu > 0].mean()))
        for name, wanted in (("5", 0.05), ("1", 0.01)):
            if report.gap <= wanted and f"rounds_{name}" not in found:
                found |= {f"rounds_{name}": len(gaps), f"cpu_{name}": cpu}
        if gaps[-1] <= 0.01:
            break
    bytes_of = {"sent": median(sent), "received": median(received), "live_bytes": median(live)}
    return {**found, **bytes_of, "primal": report.primal, "dual": report.dual, "gap": gaps[-1], "sigma": median(sigmas)}


def _live_bytes(ascent: ShardedAscent) -> int:
    """Bytes of the weights of live templates, in single precision."""
    blocks, live = ascent.frame.blocks, ascent.mu > LIVE * ascent.mu.sum()
    node, pair = live[: blocks.n_node], live[blocks.n_node :]
    entries = np.diff(blocks.node)[node].sum() * ascent.frame.node_width
    return 4 * int(entries + np.diff(blocks.pair)[pair].sum() * ascent.frame.pair_width)


def killed(of: dict[str, Any], count: int, kills: int, rounds: int, seed: int) -> list[dict[str, Any]]:
    """A row: trainings in which one worker is killed before a call at random, compared with one that nobody dies in."""
    warnings.simplefilter("ignore")
    problem, trainer = extracted(of)
    random = np.random.default_rng(seed)
    calm, calls = _with_a_death(problem, trainer, count, rounds, -1, 0)
    found = []
    for _ in range(kills):
        moment, victim = int(random.integers(calls)), int(random.integers(count))
        report, _ = _with_a_death(problem, trainer, count, rounds, moment, victim)
        found.append((moment, report.primal, report.dual, report.gap))
    consistent = all(primal >= calm.dual and dual <= calm.primal for _, primal, dual, _ in found)
    gaps = [gap for *_, gap in found]
    return [
        {
            "workers": count,
            "kills": kills,
            "rounds": rounds,
            "sentences": problem.n,
            "calm_gap": calm.gap,
            "calm_primal": calm.primal,
            "largest_gap": max(gaps),
            "median_gap": median(gaps),
            "ended": len(found),
            "consistent": consistent,
        }
    ]


def _with_a_death(problem: Problem, trainer: Any, count: int, rounds: int, moment: int, victim: int) -> tuple[Any, int]:
    workers = workers_of(problem, count)
    call, calls = workers.call, [0]

    def counted(method: str, arguments: Any) -> Any:
        if method != "shape":
            if calls[0] == moment:
                workers.kill(victim)
            calls[0] += 1
        return call(method, arguments)

    workers.call = counted  # type: ignore[method-assign]
    ascent = ShardedAscent(trainer, workers)
    for _ in range(rounds):
        ascent.round()
    return ascent.certify(), calls[0]
