"""Our tagger as a contestant: trained from Docs in memory, each part of it timed."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from benchmarks.common.measure import Clock, cpu_seconds, forget_peak, peak_megabytes, resident_megabytes
from spacy_mtl.components.tagger import MTLTagger
from spacy_mtl.learning.chain import ChainLearner
from spacy_mtl.models.chain.model import current_weights
from spacy_mtl.trainers.mtlstruct.dual_ascent import DualAscent

from .data import Data, Ours, scores

WARM_UP = (("Ana", "NNP"), ("lives", "VBZ"), ("in", "IN"), ("IL-2", "NN"), (".", "."))


def warm_up(data: Data, ours: Ours) -> float:
    """Train, predict and save once on a sentence, so that no kernel is compiled or loaded while we measure. CPU seconds."""

    def run() -> None:
        nlp, tagger = ours.pipeline(data)
        words, tags = (list(column) for column in zip(*WARM_UP, strict=True))
        pairs = [
            (Doc(nlp.vocab, [str(i), *words]), Doc(nlp.vocab, [str(i), *words], tags=["CD", *tags])) for i in range(3)
        ]
        examples = [Example(predicted, reference) for predicted, reference in pairs]
        nlp.initialize(lambda: examples)
        for _ in range(2):
            nlp.update(examples)
        nlp.evaluate(examples)
        tagger.to_bytes()
        assert tagger.report is not None

    return cpu_seconds(run)


def compile_kernels(data: dict, ours: dict) -> dict[str, float]:
    """CPU seconds of the first training of a process: compiling, or loading what is cached."""
    return {"cpu": warm_up(Data(**data), settings_of(ours))}


def settings_of(ours: dict) -> Ours:
    """As JSON has brought them."""
    return Ours(**{**ours, "patterns": tuple(ours["patterns"])})


def learn(nlp: Language, tagger: MTLTagger, ours: Ours, examples: list[Example]) -> dict[str, float]:
    """Train, and say where the CPU seconds went."""
    clock = Clock()
    with (
        clock("cpu"),
        clock.method(ChainLearner, "_problem", "cpu_extraction"),
        clock.method(DualAscent, "end_pass", "cpu_passes"),
    ):
        with clock("cpu_initialize"):
            nlp.initialize(lambda: examples)
        with clock("cpu_update"):
            for _ in range(-(-ours.passes // ours.inner_passes)):
                nlp.update(examples)
        with clock("cpu_export"):
            current_weights(tagger.model)
            tagger.predict([examples[0].predicted])
    return dict(clock.seconds)


def train(data: dict, ours: dict, save_to: str | None = None) -> dict[str, Any]:
    """A row of everything there is to know about one training."""
    the_data, settings = Data(**data), settings_of(ours)
    warm_up(the_data, settings)
    nlp, tagger = settings.pipeline(the_data)
    examples = the_data.part(nlp, "train").examples()
    forget_peak()
    row: dict[str, Any] = {"contestant": "ours", "resident_before_mb": resident_megabytes()}
    row |= learn(nlp, tagger, settings, examples)
    row["peak_mb"] = peak_megabytes()
    report = tagger.report
    if report is not None:
        row |= {"primal": report.primal, "gap": report.gap, "live_templates": report.live_templates}
    row |= scores(nlp, the_data)
    with TemporaryDirectory() as folder:
        target = Path(save_to or folder)
        nlp.to_disk(target)
        row["model_mb"] = (target / "mtl_tagger" / "model").stat().st_size / 1e6
    return row
