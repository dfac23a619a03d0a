"""The bias of mtl_senter: more or fewer sentences without training anew."""

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example

from spacy_mtl.components.biased.pipe import TRIED, BiasCounts, f_scores

#: "|" is a border. Behind "x" there is one in two texts of four.
TEXTS = ["a . | b x c", "a x | b . | a", "x | b . | a c", "x b . | a"]


def example(nlp, text):
    words = text.replace("|", "").split()
    begins = [True for _ in text.split("|")]
    marks = [first for part in text.split("|") for first in [True] + [False] * (len(part.split()) - 1)]
    assert sum(marks) == len(begins)
    return Example(Doc(nlp.vocab, words), Doc(nlp.vocab, words, sent_starts=marks))


def trained(**settings):
    nlp = spacy.blank("xx")
    templates = {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": ["U0:%x[-1,LOWER]", "U1:%x[0,LOWER]"]}
    nlp.add_pipe("mtl_senter", config={"model": {"templates": templates}, **settings})
    examples = [example(nlp, text) for text in TEXTS * 2]
    nlp.initialize(lambda: examples)
    for _ in range(8):
        nlp.update(examples)
    return nlp


@pytest.fixture(name="nlp", scope="module")
def _nlp():
    return trained()


@pytest.fixture(name="senter")
def _senter(nlp):
    senter = nlp.get_pipe("mtl_senter")
    yield senter
    senter.bias = 0.0


def sentences(nlp, text):
    return [sent.text for sent in nlp(Doc(nlp.vocab, text.split())).sents]


def test_a_larger_bias_finds_more(nlp, senter):
    numbers = []
    for bias in (-50, 0, 50):
        senter.bias = bias
        numbers.append(len(sentences(nlp, "a . b x c")))
    assert numbers == [1, 2, 5]


def test_each_document_is_one_chain(nlp, senter):
    """Of two documents at once, the first token of each begins a sentence, whatever the bias, and no other does."""
    senter.bias = -50.0
    docs = list(nlp.pipe([Doc(nlp.vocab, ["b", ".", "a"]), Doc(nlp.vocab, ["c", "a"])]))
    assert [[token.is_sent_start for token in doc] for doc in docs] == [[True, False, False], [True, False]]


def test_points_are_spacys_scores(nlp, senter):
    dev = [example(nlp, text) for text in TEXTS]
    points = senter.tune_bias(dev)
    assert [point.bias for point in points] == list(TRIED)
    for point in points[::4]:
        senter.bias = point.bias
        scores = nlp.evaluate([example(nlp, text) for text in TEXTS])
        found = (scores["sents_p"], scores["sents_r"], scores["sents_f"])
        assert np.allclose((point.precision, point.recall, point.f), found)
    assert len({point.f for point in points}) > 3


def test_borders_of_the_documents_are_not_used(nlp, senter):
    """Points are of what the model finds, even where the examples come with their borders."""
    with_borders = [Example(each.reference.copy(), each.reference) for each in (example(nlp, text) for text in TEXTS)]
    assert senter.bias_counts(with_borders).points(1.0) != senter.bias_counts([example(nlp, "a x | b")]).points(1.0)
    senter.overwrite = True
    points = senter.bias_counts(with_borders).points(1.0)
    senter.overwrite = False
    assert points == senter.bias_counts([example(nlp, text) for text in TEXTS]).points(1.0)


def test_sentences_without_annotation_do_not_count(nlp, senter):
    doc = Doc(nlp.vocab, ["a", ".", "b", "x", "c"])
    reference = doc.copy()
    for k, mark in enumerate((True, False, True, None, None)):
        reference[k].is_sent_start = mark
    unbiased = senter.tune_bias([Example(doc, reference)])[len(TRIED) // 2]
    assert (unbiased.precision, unbiased.recall) == (1.0, 1.0)


def test_it_is_a_setting_and_is_saved(tmp_path):
    nlp = trained(bias=50.0)
    assert len(sentences(nlp, "b x c")) == 3
    nlp.to_disk(tmp_path)
    again = spacy.load(tmp_path)
    assert again.get_pipe("mtl_senter").bias == 50.0
    assert sentences(again, "b x c") == sentences(nlp, "b x c")


def test_models_from_before_there_was_a_bias(senter):
    del senter.cfg["bias"]
    data = senter.to_bytes()
    senter.bias = 0.0
    other = spacy.blank("xx").add_pipe("mtl_senter", config={"bias": 1.0})
    assert other.from_bytes(data).bias == 0.0


def test_a_bias_out_of_range():
    with pytest.raises(ValueError, match="M419"):
        trained(bias=101)


def test_nothing_to_tune_on(senter):
    with pytest.raises(ValueError, match="M402"):
        senter.tune_bias([])
    with pytest.raises(ValueError, match="M404"):
        spacy.blank("xx").add_pipe("mtl_senter").tune_bias([])


# --- when to keep a bias ---


def counts(*rows):
    """Counts where bias 0 has the first pair of each row (right, found), 1.0 the second, and all others none."""
    columns = [TRIED.index(0.0), TRIED.index(1.0)]
    right, found = np.zeros((2, len(rows), len(TRIED)), np.int64)
    right[:, columns] = [[pair[0] for pair in pairs] for _, pairs in rows]
    found[:, columns] = [[pair[1] for pair in pairs] for _, pairs in rows]
    return BiasCounts(right, found, np.array([gold for gold, _ in rows]))


EVEN = counts(*[(10, [(5, 10), (6, 10)])] * 8)  # a little better everywhere
ONE = counts((10, [(0, 10), (10, 10)]), *[(10, [(5, 10), (5, 10)])] * 7)  # better in one document alone


def test_f_scores():
    assert f_scores(np.array([2, 0]), np.array([4, 0]), 5, 1.0).tolist() == [4 / 9, 0]
    assert f_scores(np.array(2), np.array(4), 5, 2.0) == pytest.approx(5 * 2 / (4 * 5 + 4))


def test_the_standard_error_is_that_of_leaving_out_each():
    at = TRIED.index(0.0), TRIED.index(1.0)
    differences = []
    for k in range(8):
        rest = BiasCounts(*(np.delete(part, k, 0) for part in ONE))
        points = rest.points(1.0)
        differences.append(points[at[1]].f - points[at[0]].f)
    expected = np.sqrt(7 / 8 * np.square(differences - np.mean(differences)).sum())
    assert ONE.standard_error(at[1], at[0], 1.0) == pytest.approx(expected)
    assert EVEN.standard_error(at[1], at[0], 1.0) == pytest.approx(0)


SINGLE = BiasCounts(*(part[:1] for part in EVEN))


@pytest.mark.parametrize(
    ("found", "sure", "bias"),
    [(EVEN, True, 1.0), (ONE, True, 0.0), (ONE, False, 1.0), (SINGLE, True, 0.0), (SINGLE, False, 1.0)],
)
def test_a_gain_that_may_be_chance_changes_nothing(senter, monkeypatch, found, sure, bias):
    monkeypatch.setattr(type(senter), "bias_counts", lambda self, examples: found)
    senter.tune_bias([], sure=sure)
    assert senter.bias == bias


def test_folds_count_besides(nlp, senter):
    """Each with a component of its own, whatever its bias is."""
    other = trained(bias=3.0).get_pipe("mtl_senter")
    dev, held_out = [example(nlp, TEXTS[0])], [example(other, text) for text in TEXTS[1:3]]
    points = senter.tune_bias(dev, folds=[(other, held_out[:1]), (other, held_out[1:])])
    both = [senter.bias_counts(dev), other.bias_counts(held_out)]
    right, found, gold = (sum(getattr(each, part).sum(0) for each in both) for part in ("right", "found", "gold"))
    assert [point.precision for point in points] == pytest.approx(list(right / found))
    assert [point.recall for point in points] == pytest.approx(list(right / gold))


def test_a_component_from_another_pipeline_is_tuned_in_the_vocabulary_of_the_examples(nlp):
    other = spacy.blank("xx")
    other.add_pipe("mtl_senter", source=nlp)
    senter = other.get_pipe("mtl_senter")
    assert "unheard" not in senter.vocab.strings
    assert len(senter.tune_bias([example(other, "unheard a . | b")])) == len(TRIED)
