"""Learning curves: ours, python-crfsuite and spaCy's own recognizer on the first sentences of a corpus."""

import random
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pycrfsuite
import spacy
from spacy.util import minibatch

from benchmarks.common.measure import cpu_seconds
from benchmarks.common.significance import Counts
from benchmarks.common.spans import spans
from spacy_mtl.sentences import borders
from spacy_mtl.templates.index import build_index
from spacy_mtl.templates.program import compile_program

from .training import CHOSEN, TASKS, Task, counts, examples, train

SIZES = (50, 100, 250, 500, 1000, 0)


def curve(corpora: str, name: str, size: int, spacy_updates: int) -> list[dict[str, Any]]:
    """Rows of all contestants at one size."""
    task = TASKS[name]
    limit = size or 1_000_000
    rows = [train(corpora, task, each, limit)[0] for each in (replace(settings, group=1) for settings in CHOSEN[name])]
    rows.append(crfsuite(corpora, task, limit))
    if spacy_updates:
        rows.append(spacy_ner(corpora, task, limit, spacy_updates))
    return [{"task": name, "sentences": size, **row} for row in rows]


def spacy_ner(corpora: str, task: Task, limit: int, updates: int) -> dict[str, Any]:
    """spaCy's own ner with its default settings on the CPU, the best on development data of every 50 updates, which is also its stop."""
    random.seed(0)
    spacy.util.fix_random_seed(0)
    nlp = spacy.blank(task.lang)
    nlp.add_pipe("ner")
    training = examples(nlp, corpora, task, 0, 1, limit)
    others = [examples(nlp, corpora, task, part, 1) for part in (1, 2)]
    best: dict[str, Any] = {"f1_dev": -1.0}
    worse = 0

    def learn() -> None:
        nonlocal worse
        optimizer = nlp.initialize(lambda: training)
        done = 0
        while done < updates and worse < 4:
            random.shuffle(training)
            for batch in minibatch(training, size=32):
                nlp.update(batch, drop=0.1, sgd=optimizer)
                done += 1
                if done % 50 == 0:
                    score = counts(nlp, others[0]).score()
                    worse = worse + 1 if score <= best["f1_dev"] else 0
                    if not worse:
                        best.update(f1_dev=score, f1_test=counts(nlp, others[1]).score(), updates=done)
                    if done >= updates or worse >= 4:
                        break

    cpu = cpu_seconds(learn)
    return {"contestant": "spaCy ner", "cpu": cpu, **best}


def crfsuite(corpora: str, task: Task, limit: int) -> dict[str, Any]:
    """python-crfsuite on the observations of ``ner.v1`` without clusters, l-BFGS to its default stop, single sentences."""
    nlp = spacy.blank(task.lang)
    templates = {"@mtl_templates": "spacy_mtl.ner.v1", "tag": task.tag}
    ner: Any = nlp.add_pipe("mtl_ner", config={"model": {"templates": templates}})
    set_ = ner.model.attrs["templates"]
    reader = ner.make_reader()
    program, index = compile_program(set_.node, reader.columns), None
    trainer, tagger = pycrfsuite.Trainer("lbfgs", verbose=False), pycrfsuite.Tagger()
    scores = {}
    for part, label in enumerate(("train", "dev", "test")):
        found = examples(nlp, corpora, task, part, 1, limit if part == 0 else 0)
        docs = [example.predicted for example in found]
        columns = reader.read(docs, starts := borders(docs))
        if index is None:
            index, rows = build_index(columns, starts, program, 1)
        else:
            rows = index.rows(columns, starts, program)
        tokens = [[str(row) for row in line if row >= 0] for line in rows.tolist()]
        tags = [[t.ent_iob_ + ("-" + t.ent_type_ if t.ent_type_ else "") for t in e.reference] for e in found]
        pieces = [tokens[a:b] for a, b in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)]
        if part == 0:
            for piece, gold in zip(pieces, tags, strict=True):
                trainer.append(piece, gold)
            with TemporaryDirectory() as folder:
                path = str(Path(folder, "model"))
                cpu = cpu_seconds(lambda path=path: trainer.train(path))
                tagger.open(path)
            continue
        pairs = [(spans(gold), spans(tagger.tag(piece))) for gold, piece in zip(tags, pieces, strict=True)]
        rows_of = np.array([(len(a & b), len(b), len(a)) for a, b in pairs], np.int64)
        scores[f"f1_{label}"] = Counts(*rows_of.T).score()
    return {"contestant": "crfsuite lbfgs", "cpu": cpu, **scores}
