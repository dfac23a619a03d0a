"""Our recognizer as a contestant: trained from Docs in memory, each part of it timed."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from benchmarks.common.measure import Clock, cpu_seconds, forget_peak, median, peak_megabytes, resident_megabytes
from benchmarks.common.significance import counted
from benchmarks.common.spans import entity_counts, entity_f1
from spacy_mtl.components.ner import MTLEntityRecognizer
from spacy_mtl.learning.chain import ChainLearner
from spacy_mtl.models.chain.model import current_weights, set_weights
from spacy_mtl.trainers.mtlstruct.dual_ascent import DualAscent

from .data import Data, Ours

WARM_UP = (
    ("Ana", "NP", "B-PER"),
    ("vive", "V", "O"),
    ("en", "S", "O"),
    ("Santa", "NP", "B-LOC"),
    ("Fe", "NP", "I-LOC"),
)


def warm_up(data: Data, ours: Ours) -> float:
    """Train, predict and save once on a sentence, so that no kernel is compiled or loaded while we measure. CPU seconds."""

    def run() -> None:
        nlp, ner = ours.pipeline(data)
        words, tags, ents = (list(column) for column in zip(*WARM_UP, strict=True))
        pairs = [
            (Doc(nlp.vocab, [str(i), *words], tags=["Z", *tags]), Doc(nlp.vocab, [str(i), *words], ents=["O", *ents]))
            for i in range(3)
        ]
        examples = [Example(predicted, reference) for predicted, reference in pairs]
        nlp.initialize(lambda: examples)
        for _ in range(2):
            nlp.update(examples)
        nlp.evaluate(examples)
        ner.to_bytes()
        assert ner.report is not None

    return cpu_seconds(run)


def compile_kernels(data: dict, ours: dict) -> dict[str, float]:
    """CPU seconds of the first training of a process: compiling, or loading what is cached."""
    return {"cpu": warm_up(Data(**data), Ours(**ours))}


def learn(nlp: Language, ner: MTLEntityRecognizer, ours: Ours, examples: list[Example]) -> dict[str, float]:
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
            current_weights(ner.model)
            ner.predict([examples[0].predicted])
    return dict(clock.seconds)


def scores(nlp: Language, data: Data, part: str, judge: bool = False) -> dict[str, Any]:
    """Entity F1 in percent, as spaCy counts it and as we count from the tags of the file; raises AssertionError where they differ.

    judge: add the counts of each sentence.
    """
    found = data.part(nlp, part)
    by_spacy = 100 * nlp.evaluate(found.examples())["ents_f"]
    tokens = (token for doc in nlp.pipe(found.given) for token in doc)
    tags = list(found.sentences("-".join(filter(None, (token.ent_iob_, token.ent_type_))) for token in tokens))
    by_tags = entity_f1(found.tags, tags)
    assert abs(by_spacy - by_tags) < 1e-6, f"spaCy counts F1 {by_spacy} on {part}, the tags say {by_tags}"
    return {f"f1_{part}": by_tags} | (counted(entity_counts(found.tags, tags)) if judge else {})


def words_per_second(ner: MTLEntityRecognizer, docs: list[Doc], repeats: int = 5) -> float:
    """Docs in memory to labels."""
    seconds = [cpu_seconds(lambda: ner.predict(docs)) for _ in range(repeats)]
    return sum(map(len, docs)) / median(seconds)


def train(data: dict, ours: dict, save_to: str | None = None) -> dict[str, Any]:
    """A row of everything there is to know about one training."""
    the_data, settings = Data(**data), Ours(**ours)
    warm_up(the_data, settings)
    nlp, ner = settings.pipeline(the_data)
    examples = the_data.part(nlp, "train").examples()
    forget_peak()
    row: dict[str, Any] = {"contestant": "ours", "resident_before_mb": resident_megabytes()}
    row |= learn(nlp, ner, settings, examples)
    row["peak_mb"] = peak_megabytes()
    report = ner.report
    if report is not None:
        row |= {"primal": report.primal, "gap": report.gap, "live_templates": report.live_templates}
    for part in ("testa", "testb"):
        row |= scores(nlp, the_data, part, judge=part == "testb")
    row["words_per_second"] = words_per_second(ner, the_data.part(nlp, "testb").given)
    with TemporaryDirectory() as folder:
        target = Path(save_to or folder)
        nlp.to_disk(target)
        row["model_mb"] = (target / "mtl_ner" / "model").stat().st_size / 1e6
        row["pipeline_mb"] = sum(path.stat().st_size for path in target.rglob("*") if path.is_file()) / 1e6
    return row


def sizes(data: dict, ours: dict, budgets: list[float | None]) -> list[dict[str, Any]]:
    """Train once, export for each size in megabytes (None: every row): a row each."""
    the_data, settings = Data(**data), Ours(**ours)
    nlp, ner = settings.pipeline(the_data)
    learn(nlp, ner, settings, the_data.part(nlp, "train").examples())
    assert ner._learner is not None
    rows = []
    for megabytes in budgets:
        weights = ner._learner.export(megabytes)
        set_weights(ner.model, weights, ner.chain_constraints())
        rows.append({"megabytes": megabytes, "model_mb": len(ner._model_bytes()) / 1e6, "rows_kept": weights.keys.size})
        rows[-1] |= scores(nlp, the_data, "testa") | scores(nlp, the_data, "testb")
    return rows
