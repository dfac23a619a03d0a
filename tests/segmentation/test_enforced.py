"""The user's words as law and as preference, against plain Python over strings."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from spacy_mtl.models.chain.decode import Chain, decode_all
from spacy_mtl.segmentation.boundaries import TAG_SETS, begin_tags, encode_words, spell, tag_set_constraints
from spacy_mtl.segmentation.user_words.dictionary import Dictionary
from spacy_mtl.segmentation.user_words.enforced import (
    choose_words,
    enforce,
    find_words,
    mark_longest,
    mark_torn,
    spelling,
    tag_inside,
)
from spacy_mtl.segmentation.user_words.words import UserWords
from spacy_mtl.templates.attributes.characters import characters_of

WORDS = st.lists(st.text("甲乙丙", min_size=1, max_size=5), max_size=8, unique=True)
TEXTS = st.lists(st.text("甲乙丙", min_size=1, max_size=14), min_size=1, max_size=3)
LAW = np.float32(np.inf)


def occurrences(texts, words):
    """First character and length of each word in the texts, none across their borders, in order."""
    found, at = [], 0
    for text in texts:
        places = [(i, n) for i in range(len(text)) for n in range(1, len(text) - i + 1) if text[i : i + n] in words]
        found += [(at + i, n) for i, n in places]
        at += len(text)
    return found


def longest_first(found):
    """The occurrences that are law."""
    kept, taken = set(), set()
    for first, length in sorted(found, key=lambda place: (-place[1], place[0])):
        places = set(range(first, first + length))
        if not places & taken:
            kept.add((first, length))
            taken |= places
    return kept


def arrays(texts, words):
    """CHAR, borders of the texts, and a table of these words of the user, beside one of the corpus."""
    chars, _ = characters_of(["".join(texts)])
    starts = np.cumsum([0, *map(len, texts)], dtype=np.int64)
    return chars, starts, Dictionary(["乙丙甲"], UserWords(words)).table


@given(TEXTS, WORDS)
@example(["甲乙丙甲"], ["甲乙", "乙丙甲"])  # the longer word covers the last character of the shorter one
@example(["甲乙丙甲"], ["甲乙丙", "丙甲"])  # and the first
def test_occurrences_and_those_that_apply(texts, words):
    chars, starts, table = arrays(texts, words)
    first, length = find_words(chars, starts, table)
    found = list(zip(first.tolist(), length.tolist(), strict=True))
    assert found == occurrences(texts, words)
    none = np.zeros(len(found), bool)
    kept = choose_words(first, length, none, chars.size)
    assert {place for place, k in zip(found, kept, strict=True) if k} == longest_first(found)
    inside_none = [
        not any((a, n) != (b, m) and b <= a and a + n <= b + m for b, m in found) for a, n in found
    ]  # fmt: skip
    assert mark_longest(first, length, none).tolist() == inside_none


def test_lists_of_occurrences_grow():
    text = "甲" * 40
    chars, starts, table = arrays([text], ["甲" * n for n in range(1, 41)])
    first, length = find_words(chars, starts, table)
    assert list(zip(first.tolist(), length.tolist(), strict=True)) == [
        (a, n) for a in range(40) for n in range(1, 41 - a)
    ]


@given(st.data())
def test_words_that_would_part_a_run_do_not_count(data):
    texts, words = data.draw(TEXTS), data.draw(WORDS)
    chars, starts, table = arrays(texts, words)
    joined = np.array(data.draw(st.lists(st.booleans(), min_size=chars.size, max_size=chars.size)))
    joined[starts[:-1]] = False
    first, length = find_words(chars, starts, table)
    ends = {int(start) for start in starts}
    whole = [not joined[a] and (a + n in ends or not joined[a + n]) for a, n in zip(first, length, strict=True)]
    torn = mark_torn(first, length, starts, joined)
    assert (~torn).tolist() == whole
    allowed = [place for place, fine in zip(zip(first, length, strict=True), whole, strict=True) if fine]
    kept = choose_words(first, length, torn, chars.size)
    assert set(zip(first[kept], length[kept], strict=True)) == longest_first(allowed)
    longest = mark_longest(first, length, torn)
    assert set(zip(first[longest], length[longest], strict=True)) == {
        (a, n) for a, n in allowed if not any((a, n) != (b, m) and b <= a and a + n <= b + m for b, m in allowed)
    }


@pytest.mark.parametrize("tags", TAG_SETS)
def test_tags_of_words_are_spelled(tags):
    spelled = spelling(tags)
    for length in range(1, 30):
        found = [TAG_SETS[tags][tag_inside(spelled, place, length)] for place in range(length)]
        assert found == spell(length, tags)


def cut(texts, words, tags, strength, nodes, joined):
    """The words of each text under these scores, as pairs of first character and length."""
    chars, starts, table = arrays(texts, words)
    n_tags = len(TAG_SETS[tags])
    found = find_words(chars, starts, table)
    enforce(*found, starts, joined, np.float32(strength), spelling(tags), begin_tags(tags), nodes)
    start, end, mask = tag_set_constraints(tags).penalties()
    chain = Chain(start, end, np.zeros((n_tags, n_tags), np.float32), mask)
    labels = np.zeros(chars.size, np.int32)
    decode_all(starts, nodes, None, chain, labels)
    begins = begin_tags(tags)[labels]
    begins[starts[:-1]] = True
    return {(int(a), int(b - a)) for a, b in pairwise([*np.flatnonzero(begins), chars.size])}


@given(st.data())
def test_law_cuts_every_word_that_no_other_overlaps_whatever_the_scores(data):
    texts, words, tags = data.draw(TEXTS), data.draw(WORDS), data.draw(st.sampled_from(sorted(TAG_SETS)))
    n = sum(map(len, texts))
    nodes = np.random.default_rng(data.draw(st.integers(0, 99))).normal(0, 30, (n, len(TAG_SETS[tags])))
    law = longest_first(occurrences(texts, words))
    assert law <= cut(texts, words, tags, LAW, nodes.astype(np.float32), np.zeros(n, bool))


@pytest.mark.parametrize("tags", TAG_SETS)
def test_a_preference_adds_its_weight_to_the_tags_of_words(tags):
    text, words = "甲乙丙甲丙", ["甲乙丙甲", "乙丙", "甲丙"]
    chars, starts, table = arrays([text], words)
    nodes = np.zeros((5, len(TAG_SETS[tags])), np.float32)
    found = find_words(chars, starts, table)
    enforce(*found, starts, np.zeros(5, bool), np.float32(2), spelling(tags), begin_tags(tags), nodes)
    expected = np.zeros_like(nodes)
    for first, length in ((0, 4), (3, 2)):  # the word inside another is not looked at
        begins = np.zeros(length, bool)
        expected[np.arange(first, first + length), encode_words(begins, tags)] += 2
    assert np.array_equal(nodes, expected)


def test_the_words_of_the_corpus_are_no_law():
    chars, starts, table = arrays(["甲乙丙甲"], [])
    assert find_words(chars, starts, table)[0].size == 0
    assert arrays(["甲"], ["乙丙甲"])[2].known[1].tolist() == [True, True]
