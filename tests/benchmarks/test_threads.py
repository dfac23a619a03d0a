"""benchmarks.threads: the same documents for every number of threads, whole sentences in longer ones."""

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc

from benchmarks.common.origin import ROOT
from benchmarks.threads.features import arrays_of
from benchmarks.threads.features import rounds as feature_rounds
from benchmarks.threads.prediction import annotation, grouped, rounds
from benchmarks.threads.tasks import TASKS, TRAININGS, described
from benchmarks.threads.timing import compared
from benchmarks.threads.training import rounds as training_rounds


def test_documents_of_several_sentences():
    nlp = spacy.blank("es")
    docs = [Doc(nlp.vocab, words=list(words)) for words in ("ab", "c", "def")]
    found = grouped(docs, 2, True)
    assert [[token.is_sent_start is True for token in doc] for doc in found] == [
        [True, False, True],
        [True, False, False],
    ]
    assert not any(doc.to_array(["SENT_START"])[1:].any() for doc in grouped(docs, 2, False))
    assert grouped(docs, 1, True) == docs


def test_rows_of_each_number_of_threads():
    task = described("ner", ROOT) | {"read": 20, "learnt": 30}
    task |= {part: str(ROOT / "assets" / "es-entities" / f"{part}.conll") for part in ("train", "dev")}
    one, two = rounds(task, [1, 2], 4, 2, 2, False)
    assert (one["threads"], two["threads"], one["documents"], one["words"]) == (1, 2, 5, two["words"])
    assert one["speedup"] == 1
    assert one["same"]
    assert two["same"]
    assert len(two["runs"]) == 2
    assert set(TASKS) >= {"ner", "parser"}


@pytest.mark.parametrize("name", ["ner", "crf"])
def test_trainings_to_a_gap_by_each_number_of_threads(name):
    training = TRAININGS[name]
    task = (
        described(training.get("task", name), ROOT)
        | training
        | {"train": str(ROOT / "assets" / "es-entities" / "train.conll")}
    )
    one, two = training_rounds({**task, "templates": "spacy_mtl.tp1.v1"}, [1, 2], 1, False)
    assert one["speedup"] == one["cpu_ratio"] == 1
    assert max(one["gap"], two["gap"]) <= training["trainer"]["tol"]
    assert one["sentences"] == two["sentences"] > 64
    assert one["primal"] != two["primal"]


def test_what_is_compared_tells_documents_apart():
    nlp = spacy.blank("es")
    one, other = (Doc(nlp.vocab, words=["a", "b"], tags=tags) for tags in (["X", "Y"], ["X", "X"]))
    assert annotation(one) != annotation(other)
    assert annotation(one) == annotation(one.copy())


def test_arrays_are_compared_within_tuples_too():
    inner, outer = np.arange(3), np.zeros(2)
    assert [id(each) for each in arrays_of((outer, 4, (inner, (outer,))))] == [id(outer), id(inner), id(outer)]


@pytest.mark.parametrize("name", ["ner", "parser"])
def test_features_of_each_number_of_threads(name):
    data = {"ner": "es-entities/train.conll", "parser": "nl-trees/train.conllu"}[name]
    task = {**described(name, ROOT), "train": str(ROOT / "assets" / data), "templates": "", "trainer": {}}
    one, two = feature_rounds(task, [1, 2], 1, False)
    assert (one["threads"], two["threads"], one["speedup"]) == (1, 2, 1)
    assert one["documents"] == two["documents"] > 10
    assert one["arrays"] == two["arrays"] > 5
    assert one["same"]
    assert two["same"]


def test_runs_are_compared_one_by_one():
    row = compared({1: [(4.0, 4.0), (2.0, 2.0), (6.0, 6.0)], 2: [(2.0, 5.0), (2.0, 2.0), (2.0, 6.0)]}, 2)
    assert (row["wall"], row["cpu"], row["speedup"], row["cpu_ratio"]) == (2, 5, 2, 1)
    assert row["runs"] == [2, 2, 2]
