"""Are probabilities right? Entities, arcs and words of three corpora: a training, a calibration on what it has not seen, a test."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from benchmarks.common.measure import median
from benchmarks.common.rows import Row
from spacy_mtl.confidence.calibration import Calibration, brier_score, calibration_error

#: Turns of a comparison of speeds, and draws of outcomes.
TURNS, DRAWS = 5, 200
#: By task: what is decided, and the largest expected calibration error that is aimed at.
TASKS = {
    "spanish": ("entity", 0.02),
    "spanish-clusters": ("entity", 0.02),
    "danish": ("arc", 0.02),
    "pku": ("word", 0.01),
}


@dataclass(frozen=True)
class Subject:
    """A pipeline that is trained, documents to calibrate on and to test, and what each decision about a test document is worth.

    train, trained: what it was trained on, and how.
    """

    nlp: Language
    component: str
    train: list[Example]
    trained: Callable[[list[Example]], Language]
    dev: list[Example]
    test: list[Example]
    outcomes: Callable[[Any, Example], Iterator[tuple[float, bool]]]

    def folds(self, n: int) -> Iterator[tuple[Any, list[Example]]]:
        """Components trained on all but one of so many parts of the training corpus, and that part."""
        size = len(self.train)
        for k in range(n):
            begin, end = k * size // n, (k + 1) * size // n
            nlp = self.trained([*self.train[:begin], *self.train[end:]])
            yield nlp.get_pipe(self.component), [moved(example, nlp) for example in self.train[begin:end]]


def entity_outcomes(pipe: Any, example: Example) -> Iterator[tuple[float, bool]]:
    gold = {(ent.start, ent.end, ent.label_) for ent in example.reference.ents}
    for start, end, label, probability in pipe.probabilities(example.predicted).spans:
        yield probability, (start, end, label) in gold


def arc_outcomes(pipe: Any, example: Example) -> Iterator[tuple[float, bool]]:
    """Of all words, punctuation included."""
    told, (heads, _) = pipe.probabilities(example.predicted), pipe.predict([example.predicted])[0]
    starts = [sent.start for sent in example.predicted.sents for _ in sent]
    for token, head, start, probability in zip(example.reference, heads, starts, told.tokens, strict=True):
        gold = 0 if token.head.i == token.i or token.dep_ == "ROOT" else token.head.i - start + 1
        yield float(probability), gold == head


def word_outcomes(pipe: Any, example: Example) -> Iterator[tuple[float, bool]]:
    gold = {(token.idx, token.idx + len(token)) for token in example.reference}
    for start, end, _, probability in pipe.probabilities(example.predicted).spans:
        yield probability, (start, end) in gold


def spanish(corpora: str, limit: int) -> Subject:
    from benchmarks.ner.data import DEFAULTS, Data
    from benchmarks.ner.ours import learn

    data, ours = Data(corpora, "esp", limit), DEFAULTS["ner.v1"]

    def trained(examples: list[Example]) -> Language:
        nlp, ner = ours.pipeline(data)
        learn(nlp, ner, ours, [moved(example, nlp) for example in examples])
        return nlp

    blank, ner = ours.pipeline(data)
    train, dev, test = (data.part(blank, part).examples() for part in ("train", "testa", "testb"))
    return Subject(trained(train), ner.name, train, trained, dev, test, entity_outcomes)


def spanish_clusters(corpora: str, limit: int) -> Subject:
    """Spanish entities with the clusters of spaCy's lookups."""
    from benchmarks.outside.training import CHOSEN, TASKS, add_recognizer, examples, table_for

    task, settings = TASKS["esp"], CHOSEN["esp"][1]
    table = table_for(corpora, task, settings)

    def trained(found: list[Example]) -> Language:
        nlp = spacy.blank(task.lang)
        ner = add_recognizer(nlp, task, settings)
        moved_here = [moved(example, nlp) for example in found]
        ner.initialize(lambda: moved_here, nlp=nlp, tables={"CLUSTER": table})
        nlp.update(moved_here)
        return nlp

    blank = spacy.blank(task.lang)
    train, dev, test = (examples(blank, corpora, task, k, settings.group, 0 if k else limit) for k in range(3))
    return Subject(trained(train), "mtl_ner", train, trained, dev, test, entity_outcomes)


def danish(corpora: str, limit: int) -> Subject:
    """Its dev is the last tenth of the training part, since the treebank has none."""
    from benchmarks.parsing.data import Data
    from benchmarks.parsing.ours import Ours, examples_of, learn

    data, ours = Data(corpora, "danish", limit), Ours(projective=False)

    def trained(examples: list[Example]) -> Language:
        nlp, parser = ours.pipeline(data)
        learn(nlp, parser, ours, [moved(example, nlp) for example in examples])
        return nlp

    blank, parser = ours.pipeline(data)
    train, dev, test = (examples_of(blank, data, part) for part in ("train", "dev", "test"))
    return Subject(trained(train), parser.name, train, trained, dev, test, arc_outcomes)


