"""Memory stays flat however many new words and characters documents bring, and so does the time that a document takes.

spaCy's own vocab keeps an entry of 16 bytes for every word that its tokenizer has met, in memory zones too. So the same words go through a
pipeline of the same language without components, and what that one grows by is not counted.
"""

from collections.abc import Iterator
from functools import cache
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
            seconds = found["seconds"]
            quarter = max(1, len(seconds) // 4)
            vocab = _vocab_growth(PIPELINES[name][0], n) if what == "new words" else 0.0
            grown = max(0.0, _growth(found["megabytes"]) - vocab)
            slower = max(seconds[-quarter:]) / sorted(seconds[:quarter])[quarter // 2]
            failures = [f"memory grew by {grown:.0f} MB"] if grown > GROWTH[what] else []
            failures += [f"documents take {slower:.1f} times as long in the end"] if slower > SLOWER else []
            note = f"memory grew by {grown:.0f} MB after the first quarter"
            note += f", besides {vocab:.0f} MB of spaCy's vocab" if vocab else ""
            note += f"; documents take {slower:.1f} times as long in the end"
            row = {"grown_mb": grown, "vocab_mb": vocab, "slower": slower, "note": note}
            yield plan.row("memory", f"{name}, {what}", n, failures, **row)


def _growth(megabytes: list[float]) -> float:
    """Largest size after the first quarter, less the size at its end."""
    quarter = max(1, len(megabytes) // 4)
    return max(megabytes[quarter:], default=0.0) - megabytes[quarter - 1]


@cache
def _vocab_growth(lang: str, n: int) -> float:
    """What a pipeline without components grows by; 0 for Chinese, where our tokenizer gives the vocab few words."""
    if lang == "zh":
        return 0.0
    return _growth(run_child(f"{__name__}:measure", what="new words", name=f"blank:{lang}", n=n)["megabytes"])


def measure(what: str, name: str, n: int) -> dict[str, Any]:
    """megabytes, seconds: after each STEP documents, in memory zones, resident memory and CPU seconds for them."""
    import time

    import spacy

    from benchmarks.common.measure import resident_megabytes

    from .pipelines import make_pipeline

    nlp = spacy.blank(name[6:]) if name.startswith("blank:") else make_pipeline(name)
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
