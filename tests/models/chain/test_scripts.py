"""The predictor of edit scripts against the one that adds up all labels."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc

from spacy_mtl.corpora.conllu import ConlluCorpus
from spacy_mtl.models.chain.decode import Held
from spacy_mtl.models.chain.model import current_weights, predictor_of
from spacy_mtl.models.chain.predict import Predictor
from spacy_mtl.models.chain.scripts import ScriptPredictor, fits
from spacy_mtl.structures.chain.kbest import kbest
from spacy_mtl.structures.chain.viterbi import FORBIDDEN

TREES = Path(__file__).parents[3] / "assets" / "nl-trees"
#: of the word alone, also at other places, and of its neighbours
TEMPLATES = ["U1:%x[0,SUFFIX1]", "U2:%x[0,SUFFIX2]/%x[0,CASE]", "U3:%x[-1,SUFFIX2]", "U4:%x[0,POS]/%x[1,LOWER]"]


@pytest.fixture(scope="module")
def nlp(train):
    nlp = spacy.blank("nl")
    templates = {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": TEMPLATES}
    nlp.add_pipe("mtl_lemmatizer", config={"model": {"templates": templates}})
    return train(nlp, list(ConlluCorpus(TREES / "train.conllu", given=["POS"], limit=40)(nlp)), passes=3)


@pytest.fixture(scope="module")
def docs(nlp):
    """Sentences that it has not seen, some of them in one document, with empty ones and forms that no script applies to."""
    read = [e.predicted for e in ConlluCorpus(TREES / "dev.conllu", given=["POS"], limit=12, group=3)(nlp)]
    return [*read, Doc(nlp.vocab, []), Doc(nlp.vocab, ["x" * 200, "Huizen"], pos=["NOUN", "NOUN"])]


@pytest.fixture
def both(nlp):
    """The new predictor, and the one of all labels with the same weights."""
    fast = ScriptPredictor(*predictor_of(nlp.get_pipe("mtl_lemmatizer").model, nlp.vocab)._made_of)
    return fast, Predictor(*fast._made_of)


def scores(predictor, docs):
    return predictor.scores(*predictor.read(docs))


def test_lemmatizers_have_it(nlp):
    assert type(predictor_of(nlp.get_pipe("mtl_lemmatizer").model, nlp.vocab)) is ScriptPredictor


def test_scores_are_those_of_all_labels_where_scripts_apply(both, docs):
    fast, slow = (scores(predictor, docs)[0] for predictor in both)
    applies = fast > FORBIDDEN
    assert np.array_equal(applies, slow > FORBIDDEN / 2)
    assert fast[applies] == pytest.approx(slow[applies], abs=1e-5)
    assert np.abs(fast[applies]).max() > 0.1
    assert np.flatnonzero(applies[-2]).tolist() == [0]  # the long word, which no script applies to
    assert applies.sum(axis=1).max() > 3


def test_labels_are_those_of_all_labels(both, docs):
    fast, slow = (predictor(docs) for predictor in both)
    assert fast.tolist() == slow.tolist()
    assert len(set(fast.tolist())) > 3
    assert fast[-2] == 0


def test_a_word_that_no_script_applies_to_leaves_its_sentence_all_analyses_of_the_others(both, docs):
    for predictor in both:
        considered = predictor.considered(docs[-1:])
        labels, _ = kbest(considered.nodes, considered.pairs, 2)
        assert labels[:, 0].tolist() == [0, 0]
        assert labels[0, 1] != labels[1, 1]


def test_of_equal_scores_the_lowest_label_wins(both, docs):
    weights, *others = both[0]._made_of
    predictor = ScriptPredictor(replace(weights, codes=np.zeros_like(weights.codes)), *others)
    wanted = (scores(predictor, docs)[0] > FORBIDDEN).argmax(axis=1)
    assert predictor(docs).tolist() == wanted.tolist()


def test_forms_that_come_later_and_a_cache_that_is_emptied(both, docs):
    fast, slow = both
    for doc in docs:
        if len(doc):
            assert fast([doc])[:-1].tolist() == slow([doc])[:-1].tolist()
    small = ScriptPredictor(*fast._made_of)
    small.reader.lexicon.limit = 30
    for doc in [*docs[:4], *docs[:4]]:
        assert small([doc]).tolist() == slow([doc]).tolist()
    assert small.reader.lexicon.generation > 2


def test_what_is_known_of_forms_is_not_copied_for_each_new_one(both, docs):
    """Texts have a few new words each, and there may be hundreds of thousands of known ones."""
    fast, slow = both
    fast(docs)
    known = []
    for word in ("Nieuwe", "woordjes", "komen"):
        doc = Doc(fast.vocab, [word], pos=["NOUN"])
        assert fast([doc]).tolist() == slow([doc]).tolist()
        known.append(fast._known)
    assert all(one is other for one, other in zip(*known[1:], strict=True))


def test_words_that_are_held_to_labels(both, docs):
    n, n_labels = sum(map(len, docs)), len(both[0].weights.labels)
    allowed = np.random.default_rng(0).random((n // 2, n_labels)) < 0.5
    allowed[:, 0] = True
    held = Held(np.arange(n // 2), allowed)
    fast, slow = (predictor(docs, held=held) for predictor in both)
    assert fast[: n - 2].tolist() == slow[: n - 2].tolist()
    assert fast.tolist() != both[0](docs).tolist()


def test_only_plain_models_of_scripts_fit(nlp):
    model = nlp.get_pipe("mtl_lemmatizer").model
    weights, constraints = current_weights(model), model.attrs["constraints"]
    assert fits(weights, constraints)
    assert not fits(weights, replace(constraints, edits=np.False_))
    assert not fits(replace(weights, step=np.ones_like(weights.step)), constraints)
    assert not fits(replace(weights, dense_codes=np.ones((1, len(weights.labels)), np.int8)), constraints)
    assert not fits(replace(weights, pair_keys=np.ones(1, np.uint64)), constraints)
    assert not fits(weights, replace(constraints, start=np.zeros_like(constraints.start)))
