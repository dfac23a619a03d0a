"""Train one component of a pipeline anew, with other settings, on a corpus that has been read: again and again, as pruning and tuning need it."""

import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from spacy_mtl.components.confidence.pipe import ConfidentPipe
from spacy_mtl.components.protocol.annotated import docs_before
from spacy_mtl.components.protocol.base import StructuredPipe
from spacy_mtl.learning.counted.corpus_lists import list_without
from spacy_mtl.stand_in import stand_in
from spacy_mtl.tables.phrases import PhraseList
from spacy_mtl.tables.stored import AnyTable
from spacy_mtl.templates.attributes.of_tables import is_read

from .corpora import check_gold
from .schedule import Schedule

#: Speed is the median of so many runs over at least so many words of the dev corpus, and at most so many.
RUNS, LEAST_WORDS, MOST_WORDS = 3, 20_000, 60_000


#: Settings of a component that may be changed once it is trained, and are saved with it.
SET_LATER = ("bias", "threshold", "confidence")
#: Those of them that need probabilities, and their values without.
PLAIN = {"confidence": False, "threshold": 0.0}


@dataclass(frozen=True)
class Fitted:
    """A trained component.

    data: the component as it is saved. score: of the dev corpus, in percent. megabytes: of ``data``. speed: words per CPU second. templates: its
    ``template_weights()``.
    """

    data: bytes = field(repr=False)
    score: float
    megabytes: float
    speed: float
    templates: list[dict[str, Any]] = field(repr=False)


