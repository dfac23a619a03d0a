"""Kills at random times, during ``spacy train`` to the folder of the last training and while a pipeline is saved over another."""

from collections.abc import Iterator

from benchmarks.common.rows import Row

from .plan import Plan
from .workers import Worker

QUICK, FULL = 10, 200
CASES = ("training", "saving")
#: Runs for each kill, at most: a run that ends before its time to be killed does not count.
RUNS = 4


def run(plan: Plan) -> Iterator[Row]:
    for case in CASES:
        if plan.wants(case):
            yield kills(plan, case, plan.size(QUICK, FULL))


def kills(plan: Plan, case: str, count: int) -> Row:
    """Kill so many times; what a kill leaves is what the next one begins with."""
    killed = amid = runs = 0
    failures = []
    with Worker("benchmarks.reliability.kills_worker", case, str(plan.folder / case)) as worker:
        while killed < count and runs < RUNS * count:
            seed = plan.seed + runs
            runs += 1
            found = worker.ask(str(seed))
            killed += found.get("killed", False)
            amid += found.get("amid", False)
            if found["outcome"] != "complete":
                failures.append(f"seed {seed}: {found['outcome']} {found.get('detail', '')}")
    if killed < count:
        failures.append(f"only {killed} of {runs} runs were killed before their end")
    note = f"{amid} amid a save; {runs - killed} more runs were over before"
    return plan.row("kills", case, killed, failures, runs=runs, amid=amid, note=note)
