"""Predictors of several vocabularies, and documents of these."""

import copy
import pickle
from types import SimpleNamespace

import pytest
import spacy
from spacy.tokens import Doc
from spacy.vocab import Vocab
from thinc.api import Model

from spacy_mtl.corpora.conll import ConllCorpus
from spacy_mtl.models.by_vocab import KEPT, Earlier, by_vocab, no_predictors, predictor_for, share_strings, vocabs_of
from spacy_mtl.models.chain.model import set_weights, weights_later
from spacy_mtl.models.chain.predict import Predictor


class Made:
    """What stands for a predictor."""

    def __init__(self, vocab):
        self.vocab = vocab


def untrained() -> Model:
    return Model("model", lambda *_: None, attrs={"predictor": None, "earlier": Earlier()})


@pytest.fixture(name="ask")
def _ask():
    """A model, a function that asks it for predictors, and those that were made."""
    model, made = untrained(), []

    def ask(vocab):
        def make():
            made.append(Made(vocab))
            return made[-1]

        found = predictor_for(model, vocab, make)
        assert found.vocab is vocab
        assert model.attrs["predictor"] is found
        return found

    return model, ask, made


def test_of_vocabularies_in_turn_predictors_are_made_once(ask):
    _, ask, made = ask
    vocabs = [Vocab() for _ in range(KEPT)]
    for _ in range(3):
        found = [ask(vocab) for vocab in vocabs]
        assert found == made
    assert len(made) == KEPT


def test_the_one_that_was_asked_for_longest_ago_goes(ask):
    _, ask, made = ask
    first, *others = (Vocab() for _ in range(KEPT + 1))
    for vocab in (first, *others[:-1], first, *others):
        ask(vocab)
    assert len(made) == KEPT + 1
    ask(others[0])
    assert len(made) == KEPT + 1
    ask(first)
    assert len(made) == KEPT + 2


def test_after_a_change_of_the_model_no_earlier_one_counts(ask):
    model, ask, made = ask
    a, b = Vocab(), Vocab()
    ask(a), ask(b)
    model.attrs.update(no_predictors())
    ask(b), ask(a)
    assert len(made) == 4
    assert ask(b) is made[2]


def test_a_model_of_an_earlier_version_has_none(ask):
    model, ask, made = ask
    a, b = Vocab(), Vocab()
    ask(a)
    del model.attrs["earlier"]
    ask(b), ask(a)
    assert len(made) == 2


def test_other_weights_leave_no_predictor():
    """Nor what it needs: the weights, and another vocabulary."""
    nlp = spacy.blank("es")
    pipe = nlp.add_pipe("mtl_ner")
    for change in (
        lambda: set_weights(pipe.model, pipe.model.attrs["weights"], None),
        lambda: weights_later(pipe.model, None, None),
    ):
        pipe.model.attrs.update(predictor=Made(nlp.vocab), earlier=Earlier([Made(Vocab())]))
        change()
        assert pipe.model.attrs["predictor"] is None
        assert pipe.model.attrs["earlier"].predictors == ()


def test_copies_have_no_earlier_ones():
    earlier = Earlier([Made(Vocab())])
    for copied in (copy.deepcopy(earlier), pickle.loads(pickle.dumps(earlier))):
        assert copied.predictors == ()


def test_documents_are_predicted_by_their_vocabularies_and_come_in_order():
    a, b = Vocab(), Vocab()
    docs = [Doc(vocab, [word]) for vocab, word in ((a, "0"), (b, "1"), (b, "2"), (a, "3"), (b, "4"))]
    asked = []

    def predict(some):
        asked.append([doc[0].text for doc in some])
        return [doc[0].text * 2 for doc in some]

    assert by_vocab(docs, predict) == ["00", "11", "22", "33", "44"]
    assert asked == [["0", "3"], ["1", "2", "4"]]
    assert [vocab is other for vocab, other in zip(vocabs_of(docs), (a, b), strict=True)] == [True, True]
    assert by_vocab([], predict) == vocabs_of([]) == []


def test_strings_are_added_once_for_each_vocabulary_that_lacks_them():
    class Counted:
        def __init__(self):
            self.strings, self.added = self, []

        def add(self, text):
            self.added.append(text)

    own, other, third = Counted(), Counted(), Counted()
    docs = [SimpleNamespace(vocab=vocab) for vocab in (own, other, other, third, own, other)]
    share_strings(docs, ["a", "b"], own)
    assert (own.added, other.added, third.added) == ([], ["a", "b"], ["a", "b"])
    share_strings(docs, ["c"])
    assert (own.added, other.added[2:], third.added[2:]) == (["c"], ["c"], ["c"])


@pytest.mark.parametrize("confidence", [False, True])
def test_a_component_of_two_pipelines(corpus_path, train, monkeypatch, confidence):
    """Two predictors for any number of documents; new ones as soon as it has learnt more."""
    made = []
    index = Predictor._index
    monkeypatch.setattr(Predictor, "_index", lambda self, *rest: made.append(self.vocab) or index(self, *rest))
    nlp = spacy.blank("es")
    patterns = {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": ["U0:%x[0,LOWER]", "U1:%x[0,SUFFIX2]", "B"]}
    trainer = {"@mtl_trainers": "spacy_mtl.CRF.v1"}
    ner = nlp.add_pipe(
        "mtl_ner", config={"model": {"templates": patterns}, "trainer": trainer, "confidence": confidence}
    )
    examples = list(ConllCorpus(corpus_path / "train.conll", given=[], limit=60)(nlp))
    train(nlp, examples, passes=4)
    words = [[token.text for token in example.reference] for example in examples[:12]]
    other = spacy.blank("es").vocab

    def found(vocabs):
        docs = ner.pipe([Doc(vocab, text) for vocab, text in zip(vocabs, words, strict=True)])
        return [[(ent.text, ent.label_) for ent in doc.ents] for doc in docs]

    one_by_one = [[(e.text, e.label_) for e in ner(Doc(nlp.vocab, text)).ents] for text in words]
    assert any(one_by_one)
    made.clear()
    assert found([other, nlp.vocab, nlp.vocab, other] * 3) == one_by_one
    assert found([nlp.vocab, other] * 6) == one_by_one
    for vocab, text, wanted in zip([other, nlp.vocab] * 6, words, one_by_one, strict=True):
        assert [(ent.text, ent.label_) for ent in ner(Doc(vocab, text)).ents] == wanted
    assert [vocab is other for vocab in made] == [True]
    ner.update(examples[::-1])
    both = found([nlp.vocab] * 12), found([other] * 12)
    assert both[0] == both[1]
    assert len(made) == 3
