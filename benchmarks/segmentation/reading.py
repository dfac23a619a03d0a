"""Segmenters as functions of raw texts: scored and timed all the same way."""

import gc
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc

from benchmarks.common.measure import median

from .data import Data, Sentence, texts

BATCH = 128


def as_they_are(words: Sentence) -> Sentence:
    return words


def words_of_doc(doc: Doc) -> Sentence:
    return [token.text for token in doc]


@dataclass(frozen=True)
class Segmenter:
    """read: raw texts to what the segmenter gives for each of them, a list of words or a Doc; this is timed. words: of such a result."""

    read: Callable[[Iterable[str]], Iterable[Any]]
    words: Callable[[Any], Sentence] = as_they_are

    def sentences(self, inputs: Iterable[str]) -> Iterator[Sentence]:
        return (self.words(result) for result in self.read(inputs))


def piped(nlp: Language) -> Segmenter:
    """A pipeline that makes Docs of words."""
    return Segmenter(lambda inputs: nlp.pipe(inputs, batch_size=BATCH), words_of_doc)


def one_by_one(cut: Callable[[str], Iterable[str]]) -> Segmenter:
    """A function that gives the words of a text."""
    return Segmenter(lambda inputs: (list(cut(text)) for text in inputs))


def characters_per_second(segmenter: Segmenter, inputs: list[str]) -> float:
    """Of CPU time, over all inputs; results are kept, as a program would keep them."""
    begin = time.process_time()
    results = list(segmenter.read(inputs))
    seconds = time.process_time() - begin
    assert len(results) == len(inputs)
    return sum(map(len, inputs)) / seconds


def evaluated(segmenter: Segmenter, data: Data, repeats: int) -> dict[str, Any]:
    """Scores of the test texts, and the characters of them a CPU second: the first time, and the median of ``repeats`` times more."""
    inputs = texts(data.test())
    first = characters_per_second(segmenter, inputs)
    speeds = [characters_per_second(segmenter, inputs) for _ in range(repeats)]
    row = {"characters_per_second": median(speeds or [first]), "characters_per_second_at_first": first}
    return data.scores(list(segmenter.sentences(inputs))) | row


def take_turns(segmenters: dict[str, Segmenter], data: Data, repeats: int) -> list[dict[str, Any]]:
    """A row for each: characters/s of the test texts in ``repeats`` portions, which are new to it, and of the same once more; medians.

    Before that every one reads some of the training text, so that dictionaries are loaded and kernels compiled.
    """
    known, inputs = texts(data.train()[:200]), texts(data.test())
    cuts = np.linspace(0, len(inputs), repeats + 1).astype(int).tolist()
    portions = [inputs[a:b] for a, b in pairwise(cuts) if a < b]
    for segmenter in segmenters.values():
        characters_per_second(segmenter, known)
    gc.collect()
    gc.freeze()  # what waits in memory for its turn is not to slow the others down
    speeds: dict[str, list[float]] = {name: [] for name in segmenters}
    for portion in [*portions, *portions]:
        for name, segmenter in segmenters.items():
            speeds[name].append(characters_per_second(segmenter, portion))
    middle = len(portions)
    return [
        {"contestant": name, "new_text": median(found[:middle]), "known_text": median(found[middle:]), "runs": found}
        for name, found in speeds.items()
    ]
