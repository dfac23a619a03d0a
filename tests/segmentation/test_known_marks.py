"""Marks that are held to the tags they were seen with."""

import copy
import pickle

import numpy as np
import pytest
import spacy
from spacy.strings import StringStore

from spacy_mtl.learning.gather import Piece
from spacy_mtl.segmentation.known_marks import UNLIKELY, count_known_marks

from ..components.segmenting import SENTENCES, TEXTS, example, make, segmenter_of, train, words_of

#: ℃ is always a word, / is one or inside of one.
WEATHER = [f"气温 {n} ℃ 。" for n in range(1, 7)] + ["1/2 。", "1/3 、 1/4 。", "东 / 西 。", "南 / 北 。"]
TEXT = "气温3℃/5℃。"
#: Templates that do not see the mark, and fractions, after which it seems to be inside of a word: nothing but the held tags can part it.
BLIND, FRACTIONS = ["U0:%x[-1,CHAR]", "B"], ["3/4 。", "5/6 。"] * 10


def piece(text, tags):
    strings = StringStore()
    given = np.array([[strings.add(char) for char in text]], np.uint64)
    return strings, Piece(b"", given, np.array([0, len(text)]), np.array(["BMES".index(tag) for tag in tags], np.int32))


def counted(text, tags, least=2):
    strings, one = piece(text, tags)
    return {
        char: "".join("BMES"[n] for n in found)
        for char, found in count_known_marks([one], strings, "bmes", least).items()
    }


def test_marks_that_are_words_are_counted():
    assert counted("，，℃℃北北", "SSSSSS") == {"，": "S", "℃": "S"}
    assert counted("//a/b", "SSBME") == {"/": "MS"}


def test_rare_ones_and_those_never_alone_and_those_that_may_be_anything_are_not():
    assert counted("，", "S") == {}
    assert counted("1%2%", "BEBE") == {}
    assert counted("－－－－", "SBME") == {}


def test_in_every_tag_set_a_word_of_one_character_is_known():
    strings, one = piece("，，", "BB")
    assert count_known_marks([one], strings, "bie", 2) == {"，": [0]}


@pytest.fixture(scope="module")
def nlp():
    return train(make(), [*SENTENCES, *WEATHER])


def words(nlp, text=TEXT):
    return words_of(nlp(text))


def test_marks_are_held_where_training_has_nothing_like_it(nlp):
    assert segmenter_of(nlp).cfg["known"]["℃"] == [3]
    assert segmenter_of(nlp).cfg["known"]["。"] == [3]
    assert [word for word in words(nlp) if "℃" in word] == ["℃", "℃"]
    blind = train(make(BLIND), [*WEATHER, *FRACTIONS])
    assert words(blind, "5℃。") == ["5", "℃", "。"]
    free = train(make(BLIND, known_marks=0), [*WEATHER, *FRACTIONS])
    assert segmenter_of(free).cfg["known"] == {}
    assert words(free, "5℃。") == ["5℃", "。"]


def test_training_is_the_same_without(nlp):
    free = train(make(known_marks=0), [*SENTENCES, *WEATHER])
    assert segmenter_of(free).template_weights() == segmenter_of(nlp).template_weights()


def test_a_mark_and_its_accent_stay_together_and_the_rest_is_as_it_was(nlp):
    """What belongs to a mark is no word, so the mark cannot be one either; the words around it must not suffer."""
    wanted = words(nlp, "老师在北京℃")
    assert words(nlp, "老师在北京℃\u0301") == [*wanted[:-1], "℃\u0301"]
    assert "".join(words(nlp, "老师在北京℃\u0301学习中文。")) == "老师在北京℃\u0301学习中文。"
    assert words(nlp, "老师在北京℃\u0301学习中文。")[:3] == wanted[:3]


def test_saved_loaded_and_copied(nlp, tmp_path):
    texts = [*TEXTS, TEXT, "8℃/9℃/10℃"]
    wanted = [words(nlp, text) for text in texts]
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    assert segmenter_of(loaded).cfg["known"] == segmenter_of(nlp).cfg["known"]
    others = [loaded, make().from_bytes(nlp.to_bytes()), copy.deepcopy(nlp), pickle.loads(pickle.dumps(nlp))]
    for other in others:
        assert [words(other, text) for text in texts] == wanted
        assert [words_of(doc) for doc in other.pipe(texts)] == wanted
    assert [words_of(doc) for doc in loaded.pipe(texts, n_process=2)] == wanted


def test_weights_of_the_model_alone_bring_them(nlp):
    segmenter, again = segmenter_of(nlp), segmenter_of(make())
    again.model.from_bytes(segmenter.model.to_bytes())
    constraints = again.model.attrs["constraints"]
    assert constraints.form_penalty == UNLIKELY
    assert np.array_equal(constraints.forms, segmenter.model_constraints().forms)
    assert np.array_equal(constraints.form_labels, segmenter.model_constraints().form_labels)


def test_another_corpus_has_marks_of_its_own(nlp):
    other = make().from_bytes(nlp.to_bytes())
    examples = [example(other, sentence) for sentence in SENTENCES]
    other.initialize(lambda: examples)
    assert segmenter_of(other).cfg["known"] == {}
    other.update(examples)
    assert set(segmenter_of(other).cfg["known"]) == {"。"}
