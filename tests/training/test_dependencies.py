import numpy as np
import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.pipeline.dep_parser import parser_score
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import registry

from spacy_mtl import roots
from spacy_mtl.roots import crossing, set_trees
from spacy_mtl.training.dependencies import dep_scorer, is_punctuation

VOCAB = spacy.blank("xx").vocab


def make_doc(words, heads, labels=None, starts=(0,)):
    """heads: within the sentence, from 1; 0 root."""
    labels = labels or ["x"] * len(words)
    doc = Doc(VOCAB, words=words, spaces=[False] * len(words))
    ids = np.array([VOCAB.strings.add(label) for label in labels], np.uint64)
    set_trees(doc, np.array(heads), ids, np.array(starts))
    return doc


def scores(*pairs):
    return dep_scorer()([Example(predicted, reference) for predicted, reference in pairs])


def figures(result, *names):
    return [result[f"dep_{name}"] for name in names]


WORDS = ["a", "b", ",", "c", "d", "..."]


def test_figures_by_hand():
    gold = make_doc(WORDS, [2, 0, 2, 2, 4, 2], ["s", "r", "punct", "o", "m", "punct"])
    # wrong: the head of "," and of "d"; the label of "a"
    predicted = make_doc(WORDS, [2, 0, 4, 2, 2, 2], ["t", "r", "punct", "O", "m", "punct"])
    result = scores((predicted, gold))
    assert figures(result, "uas_conllx", "las_conllx") == [3 / 4, 1 / 4]  # "O" is another label than "o"
    assert figures(result, "uas_all", "las_all") == [4 / 6, 2 / 6]
    assert figures(result, "complete", "complete_all") == [0, 0]
    assert figures(result, "uas", "las") == [3 / 4, 2 / 4]
    assert figures(result, "crossing_p", "crossing_r", "crossing_f") == [None, None, None]
    assert result["dep_las_per_type"]["o"]["f"] == 1.0


def test_punctuation_is_by_the_word_and_not_the_label():
    gold = make_doc(["a", "b", ".", "$"], [0, 1, 1, 1], ["r", "punct", "x", "punct"])
    predicted = make_doc(["a", "b", ".", "$"], [0, 1, 2, 2], ["r", "punct", "x", "punct"])
    result = scores((predicted, gold))
    assert figures(result, "uas_conllx", "uas_all") == [2 / 3, 2 / 4]
    assert figures(result, "uas") == [1 / 2]


def test_complete_sentences_with_and_without_punctuation():
    words = ["a", "b", ".", "c", "d", ".", "e", "!"]
    starts = (0, 3, 6)
    gold = make_doc(words, [0, 1, 1, 2, 0, 2, 0, 1], starts=starts)
    predicted = make_doc(words, [0, 1, 2, 2, 0, 2, 2, 0], starts=starts)
    assert figures(scores((predicted, gold)), "complete", "complete_all") == [2 / 3, 1 / 3]
    marks = make_doc(["!", "?"], [0, 1])
    assert figures(scores((marks, marks)), "complete", "complete_all", "uas_conllx") == [None, 1.0, None]


def test_every_root_has_the_root_as_head():
    words = ["a", "b", "c", "d"]
    gold = make_doc(words, [0, 1, 0, 0])
    assert figures(scores((make_doc(words, [0, 1, 0, 3]), gold)), "uas_all", "las_all") == [3 / 4, 3 / 4]
    # the first root is another: the others are still right
    assert figures(scores((make_doc(words, [2, 0, 0, 0]), gold)), "uas_all") == [2 / 4]


def test_sentences_of_the_gold_decide():
    words = ["a", "b", "c", "d"]
    gold = make_doc(words, [0, 1, 0, 1], starts=(0, 2))
    joined = make_doc(words, [0, 1, 1, 3])  # c hangs on a, in another sentence
    assert figures(scores((joined, gold)), "uas_all", "complete_all") == [3 / 4, 1 / 2]


def test_crossing_arcs_by_hand():
    words = ["a", "b", "c", "d", "e"]
    gold = make_doc(words, [3, 4, 0, 3, 3])  # b <- d crosses a <- c, e <- c and the arc of the root c
    predicted = make_doc(words, [3, 4, 0, 3, 2])  # so does e <- b, but for e <- c
    assert crossing(np.array([3, 4, 0, 3, 3])).tolist() == [True, True, True, False, True]
    assert crossing(np.array([3, 4, 0, 3, 2])).tolist() == [True, True, True, False, True]
    result = scores((predicted, gold))
    assert figures(result, "crossing_p", "crossing_r") == [3 / 4, 3 / 4]
    assert result["dep_crossing_f"] == 3 / 4
    straight = make_doc(words, [3, 3, 0, 3, 3])
    assert figures(scores((straight, gold)), "crossing_p", "crossing_r", "crossing_f") == [None, 3 / 4, 0.0]
    assert figures(scores((gold, straight)), "crossing_p", "crossing_r", "crossing_f") == [3 / 4, None, 0.0]


