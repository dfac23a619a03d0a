"""The bias of mtl_ner: precision against recall without training anew."""

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc, Span
from spacy.training import Example

from spacy_mtl.components.biased.entities import _spans, tag_bias
from spacy_mtl.components.biased.pipe import TRIED
from spacy_mtl.models.chain.model import predict_labels

WORDS = ["Ana", "vive", "en", "Santa", "Fe", "con", "Eva", "y", "algo"]
TAGS = ["B-PER", "O", "O", "B-LOC", "I-LOC", "O", "B-PER", "O", "O"]


def trained(**settings):
    nlp = spacy.blank("es")
    ner = nlp.add_pipe("mtl_ner", config=settings)
    examples = [Example(Doc(nlp.vocab, WORDS[k:]), Doc(nlp.vocab, WORDS[k:], ents=TAGS[k:])) for k in (0, 1, 5)]
    nlp.initialize(lambda: examples)
    for _ in range(5):
        nlp.update(examples)
    return nlp, ner, examples


@pytest.fixture(name="model", scope="module")
def _model():
    return trained()


def found(nlp, words=WORDS):
    return [(ent.text, ent.label_) for ent in nlp(Doc(nlp.vocab, words)).ents]


def test_a_larger_bias_finds_more(model):
    nlp, ner, _ = model
    numbers = []
    for bias in (-50, -1, 0, 1, 50):
        ner.bias = bias
        numbers.append(sum(len(ent.split()) for ent, _ in found(nlp)))
    ner.bias = 0
    assert numbers == sorted(numbers)
    assert (numbers[0], numbers[2], numbers[-1]) == (0, 4, len(WORDS))


def test_a_bias_is_that_of_the_scores(model):
    """With it, the best tags are those of scores that have it added: checked where labels are independent of each other."""
    _, ner, examples = model
    doc = examples[0].predicted.copy()
    predict_labels(ner.model, [doc])
    predictor = ner.model.attrs["predictor"]
    biases = [tag_bias(ner.chain_labels, value) for value in (-0.5, 0.0, 0.5)]
    several = predictor.biased([doc], biases)
    for bias, labels in zip(biases, several, strict=True):
        assert np.array_equal(labels, predict_labels(ner.model, [doc], bias=bias)[0])
    assert np.array_equal(several[1], predict_labels(ner.model, [doc])[0])


def test_tag_bias_leaves_outside_alone():
    assert tag_bias(("O", "B-PER", "L-PER"), 2.0).tolist() == [0, 2, 2]


def test_it_is_a_setting_and_is_saved(tmp_path, model):
    nlp, ner, _ = trained(bias=50.0)
    assert sum(len(ent.split()) for ent, _ in found(nlp)) == len(WORDS)
    nlp.to_disk(tmp_path)
    again = spacy.load(tmp_path)
    assert again.get_pipe("mtl_ner").bias == 50.0
    assert found(again) == found(nlp)
    other = spacy.blank("es").add_pipe("mtl_ner")
    other.from_bytes(ner.to_bytes())
    assert other.bias == 50.0


def test_tuning_finds_the_bias_with_the_best_score(model):
    nlp, ner, _ = model
    gold = {(0, 1, "PER"), (3, 5, "LOC"), (6, 7, "PER"), (8, 9, "PER")}  # one more than was learnt
    tags = [*TAGS[:-1], "B-PER"]
    dev = [Example(Doc(nlp.vocab, WORDS), Doc(nlp.vocab, WORDS, ents=tags))]
    points = ner.tune_bias(dev)
    assert [point.bias for point in points] == list(TRIED)
    for point in points[::5]:
        ner.bias = point.bias
        spans = {(e.start, e.end, e.label_) for e in nlp(Doc(nlp.vocab, WORDS)).ents}
        right = len(spans & gold)
        assert point.precision == pytest.approx(right / max(len(spans), 1))
        assert point.recall == pytest.approx(right / 4)
        assert point.f == pytest.approx(2 * right / (len(spans) + 4))
    ner.tune_bias(dev)
    assert max(point.f for point in points) == next(point.f for point in points if point.bias == ner.bias)
    ner.bias = 0.0


def test_of_equal_scores_the_bias_nearest_to_0_is_kept(model):
    _, ner, examples = model
    ner.tune_bias(examples)
    assert ner.bias == 0.0


def test_tokens_without_annotation_do_not_count(model):
    nlp, ner, _ = model
    reference = Doc(nlp.vocab, WORDS)
    reference.set_ents([Span(reference, 0, 1, "PER")], default="missing")
    dev = [Example(Doc(nlp.vocab, WORDS), reference)]
    point = next(point for point in ner.tune_bias(dev) if point.bias == 0)
    ner.bias = 0.0
    assert (point.precision, point.recall) == (1.0, 1.0)


def test_beta_weighs_recall(model):
    _, ner, examples = model
    (one, *_), (two, *_) = ner.tune_bias(examples, 1.0), ner.tune_bias(examples, 2.0)
    ner.bias = 0.0
    p, r = one.precision, one.recall
    assert two.f == pytest.approx(5 * p * r / (4 * p + r) if p + r else 0)


@pytest.mark.parametrize("bias", [float("nan"), 101, "1", None, True])
def test_other_values_are_refused(model, bias):
    with pytest.raises(ValueError, match="M419"):
        model[1].bias = bias
    if bias is not None:
        with pytest.raises(ValueError, match="bias"):
            spacy.blank("es").add_pipe("mtl_ner", config={"bias": bias})


def test_tuning_needs_a_trained_component_and_words(model):
    ner = model[1]
    with pytest.raises(ValueError, match="M404"):
        spacy.blank("es").add_pipe("mtl_ner").tune_bias([])
    with pytest.raises(ValueError, match="M402"):
        ner.tune_bias([])
    with pytest.raises(ValueError, match=r"M419.*beta"):
        ner.tune_bias([], 0)


def test_spans_of_tags():
    labels = np.array([1, 2, 0, 4, 1, 3], np.int32)  # biluo of one type: B I L U
    assert _spans(labels, np.array([0, 6]), "biluo") == {(0, 2, 1), (3, 4, 1), (4, 6, 1)}


def test_a_component_from_another_pipeline_is_tuned_in_the_vocabulary_of_the_examples(model):
    nlp = spacy.blank("es")
    nlp.add_pipe("mtl_ner", source=model[0])
    words = ["Otilia", "vive", "en", "Barranquilla"]
    examples = [Example(Doc(nlp.vocab, words), Doc(nlp.vocab, words, ents=["B-PER", "O", "O", "B-LOC"]))]
    ner = nlp.get_pipe("mtl_ner")
    assert "Otilia" not in ner.vocab.strings
    assert len(ner.tune_bias(examples)) == len(TRIED)
    ner.bias = 0.0
