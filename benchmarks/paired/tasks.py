"""The tasks: a config of the repository and a corpus for it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Task:
    """config: its name in ``configs/``. train, dev: files in the corpora. reader: settings of both corpora. score: one of the dev scores.

    documents: of the training corpus that are used; half as many of the other.
    """

    config: str
    train: str
    dev: str
    score: str
    reader: dict[str, Any]
    documents: int
    passes: int = 10


TASKS = {
    "ner": Task("ner", "conll2002/esp.train", "conll2002/esp.testa", "ents_f", {}, 3000),
    "tagger": Task(
        "tagger", "genia-pos/train.tsv", "genia-pos/devel.tsv", "tag_acc", {"columns": ["ORTH", "TAG"]}, 2000
    ),
    "segmenter": Task("segmenter", "pku2005/train.utf8", "pku2005/pku_test_gold.utf8", "token_f", {}, 2000),
    "parser": Task("parser", "ddt/train.conll", "ddt/test.conll", "dep_uas", {}, 1500),
}


def described(task: Task, corpora: Path, config: Path) -> dict[str, Any]:
    """What a worker needs to know of a task, as JSON. config: the folder of both checkouts' configs."""
    return {
        "config": str(config / f"{task.config}.cfg"),
        "files": [str(corpora / task.train), str(corpora / task.dev)],
        "reader": task.reader,
        "documents": task.documents,
        "passes": task.passes,
        "score": task.score,
    }
