"""Small trainings on the corpora that come with the package: every component with every trainer."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language
from spacy.training import Example

from benchmarks.common.origin import ROOT
from spacy_mtl.corpora.bracketed import BracketedCorpus
from spacy_mtl.corpora.conll import ConllCorpus
from spacy_mtl.corpora.conllu import ConlluCorpus
from spacy_mtl.corpora.segmented import SegmentedCorpus

ASSETS = ROOT / "assets"
#: The trainers, with settings that learn from few sentences.
TRAINERS: dict[str, dict[str, Any]] = {
    "MTLStruct": {},
    "SSVM": {},
    "L1M3N": {"algorithm": "subgradient", "radius": 30.0},
    "CRF": {"algorithm": "sgd"},
    "EG": {"mode": "online"},
    "OnlineMKL": {},
    "Perceptron": {},
    "MIRA": {},
    "StructReg": {"trainer": {"@mtl_trainers": "spacy_mtl.Perceptron.v1"}},
}
#: Trainers that need more passes than others before they predict anything, by how many times.
SLOW = {"L1M3N": 8}
#: Language and sentences of each component's corpus.
COMPONENTS = {
    "mtl_ner": ("es", 250),
    "mtl_tagger": ("es", 100),
    "mtl_senter": ("nl", 40),
    "mtl_morphologizer": ("nl", 150),
    "mtl_lemmatizer": ("nl", 150),
    "mtl_segmenter": ("zh", 100),
    "mtl_parser": ("nl", 60),
    "mtl_constituents": ("en", 40),
}
#: Files of larger corpora, as far as the package's own are too small for a thousand decisions: training, development and test part.
LARGER = {
    "mtl_ner": ("conll2002/esp.train", "conll2002/esp.testa", "conll2002/esp.testb"),
    "mtl_constituents": ("ptb-sample/train.mrg", "ptb-sample/dev.mrg", "ptb-sample/test.mrg"),
}
#: Sentences that are read of each of these parts.
MOST = 600
#: Settings of trainers for these.
_ON_LARGER = {"L1M3N": {"radius": 1000.0}}
#: Settings beside the defaults: words keep all their analyses, and trees have what every trainer needs.
_SETTINGS: dict[str, dict[str, Any]] = {
    "mtl_morphologizer": {"known_words": 0},
    "mtl_parser": {
        "model": {"templates": {"@mtl_templates": "spacy_mtl.parse.v1", "siblings": False, "grandparents": False}}
    },
}


def cases() -> Iterator[tuple[str, str]]:
    """Components and trainers; trees of constituents cannot be cut into pieces."""
    for component in COMPONENTS:
        yield from (
            (component, trainer) for trainer in TRAINERS if (component, trainer) != ("mtl_constituents", "StructReg")
        )


def blank(
    component: str, trainer: str, settings: dict[str, Any] | None = None, more: dict[str, Any] | None = None
) -> Language:
    """settings: of the component beside the defaults, None for those with which every trainer learns. more: of the trainer."""
    nlp = spacy.blank(COMPONENTS[component][0])
    chosen = _SETTINGS.get(component, {}) if settings is None else settings
    made = {"@mtl_trainers": f"spacy_mtl.{trainer}.v1", **TRAINERS[trainer], **(more or {})}
    nlp.add_pipe(component, config={**chosen, "trainer": made})
    return nlp


def read_larger(component: str, nlp: Language, split: str, corpora: Path) -> list[Example]:
    """The same of a larger corpus. corpora: the folder that LARGER is in."""
    path = corpora / LARGER[component][("train", "dev", "test").index(split)]
    if component == "mtl_constituents":
        return list(BracketedCorpus(path, limit=MOST)(nlp))
    return list(ConllCorpus(path, columns=["ORTH", "TAG", "ENT"], limit=MOST, given=[])(nlp))


def read(component: str, nlp: Language, split: str = "train", corpora: Path | None = None) -> list[Example]:
    """The examples of a component; of the training corpus as many sentences as COMPONENTS says. corpora: as of :func:`read_larger`."""
    if corpora is not None and component in LARGER:
        return read_larger(component, nlp, split, corpora)
    limit = COMPONENTS[component][1] if split == "train" else 0
    if component == "mtl_segmenter":
        return list(SegmentedCorpus(ASSETS / "zh-words" / f"{split}.txt", limit=limit)(nlp))
    if component == "mtl_constituents":
        return list(BracketedCorpus(ASSETS / "en-constituents" / f"{split}.mrg", limit=limit)(nlp))
    if component in ("mtl_ner", "mtl_tagger"):
        return list(ConllCorpus(ASSETS / "es-entities" / f"{split}.conll", limit=limit, given=[])(nlp))
    path = ASSETS / "nl-trees" / f"{split}.conllu"
    if component == "mtl_parser":
        return list(ConlluCorpus(path, limit=limit)(nlp))
    more = {"group": 5, "borders": False} if component == "mtl_senter" else {}
    return list(ConlluCorpus(path, limit=limit, given=[], **more)(nlp))


def trained(
    component: str, trainer: str, passes: int, settings: dict[str, Any] | None = None, corpora: Path | None = None
) -> Language:
    """A pipeline with this component, after so many passes. settings: as of :func:`blank`. corpora: as of :func:`read_larger`."""
    nlp = blank(component, trainer, settings, _ON_LARGER.get(trainer) if corpora and component in LARGER else None)
    shown = read(component, nlp, corpora=corpora)
    nlp.initialize(lambda: shown)
    for _ in range(passes * SLOW.get(trainer, 1)):
        nlp.update(shown)
    return nlp
