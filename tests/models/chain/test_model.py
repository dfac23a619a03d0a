import numpy as np
import pytest
import spacy
from spacy.tokens import Doc
from spacy.util import registry
from thinc.api import Config

from spacy_mtl.models.chain import model as chain
from spacy_mtl.models.chain.weights import ChainWeights
from spacy_mtl.structures.chain.build import Constraints
from spacy_mtl.templates.grammar import TemplateSet

TEMPLATES = TemplateSet.from_texts(["U0:%x[0,ORTH]", "B"])


@pytest.mark.parametrize("megabytes", [0, -1.0, float("nan")])
def test_size_that_cannot_be_is_refused(megabytes):
    with pytest.raises(ValueError, match=r"^\[M401\] The size of a saved model must be above 0 megabytes, but is "):
        chain.template_chain(TEMPLATES, megabytes)


def test_model_from_a_config():
    config = Config().from_str("""
[model]
@architectures = "spacy_mtl.TemplateChain.v1"
megabytes = null

[model.templates]
@mtl_templates = "spacy_mtl.tp1.v1"
""")
    model = registry.resolve(config)["model"]
    assert len(model.attrs["templates"].templates) == 11
    assert model.attrs["megabytes"] is None


def test_untrained_model_predicts_the_first_label():
    vocab = spacy.blank("es").vocab
    docs = [Doc(vocab, words=words) for words in (["a", "b"], [], ["c"])]
    labels = chain.template_chain(TEMPLATES).predict(docs)
    assert [array.tolist() for array in labels] == [[0, 0], [], [0]]
    assert all(array.dtype == np.int32 for array in labels)
    assert chain.template_chain(TEMPLATES).predict([]) == []


def test_weights_are_made_once_and_only_when_asked_for():
    model, made = chain.template_chain(TEMPLATES), []
    weights = ChainWeights(labels=("O",))
    chain.weights_later(model, lambda: made.append(1) or weights, Constraints.none(1))
    assert not made
    assert chain.current_weights(model) is chain.current_weights(model) is weights
    assert made == [1]


def predictions(model, examples) -> list[list[int]]:
    return [labels.tolist() for labels in model.predict([example.predicted for example in examples])]


def test_prediction_is_the_same_in_any_batch(trained, read_corpus):
    model, examples = trained.get_pipe("mtl_ner").model, read_corpus(trained)
    together = predictions(model, examples)
    assert together == [predictions(model, [example])[0] for example in examples]
    assert any(any(labels) for labels in together)


def test_prediction_follows_the_vocabulary_of_the_documents(make_nlp, read_corpus, train):
    nlp = make_nlp()
    model = train(nlp, read_corpus(nlp)).get_pipe("mtl_ner").model
    expected = predictions(model, read_corpus(nlp))
    elsewhere = predictions(model, read_corpus(spacy.blank("es"), "test"))  # words that are new to the first
    assert elsewhere == predictions(model, read_corpus(nlp, "test"))
    assert predictions(model, read_corpus(nlp)) == expected


def test_copies_and_bytes_predict_the_same(trained, read_corpus, make_nlp):
    model, examples = trained.get_pipe("mtl_ner").model, read_corpus(trained)
    expected = predictions(model, examples)
    assert predictions(model.copy(), examples) == expected
    other = make_nlp().get_pipe("mtl_ner").model
    assert predictions(other.from_bytes(model.to_bytes()), examples) == expected
    assert predictions(other.from_bytes(make_nlp().get_pipe("mtl_ner").model.to_bytes()), examples) != expected
