"""Groups of characters: learnt from who stands beside whom, kept with the model."""

import numpy as np
import pytest
import spacy

from spacy_mtl.segmentation.character_groups import group_characters, neighbour_vectors

from ..components.segmenting import LEFT, LONG, RIGHT, TEXTS, make, pairs, segmenter_of, train, words_of

PATTERNS = ["U0:%x[0,CHAR]", "U1:%x[-1,CHAR]/%x[0,CHAR_GROUP]", "U2:%x[1,CHAR_GROUP]", "B"]


def test_characters_with_the_same_neighbours_are_in_one_group():
    groups = group_characters(pairs())
    assert len({groups[char] for char in LEFT}) == len({groups[char] for char in RIGHT}) == 1
    assert groups[LEFT[0]] != groups[RIGHT[0]]


def test_the_same_texts_have_the_same_groups():
    assert group_characters(pairs()) == group_characters(pairs())


def test_a_rare_character_joins_its_like_and_one_met_once_none():
    groups = group_characters([*pairs(), "癸东", "癸南", "癸西", "壬北"])
    assert groups["癸"] == groups["甲"]
    assert "壬" not in groups


def test_full_width_and_half_width_are_one():
    texts = pairs()
    groups = group_characters(
        [*(text.replace("甲", "Ａ") for text in texts[::2]), *(t.replace("甲", "A") for t in texts)]
    )
    assert "Ａ" not in groups
    assert groups["A"] == groups["乙"]


@pytest.mark.parametrize("texts", [[], [""], ["一"], ["一二三"] * 9, ["\n", "  "]])
def test_a_small_corpus_has_no_groups(texts):
    assert group_characters(texts) == {}


def test_white_space_has_no_group():
    assert not any(char.isspace() for char in group_characters([*pairs(), " 　"] * 3))


def test_vectors_are_those_of_the_dense_decomposition():
    codes = np.random.default_rng(1).integers(0, 12, 400)
    left = np.zeros((12, 12))
    np.add.at(left, (codes[1:], codes[:-1]), 1)
    u, s, _ = np.linalg.svd(np.sqrt(np.hstack([left, left.T])), full_matrices=False)
    expected = u[:, :5] * s[:5]
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    pairs, times = np.unique(np.stack([codes[:-1], codes[1:]], axis=1), axis=0, return_counts=True)
    found = neighbour_vectors(pairs, times, 12, 5)
    assert np.allclose(found @ found.T, expected @ expected.T, atol=1e-8)


def groups_of(nlp):
    return segmenter_of(nlp).model.attrs["learned"]["CHAR_GROUP"]


def test_saved_and_loaded_it_cuts_the_same(tmp_path):
    nlp = train(make(PATTERNS), LONG)
    assert groups_of(nlp) == group_characters(sentence.replace(" ", "") for sentence in LONG)
    assert groups_of(nlp)
    wanted = [words_of(doc) for doc in nlp.pipe(TEXTS)]
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    assert groups_of(loaded) == groups_of(nlp)
    for n_process in (1, 2):
        assert [words_of(doc) for doc in loaded.pipe(TEXTS, n_process=n_process)] == wanted
    again = make(PATTERNS).from_bytes(nlp.to_bytes())
    assert [words_of(doc) for doc in again.pipe(TEXTS)] == wanted
    assert groups_of(again) == groups_of(nlp)


def test_its_templates_read_the_groups():
    nlp = train(make(["U0:%x[0,CHAR_GROUP]", "U1:%x[1,CHAR_GROUP]", "B"]), LONG)
    segmenter = segmenter_of(nlp)
    list(nlp.pipe(TEXTS))
    lexicon = segmenter.model.attrs["predictor"].reader.lexicon
    char, group = next(iter(groups_of(nlp).items()))
    row = lexicon.ids(np.array([lexicon.vocab.strings.add(char)], np.uint64))[0]
    assert lexicon.values[row].tolist() == [lexicon.vocab.strings.add(group)]


def test_trained_again_without_groups_it_has_none():
    nlp = train(make(PATTERNS), LONG)
    other = make(["U0:%x[0,CHAR]", "B"])
    train(other.from_bytes(nlp.to_bytes()), passes=1)
    assert segmenter_of(other).model.attrs["learned"] == {}
