"""``spacy mtl tune --ray``: trials in the processes of a cluster, all with the same journal."""

import os
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from spacy_mtl.errors import Errors

if TYPE_CHECKING:
    from spacy_mtl.choosing.tuning import Tuning
    from spacy_mtl.cluster.executor import Executor

#: Rounds in which every process died before its trial ended: then something is wrong with the trials or the machines.
FRUITLESS = 3


class Search(Hashable, Protocol):
    """What a process needs to take part in a search. All of its paths are absolute."""

    def tuning(self) -> "Tuning":
        """Read the config and its corpora."""


@dataclass(frozen=True, slots=True)
class TrialJob:
    """One trial. number: no other job of this search has it. folder: where the command was given, from which paths in the config are read."""

    search: Search
    number: int
    folder: Path


def make_trial(job: TrialJob) -> int:
    """Make a trial, and keep it in the journal; returns how many trials this process has made of the search."""
    os.chdir(job.folder)
    found = _tuning(job.search)
    found[0].seed = found[1] + 1000 * (job.number + 1)  # processes that begin together draw different values
    found[0].run(1)
    found[2] += 1
    return found[2]


@lru_cache(maxsize=1)
def _tuning(search: Search) -> list:
    """The tuning of a search, which keeps the features that trials share; its seed; and how many trials it has made."""
    tuning = search.tuning()
    return [tuning, tuning.seed, 0]


@contextmanager
def trial_workers(address: str, workers: int | None) -> "Iterator[Executor]":
    """Join the cluster. Raises ValueError: M901-M906."""
    from spacy_mtl.cluster.connect import connect
    from spacy_mtl.cluster.executor import RayExecutor

    with connect(address, workers) as cluster:
        yield RayExecutor(cluster, make_trial, workers)


def run_trials(
    executor: "Executor",
    search: Search,
    left: Callable[[], int],
    take_up: Callable[[], object],
    look: Callable[[], object],
) -> None:
    """Make trials until none is left. Trials whose processes die are made again, with the same settings.

    left: how many there are to be made, according to the journal. take_up: lets those come again that nobody is at work on. look: shows progress.
    Raises ValueError, which names the worker: M937 it could not make a trial, M938 its processes die again and again.
    """
    number = fruitless = 0
    folder = Path.cwd()
    while (n := left()) > 0:
        before, running = n, 0
        died = worker = ""
        while n or running:
            while n and running < executor.slots():
                executor.submit(TrialJob(search, number, folder))
                number, running, n = number + 1, running + 1, n - 1
            for outcome in executor.outcomes(1.0):
                running -= 1
                if outcome.fault:
                    raise ValueError(Errors.M937.format(worker=outcome.worker, reason=outcome.fault))
                died, worker = (outcome.died, outcome.worker) if outcome.died else (died, worker)
            look()
        take_up()
        fruitless = fruitless + 1 if left() >= before else 0
        if fruitless == FRUITLESS:
            raise ValueError(Errors.M938.format(worker=worker, reason=died))
