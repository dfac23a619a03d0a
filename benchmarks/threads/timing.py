"""Time of one number of threads against another: each run undisturbed, and what is made of the runs."""

import gc
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from benchmarks.common.measure import median

#: Wall and CPU seconds of a run.
Took = tuple[float, float]


@contextmanager
def undisturbed(wanted: bool) -> Iterator[None]:
    """Meanwhile, this thread and those that it starts come before all other programs; the system must allow it."""
    if wanted:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    try:
        yield
    finally:
        if wanted:
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


@contextmanager
def timed(runs: list[Took], first: bool) -> Iterator[None]:
    """Append what the block takes to ``runs``. first: before all other programs."""
    gc.collect()
    with undisturbed(first):
        begin, began = time.perf_counter(), time.process_time()
        yield
        runs.append((time.perf_counter() - begin, time.process_time() - began))


def compared(runs: Mapping[int, Sequence[Took]], n: int) -> dict[str, Any]:
    """The columns of a row: medians of the runs on n threads, and of their ratios to those on the first number of threads, run by run."""
    one = next(iter(runs.values()))
    return {
        "threads": n,
        "wall": median([wall for wall, _ in runs[n]]),
        "cpu": median([cpu for _, cpu in runs[n]]),
        "speedup": median([a[0] / b[0] for a, b in zip(one, runs[n], strict=True)]),
        "cpu_ratio": median([b[1] / a[1] for a, b in zip(one, runs[n], strict=True)]),
        "runs": [wall for wall, _ in runs[n]],
    }