def test_crossing_arcs_to_punctuation_do_not_count():
    words = ["a", ",", "c", "d", "e"]
    gold = make_doc(words, [3, 4, 0, 3, 3])
    wrong = make_doc(words, [3, 1, 0, 3, 3])
    assert figures(scores((wrong, gold)), "crossing_r", "crossing_p") == [1.0, None]


def test_gold_without_heads_does_not_count():
    words = ["a", "b", "c", "d"]
    unknown = Doc(VOCAB, words=words)
    parsed = make_doc(words, [0, 1, 1, 1])
    result = scores((parsed, unknown))
    names = [name for name in result if name != "dep_las_per_type"]
    assert len(names) == 11
    assert {result[name] for name in names} == {None}
    part = Doc(VOCAB, words=words, heads=[0, 0, 0, 0], deps=["ROOT", "x", "", "x"])
    assert figures(scores((parsed, part)), "uas_all", "complete_all") == [1.0, None]


def test_words_without_a_prediction_are_wrong():
    gold = make_doc(["a", "b"], [0, 1])
    assert figures(scores((Doc(VOCAB, words=["a", "b"]), gold)), "uas_all", "las_all", "complete_all") == [0, 0, 0]


def test_other_tokens_are_aligned():
    gold = make_doc(["a", "bc", "d", "e"], [2, 0, 2, 3], ["s", "r", "o", "m"])
    split = make_doc(["a", "b", "c", "d", "e"], [4, 4, 4, 0, 4], ["s", "x", "x", "o", "m"])
    assert figures(scores((split, gold)), "uas_all", "las_all") == [1 / 4, 1 / 4]
    rooted = make_doc(["a", "bc", "d", "e"], [2, 0, 2, 3], ["s", "r", "o", "m"])
    joined = make_doc(["abc", "d", "e"], [0, 1, 2], ["r", "o", "m"])
    assert figures(scores((joined, rooted)), "uas_all", "complete_all") == [1 / 4, 0]


def test_of_no_examples():
    empty = Doc(VOCAB)
    for result in (dep_scorer()([]), scores((empty, empty))):
        assert {value for name, value in result.items() if name != "dep_las_per_type"} == {None}


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        (".", True),
        ("«", True),
        ("...", True),
        ("-", True),
        ("—", True),
        ("$", False),
        ("+", False),
        ("a.", False),
        ("", False),
        ("=", False),
    ],
)
def test_punctuation(word, expected):
    assert is_punctuation(word) is expected


def crosses(heads):
    """By the words below each arc: the definition, arc by arc."""
    arcs = [(min(m, h), max(m, h)) for m, h in enumerate(heads, 1)]
    return [any(a < c < b < d or c < a < d < b for c, d in arcs) for a, b in arcs]


HEADS = st.integers(1, 8).flatmap(lambda n: st.lists(st.integers(0, n), min_size=n, max_size=n))


@given(HEADS, st.sampled_from([1, 10, 1 << 20]))
@settings(deadline=None)
def test_crossing_against_its_definition(heads, at_once):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(roots, "_MOST_PAIRS", at_once)
        assert crossing(np.array(heads)).tolist() == crosses(heads)


LABELS = st.lists(st.sampled_from(["nsubj", "OBJ", "punct", "p"]), min_size=5, max_size=5)
TREES = st.sampled_from([[0, 1, 2, 3, 4], [2, 0, 2, 2, 4], [3, 4, 0, 3, 2], [5, 5, 5, 5, 0], [2, 0, 5, 2, 2]])


@given(st.tuples(TREES, LABELS), st.tuples(TREES, LABELS))
@settings(deadline=None, max_examples=30)
def test_spacys_scores_are_those_of_its_parser(predicted, gold):
    words = ["a", "b", ",", "c", "d"]
    example = Example(make_doc(words, *predicted), make_doc(words, *gold))
    expected = parser_score([example])
    result = dep_scorer()([example])
    for name in ("dep_uas", "dep_las", "dep_las_per_type"):
        assert result[name] == expected[name]


def test_registered():
    assert registry.scorers.get("spacy_mtl.dep_scorer.v1") is dep_scorer
