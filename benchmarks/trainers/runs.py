"""What the benchmark of all trainers runs in processes of their own."""

import resource
import time
from dataclasses import replace
from typing import Any

from spacy.language import Language

from benchmarks.common.measure import Clock, forget_peak, peak_megabytes, resident_megabytes
from benchmarks.ner.data import Data, Ours
from benchmarks.ner.ours import warm_up
from spacy_mtl.components.ner import MTLEntityRecognizer
from spacy_mtl.models.chain.model import current_weights


def pipeline(data: Data, ours: Ours, trainer: dict[str, Any]) -> tuple[Language, MTLEntityRecognizer]:
    """A pipeline with the recognizer alone. trainer: its config."""
    nlp = data.blank()
    ner = nlp.add_pipe("mtl_ner", config={**ours.config(), "trainer": trainer})
    assert isinstance(ner, MTLEntityRecognizer)
    return nlp, ner


def warm(data: Data, ours: Ours, trainer: dict[str, Any], passes: int) -> None:
    """Compile or load what the training uses."""
    warm_up(data, ours)
    small = replace(data, limit=10)
    nlp, ner = pipeline(small, ours, trainer)
    examples = small.part(nlp, "train").examples()
    nlp.initialize(lambda: examples)
    for _ in range(passes):
        nlp.update(examples)
    current_weights(ner.model)


def compile_kernels(data: dict, ours: dict, trainer: dict[str, Any], passes: int) -> None:
    """So that another process finds them cached: compiling leaves a hundred megabytes behind."""
    warm(Data(**data), Ours(**ours), trainer, passes)


def allow(seconds: float) -> None:
    """Let the system end this process after so many CPU seconds from now."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time() + seconds), hard))


def memory(data: dict, ours: dict, trainer: dict[str, Any], passes: int, limit: float) -> dict[str, Any]:
    """Peak memory from Docs to usable weights. cpu: all of it; cpu_pass: the last pass; cpu_first: features and the first."""
    the_data, settings = Data(**data), Ours(**ours)
    warm(the_data, settings, trainer, passes)
    allow(limit)
    nlp, ner = pipeline(the_data, settings, trainer)
    examples = the_data.part(nlp, "train").examples()
    forget_peak()
    before, clock = resident_megabytes(), Clock()
    with clock("cpu"):
        with clock("cpu_first"):
            nlp.initialize(lambda: examples)
            nlp.update(examples)
        for number in range(2, passes + 1):
            with clock(f"cpu_pass_{number}"):
                nlp.update(examples)
        current_weights(ner.model)
    learner = ner._learner
    assert learner is not None
    assert learner.training is not None
    last = clock.seconds.get(f"cpu_pass_{passes}")
    found = {"cpu": clock.seconds["cpu"], "cpu_first": clock.seconds["cpu_first"], "cpu_pass": last}
    return {"resident_before_mb": before, "peak_mb": peak_megabytes(), "passes": learner.training.passes, **found}
