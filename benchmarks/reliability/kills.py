"""Kills at random times, during ``spacy train`` to the folder of the last training and while a pipeline is saved over another."""

from collections.abc import Iterator

from benchmarks.common.rows import Row

from .plan import Plan
from .workers import Worker

QUICK, FULL = 10, 200
CASES = ("training", "saving")


def run(plan: Plan) -> Iterator[Row]:
    for case in CASES:
        if plan.wants(case):
            yield kills(plan, case, plan.size(QUICK, FULL))


def kills(plan: Plan, case: str, count: int) -> Row:
    """Kill so many times; what a kill leaves is what the next one begins with."""
    killed = amid = 0
    failures = []
    with Worker("benchmarks.reliability.kills_worker", case, str(plan.folder / case)) as worker:
        for seed in range(plan.seed, plan.seed + count):
            found = worker.ask(str(seed))
            killed += found.get("killed", False)
            amid += found.get("amid", False)
            if found["outcome"] != "complete":
                failures.append(f"seed {seed}: {found['outcome']} {found.get('detail', '')}")
    note = f"{killed} were killed before their end, {amid} amid a save"
    return plan.row("kills", case, count, failures, killed=killed, amid=amid, note=note)
