"""Marginals of python-crfsuite beside ours: Spanish entities, on the observations that our templates make."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pycrfsuite

from benchmarks.common.rows import Row
from benchmarks.ner.crfsuite import Observations, write_observations
from benchmarks.ner.data import DEFAULTS, Data

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


def measure(corpora: str, limit: int, iterations: int) -> Row:
    """Train by L-BFGS for so many iterations. The probability of an entity is the smallest marginal of its tags: crfsuite has none of spans."""
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
    row: Row = {"mode": "calibration", "task": "spanish", "limit": limit, "kind": "entity", "scores": "crfsuite lbfgs"}
    return {**row, "iterations": iterations, **figures(*map(np.array, zip(*told, strict=True)))}


def _outcomes(tagger: pycrfsuite.Tagger, part: Observations) -> Iterator[tuple[float, bool]]:
    for sequence, gold in zip(part.sequences(), part.tags, strict=True):
        predicted, right = tagger.tag(sequence), spans_of(gold)
        for start, end, kind in sorted(spans_of(predicted)):
            smallest = min(tagger.marginal(predicted[t], t) for t in range(start, end))
            yield smallest, (start, end, kind) in right
