"""Prediction in one kernel call against the predictor that goes step by step."""

import numpy as np
import pytest
from segmenting import SENTENCES, TEXTS, make, segmenter_of, train

from spacy_mtl.components import predict_characters
from spacy_mtl.components.boundaries import begin_tags
from spacy_mtl.components.joint import NARROW, groups_of
from spacy_mtl.components.shapes import new_memory
from spacy_mtl.templates.grammar import parse_templates

MANY = [*TEXTS, "".join(SENTENCES).replace(" ", ""), "", "a", "看看一看，１２年。", "没有见过的字：魑魅魍魉"]
ORTHS = ["U0:%x[0,ORTH]", "U1:%x[-1,ORTH]/%x[0,ORTH]", "U2:%x[0,ORTH]/%x[1,ORTH]", "U3:%x[-1,ORTH]/%x[1,ORTH]", "B"]
PAIRS = ["U0:%x[0,CHAR]", "U1:%x[-1,WORD_END]/%x[0,WORD_BEGIN]", "U2:%x[-1,CHAR]/%x[0,CHAR]", "B0:%x[0,CHAR]", "B"]


@pytest.fixture(scope="module", params=["seg", "pairs", "orths"])
def segmenter(request):
    nlp = train(make({"pairs": PAIRS, "orths": ORTHS}.get(request.param)), passes=4)
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


def test_memories_that_overflow_change_nothing(segmenter, monkeypatch):
    monkeypatch.setattr(predict_characters, "GROUP_LIMIT", 4)
    predictor = segmenter._predictor()
    predictor._joint, predictor._rest.limit = new_memory(4, 16), 4
    predictor._rest.memory = new_memory(4, 64)
    for texts in (MANY, MANY[:2], MANY):
        chars = segmenter._characters.read(texts)
        expected = step_by_step(segmenter, chars, segmenter._characters.joined(chars))
        assert np.array_equal(segmenter._label(chars), expected)


def test_groups_are_of_templates_with_few_values():
    templates = parse_templates(
        "U0:%x[-1,CHAR_CLASS]/%x[0,CHAR_CLASS]\nU1:%x[0,CHAR]/%x[1,CHAR]\nU2:%x[0,WORD_END]/%x[0,CHAR]\n"
        "U3:%x[0,CHAR_CLASS]/%x[1,CHAR_CLASS]\nU4:%x[0,CHAR]/%x[0,WORD_BEGIN]\nU5:%x[1,CHAR]/%x[0,WORD_BEGIN]"
    )
    columns = {"CHAR": 0} | {attr: i for i, attr in enumerate(NARROW, 1)}
    groups, rest = groups_of(templates, columns)
    found = [groups.template[a:b].tolist() for a, b in zip(groups.first[:-1], groups.first[1:], strict=True)]
    assert (found, rest) == ([[0, 3], [2, 4], [5]], [1])
    assert np.diff(groups.seen).tolist() == [3, 3, 2]
