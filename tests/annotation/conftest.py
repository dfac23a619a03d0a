"""Models and a cluster for tests of annotation; most need no Ray, as partitions are annotated in this process."""

import json
from contextlib import contextmanager

import pytest
import spacy

from spacy_mtl.annotation.collection import annotate_collection, plan
from spacy_mtl.annotation.documents import Task
from spacy_mtl.annotation.model import fingerprint, load_once
from spacy_mtl.annotation.work import work
from spacy_mtl.cli.shared.pipelines import load_pipeline
from spacy_mtl.cluster.executor import HereExecutor
from spacy_mtl.treebanks.inputs import Input

#: A component that fails on some texts, and ends its process on others, as a bug in a compiled library would.
CODE = """
import os, time
from spacy.language import Language

@Language.component("fragile", assigns=["token.tag"])
def fragile(doc):
    if "RAISE" in doc.text:
        raise RuntimeError("a bug")
    if "KILL" in doc.text:
        os._exit(9)
    if "SLOW" in doc.text:
        time.sleep(0.2)
    for token in doc:
        token.tag_ = token.text[:1]
    return doc
"""


@pytest.fixture(scope="session")
def code(tmp_path_factory):
    path = tmp_path_factory.mktemp("code") / "fragile.py"
    path.write_text(CODE, encoding="utf8")
    return path


@pytest.fixture(scope="session")
def model(tmp_path_factory, code):
    nlp = spacy.blank("es")
    nlp.add_pipe("sentencizer")
    spacy.util.import_file("python_code", code)
    nlp.add_pipe("fragile")
    path = tmp_path_factory.mktemp("fragile") / "model"
    nlp.to_disk(path)
    return path


class Annotate:
    """Annotates in this process: what the command does but for the cluster."""

    def __init__(self, model, code):
        self.model, self.code = model, code

    def plan(self, inputs, output, size=1 << 20, output_format="same", text="text", **settings):
        nlp = load_pipeline(self.model, self.code)
        read = Input(trees=True, **settings)
        task = Task(
            str(self.model), self.code, load_pipeline, fingerprint(str(self.model)), read, output_format, output, text
        )
        return plan(nlp, task, inputs, size)

    def __call__(self, inputs, output, function=work, tell=lambda *_: None, **settings):
        @contextmanager
        def here():
            yield HereExecutor(function)

        return annotate_collection(self.plan(inputs, output, **settings), here, tell)


@pytest.fixture
def annotate(model, code):
    load_once.cache_clear()
    return Annotate(model, code)


def write_rows(path, rows):
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf8")
    return path


def read_rows(folder, pattern="part-*.jsonl"):
    return [json.loads(line) for path in sorted(folder.glob(pattern)) for line in path.read_text("utf8").splitlines()]


def aside(folder):
    return {row["id"]: row["reason"] for row in read_rows(folder, "set-aside.jsonl")}
