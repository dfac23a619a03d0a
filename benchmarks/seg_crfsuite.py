"""python-crfsuite as a segmenter: our templates evaluated in Python, characters tagged B, M, E or S."""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pycrfsuite
from measure import Clock, forget_peak, peak_megabytes, resident_megabytes
from seg_data import Data, Sentence, texts
from seg_features import TextFeatures
from seg_reading import Reader, characters_per_second


def tags_of(words: Sentence) -> list[str]:
    """The tag of each character: B, M and E for the first, inner and last of a word, S for a word of one."""
    return [tag for word in words for tag in ("S" if len(word) == 1 else f"B{'M' * (len(word) - 2)}E")]


def words_of(text: str, tags: Sequence[str]) -> Sentence:
    """The words of tagged characters: one begins at each B and S, and after each E and S."""
    begins = [i for i, tag in enumerate(tags) if i and (tag in "BS" or tags[i - 1] in "ES")]
    return [text[a:b] for a, b in zip([0, *begins], [*begins, len(text)], strict=True)] if text else []


def tagged(model: str, features: TextFeatures) -> Reader:
    """Segment raw texts with a saved model."""
    tagger = pycrfsuite.Tagger()
    tagger.open(model)

    def read(inputs: Iterable[str]) -> Iterator[Sentence]:
        for text in inputs:
            yield words_of(text, tagger.tag(features(text)))

    return read


def fit(
    sentences: list[Sentence], templates: str, model: str, algorithm: str, iterations: int | None
) -> dict[str, Any]:
    """Train and save. cpu: append and training; making the features in Python is given apart, and not counted."""
    features, clock = TextFeatures(templates), Clock()
    trainer = pycrfsuite.Trainer(algorithm, {"max_iterations": iterations} if iterations else {}, verbose=False)
    for words, text in zip(sentences, texts(sentences), strict=True):
        with clock("features"):
            items = pycrfsuite.ItemSequence(features(text))
        with clock("append"):
            trainer.append(items, tags_of(words))
    with clock("train"):
        trainer.train(model)
    last = trainer.logparser.last_iteration
    return {
        "cpu": clock.seconds["append"] + clock.seconds["train"],
        "cpu_features": clock.seconds["features"],
        "cpu_append": clock.seconds["append"],
        "iterations": int(last["num"]) if last else iterations,
        "model_mb": os.path.getsize(model) / 1e6,
    }


def train(data: dict, templates: str, limit: int, repeats: int) -> dict[str, Any]:
    """L-BFGS to its default stop on the first ``limit`` sentences (0: all); a row."""
    the_data = Data(**data)
    sentences = the_data.train()[: limit or None]
    forget_peak()
    row: dict[str, Any] = {"contestant": "crfsuite lbfgs", "resident_before_mb": resident_megabytes()}
    with TemporaryDirectory() as folder:
        model = str(Path(folder, "model"))
        row |= fit(sentences, templates, model, "lbfgs", None) | {"trained_on": len(sentences)}
        row["peak_mb"] = peak_megabytes()
        return row | characters_per_second(tagged(model, TextFeatures(templates)), the_data, repeats)
