"""What telling probabilities costs: every component with its default settings, on the corpora that come with the package."""

from itertools import cycle
from typing import Any

from spacy.tokens import Doc

from benchmarks.common.rows import Row

from . import small
from .calibration import speeds


def measure(component: str, passes: int, words: int) -> Row:
    """Train, calibrate, and tag documents of at least so many words (characters) without and with confidence, in turn."""
    nlp = small.trained(component, "MTLStruct", passes, settings={})
    pipe: Any = nlp.get_pipe(component)
    dev = small.read(component, nlp, "dev")
    pipe.calibrate(dev)
    docs, size = list[Doc](), 0
    for example in cycle([*dev, *small.read(component, nlp, "test")]):
        if size >= words:
            break
        docs.append(example.predicted)
        size += len(example.predicted.text) if component == "mtl_segmenter" else len(example.predicted)
    row: Row = {
        "benchmark": "insight",
        "mode": "confidence-speed",
        "component": component,
        "passes": passes,
        "documents": len(docs),
    }
    return {**row, "size": size, **speeds(nlp, pipe, docs, size)}