def pku(corpora: str, limit: int) -> Subject:
    """Its dev is the last tenth of the training text, which the model is not trained on."""
    from benchmarks.segmentation.data import HELD_OUT, Data
    from benchmarks.segmentation.ours import DEFAULTS, examples_of, learn

    data, ours = Data(corpora, "pku", limit), DEFAULTS["seg.v1"]

    def trained(examples: list[Example]) -> Language:
        nlp, segmenter = ours.pipeline()
        learn(nlp, segmenter, ours, [moved(example, nlp) for example in examples])
        return nlp

    sentences, (blank, segmenter) = data.train(), ours.pipeline()
    last = len(sentences) * (HELD_OUT - 1) // HELD_OUT
    train, dev, test = (examples_of(blank, part) for part in (sentences[:last], sentences[last:], data.test()))
    return Subject(trained(train), segmenter.name, train, trained, dev, test, word_outcomes)


SUBJECTS = {"spanish": spanish, "spanish-clusters": spanish_clusters, "danish": danish, "pku": pku}


def measure(task: str, corpora: str, limit: int, folds: int) -> list[Row]:
    """A row for scores as they are, one for the temperature, one with the maps that help, by dev alone and with folds, and one of the speeds."""
    subject = SUBJECTS[task](corpora, limit)
    with TemporaryDirectory() as folder:
        subject.nlp.to_disk(folder)
        loaded = spacy.load(folder)  # as users do
    pipe: Any = loaded.get_pipe(subject.component)
    dev = [moved(example, loaded) for example in subject.dev]
    test = [moved(example, loaded) for example in subject.test]
    begin = time.process_time()
    found = pipe.calibrate(dev, isotonic=False)
    seconds, kind = time.process_time() - begin, TASKS[task][0]
    same: Row = {"mode": "calibration", "task": task, "limit": limit, "kind": kind, "aim": TASKS[task][1]}
    calibrated = {**pipe.cfg}["calibrations"]
    plain = {each: Calibration().to_dict() for each in calibrated}
    rows = [scored(subject, pipe, test, {**same, "scores": "as they are"}, plain)]
    more = {"temperature": found[kind].temperature, "cpu_calibrate": seconds}
    rows.append(scored(subject, pipe, test, {**same, "scores": "temperature", **more}, calibrated))
    for n in filter(None, (1, folds)):
        pairs = subject.folds(n) if n > 1 else ()
        with_maps = pipe.calibrate(dev, folds=pairs)
        adjustment, given, _ = with_maps[kind].maps
        more = {
            "temperature": with_maps[kind].temperature, "places": int(given.size),
            "adjusted_by": adjustment.told() if adjustment else "nothing", "folds": n if n > 1 else 0,
        }  # fmt: skip
        name = "temperature and maps" + (", of folds too" if n > 1 else "")
        rows.append(scored(subject, pipe, test, {**same, "scores": name, **more}, None))
    docs = [example.predicted for example in test]
    rows.append({**same, "scores": "speed", **speeds(loaded, pipe, docs, sum(map(len, docs)))})
    return rows


def moved(example: Example, nlp: Language) -> Example:
    """An example in the vocabulary of another pipeline."""
    return Example(*(Doc(nlp.vocab).from_bytes(doc.to_bytes()) for doc in (example.predicted, example.reference)))


def scored(subject: Subject, pipe: Any, test: Sequence[Example], row: Row, calibrations: dict | None) -> Row:
    """Scores of the probabilities of all decisions about the test documents. calibrations: in place of the component's."""
    kept = pipe.cfg["calibrations"]
    pipe.cfg["calibrations"] = calibrations or kept
    told = [each for example in test for each in subject.outcomes(pipe, example)]
    pipe.cfg["calibrations"] = kept
    return {**row, **figures(*map(np.array, zip(*told, strict=True)))}


def figures(probabilities: np.ndarray, correct: np.ndarray) -> Row:
    """Expected calibration error over 15 bins of equally many decisions, Brier score, mean probability, and the share that is correct."""
    return {
        "decisions": int(probabilities.size), "ece": calibration_error(probabilities, correct),
        "brier": brier_score(probabilities, correct), "mean": float(probabilities.mean()), "correct": float(correct.mean()),
        **chance(probabilities),
    }  # fmt: skip


def chance(probabilities: np.ndarray) -> Row:
    """The calibration error that probabilities have by chance if they are right, by draws of what comes out: its mean, and what one in 20 exceeds."""
    rng = np.random.default_rng(0)
    errors = [calibration_error(probabilities, rng.random(probabilities.size) < probabilities) for _ in range(DRAWS)]
    return {"ece_by_chance": float(np.mean(errors)), "ece_by_chance_95": float(np.quantile(errors, 0.95))}


def speeds(nlp: Language, pipe: Any, docs: list[Doc], size: int) -> Row:
    """Documents in memory through the pipeline without and with confidence, in turn. size: of these, in words or characters, told per CPU second."""
    seconds: dict[bool, list[float]] = {False: [], True: []}
    for turn in range(TURNS + 1):
        for confidence in (False, True):
            pipe.confidence = confidence
            shown = [doc.copy() for doc in docs]
            begin = time.process_time()
            for _ in nlp.pipe(shown, batch_size=200):
                pass
            if turn:  # the first warms up
                seconds[confidence].append(time.process_time() - begin)
    pipe.confidence = False
    without, with_it = (size / median(seconds[confidence]) for confidence in (False, True))
    share = median([a / b for a, b in zip(seconds[False], seconds[True], strict=True)])
    return {"per_second": without, "per_second_confident": with_it, "share": share}
