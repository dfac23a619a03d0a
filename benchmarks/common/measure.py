"""Measuring: one core, a process of its own for every contestant, CPU seconds, peak memory."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from pathlib import Path
from typing import Any

from .origin import ROOT

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "NUMBA_NUM_THREADS")


def use_one_core() -> None:
    """Keep this process and its children on one core. Before numpy is imported."""
    os.environ.update(dict.fromkeys(THREADS, "1"))
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def use_kernel_cache() -> None:
    """Cache compiled kernels in a folder of their own, by the sources they were compiled from (see spacy_mtl/kernels.py)."""
    if "NUMBA_CACHE_DIR" in os.environ:
        return
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"), "spacy-mtl-benchmarks")
    os.environ["NUMBA_CACHE_DIR"] = str(cache)


def prepare() -> None:
    """What every program does first, before numpy and numba are imported: one core, and kernels compiled for these sources."""
    use_one_core()
    use_kernel_cache()


def run_child(task: str, heard: Callable[[str, float], None] | None = None, **settings: Any) -> dict[str, Any]:
    """Run ``module:function`` in a process of its own: it gets ``settings`` and returns what JSON can hold.

    heard: called with each line of the child's messages and the CPU seconds that it has taken by then (Linux). The parent's share of time and memory
    does not count. Raises RuntimeError where the child fails.
    """
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder, "result.json")
        command = [sys.executable, "-m", "benchmarks.common.child", task, str(result)]
        path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        env = {**os.environ, "PYTHONPATH": path}
        stderr = None if heard is None else subprocess.PIPE
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=sys.stderr, stderr=stderr, text=True, env=env
        ) as child:
            assert child.stdin is not None
            child.stdin.write(json.dumps(settings))
            child.stdin.close()
            for line in child.stderr or ():
                sys.stderr.write(line)
                assert heard is not None
                heard(line, _cpu_of(child.pid))
        if child.returncode:
            raise RuntimeError(f"{task} failed with exit code {child.returncode}; its message is above.")
        return json.loads(result.read_text(encoding="utf8"))


def _cpu_of(process: int) -> float:
    """CPU seconds of a process that still runs; 0 where there is no /proc."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Clock:
    """CPU seconds of this process, summed by name."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        begin = time.process_time()
        try:
            yield
        finally:
            self.seconds[name] += time.process_time() - begin

    @contextmanager
    def method(self, owner: type, attribute: str, name: str) -> Iterator[None]:
        """Meanwhile, calls of a method count under ``name``, too."""
        original = getattr(owner, attribute)

        @wraps(original)
        def timed(*args: Any, **keywords: Any) -> Any:
            with self(name):
                return original(*args, **keywords)

        setattr(owner, attribute, timed)
        try:
            yield
        finally:
            setattr(owner, attribute, original)


def cpu_seconds(function: Callable[[], Any]) -> float:
    """CPU seconds of one call."""
    begin = time.process_time()
    function()
    return time.process_time() - begin


def median(values: list[float]) -> float:
    return float(statistics.median(values))


def _status(field: str) -> float | None:
    """A field of /proc/self/status in megabytes; None where there is no such thing."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 / 1e6 for line in lines if line.startswith(field)), None)


def resident_megabytes() -> float | None:
    """Resident memory of this process now."""
    return _status("VmRSS:")


def peak_megabytes() -> float | None:
    """Peak resident memory of this process, since :func:`forget_peak` where Linux lets us."""
    peak = _status("VmHWM:")
    if peak is None and sys.platform == "darwin":
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    return peak


def forget_peak() -> None:
    """What was allocated and freed so far (compiling, reading) no longer counts as peak."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
