"""Trainings of every component on a few sentences of the corpora that come with the package."""

from collections.abc import Callable
from typing import Any

import spacy
from spacy.language import Language
from spacy.training import Example

from spacy_mtl.corpora.bracketed import BracketedCorpus
from spacy_mtl.corpora.conll import ConllCorpus
from spacy_mtl.corpora.conllu import ConlluCorpus
from spacy_mtl.corpora.segmented import SegmentedCorpus

from .plan import ROOT

ASSETS = ROOT / "assets"
_TREES = ASSETS / "nl-trees"
WORDS = ["U0:%x[0,ORTH]", "U1:%x[-1,LOWER]", "U2:%x[0,SUFFIX3]/%x[0,SHAPE]", "U3:%x[1,LOWER]", "B"]
CHARACTERS = ["U0:%x[0,CHAR]", "U1:%x[-1,CHAR]/%x[0,CHAR]", "U2:%x[0,CHAR]/%x[1,CHAR]", "U3:%x[0,CHAR_CLASS]", "B"]
ARCS = [
    "U0:%h[0,TAG]/%m[0,TAG]", "U1:%h[0,TAG]/%m[0,TAG]/%d", "U2:%h[0,TAG]/%b[TAG]/%m[0,TAG]", "U3:%h[0,LOWER]/%m[0,TAG]",
    "B0:%h[0,TAG]/%m[0,TAG]", "B1:%h[0,TAG]/%m[0,TAG]/%d", "B2:%m[0,LOWER]",
]  # fmt: skip
SPANS = ["U0:%i[0,TAG]/%j[0,TAG]", "U1:%i[-1,TAG]/%j[1,TAG]", "U2:%i[0,LOWER]/%d", "B0", "B1:%k[-1,TAG]/%k[0,TAG]"]
#: Factory -> language, templates, corpus.
COMPONENTS: dict[str, tuple[str, list[str], Callable[[str, int], Any]]] = {
    "mtl_ner": ("es", WORDS, lambda part, n: ConllCorpus(ASSETS / "es-entities" / f"{part}.conll", limit=n)),
    "mtl_tagger": (
        "es",
        WORDS,
        lambda part, n: ConllCorpus(ASSETS / "es-entities" / f"{part}.conll", limit=n, given=()),
    ),
    "mtl_senter": (
        "nl",
        WORDS,
        lambda part, n: ConlluCorpus(_TREES / f"{part}.conllu", limit=n // 5, given=(), group=5, borders=False),
    ),
    "mtl_morphologizer": ("nl", WORDS, lambda part, n: ConlluCorpus(_TREES / f"{part}.conllu", limit=n, given=())),
    "mtl_lemmatizer": ("nl", WORDS, lambda part, n: ConlluCorpus(_TREES / f"{part}.conllu", limit=n, given=("POS",))),
    "mtl_segmenter": ("zh", CHARACTERS, lambda part, n: SegmentedCorpus(ASSETS / "zh-words" / f"{part}.txt", limit=n)),
    "mtl_constituents": (
        "en",
        SPANS,
        lambda part, n: BracketedCorpus(ASSETS / "en-constituents" / f"{part}.mrg", limit=n),
    ),
    "mtl_parser": ("nl", ARCS, lambda part, n: ConlluCorpus(_TREES / f"{part}.conllu", limit=n)),
}


def make(
    factory: str, trainer: dict[str, Any] | None = None, templates: list[str] | None = None, **settings: Any
) -> Language:
    """A pipeline with one component. trainer: its config, by default that of the component."""
    lang, usual, _ = COMPONENTS[factory]
    nlp = spacy.blank(lang)
    patterns = {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": usual if templates is None else templates}
    config = {"model": {"templates": patterns}, **settings, **({"trainer": trainer} if trainer else {})}
    nlp.add_pipe(factory, config=config)
    return nlp


def corpus(factory: str, nlp: Language, part: str = "train", n: int = 20) -> list[Example]:
    return list(COMPONENTS[factory][2](part, n)(nlp))


def train(nlp: Language, examples: list[Example], passes: int, between: Callable[[], None] | None = None) -> Language:
    """Train with the corpus as one batch. between: called after each pass."""
    nlp.initialize(lambda: examples)
    for _ in range(passes):
        nlp.update(examples)
        if between is not None:
            between()
    return nlp


def model_bytes(nlp: Language) -> bytes:
    pipe: Any = nlp.get_pipe(nlp.pipe_names[0])
    return pipe._model_bytes()
