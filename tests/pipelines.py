"""Pipelines and corpora of this package's component, small enough to train in a moment."""

from pathlib import Path

import pytest
import spacy
from spacy.training import Example

from spacy_mtl.corpora.conll import ConllCorpus

ASSETS = Path(__file__).parents[1] / "assets" / "es-entities"
#: one-word and crossing templates, a pair template with an observation, and an attribute of the context
TEMPLATES = [
    "U0:%x[0,ORTH]",
    "U1:%x[-1,LOWER]",
    "U2:%x[2,SUFFIX2]/%x[2,SHAPE]",
    "U3:%x[-1,LOWER]/%x[0,SHAPE]",
    "U4:%x[0,TAG]",
    "U5:%x[-2,TAG]/%x[1,ORTH]",
    "B",
    "B1:%x[0,SHAPE]",
]


def patterns(texts, **settings):
    return {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": list(texts), **settings}


def read_corpus(nlp, split="train", limit=40, **settings) -> list[Example]:
    return list(ConllCorpus(ASSETS / f"{split}.conll", limit=limit, **settings)(nlp))


#: MTLStruct as in the paper, which drops templates; the default settings do not.
PLAIN = {"@mtl_trainers": "spacy_mtl.MTLStruct.v1", "p": 1.0, "C": 1.0, "average": 1}


def plain_trainer(changes=None):
    """Another trainer, or :data:`PLAIN` with these settings changed."""
    changes = changes or {}
    return changes if "@mtl_trainers" in changes else {**PLAIN, **changes}


def make_nlp(texts=TEMPLATES, megabytes=None, trainer=None, name="mtl_ner", **config):
    """A blank Spanish pipeline with one component."""
    nlp = spacy.blank("es")
    model = {"templates": patterns(texts) if texts else {"@mtl_templates": "spacy_mtl.ner.v1"}, "megabytes": megabytes}
    nlp.add_pipe("mtl_ner", name=name, config={"model": model, "trainer": plain_trainer(trainer), **config})
    return nlp


def train(nlp, examples, passes=3):
    """The pipeline, trained with the whole corpus as one batch."""
    nlp.initialize(lambda: examples)
    for _ in range(passes):
        nlp.update(examples)
    return nlp


@pytest.fixture(scope="session", name="corpus_path")
def _corpus_path():
    return ASSETS


@pytest.fixture(scope="session", name="read_corpus")
def _read_corpus():
    return read_corpus


@pytest.fixture(scope="session", name="make_nlp")
def _make_nlp():
    return make_nlp


@pytest.fixture(scope="session", name="train")
def _train():
    return train


@pytest.fixture(scope="session", name="templates")
def _templates():
    return TEMPLATES


@pytest.fixture(scope="session")
def trained():
    """A trained pipeline, for tests that only read it."""
    nlp = make_nlp()
    return train(nlp, read_corpus(nlp, limit=60))


@pytest.fixture(scope="session", name="entities")
def _entities():
    return entities


def entities(doc) -> list[tuple[int, int, str]]:
    return [(ent.start, ent.end, ent.label_) for ent in doc.ents]
