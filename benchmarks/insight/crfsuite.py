"""Marginals of python-crfsuite beside ours: Spanish entities and Chinese words, on the observations that our templates make."""

from collections.abc import Iterator
from dataclasses import asdict
from itertools import accumulate, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pycrfsuite

from benchmarks.common.rows import Row
from benchmarks.ner.crfsuite import Observations, write_observations
from benchmarks.ner.data import DEFAULTS, Data
from benchmarks.segmentation import data as segmentation
from benchmarks.segmentation.crfsuite import features_of, fit
from benchmarks.segmentation.features import TextFeatures, words_of

from .calibration import figures


def spans_of(tags: list[str]) -> set[tuple[int, int, str]]:
    """Start, end and type of the entities of BILUO tags; a broken entity is none."""
    found, begin = set(), -1
    for t, tag in enumerate(tags):
        prefix, _, kind = tag.partition("-")
        if prefix in ("B", "U"):
            begin = t
        if prefix in ("L", "U") and begin >= 0 and all(each[2:] == kind for each in tags[begin : t + 1]):
            found.add((begin, t + 1, kind))
        if prefix in ("L", "U", "O"):
            begin = -1
    return found


def measure(corpora: str, task: str, limit: int, iterations: int) -> Row:
    """Train by L-BFGS for so many iterations. The probability of a span is the smallest marginal of its tags: crfsuite has none of spans."""
    told, kind = (_words if task == "pku" else _entities)(corpora, limit, iterations)
    row: Row = {"mode": "calibration", "task": task, "limit": limit, "kind": kind, "scores": "crfsuite lbfgs"}
    return {**row, "iterations": iterations, **figures(*map(np.array, zip(*told, strict=True)))}


def _entities(corpora: str, limit: int, iterations: int) -> tuple[list[tuple[float, bool]], str]:
    data, ours = Data(corpora, "esp", limit), DEFAULTS["ner.v1"]
    with TemporaryDirectory() as folder:
        write_observations(asdict(data), asdict(ours), folder, "biluo")
        train, test = Observations(folder, "train"), Observations(folder, "testb")
        trainer = pycrfsuite.Trainer("lbfgs", verbose=False)
        for sequence, tags in zip(train.sequences(), train.tags, strict=True):
            trainer.append(sequence, tags)
        trainer.set("max_iterations", iterations)
        trainer.train(model := str(Path(folder, "model")))
        tagger = pycrfsuite.Tagger()
        tagger.open(model)
        told = list(_outcomes(tagger, test))
        tagger.close()
    return told, "entity"


def _words(corpora: str, limit: int, iterations: int) -> tuple[list[tuple[float, bool]], str]:
    """Trained on what our segmenter is trained on, without the last tenth of the text."""
    data, templates = segmentation.Data(corpora, "pku", limit), "seg.v1"
    sentences = data.train()
    sentences = sentences[: len(sentences) * (segmentation.HELD_OUT - 1) // segmentation.HELD_OUT]
    with TemporaryDirectory() as folder:
        fit(sentences, templates, model := str(Path(folder, "model")), iterations=iterations)
        tagger, features = pycrfsuite.Tagger(), features_of(sentences, templates)
        tagger.open(model)
        told = [each for words in data.test() for each in _word_outcomes(tagger, features, words)]
        tagger.close()
    return told, "word"


def _word_outcomes(tagger: pycrfsuite.Tagger, features: TextFeatures, words: list[str]) -> Iterator[tuple[float, bool]]:
    text = "".join(words)
    tags = tagger.tag(features(text))
    gold, found = (list(pairwise([0, *accumulate(map(len, each))])) for each in (words, words_of(text, tags)))
    right = set(gold)
    for start, end in found:
        yield min(tagger.marginal(tags[t], t) for t in range(start, end)), (start, end) in right


def _outcomes(tagger: pycrfsuite.Tagger, part: Observations) -> Iterator[tuple[float, bool]]:
    for sequence, gold in zip(part.sequences(), part.tags, strict=True):
        predicted, right = tagger.tag(sequence), spans_of(gold)
        for start, end, kind in sorted(spans_of(predicted)):
            smallest = min(tagger.marginal(predicted[t], t) for t in range(start, end))
            yield smallest, (start, end, kind) in right
