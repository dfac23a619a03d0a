"""Words with spaces inside."""

import tracemalloc

import pytest

from spacy_mtl.stored.fault import StoredValueError
from spacy_mtl.treebanks.joins import MOST_PARTS, Joins, learn_joins


def sentence(text):
    """Tokens and spaces of a text; "_" is a space within a word, "|" a border without a space."""
    tokens, spaces = [], []
    for each in text.split(" "):
        parts = each.split("|")
        tokens += [part.replace("_", " ") for part in parts]
        spaces += [False] * (len(parts) - 1) + [True]
    return tokens, spaces


def joined(joins, text):
    """The text with "_" in place of the spaces within words."""
    tokens, spaces = sentence(text)
    words, i = [], 0
    for size in joins.sizes(tokens, spaces):
        words.append("_".join(tokens[i : i + size]))
        i += size
    assert i == len(tokens)
    return " ".join(words)


def test_the_longest_known_word_is_found_wherever_its_parts_are():
    joins = learn_joins([sentence("học_sinh đi"), sentence("học_sinh_giỏi đi học")])
    assert joined(joins, "đi học sinh giỏi học sinh") == "đi học_sinh_giỏi học_sinh"
    assert joined(joins, "Học sinh") == "Học_sinh"
    assert joined(joins, "sinh học đi") == "sinh học đi"
    assert joined(joins, "học|sinh giỏi") == "học sinh giỏi"


def test_what_is_more_often_several_words_is_not_joined():
    some = [sentence("a_b c"), sentence("a b c")]
    assert learn_joins(some).words == set()
    assert learn_joins([*some, sentence("a_b")]).words == {"a b"}
    assert learn_joins([*some, sentence("a_b"), sentence("a|b")]).words == {"a b"}


def test_numbers_are_alike():
    joins = learn_joins([sentence("10_000 kr")])
    assert joined(joins, "det er 25 500 kr 3 500") == "det er 25_500 kr 3 500"


def test_words_of_many_parts_and_odd_spaces_are_not_learnt():
    many = "_".join("abcdefghijkl"[: MOST_PARTS + 1])
    assert learn_joins([sentence(many), sentence("a__b"), (["\u00a0 x"], [True]), ([" x"], [True])]).words <= {
        "\u00a0 x"
    }
    assert learn_joins([sentence("a b")]).sizes(["a", "b"], [True, True]) == [1, 1]


def test_what_is_no_word_takes_no_memory():
    """A corpus has millions of neighbours that are nowhere one word."""
    texts = [chr(0x4E00 + i) for i in range(20_000)]
    tracemalloc.start()
    joins = learn_joins([sentence("a_b"), (texts, [True] * len(texts))])
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    assert joins.words == {"a b"}
    assert peak < 5, peak


@pytest.mark.parametrize("data", [1, ["a b", "a b"], [1], {"a b": 1}, None])
def test_other_data_are_refused(data):
    with pytest.raises(StoredValueError):
        Joins.from_list(data, "joins")
    assert Joins.from_list(Joins({"a b"}).to_list(), "joins") == Joins({"a b"})
