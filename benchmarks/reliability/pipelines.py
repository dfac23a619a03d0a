"""Pipelines of the models that come with the tests: small, and the same for every version of the package."""

from typing import Any

import spacy
from spacy.language import Language
from spacy.util import load_config

from .loading import SAVED

#: Pipeline -> its language, and components with the folders of their models.
PIPELINES: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "tokenizer": ("zh", []),
    "segmenter": ("zh", [("mtl_segmenter", "words")]),
    "tagger and ner": ("es", [("mtl_tagger", "tags"), ("mtl_ner", "entities")]),
    "parser": ("nl", [("sentencizer", ""), ("mtl_tagger", "tags"), ("mtl_parser", "crossing-trees")]),
    "second order": ("nl", [("sentencizer", ""), ("mtl_tagger", "tags"), ("mtl_parser", "second-order-trees")]),
    "columns": ("nl", [("mtl_senter", "borders"), ("mtl_morphologizer", "analyses"), ("mtl_lemmatizer", "lemmas")]),
    "constituents": ("en", [("sentencizer", ""), ("mtl_tagger", "tags"), ("mtl_constituents", "constituents")]),
}
#: Characters of a text that parsers get: their time grows with the third power of a sentence's length.
SHORT = 60
PARSERS = ("parser", "second order", "constituents")


def make_pipeline(name: str) -> Language:
    """A pipeline of :data:`PIPELINES`, loaded."""
    if name == "tokenizer":
        return spacy.load(SAVED / "tokenizer")
    lang, components = PIPELINES[name]
    nlp = spacy.blank(lang)
    for factory, folder in components:
        saved = load_config(SAVED / folder / "config.cfg")["components"][factory] if folder else {}
        pipe: Any = nlp.add_pipe(factory, config={key: value for key, value in saved.items() if key != "factory"})
        if folder:
            pipe.from_disk(SAVED / folder / factory, exclude=["vocab"])
    return nlp


def cut(name: str, text: str) -> str:
    """The text as this pipeline gets it."""
    return text[:SHORT] if name in PARSERS else text
