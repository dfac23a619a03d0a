"""The bias of mtl_segmenter: more and shorter words, or fewer and longer ones, without training anew."""

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc

from spacy_mtl.components.biased.pipe import TRIED
from spacy_mtl.components.tokenizer import with_tokenizer
from tests.components.segmenting import SENTENCES, TEXTS, example, make, words_of


def trained(**config):
    nlp = make(hidden=0.5, **config)
    examples = [example(nlp, sentence) for sentence in SENTENCES[:6]]
    nlp.initialize(lambda: examples)
    for _ in range(3):
        nlp.update(examples)
    return nlp


@pytest.fixture(name="nlp", scope="module")
def _nlp():
    return trained()


@pytest.fixture(name="segmenter")
def _segmenter(nlp):
    segmenter = nlp.get_pipe("mtl_segmenter")
    yield segmenter
    segmenter.bias = 0.0
    segmenter.user_words.clear()


def test_a_larger_bias_makes_more_words(nlp, segmenter):
    numbers = []
    for bias in (-100, -1, 0, 1, 100):
        segmenter.bias = bias
        numbers.append(sum(len(doc) for doc in nlp.pipe(TEXTS)))
    assert numbers == sorted(numbers)
    assert numbers[0] < numbers[2] < numbers[-1]
    segmenter.bias = -100
    assert words_of(nlp("我们昨天在上海大学")) == ["我们昨天在上海大学"]
    segmenter.bias = 100
    assert words_of(nlp("去 iPhone")) == ["去", "iPhone"]  # a run stays whole


@pytest.mark.parametrize("law", [False, True])
def test_all_ways_to_predict_have_the_same_bias(nlp, segmenter, law):
    if law:
        segmenter.user_words.add("昨天在")
        segmenter.user_words.role = "law"
    text, differ = "".join(TEXTS), set()
    chars, several = segmenter.predictor(nlp.vocab).biased_tags(text, True, TRIED)
    for bias, tags in zip(TRIED, several, strict=True):
        segmenter.bias = bias
        assert np.array_equal(segmenter.predict([nlp.make_doc(text)])[0], tags)
        assert np.array_equal(segmenter.considered([nlp.make_doc(text)]).considered.labels, tags)
        assert words_of(segmenter.doc(text)) == words_of(nlp(text))
        differ.add(tuple(tags))
    segmenter.user_words.role = "hint"
    assert len(differ) > 3
    assert chars.at.size == tags.size


def test_probabilities_are_without_the_bias(nlp, segmenter):
    segmenter.calibrate([example(nlp, sentence) for sentence in SENTENCES])
    doc = nlp.make_doc(TEXTS[0])
    before = segmenter.probabilities(doc).marginals
    segmenter.bias = 0.5
    assert np.allclose(segmenter.probabilities(doc).marginals, before, atol=1e-6)


def test_explanations_have_it(nlp, segmenter):
    segmenter.bias = -0.7
    decisions = segmenter.explain(nlp.make_doc(TEXTS[0])).decisions
    decisions = [each for each in decisions if np.isfinite(each.difference)]
    assert len(decisions) > 5
    assert all(abs(each.total - each.difference) < 1e-4 * max(1, each.difference) for each in decisions)
    assert all(each.difference >= -1e-5 for each in decisions)
    shares = [part.value for each in decisions for part in each.contributions if part.template == "bias"]
    assert any(abs(abs(share) - 0.7) < 1e-6 for share in shares)


def test_it_is_a_setting_and_is_saved(tmp_path):
    nlp = trained(bias=100.0)
    expected = words_of(nlp(TEXTS[0]))
    assert len(expected) == len(TEXTS[0])
    nlp.to_disk(tmp_path)
    again = spacy.load(tmp_path)
    assert again.get_pipe("mtl_segmenter").bias == 100.0
    assert words_of(again(TEXTS[0])) == expected
    assert words_of(with_tokenizer(again)(TEXTS[0])) == expected


@pytest.mark.parametrize("bias", [101, "much", float("nan"), True])
def test_a_bias_out_of_range(segmenter, bias):
    with pytest.raises(ValueError, match="M419"):
        segmenter.bias = bias
    assert segmenter.bias == 0.0


def test_a_setting_out_of_range():
    with pytest.raises(ValueError, match="M419"):
        make(bias=-100.5)


def test_points_are_spacys_scores(nlp, segmenter):
    dev = [example(nlp, sentence) for sentence in SENTENCES]
    points = segmenter.tune_bias(dev)
    best = segmenter.bias
    for point in points[::5]:
        segmenter.bias = point.bias
        scores = nlp.evaluate([example(nlp, sentence) for sentence in SENTENCES])
        found = (scores["token_p"], scores["token_r"], scores["token_f"])
        assert np.allclose((point.precision, point.recall, point.f), found)
    assert max(point.f for point in points) == next(point.f for point in points if point.bias == best)
    assert len({point.f for point in points}) > 3


def test_words_without_gold_do_not_count(nlp, segmenter):
    """Of a text that the reference has in part, words with another character in them are neither right nor wrong."""
    segmenter.user_words.update(["昨天在", "昨天，，"])
    segmenter.user_words.role = "law"
    unbiased = len(TRIED) // 2
    assert segmenter.tune_bias([example(nlp, "昨天在 我们")])[unbiased].precision == 1.0
    point = segmenter.tune_bias([example(nlp, "我们 昨天 在", "我们昨天，，")])[unbiased]
    segmenter.user_words.role = "hint"
    assert (point.precision, point.recall) == (1.0, 0.5)  # 我们 is right, of 昨天，， not all is known


def test_recall_may_count_more(nlp, segmenter):
    dev = [example(nlp, sentence) for sentence in SENTENCES]
    twice = segmenter.tune_bias(dev, beta=2.0)
    assert all(p.f == pytest.approx(5 * p.precision * p.recall / (4 * p.precision + p.recall)) for p in twice)


def test_nothing_to_tune_on(nlp, segmenter):
    with pytest.raises(ValueError, match="M402"):
        segmenter.tune_bias([])
    with pytest.raises(ValueError, match="M402"):
        segmenter.tune_bias([example(nlp, "我们", " ")])
    untrained = make().get_pipe("mtl_segmenter")
    with pytest.raises(ValueError, match="M404"):
        untrained.tune_bias([example(nlp, "我们")])


def test_a_document_of_another_text_keeps_its_words(nlp, segmenter):
    segmenter.bias = -100
    assert words_of(nlp(Doc(nlp.vocab, ["我", "们"], spaces=[True, False]))) == ["我", "们"]
