"""The components: a config of the repository and a corpus for it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.common.origin import ROOT

_TREEBANK = "ud-swedish-talbanken/sv-ud-{}.conll"


@dataclass(frozen=True)
class Task:
    """config: its name in ``configs/``. train, dev: files in the corpora. reader: settings of both. learnt, read: documents at most."""

    config: str
    train: str
    dev: str
    learnt: int
    read: int
    reader: dict[str, Any]


TASKS = {
    "ner": Task("ner", "conll2002/esp.train", "conll2002/esp.testa", 3000, 16_000, {}),
    "tagger": Task("tagger", "genia-pos/train.tsv", "genia-pos/devel.tsv", 2000, 16_000, {"columns": ["ORTH", "TAG"]}),
    "senter": Task("senter", _TREEBANK.format("train"), _TREEBANK.format("test"), 300, 8000, {}),
    "morphologizer": Task("morphologizer", _TREEBANK.format("train"), _TREEBANK.format("test"), 2000, 8000, {}),
    "lemmatizer": Task(
        "lemmatizer",
        "ud-turkish-imst/tr_imst-ud-train.conllu",
        "ud-turkish-imst/tr_imst-ud-test.conllu",
        2000,
        8000,
        {},
    ),
    "segmenter": Task("segmenter", "pku2005/train.utf8", "pku2005/pku_test_gold.utf8", 2000, 8000, {}),
    "parser": Task("parser", "ddt/train.conll", "ddt/test.conll", 1500, 2000, {}),
    "constituents": Task("constituents", "ptb-sample/train.mrg", "ptb-sample/test.mrg", 1500, 300, {}),
}


def described(name: str, corpora: Path) -> dict[str, Any]:
    """What a process needs to know of a task, as JSON."""
    task = TASKS[name]
    return {
        "config": str(ROOT / "configs" / f"{task.config}.cfg"),
        "train": str(corpora / task.train),
        "dev": str(corpora / task.dev),
        "reader": task.reader,
        "learnt": task.learnt,
        "read": task.read,
    }


#: Trainings to a gap: a task of above (the one with this name, or ``task``) with templates and a trainer. The paper's 134 templates for entities, the
#: config's for trees.
TRAININGS: dict[str, dict[str, Any]] = {
    "ner": {"templates": "spacy_mtl.conll2002.v1", "trainer": {"p": 1.0, "C": 0.1, "tol": 0.01}},
    "parser": {"templates": None, "trainer": {"p": 1.3333, "C": 0.03, "tol": 0.01}},
    "crf": {
        "task": "ner",
        "templates": "spacy_mtl.ner.v1",
        "trainer": {"@mtl_trainers": "spacy_mtl.CRF.v1", "C": 1.0, "warm_up": 0, "tol": 0.01},
    },
    "l1m3n": {
        "task": "ner",
        "templates": "spacy_mtl.ner.v1",
        "trainer": {"@mtl_trainers": "spacy_mtl.L1M3N.v1", "C": 0.1, "rounds": 4, "tol": 1e-3},
    },
}
#: Corpora whose features are extracted, with templates, or those of the config.
EXTRACTIONS: dict[str, str | None] = {"ner": "spacy_mtl.conll2002.v1", "segmenter": None, "parser": None}
