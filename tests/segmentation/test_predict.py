"""Prediction in one kernel call against the predictor that goes step by step."""

import numpy as np
import pytest

from spacy_mtl.segmentation.boundaries import begin_tags
from spacy_mtl.templates.attributes.reader import Lexicon

from ..components.segmenting import LONG, SENTENCES, TEXTS, make, segmenter_of, train

MANY = [*TEXTS, "".join(SENTENCES).replace(" ", ""), "", "a", "看看一看，１２年。", "没有见过的字：魑魅魍魉"]
ORTHS = ["U0:%x[0,ORTH]", "U1:%x[-1,ORTH]/%x[0,ORTH]", "U2:%x[0,ORTH]/%x[1,ORTH]", "U3:%x[-1,ORTH]/%x[1,ORTH]", "B"]
PAIRS = ["U0:%x[0,CHAR]", "U1:%x[-1,WORD_END]/%x[0,WORD_BEGIN]", "U2:%x[-1,CHAR]/%x[0,CHAR]", "B0:%x[0,CHAR]", "B"]


@pytest.fixture(scope="module", params=["seg", "pairs", "orths"])
def segmenter(request):
    nlp = train(make({"pairs": PAIRS, "orths": ORTHS}.get(request.param)), LONG, passes=4)
    assert segmenter_of(nlp).model.attrs["learned"].get("CHAR_GROUP", {}) or request.param != "seg"
    segmenter_of(nlp).user_words.add("没有见过")
    return segmenter_of(nlp)


def step_by_step(segmenter, chars, joined):
    given = segmenter._characters.given(chars)
    forbidden = joined, begin_tags(segmenter.cfg["tags"])
    return segmenter._predictor().label(given, chars.starts, chars.starts[[0, -1]], forbidden)


def test_tags_are_those_of_the_predictor_step_by_step(segmenter):
    for texts in (MANY, *([text] for text in MANY), MANY):
        chars = segmenter._characters.read(texts)
        joined = segmenter._characters.joined(chars)
        if chars.at.size:
            assert np.array_equal(segmenter._label(chars), step_by_step(segmenter, chars, joined))


def test_more_characters_than_a_lexicon_keeps(monkeypatch):
    monkeypatch.setattr(Lexicon.__init__, "__defaults__", (4,))
    segmenter = segmenter_of(train(make(), LONG, passes=1))
    assert Lexicon([], segmenter.vocab).limit == 4
    next(segmenter.docs(["一二三四五六七八"]))
    lexicon = segmenter._predictor().reader.lexicon
    generation, met = lexicon.generation, []
    fill = lexicon._fill
    monkeypatch.setattr(lexicon, "_fill", lambda rows, orths: met.extend(orths) or fill(rows, orths))
    next(segmenter.docs(["一二三四魑五六七"]))
    assert (lexicon.generation, met) == (generation, [segmenter._characters.vocab.strings["魑"]])
    chars = segmenter._characters.read(MANY)
    joined = segmenter._characters.joined(chars)
    assert np.array_equal(segmenter._label(chars), step_by_step(segmenter, chars, joined))
    assert np.array_equal(segmenter._predictor()._forms(), lexicon.ids(segmenter._characters.orths))
