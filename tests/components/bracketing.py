"""Pipelines that find constituents, their corpus, and what they find, for tests."""

from pathlib import Path

import spacy
from spacy.training import Example

from spacy_mtl.corpora.bracketed import BracketedCorpus

TREES = Path(__file__).parents[2] / "assets" / "en-constituents"
#: templates of spans with words, tags, lengths and the words around, of rules, and of splits
SPANS = [
    "U0:%i[0,TAG]/%j[0,TAG]",
    "U1:%i[-1,TAG]/%j[1,TAG]",
    "U2:%i[0,LOWER]/%d",
    "U3:%j[0,SUFFIX3]",
    "B0",
    "B1:%k[-1,TAG]/%k[0,TAG]",
]


def make_finder(patterns=SPANS, megabytes=None, trainer=None, nlp=None, name="mtl_constituents", **config):
    """A blank pipeline with a component that finds constituents."""
    nlp = nlp or spacy.blank("en")
    templates = {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": list(patterns)}
    trainer = trainer or {"@mtl_trainers": "spacy_mtl.MTLStruct.v1", "p": 1.5, "C": 1.0}
    model = {"templates": templates, "megabytes": megabytes}
    nlp.add_pipe("mtl_constituents", name=name, config={"model": model, "trainer": trainer, **config})
    return nlp


def read(nlp, part="train", **settings) -> list[Example]:
    return list(BracketedCorpus(TREES / f"{part}.mrg", **settings)(nlp))


def train(nlp, shown, passes: int = 8):
    nlp.initialize(lambda: shown)
    for _ in range(passes):
        nlp.update(shown)
    return nlp


def constituents(doc, key="constituents") -> list[tuple[int, int, str]]:
    return [(span.start, span.end, span.label_) for span in doc.spans[key]]


def found(nlp, shown) -> list:
    """The constituents of the predicted sides of examples, found anew."""
    return [constituents(doc) for doc in nlp.pipe([example.predicted.copy() for example in shown])]
