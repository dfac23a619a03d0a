"""Hostile documents: no text changed, the same annotation in every order, batch size and number of processes, and memory that stays flat."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

from benchmarks.common.rows import Row

from .documents_worker import WIDTH
from .pipelines import PIPELINES
from .plan import Plan
from .workers import START, Worker

QUICK, FULL = 4000, 1_000_000
#: Of the characters that a pipeline meets first, the quick part takes each of so many.
QUICK_STEP = 16
_WORKER = "benchmarks.reliability.documents_worker"
#: Documents of a question to a worker, and those that two processes share.
CHUNK = 1000
SHARED_QUICK, SHARED_FULL = 300, 20_000
#: Megabytes by which a process that forgets the words of a memory zone may grow after its first quarter. Tables of words are emptied when full.
GROWTH = 128.0


def run(plan: Plan) -> Iterator[Row]:
    with ExitStack() as stack:
        step = str(1 if plan.full else QUICK_STEP)
        workers = {
            way: stack.enter_context(Worker(_WORKER, way, step)) for way in ("forward", "backward", "fork", "spawn")
        }
        for name in PIPELINES:
            if plan.wants(name):
                yield documents(plan, name, workers)


def documents(plan: Plan, name: str, workers: dict[str, Worker]) -> Row:
    """One pipeline: all documents forward and backward, the first ones with fork and spawn too."""
    count = plan.size(QUICK, FULL)
    shared = min(count, SHARED_FULL if plan.full else SHARED_QUICK)
    told: dict[int, str] = {}
    failures: list[str] = []
    grown, largest, seconds = 0.0, 0.0, 0.0
    for way, worker in workers.items():
        chunks = [(plan.seed, shared)] if way in ("fork", "spawn") else _chunks(plan.seed, count)
        sizes: list[float] = []
        worker.ask(
            f"{name}\t{plan.seed}\t1", more=START
        )  # the first document may have to wait until everything is compiled
        for first, n in chunks[::-1] if way == "backward" else chunks:
            answer = worker.ask(f"{name}\t{first}\t{n}", more=n / 10)
            if "outcome" in answer:
                failures.append(f"seeds {first} to {first + n - 1}: {way}: {answer['outcome']}: {answer['detail']}")
                continue
            seconds += answer["seconds"]
            sizes.append(answer["megabytes"])
            failures += _differences(answer, first, n, way, told)
        if way == "forward":
            grown, largest = growth(sizes), max(sizes, default=0.0)
    if grown > GROWTH:
        failures.append(f"memory grew by {grown:.0f} MB after the first quarter")
    note = f"{seconds:.0f} CPU s, memory grew by {grown:.0f} MB to {largest:.0f}; {shared:,} of them by fork and spawn"
    row = {"shared": shared, "grown_mb": grown, "largest_mb": largest, "cpu": seconds, "note": note}
    return plan.row("documents", name, count, failures, **row)


def _chunks(first: int, count: int) -> list[tuple[int, int]]:
    """First seeds and numbers of documents."""
    return [(a, min(CHUNK, first + count - a)) for a in range(first, first + count, CHUNK)]


def _differences(answer: dict[str, Any], first: int, n: int, way: str, told: dict[int, str]) -> list[str]:
    """What is wrong with an answer. told: digests by seed, of which new ones are added."""
    found = [f"seed {seed}: {way}: the text changed" for seed in answer["changed"]]
    for k in range(n):
        value = answer["digests"][k * WIDTH : (k + 1) * WIDTH]
        if told.setdefault(first + k, value) != value:
            found.append(f"seed {first + k}: other annotation {way} than forward")
    return found


def growth(sizes: list[float]) -> float:
    """Megabytes by which memory exceeds what it was after the first quarter, at most."""
    quarter = len(sizes) // 4
    return max(sizes[quarter:]) - sizes[quarter - 1] if quarter else 0.0
