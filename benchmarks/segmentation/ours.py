"""Our segmenter as a contestant: trained from Docs in memory, each part of it timed."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from benchmarks.common.measure import Clock, cpu_seconds, forget_peak, peak_megabytes, resident_megabytes
from spacy_mtl.components.segmenter import MTLSegmenter
from spacy_mtl.components.tokenizer import with_tokenizer
from spacy_mtl.learning.chain import ChainLearner
from spacy_mtl.models.chain.model import current_weights
from spacy_mtl.trainers.mtlstruct.dual_ascent import DualAscent
from spacy_mtl.training.segmentation import read_lexicon

from .data import Data, Sentence, texts
from .reading import Segmenter, evaluated, piped, words_of_doc

WARM_UP = [["今天", "天气", "很", "好", "。"], ["我们", "去", "爬山", "吧", "！"], ["再见", "，", "Ana", "2", "号"]]


@dataclass(frozen=True)
class Ours:
    """Settings of our segmenter.

    templates: tp1.v1, tp2.v1 or seg.v1. passes: over the corpus. megabytes: of the saved model, None for no limit. words: a file with the
    user's dictionary, a list or a segmented text. hidden: the share of words that is hidden in training.
    """

    templates: str = "tp2.v1"
    p: float = 1.0
    C: float = 1.0
    average: int = 1
    passes: int = 10
    inner_passes: int = 10
    megabytes: float | None = 10.0
    words: str | None = None
    hidden: float = 0.0

    def pipeline(self) -> tuple[Language, MTLSegmenter]:
        """A pipeline with the segmenter alone, untrained."""
        nlp = spacy.blank("zh")
        trainer = {"p": self.p, "C": self.C, "average": self.average, "inner_passes": self.inner_passes, "tol": 1e-3}
        templates = {"@mtl_templates": f"spacy_mtl.{self.templates}"}
        model = {"templates": templates, "megabytes": self.megabytes}
        pipe = nlp.add_pipe("mtl_segmenter", config={"model": model, "trainer": trainer, "hidden": self.hidden})
        assert isinstance(pipe, MTLSegmenter)
        return nlp, pipe


#: The best settings known for each template set, found on a held-out part of the training texts.
DEFAULTS = {
    "tp1.v1": Ours("tp1.v1", average=4, passes=16, inner_passes=16),
    "tp2.v1": Ours("tp2.v1", average=4, passes=16, inner_passes=16),
    "seg.v1": Ours("seg.v1", p=4 / 3, C=0.3, average=4, passes=12, inner_passes=12),
}


def examples_of(nlp: Language, sentences: Iterable[Sentence]) -> list[Example]:
    """Raw text to cut, and gold words, as the corpus reader gives them."""
    references = [Doc(nlp.vocab, words=words, spaces=[False] * len(words)) for words in sentences]
    return [Example(nlp.make_doc(reference.text), reference) for reference in references]


def warm_up(ours: Ours) -> float:
    """Train, predict and save once on three sentences, so that no kernel is compiled or loaded while we measure. CPU seconds."""

    def run() -> None:
        nlp, segmenter = ours.pipeline()
        examples = examples_of(nlp, WARM_UP)
        nlp.initialize(lambda: examples)
        for _ in range(2):
            nlp.update(examples)
        list(nlp.pipe(texts(WARM_UP)))
        segmenter.to_bytes()
        assert segmenter.report is not None

    return cpu_seconds(run)


def compile_kernels(ours: dict) -> dict[str, float]:
    """CPU seconds of the first training of a process: compiling, or loading what is cached."""
    return {"cpu": warm_up(Ours(**ours))}


def learn(nlp: Language, segmenter: MTLSegmenter, ours: Ours, examples: list[Example]) -> dict[str, float]:
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
            current_weights(segmenter.model)
            segmenter.predict([examples[0].predicted])
    return dict(clock.seconds)


def train(data: dict, ours: dict, repeats: int, save_to: str | None = None) -> dict[str, Any]:
    """A row of everything there is to know about one training."""
    the_data, settings = Data(**data), Ours(**ours)
    warm_up(settings)
    nlp, segmenter = settings.pipeline()
    if settings.words is not None:
        segmenter.user_words.update(read_lexicon(Path(settings.words)))
    examples = examples_of(nlp, the_data.train())
    forget_peak()
    row: dict[str, Any] = {"contestant": "ours", "resident_before_mb": resident_megabytes()}
    row |= learn(nlp, segmenter, settings, examples)
    row["peak_mb"] = peak_megabytes()
    report = segmenter.report
    if report is not None:
        row |= {"primal": report.primal, "gap": report.gap, "live_templates": report.live_templates}
    row |= evaluated(piped(nlp), the_data, repeats)
    with TemporaryDirectory() as folder:
        target = Path(save_to or folder)
        nlp.to_disk(target)
        row["model_mb"] = (target / "mtl_segmenter" / "model").stat().st_size / 1e6
        row["pipeline_mb"] = sum(path.stat().st_size for path in target.rglob("*") if path.is_file()) / 1e6
    return row


def loaded(folder: str, as_tokenizer: bool = False) -> Segmenter:
    """A saved pipeline, as users load it; as_tokenizer: with the model as its tokenizer, so that no Doc of characters is made first."""
    nlp = spacy.load(folder)
    return piped(with_tokenizer(nlp) if as_tokenizer else nlp)


def loaded_tokenizer(folder: str) -> Segmenter:
    """The tokenizer alone, with the model of a saved pipeline: it takes many texts at a time."""
    tokenizer = with_tokenizer(spacy.load(folder)).tokenizer
    return Segmenter(lambda inputs: tokenizer.pipe(inputs), words_of_doc)
