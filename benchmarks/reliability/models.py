"""Model files changed by structure with the checksum made anew: one coded error or a valid prediction, in 5 CPU seconds and little memory."""

from collections import Counter
from collections.abc import Iterator

from benchmarks.common.rows import Row

from .loading import MODELS
from .plan import Plan
from .workers import Worker

QUICK, FULL = 300, 10_000
#: Mutants after which a worker is replaced, before the strings of mutants make it large.
_LIFE = 2000


def run(plan: Plan) -> Iterator[Row]:
    for case in MODELS:
        if plan.wants(case):
            yield mutants(plan, case, plan.size(QUICK, FULL))


def mutants(
    plan: Plan, case: str, count: int, subject: str = "models", environment: dict[str, str] | None = None
) -> Row:
    """Try the mutants of seeds ``plan.seed`` and following."""
    ends: Counter[str] = Counter()
    failures, slowest, largest = [], 0.0, 0.0
    worker = Worker("benchmarks.reliability.models_worker", case, environment=environment)
    with worker:
        for seed in range(plan.seed, plan.seed + count):
            if (seed - plan.seed) % _LIFE == _LIFE - 1:
                worker.stop()
            found = worker.ask(str(seed))
            outcome = found["outcome"]
            ends[outcome] += 1
            slowest, largest = max(slowest, found.get("seconds", 0.0)), max(largest, found.get("megabytes", 0.0))
            if outcome not in ("refused", "valid"):
                failures.append(f"seed {seed}: {outcome}: {found['detail']}; {found.get('done', '')}")
    counts = {"refused": ends["refused"], "valid": ends["valid"]}
    note = f"{ends['refused']} refused, {ends['valid']} valid; at most {slowest:.1f} CPU s, {largest:.0f} MB"
    ends_other = {name: n for name, n in ends.items() if name not in counts}
    return plan.row(
        subject, case, count, failures, **counts, ends=ends_other, slowest=slowest, largest_mb=largest, note=note
    )
