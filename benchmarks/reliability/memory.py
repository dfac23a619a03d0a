"""Memory stays flat however many new words and characters documents bring, and so does the time that a document takes."""

from collections.abc import Iterator
from itertools import cycle, islice
from typing import Any

from benchmarks.common.measure import run_child
from benchmarks.common.rows import Row

from .hostile_text import every_character
from .plan import Plan

#: Documents of ten new words each, and documents between two looks at the clock and the memory.
QUICK, FULL = 6000, 1_000_000
STEP = 1000
#: Megabytes of growth: tables of words are emptied when they are full; those of characters hold all of Unicode in the end.
GROWTH = {"new words": 128.0, "new characters": 512.0}
#: How many times as long a document may take in the end as in the beginning.
SLOWER = 4.0


def run(plan: Plan) -> Iterator[Row]:
    from .pipelines import PIPELINES

    cases = [
        ("new words", name, plan.size(QUICK, FULL))
        for name in PIPELINES
        if plan.full or name in ("tokenizer", "tagger and ner")
    ]
    # 1,112,064 characters in documents of 100
    cases += [("new characters", "tokenizer", plan.size(4000, 14_000))]
    for what, name, n in cases:
        if plan.wants(name):
            found = run_child(f"{__name__}:measure", what=what, name=name, n=n)
            sizes, seconds = found["megabytes"], found["seconds"]
            quarter = max(1, len(sizes) // 4)
            grown = max(sizes[quarter:], default=0.0) - sizes[quarter - 1]
            slower = max(seconds[-quarter:]) / sorted(seconds[:quarter])[quarter // 2]
            failures = [f"memory grew by {grown:.0f} MB"] if grown > GROWTH[what] else []
            failures += [f"documents take {slower:.1f} times as long in the end"] if slower > SLOWER else []
            note = f"memory grew by {grown:.0f} MB after the first quarter; documents take {slower:.1f} times as long in the end"
            yield plan.row("memory", f"{name}, {what}", n, failures, grown_mb=grown, slower=slower, note=note)


def measure(what: str, name: str, n: int) -> dict[str, Any]:
    """megabytes, seconds: after each STEP documents, in memory zones, resident memory and CPU seconds for them."""
    import time

    from benchmarks.common.measure import resident_megabytes

    from .pipelines import make_pipeline

    nlp = make_pipeline(name)
    texts = _texts(what, name, n)
    megabytes, seconds = [], []
    step = min(STEP, max(1, n // 8))
    for first in range(0, n, step):
        some = [next(texts) for _ in range(min(step, n - first))]
        began = time.process_time()
        with nlp.memory_zone():
            for _ in nlp.pipe(some):
                pass
        seconds.append((time.process_time() - began) / len(some))
        megabytes.append(resident_megabytes())
    return {"megabytes": megabytes, "seconds": seconds}


def _texts(what: str, name: str, n: int) -> Iterator[str]:
    """Ten words that no other text has, or a hundred characters that none has."""
    if what == "new words":
        for k in range(n):
            word = (
                _number(k, "的一是不了人我在有他") if name in ("tokenizer", "segmenter") else _number(k, "abcdefghij")
            )
            yield " ".join(word + end for end in "abcdefghij")
        return
    yield from islice(cycle(every_character()), n)


def _number(k: int, digits: str) -> str:
    return "".join(digits[int(digit)] for digit in str(k))
