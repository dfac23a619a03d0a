import numpy as np
import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.tokens import Doc

from spacy_mtl.roots import (
    ROOT_ID,
    TREE_ATTRIBUTES,
    array_heads,
    doc_heads,
    first_off_tree,
    heads_to_doc,
    sentence_of,
    set_trees,
    start_marks,
)

VOCAB = spacy.blank("xx").vocab
LABELS = np.array([VOCAB.strings.add(label) for label in ("a", "b", "c")], np.uint64)


def make_doc(heads, labels, starts):
    doc = Doc(VOCAB, words=["w"] * len(heads))
    set_trees(doc, heads, labels, starts)
    return doc


def trees(most=8):
    """Heads of a sentence, any forest: words in any order, each of them below one before it or a root."""

    def heads(numbers):
        n = len(numbers)
        order = np.argsort([number for number, _ in numbers], kind="stable")
        found = np.zeros(n, np.int32)
        for rank, word in enumerate(order):
            above = numbers[word][1] % (rank + 1)
            found[word] = order[above - 1] + 1 if above else 0
        return found

    numbers = st.tuples(st.integers(0, 99), st.integers(0, 99))
    return st.lists(numbers, min_size=1, max_size=most).map(heads)


def text_of(sentences):
    heads = np.concatenate(sentences)
    starts = np.cumsum([0, *map(len, sentences[:-1])])
    labels = np.where(heads == 0, ROOT_ID, LABELS[np.arange(len(heads)) % 3])
    return heads, labels, starts


def assert_trees(doc, heads, labels, starts):
    trees = doc_heads(doc)
    assert (trees.heads.dtype, trees.labels.dtype, trees.starts.dtype) == (np.int32, np.uint64, np.int64)
    assert trees.heads.tolist() == heads.tolist()
    assert trees.labels.tolist() == labels.tolist()
    assert trees.starts.tolist() == starts.tolist()
    assert trees.known.all()


@given(st.lists(trees(), min_size=1, max_size=4))
@settings(deadline=None)
def test_any_trees_come_back_with_their_sentences(sentences):
    heads, labels, starts = text_of(sentences)
    doc = make_doc(heads, labels, starts)
    assert_trees(doc, heads, labels, starts)
    assert_trees(Doc(VOCAB).from_bytes(doc.to_bytes()), heads, labels, starts)
    assert [sentence.start for sentence in doc.sents] == starts.tolist()


def test_further_roots_hang_on_the_first_and_are_labelled():
    heads, labels, starts = text_of([np.array([2, 0, 0, 3, 0]), np.array([0, 1])])
    doc = make_doc(heads, labels, starts)
    assert [token.head.i for token in doc] == [1, 1, 1, 2, 1, 5, 5]
    assert [token.dep_ == "ROOT" for token in doc] == [False, True, True, False, True, True, False]


def test_a_tree_that_leads_back_and_forth_keeps_its_borders():
    """A chain through all words in any order, which spaCy alone would cut into sentences."""
    order = np.random.default_rng(2).permutation(120)
    chain = np.zeros(120, np.int64)
    chain[order[1:]] = order[:-1] + 1
    heads, labels, starts = text_of([chain, np.array([0, 1])])
    doc = make_doc(heads, labels, starts)
    assert_trees(doc, heads, labels, starts)
    doc.from_array(["HEAD", "DEP"], np.array(heads_to_doc(heads, labels, starts)).T)
    assert doc_heads(doc).starts.tolist() != starts.tolist()


def test_all_else_stays_as_it_is():
    doc = Doc(VOCAB, words=["a", "b"], tags=["x", "y"], spaces=[False, True], sent_starts=[True, True])
    set_trees(doc, np.array([2, 0]), LABELS[:2], np.array([0]))
    assert ([token.tag_ for token in doc], doc.text) == (["x", "y"], "ab ")
    assert [(token.head.i, token.dep_, token.is_sent_start) for token in doc] == [(1, "a", True), (1, "ROOT", False)]
    assert start_marks(np.array([0, 2]), 3).view(np.int64).tolist() == [1, -1, 1]


def test_of_a_doc_without_trees():
    doc = Doc(VOCAB, words=["a", "b", "c"], sent_starts=[True, False, True])
    trees = doc_heads(doc)
    assert trees.heads.tolist() == [0, 0, 0]
    assert trees.starts.tolist() == [0, 2]
    assert not trees.known.any()
    assert doc_heads(Doc(VOCAB, words=["a", "b"])).starts.tolist() == [0]


def test_of_no_words():
    empty = doc_heads(Doc(VOCAB))
    assert [len(part) for part in (empty.heads, empty.labels, empty.starts, empty.spans)] == [0, 0, 0, 0]
    assert [len(part) for part in heads_to_doc(empty.heads, empty.labels, empty.starts)] == [0, 0]


def test_arrays_of_a_parse_by_spacy():
    doc = Doc(VOCAB, words=list("abcd"), heads=[1, 1, 3, 3], deps=["a", "ROOT", "b", "ROOT"])
    trees = array_heads(doc.to_array(TREE_ATTRIBUTES))
    assert trees.heads.tolist() == [2, 0, 2, 0]
    assert trees.starts.tolist() == [0, 2]
    assert trees.spans == [(0, 2), (2, 4)]


def test_a_sentence_without_root():
    with pytest.raises(ValueError, match=r"\[M556\] Sentence 2"):
        heads_to_doc(np.array([0, 2, 1, 0]), np.zeros(4, np.uint64), np.array([0, 1, 3]))


def test_sentence_of():
    assert sentence_of(np.array([0, 2, 3]), 5).tolist() == [0, 0, 1, 2, 2]


@given(st.integers(1, 7).flatmap(lambda n: st.lists(st.integers(0, n), min_size=n, max_size=n)))
@settings(deadline=None)
def test_first_word_off_the_tree(heads):
    def reaches_root(word):
        for _ in heads:
            word = heads[word - 1] if word else 0
        return word == 0

    lost = [word for word in range(1, len(heads) + 1) if not reaches_root(word)]
    assert first_off_tree(np.array(heads)) == (lost[0] if lost else 0)
