"""Readers in a training of spaCy read a file once, and again once it has changed."""

import gc
import os
import weakref

import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example
from spacy.training.initialize import init_nlp
from spacy.util import load_config, registry

from spacy_mtl.corpora import kept
from spacy_mtl.corpora.conll import ConllCorpus

CONFIG = """
[nlp]
lang = "es"
pipeline = ["counter"]

[components]

[components.counter]
factory = "test_counter"

[corpora]

[corpora.train]
@readers = "spacy_mtl.ConllCorpus.v1"
path = "train.conll"

[corpora.dev]
@readers = "spacy_mtl.ConllCorpus.v1"
path = "dev.conll"

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
score_weights = {"seen": 1.0}
before_update = {"@callbacks": "test_before_update"}

[training.batcher]
@batchers = "spacy.batch_by_sequence.v1"
size = 100
"""
TRAIN, DEV = "Ana N B-PER\nva V O\n\nLuz N B-PER\n\n", "Lima N B-LOC\n"


class Counter:
    """A component that keeps what it is shown."""

    is_trainable = True

    def __init__(self):
        self.model, self.initialized, self.updated, self.scored = True, [], [], []

    def __call__(self, doc: Doc) -> Doc:
        return doc

    def initialize(self, get_examples, nlp=None):
        for _ in range(2):
            self.initialized.append(list(get_examples()))

    def update(self, examples, sgd=None, losses=None, drop=0.0):
        losses["counter"] = 0.0
        self.updated.append(list(examples))

    def finish_update(self, sgd):
        pass

    def score(self, examples, **_):
        self.scored.append([example.reference for example in examples])
        return {"seen": 0.5}


@pytest.fixture
def reads(monkeypatch):
    """Names of the files that were read, in order."""
    found = []
    plain = ConllCorpus.read

    def read(reader, nlp):
        found.append(reader.paths[0].stem)
        return plain(reader, nlp)

    monkeypatch.setattr(ConllCorpus, "read", read)
    return found


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Train by the command; returns the component, the scores of each evaluation, and a weak reference to the pipeline."""
    from spacy.cli.train import train
    from spacy.training import loop

    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.conll").write_text(TRAIN, encoding="utf8")
    (tmp_path / "dev.conll").write_text(DEV, encoding="utf8")
    (tmp_path / "config.cfg").write_text(CONFIG, encoding="utf8")

    def training(before_update=lambda nlp, info: None, change=lambda config: None):
        pipes, pipelines, scores = [], [], []

        def make(nlp, name):
            pipes.append(Counter())
            pipelines.append(weakref.ref(nlp))
            return pipes[-1]

        def found(nlp, *_):
            return lambda info: scores.append(info["other_scores"]), lambda: None

        spacy.Language.factory("test_counter", func=make)
        registry.callbacks.register("test_before_update", func=lambda: before_update)
        registry.loggers.register("test_scores", func=lambda: found)
        config = load_config(tmp_path / "config.cfg")
        config["training"]["logger"] = {"@loggers": "test_scores"}
        change(config)
        config.to_disk(tmp_path / "changed.cfg")
        train(tmp_path / "changed.cfg")
        assert loop.train is not None
        return pipes[-1], scores, pipelines[-1]

    return training


def test_each_file_is_read_once(run, reads):
    pipe, _, _ = run()
    assert reads == ["train", "dev"]
    first = [example.reference for example in pipe.initialized[0]]
    assert len(first) == 2
    assert len(pipe.updated) == len(pipe.scored) == 3
    for shown in (pipe.initialized[1], *pipe.updated):
        assert {id(example.reference) for example in shown} == set(map(id, first))
    assert all(scored[0] is pipe.scored[0][0] for scored in pipe.scored)


def test_a_dev_file_that_changes_is_read_again(run, reads, tmp_path):
    def write(nlp, info):
        if info["step"] == 2:
            (tmp_path / "dev.conll").write_text("Quito N B-LOC\n", encoding="utf8")
            os.utime(tmp_path / "dev.conll", ns=(1, 1))

    pipe, _, _ = run(write)
    assert reads == ["train", "dev", "dev"]
    assert [scored[0].text for scored in pipe.scored] == ["Lima", "Lima", "Quito"]


def test_a_training_file_that_changes_before_the_loop_is_read_again(run, reads, tmp_path, monkeypatch):
    monkeypatch.setattr(kept, "_state", lambda path: len(reads))
    pipe, _, _ = run()
    assert reads.count("train") > 1
    assert pipe.updated[0]


def test_nothing_is_kept_when_the_training_has_ended(run, reads):
    *_, pipeline = run()
    gc.collect()
    assert pipeline() is None
    assert len(kept._KEPT) == 0


def test_the_training_corpus_is_not_kept_beside_the_loop(run, reads):
    held = []
    run(lambda nlp, info: held.append(sorted(kept._KEPT[nlp])))
    assert held == [[], ["dev"], ["dev"]]


def test_streams_are_read_again_and_again(run, reads):
    run(change=lambda config: config["training"].update(max_epochs=-1, max_steps=2))
    assert reads.count("train") > 2


def test_references_and_given_annotation_are_as_they_were_read(run, reads):
    pipe, _, _ = run()
    new = list(ConllCorpus("train.conll")(spacy.blank("es")))
    for example, other in zip(pipe.initialized[0], new, strict=True):
        for doc, same in ((example.reference, other.reference), (example.predicted, other.predicted)):
            assert doc.to_json() == same.to_json()
            assert not doc.has_unknown_spaces


def test_words_are_not_scored_where_they_are_given(run, reads):
    _, scores, _ = run()
    assert [set(found) - {"speed"} for found in scores] == [{"seen"}] * 3


def test_words_are_scored_where_that_is_asked_for(run, reads):
    weights = {"seen": 0.5, "token_f": 0.5}
    _, scores, _ = run(change=lambda config: config["training"].update(score_weights=weights))
    assert [found["token_f"] for found in scores] == [1.0] * 3


def test_readers_that_read_through_ours_may_change_what_they_get(run, reads):
    """Their Examples are their own, new ones each time."""

    class Wrapped:
        def __init__(self):
            self.inner = ConllCorpus("train.conll")

        def __call__(self, nlp):
            for example in self.inner(nlp):
                yield Example(example.predicted, example.reference)

    registry.readers.register("test_wrapped", func=Wrapped)
    pipe, _, _ = run(change=lambda config: config["corpora"].update(train={"@readers": "test_wrapped"}))
    assert reads.count("train") == 3
    first, again = (shown[0].reference for shown in pipe.initialized)
    assert first is not again


def test_outside_of_the_command_every_call_reads(run, reads, tmp_path):
    run()
    del reads[:]
    config = load_config(tmp_path / "changed.cfg")
    nlp = init_nlp(config)
    reader = ConllCorpus("train.conll")
    assert next(iter(reader(nlp))).reference is not next(iter(reader(nlp))).reference
    assert len(reads) >= 4
