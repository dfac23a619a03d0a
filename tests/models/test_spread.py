"""Keys that somebody has chosen to crowd in a hash table are refused before the first look-up; those of real models never are."""

import time
import zlib

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc

from spacy_mtl.models.chain.blocks import pack
from spacy_mtl.models.chain.lookup import key_table
from spacy_mtl.models.chain.weights import KEY_BITS
from spacy_mtl.models.spread import FURTHEST, longest_run
from spacy_mtl.models.tree.arc_table import arc_table

from .rewriting import SAVED, Parts, load

N = 150_000
NUMBERS = np.arange(N, dtype=np.uint64)


def shifted(bits, numbers=NUMBERS):
    return numbers << np.uint64(bits)


CROWDED = {
    "chains, one first slot": (key_table, shifted(24) | (np.uint64(1 << 24) - np.uint64(1) - NUMBERS)),
    "chains, slots side by side": (key_table, NUMBERS),
    "blocks, one first slot": (pack, shifted(28)),
    "blocks, slots side by side": (pack, NUMBERS),
    "arcs, one first slot": (arc_table, shifted(4)),
    "arcs, slots side by side": (arc_table, shifted(KEY_BITS - 19)),
}


@pytest.mark.parametrize(("make", "keys"), CROWDED.values(), ids=CROWDED)
def test_crowded_keys_are_refused_at_once(make, keys):
    make(np.array([1 << 20, 1 << 40], np.uint64))  # compiles
    begin = time.process_time()
    with pytest.raises(ValueError, match=r"^\[M611\] The keys of a model's weights crowd"):
        make(keys)
    assert time.process_time() - begin < 1


@pytest.mark.parametrize("make", [key_table, pack, arc_table])
@pytest.mark.parametrize("n", [0, 1, 2, 1000, (1 << 17) - 1])
def test_hashes_are_spread(make, n):
    keys = np.unique(np.random.default_rng(n).integers(0, 1 << (KEY_BITS - 4), n, np.uint64) << np.uint64(4))
    make(keys)


def test_distances_of_an_arc_are_no_crowd():
    bases = np.unique(np.random.default_rng(0).integers(0, 1 << (KEY_BITS - 4), 20_000, np.uint64)) << np.uint64(4)
    arc_table((bases[:, None] + np.arange(15, dtype=np.uint64)).reshape(-1))


def test_longest_run():
    assert longest_run(np.zeros(5, bool)) == 0
    assert longest_run(np.array([1, 1, 0, 1, 1, 1, 0, 1], bool)) == 3
    assert (
        5
        * longest_run(key_table(np.unique(np.random.default_rng(1).integers(0, 1 << KEY_BITS, N, np.uint64))).rows >= 0)
        < FURTHEST
    )


@pytest.mark.filterwarnings("ignore:.*W095")
def test_a_small_file_cannot_hang_a_component():
    component = spacy.load(SAVED / "entities", exclude=["tokenizer"]).pipeline[0][1]
    parts = Parts.of("entities")
    planes = np.zeros((6, N), np.uint8)
    planes[:3] = 255  # all keys have the same first slot
    parts.put("keys", planes)
    parts.put("codes", np.zeros((N, len(parts.header["labels"])), np.int8))
    parts.put("scales", np.full(N, 0x3F80, "<u2"))
    data = parts.to_bytes()
    assert len(data) < 10_000 < len(zlib.decompress(parts.chunks["keys"]))
    load(component, data)
    with pytest.raises(ValueError, match=r"^\[M611\]"):
        component(Doc(component.vocab, words=["a"]))
