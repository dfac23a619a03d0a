"""Pairs and words that somebody has chosen to crowd in a table do not, since nobody knows the seed of a process."""

import subprocess
import sys

import numpy as np
import pytest
from spacy.strings import hash_string

from spacy_mtl.models.spread import longest_run
from spacy_mtl.segmentation.user_words.dictionary import Dictionary
from spacy_mtl.segmentation.user_words.words import UserWords
from spacy_mtl.templates.attributes import breaks
from spacy_mtl.templates.attributes.breaks import break_table
from spacy_mtl.templates.attributes.characters import word_table
from spacy_mtl.templates.index import empty_table

CHARS = [chr(code) for code in range(0x4E00, 0x4E00 + 3000)]
HASHES = np.array([hash_string(char) for char in CHARS], np.uint64)
N = 20_000
NOTHING = np.uint64(1 << 63)


def mixed(key, value):
    """:func:`.extract.mix` of arrays, without a kernel's checks of overflow."""
    z = (key ^ value) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def crowding(first_slots, capacity) -> np.ndarray:
    """The N pairs (numbers of characters) that come first in a table of seed 0. first_slots: uint64[3000], what each first character mixes to."""
    slots = mixed(first_slots[:, None], HASHES[None]) & np.uint64(capacity - 1)
    return np.stack(np.divmod(np.argsort(slots, axis=None, kind="stable")[:N], HASHES.size), axis=1)


def pairs_of(seed, monkeypatch):
    monkeypatch.setattr(breaks, "SEED", seed)
    pairs = crowding(mixed(np.uint64(0), HASHES), empty_table(N).rows.size)
    return break_table(HASHES[pairs], np.ones(N, np.uint8)).rows


def crowding_words() -> list[str]:
    capacity = empty_table(2 * N).rows.size
    return [
        "".join(CHARS[k] for k in pair) for pair in crowding(mixed(NOTHING, HASHES) & np.uint64(capacity - 1), capacity)
    ]


def words_of(seed, monkeypatch):
    monkeypatch.setattr(breaks, "SEED", seed)
    return word_table(crowding_words()).rows


def user_words_of(seed, monkeypatch):
    monkeypatch.setattr(breaks, "SEED", seed)
    words = UserWords()
    dictionary = Dictionary([], words)
    words.update(crowding_words())
    return dictionary.follow(words).rows


@pytest.mark.parametrize("make", [pairs_of, words_of])
def test_chosen_entries_crowd_if_the_seed_is_known(make, monkeypatch):
    """So the choice below is a good one."""
    assert longest_run(make(0, monkeypatch) >= 0) > N // 2


@pytest.mark.parametrize("make", [pairs_of, words_of, user_words_of])
def test_chosen_entries_do_not_crowd(make, monkeypatch):
    assert longest_run(make(breaks.SEED, monkeypatch) >= 0) < 300


def test_each_process_has_a_seed_of_its_own():
    code = "from spacy_mtl.templates.attributes.breaks import SEED; print(SEED)"
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert int(other) != breaks.SEED
