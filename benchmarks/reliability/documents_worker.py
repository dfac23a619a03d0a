"""A process that annotates hostile texts and tells digests: ``python -m benchmarks.reliability.documents_worker WAY STEP``.

It reads pipelines, first seeds and counts from standard input. WAY: "forward" takes texts in order, in large batches, in memory zones; "backward"
from the last to the first, in batches of changing sizes; "fork" and "spawn" in order with two processes. STEP: "forward" meets every character before
them, or each STEP-th.
"""

import json
import multiprocessing
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import nullcontext
from hashlib import blake2b
from typing import Any

from spacy import attrs
from spacy.language import Language
from spacy.tokens import Doc

from benchmarks.common.measure import resident_megabytes

from .hostile_text import every_character, text
from .pipelines import cut, make_pipeline

ATTRIBUTES = [
    getattr(attrs, name) for name in ("ORTH", "SPACY", "TAG", "POS", "DEP", "HEAD", "ENT_IOB", "ENT_TYPE", "SENT_START")
]
BATCHES = (1, 3, 64, 257)
#: Hexadecimal digits of a digest.
WIDTH = 16


def digest(doc: Doc) -> str:
    """Of words and all annotation."""
    spans = [(key, span.start, span.end, span.label_) for key, group in doc.spans.items() for span in group]
    text = doc.text.encode("utf8", "surrogatepass") + repr(spans).encode("utf8")
    return blake2b(doc.to_array(ATTRIBUTES).tobytes() + text, digest_size=WIDTH // 2).hexdigest()


def annotate(nlp: Language, name: str, way: str, first: int, count: int) -> dict[str, Any]:
    """digests: of the documents of these seeds, one after another. changed: seeds whose text came out different."""
    texts = [cut(name, text(seed)) for seed in range(first, first + count)]
    with nlp.memory_zone() if way == "forward" else nullcontext():
        docs = _pipe(nlp, way, texts, first)
        told = [(digest(doc), doc.text) for doc in docs]
    if way == "backward":
        told.reverse()
    changed = [first + k for k, (_, out) in enumerate(told) if out != texts[k]]
    return {"digests": "".join(value for value, _ in told), "changed": changed}


def meet_characters(nlp: Language, name: str, step: int) -> None:
    """Let the pipeline see every character: what it keeps of them is then as large as it can get, and memory stays flat."""
    with nlp.memory_zone():
        for _ in nlp.pipe((cut(name, each) for each in every_character(step)), batch_size=1000):
            pass


def _pipe(nlp: Language, way: str, texts: list[str], first: int) -> Iterator[Doc]:
    if way == "forward":
        return nlp.pipe(texts, batch_size=1000)
    if way == "backward":
        return nlp.pipe(texts[::-1], batch_size=BATCHES[first % len(BATCHES)])
    return nlp.pipe(texts, batch_size=100, n_process=2)


def main() -> None:
    warnings.simplefilter("ignore")
    way, step = sys.argv[1:]
    if way in ("fork", "spawn"):
        multiprocessing.set_start_method(way)
    print(json.dumps({"ready": True}), flush=True)
    loaded, nlp = "", None
    for line in sys.stdin:
        name, *numbers = line.rstrip("\n").split("\t")
        first, count = map(int, numbers)
        if name != loaded:
            nlp, loaded = make_pipeline(name), name
            if way == "forward":
                meet_characters(nlp, name, int(step))
        began = time.process_time()
        assert nlp is not None
        answer = annotate(nlp, name, way, first, count)
        answer |= {"seconds": time.process_time() - began, "megabytes": resident_megabytes()}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
