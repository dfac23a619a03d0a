"""A small config of ``spacy train`` that tests share, and a way to change settings of it."""

from pathlib import Path
from typing import Any

from thinc.api import Config

RECOGNIZER = """
[paths]
train = null
dev = null
log = null

[nlp]
lang = "es"
pipeline = ["ner"]

[components]

[components.ner]
factory = "mtl_ner"

[components.ner.model]

[components.ner.model.templates]
@mtl_templates = "spacy_mtl.tp1.v1"

[components.ner.trainer]
@mtl_trainers = "spacy_mtl.MTLStruct.v1"

[corpora]

[corpora.train]
@readers = "spacy_mtl.ConllCorpus.v1"
path = ${paths.train}
limit = 60

[corpora.dev]
@readers = "spacy_mtl.ConllCorpus.v1"
path = ${paths.dev}
limit = 20

[training]
train_corpus = "corpora.train"
dev_corpus = "corpora.dev"
seed = 0
gpu_allocator = null
max_epochs = 3
max_steps = 0
patience = 0
eval_frequency = 1
accumulate_gradient = 1
score_weights = {"ents_f": 1.0}

[training.batcher]
@batchers = "spacy_mtl.whole_corpus.v1"

[training.logger]
@loggers = "spacy_mtl.ConsoleLogger.v1"
progress_bar = false
path = ${paths.log}
"""


def recognizer(changes: dict[str, Any] | None = None) -> Config:
    """The config of a recognizer that is trained on 60 sentences in three epochs. changes: other settings, by their full names."""
    return Config().from_str(RECOGNIZER, interpolate=False, overrides=changes or {})


def paths_of(corpora: Path, log: Path) -> dict[str, str]:
    """Overrides that name the corpora and the log."""
    return {
        "paths.train": str(corpora / "train.conll"),
        "paths.dev": str(corpora / "dev.conll"),
        "paths.log": str(log),
    }
