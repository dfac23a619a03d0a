"""python-crfsuite as a segmenter: our templates evaluated in Python, characters tagged B, M, E or S."""

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pycrfsuite

from benchmarks.common.measure import Clock, forget_peak, peak_megabytes, resident_megabytes
from spacy_mtl.segmentation.character_groups import group_characters
from spacy_mtl.templates.attributes.learned import CHAR_GROUP

from .data import Data, Sentence
from .features import TextFeatures, breaks, dictionary, tags_of, template_set, words_of
from .reading import Segmenter, evaluated

#: As in our segmenter by default: words of the dictionary occur so often; while learning, each of so many parts of the text has those of the others.
KNOWN, FOLDS = 1, 2


def groups_of(sentences: list[Sentence], templates: str) -> dict[str, str]:
    """Groups of the characters of these sentences, if a template reads them."""
    wanted = CHAR_GROUP in template_set(templates).attributes
    return group_characters(map("".join, sentences)) if wanted else {}


def features_of(sentences: list[Sentence], templates: str, groups: Mapping[str, str] | None = None) -> TextFeatures:
    """With what templates ask for: the words of these sentences as dictionary, where they part, and groups of characters (by default, theirs)."""
    features = TextFeatures(templates)
    if any(attr.startswith("WORD_") for attr in features.attributes):
        features.words = dictionary(sentences, KNOWN)
    if "BREAK" in features.attributes:
        features.breaks = breaks(sentences)
    features.groups = groups_of(sentences, templates) if groups is None else groups
    return features


def training_features(sentences: list[Sentence], templates: str) -> Iterator[list]:
    """The features of the characters of each sentence, to learn from."""
    groups = groups_of(sentences, templates)
    fold_of = [i * FOLDS // len(sentences) for i in range(len(sentences))]
    for fold in range(FOLDS):
        others = [words for words, k in zip(sentences, fold_of, strict=True) if k != fold]
        features = features_of(others, templates, groups)
        for words in (words for words, k in zip(sentences, fold_of, strict=True) if k == fold):
            yield features("".join(words))


def tagged(model: str, features: TextFeatures) -> Segmenter:
    """Segment raw texts with a saved model."""
    tagger = pycrfsuite.Tagger()
    tagger.open(model)

    def read(inputs: Iterable[str]) -> Iterator[Sentence]:
        for text in inputs:
            yield words_of(text, tagger.tag(features(text)))

    return Segmenter(read)


def fit(
    sentences: list[Sentence], templates: str, model: str, algorithm: str = "lbfgs", iterations: int | None = None
) -> dict[str, Any]:
    """Train, for so many iterations or to the default stop, and save.

    cpu: append and training; making the features in Python is given apart, and not counted.
    """
    features, clock = training_features(sentences, templates), Clock()
    trainer = pycrfsuite.Trainer(algorithm, {"max_iterations": iterations} if iterations else {}, verbose=False)
    for words in sentences:
        with clock("features"):
            items = pycrfsuite.ItemSequence(next(features))
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


def train(data: dict, templates: str, limit: int, iterations: int, repeats: int) -> dict[str, Any]:
    """L-BFGS for so many iterations (0: to its default stop) on the first ``limit`` sentences (0: all); a row."""
    the_data = Data(**data)
    sentences = the_data.train()[: limit or None]
    forget_peak()
    row: dict[str, Any] = {"contestant": "crfsuite lbfgs", "resident_before_mb": resident_megabytes()}
    with TemporaryDirectory() as folder:
        model = str(Path(folder, "model"))
        row |= fit(sentences, templates, model, iterations=iterations or None) | {"trained_on": len(sentences)}
        row["peak_mb"] = peak_megabytes()
        return row | evaluated(tagged(model, features_of(sentences, templates)), the_data, repeats)
