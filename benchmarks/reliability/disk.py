"""A disk that has no room, or must not be written: one coded sentence that names the path, and what was there stays as it was."""

from collections import Counter
from collections.abc import Iterator

from benchmarks.common.rows import Row

from .plan import Plan
from .workers import Worker

QUICK, FULL = 20, 200
CASES = ("full", "limited", "read-only")


def run(plan: Plan) -> Iterator[Row]:
    for case in CASES:
        if plan.wants(case):
            yield faults(plan, case, plan.size(QUICK, FULL))


def faults(plan: Plan, case: str, count: int) -> Row:
    """Have so many saves fail, each at another place."""
    ends: Counter[str] = Counter()
    failures = []
    with Worker("benchmarks.reliability.disk_worker", case, str(plan.folder / case)) as worker:
        for seed in range(plan.seed, plan.seed + count):
            found = worker.ask(str(seed))
            ends[found["outcome"]] += 1
            if found["outcome"] not in ("refused", "saved"):
                failures.append(f"seed {seed}: {found['outcome']}")
    note = f"{ends['refused']} refused, {ends['saved']} saved before the fault"
    return plan.row("disk", case, count, failures, refused=ends["refused"], saved=ends["saved"], note=note)
