"""Tag sets against words spelt by hand, and against every sequence of tags."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_mtl.segmentation.boundaries import TAG_SETS, begin_tags, encode_words, spell, tag_set_constraints

BY_HAND = {
    "bie": {1: "B", 2: "BE", 3: "BIE", 5: "BIIIE"},
    "bmes": {1: "S", 2: "BE", 3: "BME", 5: "BMMME"},
    "bcdmes": {1: "S", 2: "BE", 3: "BCE", 4: "BCDE", 5: "BCDME", 6: "BCDMME"},
}


def begins_of(lengths):
    return np.array([i == 0 for length in lengths for i in range(length)], bool)


@pytest.mark.parametrize("tags", TAG_SETS)
def test_words_are_spelt_as_by_hand(tags):
    for length, spelt in BY_HAND[tags].items():
        assert "".join(spell(length, tags)) == spelt
        assert "".join(TAG_SETS[tags][i] for i in encode_words(begins_of([length]), tags)) == spelt


@pytest.mark.parametrize("tags", TAG_SETS)
@given(st.lists(st.integers(1, 12), max_size=12))
def test_words_survive_encoding(tags, lengths):
    begins = begins_of(lengths)
    labels = encode_words(begins, tags)
    assert labels.dtype == np.int32
    assert np.array_equal(begin_tags(tags)[labels], begins)
    assert [TAG_SETS[tags][i] for i in labels] == [tag for length in lengths for tag in spell(length, tags)]


@pytest.mark.parametrize("tags", TAG_SETS)
def test_allowed_are_exactly_the_sequences_that_spell_words(tags):
    names = TAG_SETS[tags]
    allowed = tag_set_constraints(tags)
    n = 5
    spellings = {tuple(tag for k in cut for tag in spell(k, tags)) for cut in compositions(n)}
    for sequence in product(range(len(names)), repeat=n):
        fits = allowed.start[sequence[0]] and allowed.end[sequence[-1]]
        fits = fits and all(allowed.step[step] for step in pairwise(sequence))
        assert fits == (tuple(names[i] for i in sequence) in spellings)


def compositions(n):
    return [[k, *rest] for k in range(1, n + 1) for rest in compositions(n - k)] if n else [[]]


def test_nothing_is_no_tags():
    assert encode_words(np.zeros(0, bool), "bmes").size == 0
