"""Several threads that predict with one pipeline find what one thread finds."""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any

from benchmarks.common.measure import run_child
from benchmarks.common.rows import Row

from .plan import Plan

QUICK, FULL = 200, 5000
THREADS = 8


def run(plan: Plan) -> Iterator[Row]:
    from .pipelines import PIPELINES

    for name in PIPELINES:
        if plan.wants(name):
            n = plan.size(QUICK, FULL)
            different = run_child(f"{__name__}:compare", name=name, first=plan.seed, n=n)
            failures = [f"seed {seed}: a thread found something else" for seed in different]
            note = f"{n:,} texts by each of {THREADS} threads"
            yield plan.row("concurrency", name, n * THREADS, failures, threads=THREADS, note=note)


def compare(name: str, first: int, n: int) -> list[int]:
    """Seeds of texts for which threads differ. The pipeline of the threads has seen no text before; each takes them in an order of its own."""
    from .documents_worker import digest
    from .hostile_text import text
    from .pipelines import cut, make_pipeline

    sys.setswitchinterval(1e-5)
    texts = [cut(name, text(seed)) for seed in range(first, first + n)]
    shared: Any = make_pipeline(name)

    def work(thread: int) -> list[str]:
        order = Random(thread).sample(range(n), n)
        found = [""] * n
        for k in order:
            found[k] = digest(shared(texts[k]))
        return found

    with ThreadPoolExecutor(THREADS) as pool:
        told = list(pool.map(work, range(THREADS)))
    alone = make_pipeline(name)
    wanted = [digest(alone(text)) for text in texts]
    return sorted({first + k for found in told for k in range(n) if found[k] != wanted[k]})
