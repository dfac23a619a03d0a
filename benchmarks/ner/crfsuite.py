"""python-crfsuite as a contestant, on the observations that our templates make."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pycrfsuite
from spacy.training import iob_to_biluo

from benchmarks.common.crfsuite import Constants, search
from benchmarks.common.measure import Clock, forget_peak, peak_megabytes, resident_megabytes
from benchmarks.common.rows import best_point
from benchmarks.common.significance import counted
from benchmarks.common.spans import entity_counts, entity_f1
from spacy_mtl.sentences import borders
from spacy_mtl.templates.attributes.reader import AttributeReader
from spacy_mtl.templates.index import build_index
from spacy_mtl.templates.program import compile_program

from .data import Data, Ours

PARTS = ("train", "testa", "testb")


# --- observations, made by us, kept in files ---


def write_observations(data: dict, ours: dict, folder: str, scheme: str) -> dict[str, int]:
    """Observations of all parts as row numbers, int32[N, T] in PART.rows; lengths and tags in PART.json."""
    the_data = Data(**data)
    nlp, ner = Ours(**ours).pipeline(the_data)
    templates = ner.model.attrs["templates"]
    reader = AttributeReader(templates.attributes, nlp.vocab)
    program = compile_program(templates.node, reader.columns)
    index = None
    for part in PARTS:
        read = the_data.part(nlp, part)
        starts = borders(read.given)
        columns = reader.read(read.given, starts)
        if index is None:
            index, rows = build_index(columns, starts, program, templates.min_count)
        else:
            rows = index.rows(columns, starts, program)
        rows.tofile(Path(folder, f"{part}.rows"))
        tags = [iob_to_biluo(sentence) for sentence in read.tags] if scheme == "biluo" else read.tags
        described = {"width": len(templates.node), "lengths": np.diff(starts).tolist(), "tags": tags}
        Path(folder, f"{part}.json").write_text(json.dumps(described), encoding="utf8")
    assert index is not None
    return {"observations": index.n_rows, "n_templates": len(templates.node)}


class Observations:
    """One part of the corpus, read sentence by sentence so that it takes no memory."""

    def __init__(self, folder: str, part: str):
        described = json.loads(Path(folder, f"{part}.json").read_text(encoding="utf8"))
        self.path = Path(folder, f"{part}.rows")
        self.width: int = described["width"]
        self.lengths: list[int] = described["lengths"]
        self.tags: list[list[str]] = described["tags"]

    def sequences(self) -> Iterator[pycrfsuite.ItemSequence]:
        """A sentence: the observations of its tokens as strings, those never seen in training left out."""
        with self.path.open("rb") as file:
            for length in self.lengths:
                rows = np.fromfile(file, np.int32, length * self.width).reshape(length, self.width)
                yield pycrfsuite.ItemSequence([[str(row) for row in token if row >= 0] for token in rows.tolist()])


# --- training ---


def tags_of(model: str, part: Observations, clock: Clock) -> list[list[str]]:
    """What a model predicts. The time of tagging counts under "tag"; making the observations does not."""
    tagger = pycrfsuite.Tagger()
    tagger.open(model)
    predicted = []
    for sequence in part.sequences():
        with clock("tag"):
            predicted.append(tagger.tag(sequence))
    tagger.close()
    return predicted


def fit(trainer: pycrfsuite.Trainer, model: str, parts: list[Observations], iterations: int | None) -> dict[str, Any]:
    """Train from scratch on what has been appended, for so many iterations or to the default stop; a row."""
    if iterations is not None:
        trainer.set("max_iterations", iterations)
    clock = Clock()
    with clock("train"):
        trainer.train(model)
    row: dict[str, Any] = {"cpu_train": clock.seconds["train"], "peak_mb": peak_megabytes()}
    last = trainer.logparser.last_iteration
    row["iterations"] = int(last["num"]) if last else iterations
    row["model_mb"] = os.path.getsize(model) / 1e6
    for name, part in zip(("testa", "testb"), parts, strict=True):
        clock.seconds["tag"] = 0.0
        predicted = tags_of(model, part, clock)
        row[f"f1_{name}"] = entity_f1(part.tags, predicted)
        row |= counted(entity_counts(part.tags, predicted)) if name == "testb" else {}
        row["words_per_second"] = sum(part.lengths) / clock.seconds["tag"]
    return row


def train(folder: str, algorithm: str, iterations: list[int] | None, constants: list[Constants]) -> dict[str, Any]:
    """Train with each of the constants, ``lbfgs`` to its default stop (iterations None), an online method once for each number of passes, and keep
    the best on testa.

    cpu: from ``append`` (of sequences already made) to the end of the training that won. cpu_search: of all trainings. points: these.
    """
    parts = [Observations(folder, part) for part in PARTS]
    clock = Clock()
    trainer = pycrfsuite.Trainer(algorithm, verbose=False)
    forget_peak()
    before = resident_megabytes()
    for sequence, tags in zip(parts[0].sequences(), parts[0].tags, strict=True):
        with clock("append"):
            trainer.append(sequence, tags)
    with TemporaryDirectory() as models:

        def once(values: Constants, count: int | None) -> dict[str, Any]:
            trainer.set_params(values)
            return fit(trainer, str(Path(models, "model")), parts[1:], count)

        points = search(once, constants, [None] if iterations is None else iterations, "f1_testa")
    for point in points:
        point["cpu"] = clock.seconds["append"] + point["cpu_train"]
    best = dict(best_point(points, "f1_testa"))
    for point in points:
        del point["counts"]
    return {
        "contestant": f"crfsuite {algorithm}",
        "resident_before_mb": before,
        "cpu_append": clock.seconds["append"],
        "cpu_search": clock.seconds["append"] + sum(point["cpu_train"] for point in points),
        **best,
        "peak_mb": points[0]["peak_mb"],  # of one training: crfsuite keeps memory of the trainings before
        "points": points,
    }
