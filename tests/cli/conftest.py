import threading
from pathlib import Path

import pytest
import spacy

import spacy_mtl.cli  # noqa: F401 (adds the commands, as the entry point does for the command line)
from spacy_mtl.corpora.conll import ConllCorpus

ASSETS = Path(__file__).parents[2] / "assets" / "es-entities"
PATTERNS = ["U0:%x[0,ORTH]", "U1:%x[-1,LOWER]/%x[0,TAG]", "U2:%x[0,SUFFIX3]", "B"]


@pytest.fixture(autouse=True)
def compile_in_silence(monkeypatch):
    """Whether a kernel was compiled before decides whether a command speaks of compiling: here none does."""
    monkeypatch.setattr("spacy_mtl.compiling.progress.EVERY", threading.TIMEOUT_MAX)


@pytest.fixture(scope="session")
def trained(tmp_path_factory):
    """A pipeline whose templates read TAG, trained on a part of the corpus in assets/."""
    nlp = spacy.blank("es")
    templates = {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": PATTERNS}
    nlp.add_pipe("mtl_ner", name="ner", config={"model": {"templates": templates}})
    examples = list(ConllCorpus(ASSETS / "train.conll", limit=100)(nlp))
    nlp.initialize(lambda: examples)
    for _ in range(3):
        nlp.update(examples)
    path = tmp_path_factory.mktemp("trained") / "model"
    nlp.to_disk(path)
    return path
