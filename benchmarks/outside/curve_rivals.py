"""python-crfsuite and spaCy's own recognizer on the first sentences of a corpus."""

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import spacy
from spacy.language import Language
from spacy.training import Example
from spacy.util import minibatch

from benchmarks.common.measure import cpu_seconds
from benchmarks.common.significance import Counts
from benchmarks.common.spans import spans
from spacy_mtl.sentences import borders
from spacy_mtl.templates.index import build_index
from spacy_mtl.templates.program import compile_program

from .training import Task, counts, examples

#: Updates of spaCy between two looks at dev, and without a better score before it stops, as its configs have them; sentences of an update.
EVERY, PATIENCE, BATCH = 200, 1600, 32


def spacy_ner(corpora: str, task: Task, limit: int, updates: int) -> tuple[dict[str, Any], Counts]:
    """spaCy's own ner with its default settings on the CPU, the best on dev, to its own stop or so many updates. Returns its counts on test, too."""
    random.seed(0)
    spacy.util.fix_random_seed(0)
    nlp = spacy.blank(task.lang)
    nlp.add_pipe("ner")
    training, dev, test = (examples(nlp, corpora, task, part, 1, 0 if part else limit) for part in range(3))
    best: dict[str, Any] = {"f1_dev": -1.0}
    of_test: list[Counts] = []

    def learn() -> None:
        for done in _updates(nlp, training, updates):
            score = counts(nlp, dev).score()
            if score > best["f1_dev"]:
                of_test[:] = [counts(nlp, test)]
                best.update(f1_dev=score, f1_test=of_test[0].score(), updates=done)
            elif done - best["updates"] >= PATIENCE:
                break

    cpu = cpu_seconds(learn)
    return {"contestant": "spaCy ner", "cpu": cpu, **best}, of_test[0]


def _updates(nlp: Language, training: list[Example], most: int) -> Iterator[int]:
    """Train, and say after every so many updates how many there have been."""
    optimizer = nlp.initialize(lambda: training)
    done = 0
    while done < most:
        random.shuffle(training)
        for batch in minibatch(training, size=BATCH):
            nlp.update(batch, drop=0.1, sgd=optimizer)
            done += 1
            if done % EVERY == 0:
                yield done


class Part(NamedTuple):
    """Sentences as python-crfsuite has them: the observations of each token, and its tag."""

    tokens: list[list[list[str]]]
    tags: list[list[str]]


def crfsuite(corpora: str, task: Task, limit: int, c2: Sequence[float]) -> tuple[dict[str, Any], Counts]:
    """python-crfsuite on the observations of ``ner.v1`` without clusters: L-BFGS to its default stop, with the constant that is best on dev.

    Returns its counts on test, too. cpu: of the training with this constant; cpu_search: of all.
    """
    training, dev, test = _parts(corpora, task, limit)
    found: list[tuple[dict[str, Any], Counts]] = []
    for value in c2:
        with TemporaryDirectory() as folder:
            path = str(Path(folder, "model"))
            cpu = train_crf(training, value, path)
            of_dev, of_test = (_counts(part, tag_crf(part, path)) for part in (dev, test))
        row = {"contestant": "crfsuite lbfgs", "c2": value, "cpu": cpu, "f1_dev": of_dev.score()}
        found.append((row, of_test))
    searched = {f"{row['c2']:g}": row["f1_dev"] for row, _ in found}
    row, of_test = max(found, key=lambda each: each[0]["f1_dev"])
    more = {"f1_test": of_test.score(), "searched": searched, "cpu_search": sum(each["cpu"] for each, _ in found)}
    return row | more, of_test


def _parts(corpora: str, task: Task, limit: int) -> list[Part]:
    """The training sentences, and those of dev and test with the observations that occur in training."""
    nlp = spacy.blank(task.lang)
    templates = {"@mtl_templates": "spacy_mtl.ner.v1", "tag": task.tag}
    ner: Any = nlp.add_pipe("mtl_ner", config={"model": {"templates": templates}})
    reader = ner.make_reader()
    program, index, parts = compile_program(ner.model.attrs["templates"].node, reader.columns), None, []
    for part in range(3):
        found = examples(nlp, corpora, task, part, 1, 0 if part else limit)
        docs = [example.predicted for example in found]
        columns = reader.read(docs, starts := borders(docs))
        if index is None:
            index, rows = build_index(columns, starts, program, 1)
        else:
            rows = index.rows(columns, starts, program)
        tokens = [[str(row) for row in line if row >= 0] for line in rows.tolist()]
        pieces = [tokens[a:b] for a, b in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)]
        tags = [[t.ent_iob_ + ("-" + t.ent_type_ if t.ent_type_ else "") for t in e.reference] for e in found]
        parts.append(Part(pieces, tags))
    return parts


def train_crf(part: Part, c2: float, path: str) -> float:
    """Train, save, and return the CPU seconds."""
    import pycrfsuite

    trainer = pycrfsuite.Trainer("lbfgs", {"c2": c2}, verbose=False)
    for tokens, tags in zip(*part, strict=True):
        trainer.append(tokens, tags)
    return cpu_seconds(lambda: trainer.train(path))


def tag_crf(part: Part, path: str) -> list[list[str]]:
    """What a saved model says of the sentences."""
    import pycrfsuite

    tagger = pycrfsuite.Tagger()
    tagger.open(path)
    return [tagger.tag(tokens) for tokens in part.tokens]


def _counts(part: Part, predicted: list[list[str]]) -> Counts:
    """Right, found and gold entities of each sentence."""
    pairs = [(spans(gold), spans(tags)) for gold, tags in zip(part.tags, predicted, strict=True)]
    return Counts(*np.array([(len(a & b), len(b), len(a)) for a, b in pairs], np.int64).T)
