"""Bad settings of trainers and components, corpora with errors, and templates at random: training works, or there is one coded sentence."""

from collections import Counter
from collections.abc import Iterator

from benchmarks.common.rows import Row

from .plan import Plan
from .workers import Worker

#: Kind -> how many are tried in the quick and in the full part.
KINDS = {
    "trainers": (50, 3000),
    "components": (50, 2000),
    "corpora": (100, 6000),
    "templates": (200, 20_000),
    "treebanks": (100, 6000),
}
#: Cases after which a worker is replaced.
_LIFE = 1000


def run(plan: Plan) -> Iterator[Row]:
    for kind, (quick, full) in KINDS.items():
        if plan.wants(kind):
            count = plan.size(quick, full)
            ends: Counter[str] = Counter()
            failures = []
            with Worker("benchmarks.reliability.settings_worker", kind) as worker:
                for seed in range(plan.seed, plan.seed + count):
                    if (seed - plan.seed) % _LIFE == _LIFE - 1:
                        worker.stop()
                    found = worker.ask(str(seed))
                    ends[found["outcome"]] += 1
                    if found["outcome"] not in ("works", "refused"):
                        failures.append(f"seed {seed}: {found['outcome']}: {found['detail']}; {found.get('done', '')}")
            note = f"{ends['works']} work, {ends['refused']} refused"
            yield plan.row("settings", kind, count, failures, works=ends["works"], refused=ends["refused"], note=note)
