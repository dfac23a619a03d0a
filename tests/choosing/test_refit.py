"""Lists of the corpus where a component is trained on a part of it, and scored on the rest."""

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example

from spacy_mtl.choosing.folds import trained_on_folds
from spacy_mtl.choosing.refit import Refit
from spacy_mtl.learning.counted.corpus_lists import list_without
from spacy_mtl.report.curve import learning_curve
from spacy_mtl.tables.corpus_phrases import corpus_phrases
from spacy_mtl.tables.phrases import OfCorpus, PhraseList

from ..pipelines import patterns

NAMES = ["Ana", "Berto", "Carla", "Dario", "Elena", "Fermin"]
LIST = {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": ["U0:%x[0,LIST_x]", "U1:%x[1,LOWER]", "B"]}


def example(nlp, name, label="PER"):
    words = [name, "va", "a", "casa"]
    return Example(Doc(nlp.vocab, words), Doc(nlp.vocab, words, ents=[f"B-{label}", "O", "O", "O"]))


def trained(table):
    nlp = spacy.blank("es")
    ner = nlp.add_pipe("mtl_ner", config={"model": {"templates": LIST}})
    train = [example(nlp, name) for name in NAMES]
    ner.initialize(lambda: train, nlp=nlp, tables={"LIST_x": table})
    nlp.update(train)
    return nlp, ner, train


@pytest.mark.parametrize("filled", [True, False])
def test_a_fold_does_not_know_the_entities_that_it_is_scored_on(filled):
    table = corpus_phrases("PER") if filled else PhraseList(NAMES, of_corpus=OfCorpus("PER"))
    nlp, ner, train = trained(table)
    table.add("Juan")  # of the user
    held = []
    for pipe, fold in trained_on_folds(nlp, "mtl_ner", train, [example(nlp, "Gil")], 3):
        names = [ent.text for each in fold for ent in each.reference.ents]
        assert sorted(pipe.tables["LIST_x"]) == sorted({*NAMES, "Juan"} - set(names))
        assert pipe.tables["LIST_x"].of_corpus == table.of_corpus
        held += names
    assert held == NAMES
    assert ner.tables["LIST_x"] is table
    assert list(table) == [*NAMES, "Juan"]


@pytest.mark.filterwarnings("ignore:.*M963")  # of the smallest part, a single document
def test_a_learning_curve_knows_the_entities_of_each_part_only(monkeypatch):
    nlp, _, train = trained(corpus_phrases("PER"))
    seen = []
    fit_pipe = Refit.fit_pipe

    def remembered(self, pipe, *args):
        seen.append(([each.reference[0].text for each in self.train], list(pipe.tables["LIST_x"])))
        return fit_pipe(self, pipe, *args)

    monkeypatch.setattr(Refit, "fit_pipe", remembered)
    learning_curve(nlp, "mtl_ner", train, [example(nlp, "Gil")])
    assert [len(names) for names, _ in seen] == [1, 2, 3, 6]
    assert all(sorted(names) == sorted(known) for names, known in seen)


def test_a_learning_curve_has_no_point_of_a_part_with_nothing_to_learn():
    nlp = spacy.blank("es")
    ner = nlp.add_pipe("mtl_ner", config={"model": {"templates": patterns(["U0:%x[0,LOWER]", "B"])}})
    last = int(np.random.default_rng(0).permutation(8)[-1])
    plain = [Doc(nlp.vocab, ["va", "a", "casa"], ents=["O"] * 3) for _ in range(8)]
    train = [example(nlp, "Ana") if k == last else Example(doc.copy(), doc) for k, doc in enumerate(plain)]
    ner.initialize(lambda: train, nlp=nlp)
    told = []
    found = learning_curve(nlp, "mtl_ner", train, [example(nlp, "Gil")], told.append)
    assert [point.documents for point in found] == told == [8]
    with pytest.raises(ValueError, match="M958"):
        learning_curve(nlp, "mtl_ner", [Example(doc.copy(), doc) for doc in plain], [example(nlp, "Gil")])


def test_what_somebody_has_taken_out_of_a_list_stays_out_of_it():
    nlp, ner, train = trained(corpus_phrases("PER"))
    ner.tables["LIST_x"].discard("Ana")
    list(trained_on_folds(nlp, "mtl_ner", train, [example(nlp, "Gil")], 2))
    assert list(ner.tables["LIST_x"]) == NAMES[1:]


def test_an_entity_stays_if_the_rest_has_it_often_enough():
    nlp = spacy.blank("es")
    docs = {name: example(nlp, name).reference for name in NAMES}
    table = corpus_phrases("PER", min_count=2, fold_case=True)
    table.update(["ANA", "Berto", "Carla"])
    left = [docs["Ana"], docs["Ana"], docs["Berto"], example(nlp, "Carla", "LOC").reference]
    found = list_without(table, left, [docs["Ana"], docs["Berto"], docs["Carla"]])
    assert list(found) == ["ANA"]
    assert (found.fold_case, found.of_corpus) == (True, table.of_corpus)
    other = list_without(table, left, [example(nlp, "Carla", "LOC").reference])  # no person there
    assert list(other) == ["ANA", "Berto", "Carla"]
