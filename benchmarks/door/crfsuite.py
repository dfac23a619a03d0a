"""python-crfsuite from files to a model, as a user would write it: the templates of our config, evaluated in Python."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pycrfsuite
import spacy
from spacy.tokens import Doc
from spacy.util import load_config, registry

from benchmarks.common.spans import entity_f1
from benchmarks.ner.speed import PythonFeatures
from spacy_mtl.corpora.conll import ConllCorpus

from .tasks import TASKS


def _sentences(task: str, file: str) -> Iterator[tuple[list[Sequence[str]], list[str]]]:
    """Features and IOB2 tags of each sentence."""
    config = load_config(TASKS[task].path)
    nlp = spacy.blank(config["nlp"]["lang"])
    templates = registry.resolve({"t": config["components"][task]["model"]["templates"]})["t"]
    features = PythonFeatures(templates, nlp.vocab)
    for predicted, reference, _ in ConllCorpus(file, config["corpora"]["train"]["columns"]).docs(nlp.vocab):
        yield features(predicted), tags_of(reference)


def tags_of(doc: Doc) -> list[str]:
    return ["-".join(filter(None, (token.ent_iob_, token.ent_type_))) for token in doc]


def train(name: str, corpora: str, model: str) -> dict[str, Any]:
    """Train L-BFGS to its default stop and write the model."""
    trainer = pycrfsuite.Trainer("lbfgs", verbose=False)
    for rows, tags in _sentences(name, str(Path(corpora, TASKS[name].train))):
        trainer.append(rows, tags)
    trainer.train(model)
    return {}


def score(name: str, corpora: str, model: str) -> dict[str, Any]:
    """Entity F1 on the dev file, in percent."""
    tagger = pycrfsuite.Tagger()
    tagger.open(model)
    pairs = [(tags, tagger.tag(rows)) for rows, tags in _sentences(name, str(Path(corpora, TASKS[name].dev)))]
    return {"score": entity_f1([gold for gold, _ in pairs], [found for _, found in pairs])}