class Refit:
    """A component, the examples that it learns from, and the documents that it is scored on, as it gets them from the components before it.

    left_out: documents of the component's training corpus that are not among these, whose entities lists of the corpus are not to have. tables: of
    the component, by name, besides those that it has.

    Raises ValueError (M772) where one of the two corpora has no gold annotation for the component.
    """

    def __init__(
        self,
        nlp: Language,
        component: str,
        train: list[Example],
        dev: Sequence[Example],
        schedule: Schedule | None = None,
        left_out: Sequence[Example] = (),
        tables: Mapping[str, AnyTable] | None = None,
    ):
        pipe = nlp.get_pipe(component)
        assert isinstance(pipe, StructuredPipe)
        check_gold(pipe, train, "training")
        check_gold(pipe, list(dev), "dev")
        self.nlp, self.component = nlp, component
        self.train, self.left_out = train, left_out
        self.tables = {**pipe.tables, **(tables or {})}
        self.references = [example.reference for example in dev]
        self.inputs = docs_before(nlp, component, [example.predicted for example in dev])
        config: Any = nlp.config.interpolate()
        self.schedule = schedule or Schedule.of(config["training"])
        self.weights = {key: w for key, w in (config["training"].get("score_weights") or {}).items() if w}

    @property
    def pipe(self) -> StructuredPipe:
        """The component as it is in the pipeline."""
        pipe = self.nlp.get_pipe(self.component)
        assert isinstance(pipe, StructuredPipe)
        return pipe

    def config(self) -> dict[str, Any]:
        """The settings of the component, a copy; what may be set after training, such as a bias, as it is now."""
        settings: dict[str, Any] = self.nlp.config.interpolate()["components"][self.component]
        return settings | {key: getattr(self.pipe, key) for key in SET_LATER if key in settings}

    def make(self, config: Mapping[str, Any]) -> StructuredPipe:
        """Another component of this name with these settings, untrained and outside of the pipeline, initialized on the training corpus."""
        made = self.untrained(config)
        read = made.model.attrs["templates"].attributes
        tables = {name: self._own(table) for name, table in self.tables.items() if is_read(name, read)}
        with warnings.catch_warnings():
            if self.left_out:  # M963 would be of a part of the corpus, which nobody can change
                warnings.filterwarnings("ignore", message=r"\[M963\]")
            made.initialize(lambda: self.train, nlp=self.nlp, tables=tables or None)
        set_plain(made)
        return made

    def _own(self, table: AnyTable) -> AnyTable:
        """A table of the pipeline's component for another one; a list of the corpus, which is filled in training, is a list of its own."""
        if not isinstance(table, PhraseList) or table.of_corpus is None:
            return table
        out = [example.reference for example in self.left_out]
        return list_without(table, (example.reference for example in self.train), out)

    def untrained(self, config: Mapping[str, Any]) -> StructuredPipe:
        """A component with these settings that is not even initialized. Raises what its settings are refused with."""
        settings = {key: value for key, value in config.items() if key != "factory"}
        made: Any = self.nlp.create_pipe(config["factory"], self.component, config=settings)
        assert isinstance(made, StructuredPipe)
        return made

    def fit(self, config: Mapping[str, Any], on_pass: Callable[[int, int], None] | None = None) -> Fitted:
        """Train with these settings, and keep what scored best on the dev corpus. on_pass: told the passes so far, and how many there are at most."""
        return self.fit_pipe(self.make(config), on_pass)

    def fit_pipe(self, pipe: StructuredPipe, on_pass: Callable[[int, int], None] | None = None) -> Fitted:
        """The same with a component that is initialized already."""
        scores, best = [], b""
        done, total = 0, sum(self.schedule)
        for passes in self.schedule:
            pipe.update([stand_in(self.train, passes)])
            done += passes
            scores.append(self.score(pipe))
            if scores[-1] == max(scores):  # of equal scores the last, as in spaCy's loop
                best = pipe.to_bytes(exclude=["vocab"])
            if on_pass is not None:
                on_pass(done, total)
            if pipe.finished or self.schedule.is_over(scores):
                break
        pipe.from_bytes(best, exclude=["vocab"])
        return self._fitted(pipe, best, max(scores))

    def measure(self, pipe: StructuredPipe) -> Fitted:
        """A component that is trained already, without what needs probabilities: those that are trained here are not calibrated yet."""
        before = set_plain(pipe)
        try:
            return self._fitted(pipe, pipe.to_bytes(exclude=["vocab"]), self.score(pipe))
        finally:
            for setting, value in before.items():
                setattr(pipe, setting, value)

    def calibrate_as(self, pipe: StructuredPipe, before: StructuredPipe) -> None:
        """Give a trained component what needs probabilities as another has it: a calibration, on the dev corpus, and the settings of PLAIN."""
        if isinstance(pipe, ConfidentPipe) and isinstance(before, ConfidentPipe):
            if before.calibrations:
                inputs = [doc.copy() for doc in self.inputs]
                maps = [each.maps for each in before.calibrations.values()]
                isotonic = any(each.adjustment is not None or each.given.size for each in maps)
                pipe.calibrate([Example(*both) for both in zip(inputs, self.references, strict=True)], isotonic)
            for setting in PLAIN:
                if hasattr(before, setting):
                    setattr(pipe, setting, getattr(before, setting))

    def _fitted(self, pipe: StructuredPipe, data: bytes, score: float) -> Fitted:
        return Fitted(data, score, len(data) / 1e6, self.speed(pipe), pipe.template_weights())

    def score(self, pipe: StructuredPipe) -> float:
        """The score of the dev corpus in percent: the component's own among those that ``[training.score_weights]`` weighs, by their weights."""
        return self._score_of(pipe, self._found(pipe))

    def scores_without(self, pipe: StructuredPipe, groups: int) -> list[float]:
        """The score without each of so many groups of consecutive documents; of a single document the score itself."""
        found = self._found(pipe)
        n = len(found)
        borders = sorted({k * n // groups for k in range(groups + 1)})
        rests = [[*found[:begin], *found[end:]] for begin, end in pairwise(borders)]
        return [self._score_of(pipe, rest or found) for rest in rests]

    def _found(self, pipe: StructuredPipe) -> list[Example]:
        docs = pipe.pipe([doc.copy() for doc in self.inputs])
        return [Example(doc, reference) for doc, reference in zip(docs, self.references, strict=True)]

    def _score_of(self, pipe: StructuredPipe, examples: Sequence[Example]) -> float:
        found = pipe.score(examples)
        usual = self.nlp.get_pipe_meta(self.component).default_score_weights or {}
        weights = _of(self.weights, found) or _of(usual, found)
        total = sum(weights.values())
        return 100 * sum(w * found[key] for key, w in weights.items()) / total if total else 0.0

    def speed(self, pipe: StructuredPipe) -> float:
        """Words per CPU second, from documents in memory to annotated ones."""
        return words_per_second(pipe, self.inputs)


def set_plain(pipe: StructuredPipe) -> dict[str, Any]:
    """Have a component tell no probabilities, and leave out no entity for its probability. Returns the settings that it had."""
    before = {setting: getattr(pipe, setting) for setting in PLAIN if hasattr(pipe, setting)}
    for setting in before:
        setattr(pipe, setting, PLAIN[setting])
    return before


def words_per_second(pipe: StructuredPipe, docs: Iterable[Doc]) -> float:
    """Words per CPU second of a component on these documents, of which at least one has words; they stay as they are."""
    texts = _enough(docs)
    list(pipe.pipe([texts[0].copy()]))
    seconds, words = [], 0
    for _ in range(RUNS):
        copies = [doc.copy() for doc in texts]
        begin = time.process_time()
        found = list(pipe.pipe(copies))
        seconds.append(time.process_time() - begin)
        words = sum(map(len, found))  # a segmenter makes other words of them
    return words / max(median(seconds), 1e-9)


def _of(weights: Mapping[str, float | None], scores: Mapping[str, Any]) -> dict[str, float]:
    """The weights of what has a score."""
    return {key: w for key, w in weights.items() if w and isinstance(scores.get(key), float | int)}


def _enough(docs: Iterable[Doc]) -> list[Doc]:
    """Documents with words to measure a speed on, again and again if there are few."""
    some, n = [], 0
    for doc in docs:
        if len(doc) and n < MOST_WORDS:
            some.append(doc)
            n += len(doc)
    return some * max(1, -(-LEAST_WORDS // max(n, 1)))
