"""Join a Ray cluster: its address, a time limit, and workers that have the same versions as this process.

Ray is imported by :func:`connect` alone, when it is called.
"""

import importlib
import logging
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from spacy_mtl.errors import Errors

#: Seconds in which a cluster must answer.
TIME_LIMIT = 30.0
#: Packages whose versions must be the same on all machines: models and compiled kernels depend on them.
PACKAGES = ("spacy-mtl", "spacy", "thinc", "numba", "numpy")
_ADDRESS = re.compile(r"(?P<host>[\w.-]+|\[[0-9a-fA-F:.]+\]):(?P<port>[0-9]{1,5})")


@dataclass(frozen=True, slots=True)
class Worker:
    """A machine of the cluster (a node, for Ray). cpus: how many processes it runs at once."""

    host: str
    address: str
    node: str
    cpus: int

    def __str__(self) -> str:
        return f"The worker {self.host} ({self.address}, node {self.node[:8]})"


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster that was joined. ray: the module. workers: its machines when it was joined; others may come and go."""

    ray: Any
    workers: tuple[Worker, ...]

    @property
    def cpus(self) -> int:
        """How many processes run at once, on all machines together."""
        return sum(worker.cpus for worker in self.workers)

    def worker(self, node: str) -> str:
        """The name of a worker in a sentence, by the id of its node, which may have come later."""
        found = [worker for worker in self.workers if worker.node == node]
        return str(found[0]) if found else f"The worker of node {node[:8]}"


def import_ray() -> Any:
    """The module ``ray``. Raises ValueError (M901) where it is not installed."""
    try:
        return importlib.import_module("ray")
    except ImportError:
        raise ValueError(Errors.M901) from None


@contextmanager
def connect(address: str, cpus: int | None = None, seconds: float = TIME_LIMIT) -> Iterator[Cluster]:
    """Join a cluster, and leave it in the end; one that was started here ends as well.

    address: "local" for a new cluster on this machine; "auto" for the one that runs on it, or that the environment names; or HOST:PORT. cpus: of
    a new cluster; None for those that this process may use. seconds: time for the cluster to answer.

    Raises ValueError before any work: M901 Ray is not installed, M902 the address is none, M903 nobody answers in time, M904 the cluster has another
    version of Python or Ray, M907 it asks for a token that Ray does not find in this environment, M905 a worker has other versions of
    :data:`PACKAGES`, M906 a worker cannot say which it has.
    """
    if address not in ("local", "auto") and _host_and_port(address) is None:
        raise ValueError(Errors.M902.format(address=address[:100]))
    ray = import_ray()
    end = time.monotonic() + seconds
    if address != "local":
        _check_answers(address, seconds)
    _join(ray, address, cpus, seconds)
    try:
        cluster = Cluster(ray, _workers(ray))
        check_versions(cluster, max(end - time.monotonic(), seconds / 2))
        yield cluster
    finally:
        ray.shutdown()


def _host_and_port(address: str) -> tuple[str, int] | None:
    found = _ADDRESS.fullmatch(address)
    if found is None or not 0 < int(found["port"]) < 2**16:
        return None
    return found["host"].strip("[]"), int(found["port"])


def _check_answers(address: str, seconds: float) -> None:
    """Refuse an address where no Ray cluster answers (M903) or lets us in (M907). Ray itself would wait for minutes, or end this process."""
    if (place := _host_and_port(address)) is not None:
        try:
            socket.create_connection(place, seconds).close()
        except OSError as error:
            reason = "no answer" if isinstance(error, TimeoutError) else error.strerror or str(error)
            raise ValueError(Errors.M903.format(address=address, seconds=seconds, reason=reason)) from None
    command = [sys.executable, "-m", "ray.scripts.scripts", "health-check"]
    command += ["--address", address] if place is not None else []
    try:
        run = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        raise ValueError(Errors.M903.format(address=address, seconds=seconds, reason="no answer")) from None
    if b"AuthenticationError" in run.stderr + run.stdout:
        raise ValueError(Errors.M907.format(address=address))
    if run.returncode:
        raise ValueError(Errors.M903.format(address=address, seconds=seconds, reason="no cluster is running there"))


def _join(ray: Any, address: str, cpus: int | None, seconds: float) -> None:
    settings: dict[str, Any] = {"address": address, "log_to_driver": False, "logging_level": logging.ERROR}
    if address == "local":
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is told to anybody
        settings |= {"num_cpus": cpus or usable_cpus(), "include_dashboard": False}
    try:
        ray.init(**settings)
    except ConnectionError as error:
        raise ValueError(Errors.M903.format(address=address, seconds=seconds, reason=_one_line(error))) from None
    except (RuntimeError, ValueError) as error:
        raise ValueError(Errors.M904.format(address=address, reason=_one_line(error))) from None


def usable_cpus() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _one_line(error: BaseException) -> str:
    text = " ".join(str(error).split()).rstrip(".") or type(error).__name__
    return text if len(text) <= 300 else f"{text[:300]}..."


def _workers(ray: Any) -> tuple[Worker, ...]:
    alive = [node for node in ray.nodes() if node["Alive"] and node["Resources"].get("CPU", 0) >= 1]
    return tuple(
        Worker(node["NodeManagerHostname"], node["NodeManagerAddress"], node["NodeID"], int(node["Resources"]["CPU"]))
        for node in alive
    )


def versions_here() -> dict[str, str]:
    """The versions that must be the same on all machines: of Python and :data:`PACKAGES`; "none" for a package that is not installed."""
    return _version_reader()()


def _version_reader() -> Callable[[], dict[str, str]]:
    """A function that reads versions. Being made here, it is sent to workers as it is, and needs nothing of this package there."""
    packages = PACKAGES

    def versions() -> dict[str, str]:
        import platform
        from importlib import metadata

        found = {"Python": platform.python_version()}
        for name in packages:
            try:
                found[name] = metadata.version(name)
            except metadata.PackageNotFoundError:
                found[name] = "none"
        return found

    return versions


def check_versions(cluster: Cluster, seconds: float, expected: Mapping[str, str] | None = None) -> None:
    """Ask each worker for its versions. expected: those of this process unless given.

    Raises ValueError, which names the worker: M905 a version is another one, M906 no answer.
    """
    expected = versions_here() if expected is None else expected
    ray = cluster.ray
    strategy = importlib.import_module("ray.util.scheduling_strategies").NodeAffinitySchedulingStrategy
    # asking takes no CPU of those that are counted: a cluster may be busy
    task = ray.remote(num_cpus=0, max_retries=0)(_version_reader())
    asked = {task.options(scheduling_strategy=strategy(w.node, soft=False)).remote(): w for w in cluster.workers}
    answered, _ = ray.wait(list(asked), num_returns=len(asked), timeout=seconds) if asked else ([], [])
    for reference, worker in asked.items():
        if reference not in answered:
            raise ValueError(Errors.M906.format(worker=worker, reason=f"no answer within {seconds:.0f} seconds"))
        try:
            compare_versions(str(worker), ray.get(reference), expected)
        except ray.exceptions.RayError as error:
            raise ValueError(Errors.M906.format(worker=worker, reason=_one_line(error))) from None


def compare_versions(worker: str, found: Mapping[str, str], expected: Mapping[str, str]) -> None:
    """Raises ValueError (M905), naming the worker and all that differs."""
    differ = [name for name in expected if found.get(name) != expected[name]]
    if differ:
        has, wanted = (", ".join(f"{name} {each.get(name, 'none')}" for name in differ) for each in (found, expected))
        raise ValueError(Errors.M905.format(worker=worker, found=has, expected=wanted))
