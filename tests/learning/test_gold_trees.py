"""Gold trees of examples: heads and labels for the predicted words and sentences."""

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example

from spacy_mtl.learning.gold_trees import ROOT_HEAD, UNKNOWN, encode, gold_trees, has_several_roots
from spacy_mtl.sentences import borders

from ..components.parsing import Sentence, bare_doc, gold_doc, treebank


@pytest.fixture(scope="module")
def nlp():
    return spacy.blank("en")


def numbers_of(nlp, labels) -> dict[int, int]:
    return {nlp.vocab.strings.add(label): number for number, label in enumerate(labels)}


LABELS = ["acl", "advmod", "amod", "case", "det", "nmod", "nsubj", "obj", "punct"]


def test_own_words(nlp):
    sentences = treebank(5, crossing=0.5, double=0.5)
    example = Example(bare_doc(nlp, sentences), gold_doc(nlp, sentences))
    numbers = numbers_of(nlp, LABELS)
    codes = encode(*gold_trees(example), borders([example.predicted]), numbers)
    assert (codes // len(LABELS)).tolist() == [head for s in sentences for head in s.heads]
    wanted = [
        0 if head == 0 else LABELS.index(label)
        for s in sentences
        for head, label in zip(s.heads, s.labels, strict=False)
    ]
    assert (codes % len(LABELS)).tolist() == wanted


def test_without_labels_all_are_0(nlp):
    sentences = treebank(2)
    example = Example(bare_doc(nlp, sentences), gold_doc(nlp, sentences))
    codes = encode(*gold_trees(example), borders([example.predicted]), {})
    assert codes.tolist() == [head for s in sentences for head in s.heads]


def test_what_is_unknown(nlp):
    """A word without annotation, one with an unknown label, heads across the borders of the input."""
    [sentence] = treebank(1)
    reference, predicted = gold_doc(nlp, [sentence]), bare_doc(nlp, [sentence])
    reference[0].dep_ = ""
    heads, labels = gold_trees(Example(predicted, reference))
    assert heads[0] == UNKNOWN
    assert labels[0] == 0
    codes = encode(heads, labels, borders([predicted]), numbers_of(nlp, ["punct"]))
    known = [label == "punct" or head == 0 for head, label in zip(sentence.heads, sentence.labels, strict=False)]
    assert (codes >= 0).tolist() == [False, *known[1:]]
    every_word = np.arange(len(predicted) + 1)
    codes = encode(heads, labels, every_word, numbers_of(nlp, LABELS))
    assert (codes >= 0).tolist() == [head == 0 for head in sentence.heads]


@pytest.mark.parametrize("root", ["ROOT", "root"])
def test_words_of_another_tokenization(nlp, root):
    """Words that are one word of the annotation, or the other way around, keep the heads of those that align; a root is one by any label."""
    reference = Doc(nlp.vocab, ["cats", "see", "them", "."], heads=[1, 1, 1, 1], deps=["nsubj", root, "obj", "punct"])
    predicted = Doc(nlp.vocab, ["cats", "see", "the", "m", "."], spaces=[True, True, False, False, False])
    predicted[0].is_sent_start = True
    heads, labels = gold_trees(Example(predicted, reference))
    assert heads[[0, 1, 4]].tolist() == [1, ROOT_HEAD, 1]
    assert [nlp.vocab.strings[label] for label in labels[[0, 1, 4]]] == ["nsubj", root, "punct"]


def test_empty_document(nlp):
    heads, labels = gold_trees(Example(Doc(nlp.vocab), Doc(nlp.vocab)))
    assert heads.size == labels.size == 0
    assert encode(heads, labels, borders([Doc(nlp.vocab)]), {}).size == 0
    assert not has_several_roots(Doc(nlp.vocab))


def test_several_roots(nlp):
    one = Sentence(["a", "b"], ["X", "X"], [2, 0], ["x", "ROOT"])
    two = Sentence(["a", "b"], ["X", "X"], [0, 0], ["ROOT", "ROOT"])
    assert not has_several_roots(gold_doc(nlp, [one, one]))
    assert has_several_roots(gold_doc(nlp, [one, two]))
    assert not has_several_roots(bare_doc(nlp, [two]))
