"""python-crfsuite as a contestant, on the observations that our templates make."""

import json
import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pycrfsuite

from benchmarks.common.crfsuite import Constants, search
from benchmarks.common.measure import Clock, forget_peak, peak_megabytes, resident_megabytes
from benchmarks.common.rows import best_point
from benchmarks.common.significance import counted
from benchmarks.ner.crfsuite import Observations
from spacy_mtl.learning.counted.usual_tags import count_usual_tags
from spacy_mtl.sentences import borders
from spacy_mtl.templates.attributes.learned import USUAL_TAG
from spacy_mtl.templates.attributes.reader import AttributeReader
from spacy_mtl.templates.index import build_index
from spacy_mtl.templates.program import compile_program

from .data import PARTS, Data, accuracy, tag_counts
from .ours import settings_of


def write_observations(data: dict, ours: dict, folder: str) -> dict[str, int]:
    """Observations of all parts as row numbers, int32[N, T] in PART.rows; lengths and tags in PART.json."""
    the_data = Data(**data)
    nlp, tagger = settings_of(ours).pipeline(the_data)
    templates = tagger.model.attrs["templates"]
    train = the_data.part(nlp, "train")
    usual = count_usual_tags(train.references, sorted({tag for tags in train.tags() for tag in tags}))
    reader = AttributeReader(templates.attributes, nlp.vocab, learned={USUAL_TAG: usual})
    program = compile_program(templates.node, reader.columns)
    index = None
    for name in PARTS:
        part = the_data.part(nlp, name)
        starts = borders(part.given)
        columns = reader.read(part.given, starts)
        if index is None:
            index, rows = build_index(columns, starts, program, templates.min_count)
        else:
            rows = index.rows(columns, starts, program)
        rows.tofile(Path(folder, f"{name}.rows"))
        described = {"width": len(templates.node), "lengths": np.diff(starts).tolist(), "tags": part.tags()}
        Path(folder, f"{name}.json").write_text(json.dumps(described), encoding="utf8")
    assert index is not None
    return {"observations": index.n_rows, "n_templates": len(templates.node)}


def evaluate(model: str, data: Data, parts: dict[str, Observations]) -> dict[str, Any]:
    """accuracy_dev, unknown_dev ... test, and the counts of the test sentences."""
    tagger = pycrfsuite.Tagger()
    tagger.open(model)
    nlp, known, found = data.blank(), data.known_words(), {}
    for name in PARTS[1:]:
        part, tags = data.part(nlp, name), [tag for seen in parts[name].sequences() for tag in tagger.tag(seen)]
        found |= {f"{key}_{name}": value for key, value in accuracy(part, tags, known).items()}
    tagger.close()
    return found | counted(tag_counts(part, tags))


def fit(trainer: pycrfsuite.Trainer, model: str, iterations: int | None) -> dict[str, Any]:
    """Train from scratch on what has been appended, for so many iterations at most or to the default stop; a row."""
    if iterations is not None:
        trainer.set("max_iterations", iterations)
    clock = Clock()
    with clock("train"):
        trainer.train(model)
    row: dict[str, Any] = {"cpu_train": clock.seconds["train"], "peak_mb": peak_megabytes()}
    last = trainer.logparser.last_iteration
    row["iterations"] = int(last["num"]) if last else iterations
    return row | {"model_mb": os.path.getsize(model) / 1e6}


def train(
    data: dict, folder: str, algorithm: str, iterations: list[int | None], constants: list[Constants]
) -> dict[str, Any]:
    """Train once for each of the constants and number of iterations (None: to the default stop) and keep the best on dev; a row.

    cpu: from ``append`` (of sequences already made) to the end of the training that won. cpu_search: of all trainings. points: these.
    """
    the_data, parts = Data(**data), {name: Observations(folder, name) for name in PARTS}
    clock = Clock()
    trainer = pycrfsuite.Trainer(algorithm, verbose=False)
    forget_peak()
    before = resident_megabytes()
    for sequence, tags in zip(parts["train"].sequences(), parts["train"].tags, strict=True):
        with clock("append"):
            trainer.append(sequence, tags)
    with TemporaryDirectory() as models:
        model = str(Path(models, "model"))

        def once(values: Constants, count: int | None) -> dict[str, Any]:
            trainer.set_params(values)
            return fit(trainer, model, count) | evaluate(model, the_data, parts)

        points = search(once, constants, iterations, "accuracy_dev")
    for point in points:
        point["cpu"] = clock.seconds["append"] + point["cpu_train"]
    cpu_search = clock.seconds["append"] + sum(point["cpu_train"] for point in points)
    best = dict(best_point(points, "accuracy_dev"))
    for point in points:
        del point["counts"]
    row = {"contestant": f"crfsuite {algorithm}", "resident_before_mb": before, "cpu_append": clock.seconds["append"]}
    row["cpu_search"] = cpu_search
    # peak_mb is that of one training: crfsuite keeps memory of the trainings before
    return {**row, **best, "peak_mb": points[0]["peak_mb"], "points": points}
