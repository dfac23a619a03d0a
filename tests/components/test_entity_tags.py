"""Tags against spaCy's own BILUO and IOB functions, enumeration, and conlleval's reading of any sequence."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc, Span
from spacy.training.iob_utils import biluo_to_iob, doc_to_biluo_tags
from spacy.vocab import Vocab

from spacy_mtl.components.entity_tags import PREFIXES, decode_tags, encode_tags, tag_constraints, tag_labels

TYPES = ("PER", "B-LOC", "O")  # names that look like tags must do no harm
VOCAB = Vocab(strings=[*TYPES, "OTHER"])
HASHES = [VOCAB.strings[kind] for kind in TYPES]
NUMBERS = {kind: number for number, kind in enumerate(HASHES)}
SCHEMES = sorted(PREFIXES)
scheme_is = pytest.mark.parametrize("scheme", SCHEMES)


@st.composite
def entity_docs(draw, max_size=8) -> Doc:
    """A document with any entities."""
    doc = Doc(VOCAB, words=["a"] * draw(st.integers(0, max_size)))
    spans, at = [], 0
    while at < len(doc):
        size = draw(st.integers(0, 3))
        if size and at + size <= len(doc):
            spans.append(Span(doc, at, at + size, label=draw(st.sampled_from(TYPES))))
        at += max(size, 1)
    doc.set_ents(spans)
    return doc


def annotation(doc) -> tuple[np.ndarray, np.ndarray]:
    return tuple(doc.to_array(["ENT_IOB", "ENT_TYPE"]).reshape(len(doc), 2).T)


def whole(n: int) -> np.ndarray:
    """Borders of one sentence of n tokens."""
    return np.unique([0, n])


def spacy_tags(doc, scheme) -> list[str]:
    tags = doc_to_biluo_tags(doc)
    tags = tags if scheme == "biluo" else biluo_to_iob(tags)
    return ["-" if token.ent_iob_ == "" else tag for token, tag in zip(doc, tags, strict=True)]


# --- labels and constraints ---


def test_labels():
    assert tag_labels(["X", "Y"], "iob2") == ("O", "B-X", "I-X", "B-Y", "I-Y")
    assert tag_labels(["X"], "biluo") == ("O", "B-X", "I-X", "L-X", "U-X")


def spelled(n: int, scheme: str) -> set[tuple[str, ...]]:
    """The tag sequences of every choice of entities of types X and Y over n tokens."""
    if n == 0:
        return {()}
    sequences = {("O", *rest) for rest in spelled(n - 1, scheme)}
    for size, kind in product(range(1, n + 1), "XY"):
        long = ("B", *"I" * (size - 2), "L")
        entity = ("B", *"I" * (size - 1)) if scheme == "iob2" else ("U",) if size == 1 else long
        sequences |= {(*(f"{tag}-{kind}" for tag in entity), *rest) for rest in spelled(n - size, scheme)}
    return sequences


@scheme_is
@pytest.mark.parametrize("n", [1, 2, 3])
def test_constraints_allow_exactly_what_entities_spell(scheme, n):
    labels = tag_labels(["X", "Y"], scheme)
    allowed = tag_constraints(labels, scheme)
    passed = {
        tuple(labels[y] for y in sequence)
        for sequence in product(range(len(labels)), repeat=n)
        if allowed.start[sequence[0]]
        and allowed.end[sequence[-1]]
        and all(allowed.step[step] for step in pairwise(sequence))
    }
    assert passed == spelled(n, scheme)


# --- encoding ---


@scheme_is
@given(doc=entity_docs())
def test_encoding_agrees_with_spacy_and_decoding_takes_it_back(scheme, doc):
    labels = tag_labels(TYPES, scheme)
    iob, kinds = annotation(doc)
    encoded = encode_tags(iob, kinds, whole(len(doc)), NUMBERS, scheme)
    assert encoded.dtype == np.int32
    assert [labels[y] for y in encoded] == spacy_tags(doc, scheme)
    decoded = decode_tags(encoded, whole(len(doc)), HASHES, scheme)
    assert np.array_equal(decoded[0], iob)
    assert np.array_equal(decoded[1], kinds)
    assert decoded[0].dtype == decoded[1].dtype == np.uint64


@scheme_is
@given(doc=entity_docs(), cuts=st.lists(st.integers(1, 8)))
def test_entities_are_cut_at_sentence_borders(scheme, doc, cuts):
    starts = np.unique([0, len(doc), *(cut for cut in cuts if cut < len(doc))])
    iob, kinds = annotation(doc)
    encoded = encode_tags(iob, kinds, starts, NUMBERS, scheme)
    alone = [encode_tags(iob[a:b], kinds[a:b], whole(b - a), NUMBERS, scheme) for a, b in pairwise(starts)]
    assert encoded.tolist() == [y for piece in alone for y in piece]
    allowed = tag_constraints(tag_labels(TYPES, scheme), scheme)
    for piece in alone:
        assert allowed.start[piece[0]]
        assert allowed.end[piece[-1]]
        assert allowed.step[piece[:-1], piece[1:]].all()


@scheme_is
@given(doc=entity_docs(), missing=st.sets(st.integers(0, 7)))
def test_missing_annotation_is_masked(scheme, doc, missing):
    spans = [doc[i : i + 1] for i in missing if i < len(doc) and not doc[i].ent_type]
    doc.set_ents(doc.ents, missing=spans)
    labels = [*tag_labels(TYPES, scheme), "-"]
    encoded = encode_tags(*annotation(doc), whole(len(doc)), NUMBERS, scheme)
    assert [labels[y] for y in encoded] == spacy_tags(doc, scheme)


@scheme_is
def test_unknown_types_blocked_and_unannotated_tokens_are_masked(scheme):
    doc = Doc(VOCAB, words=["a"] * 4)
    doc.set_ents([Span(doc, 0, 2, "OTHER"), Span(doc, 3, 4, "PER")], blocked=[doc[2:3]])
    assert encode_tags(*annotation(doc), whole(4), NUMBERS, scheme).tolist()[:3] == [-1, -1, -1]
    bare = Doc(VOCAB, words=["a"] * 2)
    assert encode_tags(*annotation(bare), whole(2), NUMBERS, scheme).tolist() == [-1, -1]


# --- decoding what no entities spell ---


def conlleval_starts(tags: list[str]) -> list[bool]:
    """Where conlleval sees a chunk begin, with L and U for its E and S; ``tags`` are one sentence."""
    begins = []
    for previous, current in zip(["O", *tags], tags, strict=False):
        before, kind_before = previous[0], previous[2:]
        now, kind = current[0], current[2:]
        fresh = now in "BU" or (before in "LUO" and now in "IL") or (now != "O" and kind != kind_before)
        begins.append(fresh and now != "O")
    return begins


@scheme_is
@given(data=st.data())
def test_any_sequence_is_read_as_conlleval_does(scheme, data):
    labels = tag_labels(["X", "Y"], scheme)
    sentences = data.draw(st.lists(st.lists(st.integers(0, len(labels) - 1), min_size=1, max_size=6), max_size=3))
    flat = np.array([y for sentence in sentences for y in sentence], np.int32)
    starts = np.cumsum([0, *map(len, sentences)])
    iob, kinds = decode_tags(flat, starts, [11, 22], scheme)
    expected = []
    for sentence in sentences:
        tags = [labels[y] for y in sentence]
        for tag, begins in zip(tags, conlleval_starts(tags), strict=True):
            expected.append((2, 0) if tag == "O" else (3 if begins else 1, {"X": 11, "Y": 22}[tag[2:]]))
    assert list(zip(iob.tolist(), kinds.tolist(), strict=True)) == expected
