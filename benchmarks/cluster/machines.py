"""A Ray cluster of this machine that outlives commands, and kills of what works on it."""

import os
import random
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

#: What a process of annotation and one of training is called, as Ray names it by its task.
ANNOTATING, TRAINING = "ray::_on_worker", "ray::Actor"


@contextmanager
def ray_cluster(cpus: int, folder: Path) -> Iterator[tuple[str, psutil.Process]]:
    """A cluster with so many CPUs: its address and its first process, of which all others are children."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "ray.scripts.scripts", "start", "--head", "--block", f"--port={port}"]
    command += [f"--num-cpus={cpus}", f"--temp-dir={folder}", "--include-dashboard=false", "--disable-usage-stats"]
    command += ["--node-ip-address=127.0.0.1", "--min-worker-port=0", "--max-worker-port=0"]
    # made for this cluster alone: Ray then refuses whoever else finds the port
    os.environ.update({"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)})
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as head:
        tree = psutil.Process(head.pid)
        try:
            _wait(port)
            yield f"127.0.0.1:{port}", tree
        finally:
            processes = [*tree.children(recursive=True), tree]
            for process in processes:
                with suppress(psutil.Error):
                    process.kill()
            psutil.wait_procs(processes, 10)


def _wait(port: int) -> None:
    for _ in range(600):
        with suppress(OSError):
            socket.create_connection(("127.0.0.1", port), 1).close()
            time.sleep(3)  # the port is open before the cluster is ready
            return
        time.sleep(0.1)
    raise RuntimeError("The cluster did not start.")


def annotate_command(address: str, folder: Path, output: str, workers: int, size: int) -> list[str]:
    """The command line. size: megabytes of a partition."""
    command = [sys.executable, "-W", "ignore", "-m", "spacy", "mtl", "annotate", str(folder / "model")]
    command += [str(folder / "in.jsonl"), str(folder / output), "--ray", address]
    return [*command, "--workers", str(workers), "--partition-size", str(size)]


class Killer:
    """Kills a worker, the command, or both, at random moments. between: the fewest and most seconds between two kills."""

    def __init__(self, cluster: psutil.Process, between: Sequence[float], seed: int):
        self._cluster, self._between, self._random = cluster, between, random.Random(seed)
        self.counts = {"worker": 0, "command": 0, "both": 0}
        self.command: subprocess.Popen | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> "Killer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.wait(self._random.uniform(*self._between)):
            what = self._random.choice(list(self.counts))
            killed = kill(what, self._cluster, ANNOTATING, self.command, self._random)
            if killed:
                self.counts[killed] += 1


def kill(what: str, cluster: psutil.Process, task: str, command: subprocess.Popen | None, rng: random.Random) -> str:
    """Kill a "worker", the "command", or "both", as far as they are at work. Returns what was killed, or "". task: see :data:`ANNOTATING`."""
    worker = what != "command" and _kill_worker(cluster, task, rng)
    itself = what != "worker" and _kill_command(command)
    return "both" if worker and itself else "worker" if worker else "command" if itself else ""


def _kill_worker(cluster: psutil.Process, task: str, rng: random.Random) -> bool:
    """Kill a process that is at work, if one is."""
    found = []
    for process in cluster.children(recursive=True):
        with suppress(psutil.Error):
            if process.name().startswith(task[:15]) or task in " ".join(process.cmdline()):
                found.append(process)
    if not found:
        return False
    with suppress(psutil.Error):
        rng.choice(found).kill()
        return True
    return False


def _kill_command(command: subprocess.Popen | None) -> bool:
    if command is None or command.poll() is not None:
        return False
    with suppress(ProcessLookupError):
        os.kill(command.pid, signal.SIGKILL)
        return True
    return False
