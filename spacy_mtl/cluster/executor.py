"""Who does jobs: the processes of a Ray cluster, or this process. What became of each job is told with the worker that had it."""

import platform
import time
import traceback
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from .connect import Cluster, import_ray

#: Seconds between two looks at how many processes the cluster has.
_LOOK = 5.0


class WorkerDiedError(Exception):
    """The process that did a job has ended before the job did."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a job: a value; or fault, a sentence that says what the worker refused; or died, how its process ended. worker: its name."""

    job: Any
    value: Any = None
    fault: str = ""
    died: str = ""
    worker: str = ""


class Executor(Protocol):
    """Does jobs, in any order."""

    def slots(self) -> int:
        """How many jobs can be done at once."""

    def submit(self, job: Any) -> None:
        """Give it a job."""

    def outcomes(self, seconds: float) -> Sequence[Outcome]:
        """What has become of jobs; waits for the first of them, but no longer than that."""


class HereExecutor:
    """Does one job after the other in this process. A job that raises WorkerDiedError is one whose process has died."""

    def __init__(self, function: Callable[[Any], Any]):
        self._function, self._jobs = function, deque[Any]()

    def slots(self) -> int:
        """One."""
        return 1

    def submit(self, job: Any) -> None:
        """Put a job at the end of the queue."""
        self._jobs.append(job)

    def outcomes(self, seconds: float) -> Sequence[Outcome]:
        """Do the next job."""
        if not self._jobs:
            return []
        job = self._jobs.popleft()
        try:
            value, fault, _ = guarded(self._function, job)
        except WorkerDiedError as error:
            return [Outcome(job, died=str(error), worker="This process")]
        return [Outcome(job, value, fault, worker="This process")]


def guarded(function: Callable[[Any], Any], job: Any) -> tuple[Any, str, str]:
    """What a job returns, or the sentence of the error that it raises, and the name of the worker's machine."""
    try:
        return function(job), "", platform.node()
    except WorkerDiedError:
        raise
    except Exception as error:
        told = " ".join(str(error).split())
        if not told.startswith("[M"):
            place = traceback.extract_tb(error.__traceback__)[-1]
            told = f"{type(error).__name__}: {told} ({place.filename}, line {place.lineno})"
        return None, told.rstrip("."), platform.node()


class RayExecutor:
    """Does jobs in the processes of a Ray cluster, each on one CPU. Ray starts the processes, keeps them for further jobs, and uses new machines.

    function: must be importable by the workers. limit: the most jobs at once; None for as many as the cluster has CPUs, which may change. A job is
    never done again by Ray itself: whether it is, the caller decides.
    """

    def __init__(self, cluster: Cluster, function: Callable[[Any], Any], limit: int | None = None):
        self._cluster, self._limit = cluster, limit
        self._ray = cluster.ray
        self._task = self._ray.remote(num_cpus=1, max_retries=0)(_on_worker)
        self._function = function
        self._running: dict[Any, Any] = {}
        self._waiting = deque[Any]()
        self._slots, self._looked = max(1, cluster.cpus), time.monotonic()

    def slots(self) -> int:
        """CPUs of the cluster, as it is now."""
        if time.monotonic() - self._looked > _LOOK:
            self._looked = time.monotonic()
            self._slots = max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        return min(self._slots, self._limit or self._slots)

    def submit(self, job: Any) -> None:
        """Give Ray a job, or keep it back while there are as many as the limit allows: Ray would begin with it on any CPU that is free."""
        self._waiting.append(job)
        self._start()

    def _start(self) -> None:
        while self._waiting and (self._limit is None or len(self._running) < self._limit):
            job = self._waiting.popleft()
            self._running[self._task.remote(self._function, job)] = job

    def outcomes(self, seconds: float) -> Sequence[Outcome]:
        """What has become of jobs since the last call."""
        if not self._running:
            return []
        ended, _ = self._ray.wait(list(self._running), num_returns=1, timeout=seconds, fetch_local=False)
        found = [self._outcome(reference, self._running.pop(reference)) for reference in ended]
        self._start()
        return found

    def _outcome(self, reference: Any, job: Any) -> Outcome:
        errors = self._ray.exceptions
        try:
            value, fault, node = self._ray.get(reference)
        except errors.RayTaskError as error:  # before the job began: what was sent cannot be read there
            told = " ".join(str(error.cause or error).split())[:300]
            return Outcome(job, fault=told.rstrip("."), worker="A worker")
        except errors.RayError as error:
            return Outcome(job, died=_how(error), worker="A worker")
        return Outcome(job, value, fault, worker=self._cluster.worker(node))


def _on_worker(function: Callable[[Any], Any], job: Any) -> tuple[Any, str, str]:
    value, fault, _ = guarded(function, job)
    return value, fault, import_ray().get_runtime_context().get_node_id()


def _how(error: Exception) -> str:
    """How a process ended, in a few words."""
    names = {
        "OutOfMemoryError": "the machine was short of memory",
        "NodeDiedError": "its machine is gone",
        "WorkerCrashedError": "the process died",
    }
    return names.get(type(error).__name__, type(error).__name__)
