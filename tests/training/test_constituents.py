"""Scores of constituents in spaCy's form, against those of the same trees word by word and against counts by hand."""

import pytest
import spacy
from spacy.tokens import Doc, Span
from spacy.training import Example

from spacy_mtl.constituents.scores import Counts
from spacy_mtl.constituents.tree import constituents_of
from spacy_mtl.corpora.bracketed import read_bracketed, tree_doc
from spacy_mtl.training.constituents import constituents_scorer, score_constituents

NLP = spacy.blank("en")
GOLD = "(S (NP (N a)) (, ,) (VP (V b) (NP (NP (N c)) (PP (P d) (NP (N e))))) (. .))"
OTHER = "(S (NP (N a)) (, ,) (VP (V b) (NP (N c)) (X (P d) (NP (N e)))) (. .))"
LATE = "(S (NP (N a) (, ,)) (VP (V b) (NP (NP (N c)) (PP (P d) (NP (N e)))) (. .)))"


def docs_of(tmp_path, *texts) -> list:
    path = tmp_path / "trees.mrg"
    path.write_text("\n".join(texts), encoding="utf8")
    return [(placed.tree, tree_doc(NLP.vocab, placed.tree)) for placed in read_bracketed(path)]


def document(words, spans, starts=None, tags=None, key="constituents") -> Doc:
    """A Doc without spaces."""
    doc = Doc(NLP.vocab, words, spaces=[False] * len(words), sent_starts=starts, tags=tags)
    doc.spans[key] = [Span(doc, *span) for span in spans]
    return doc


@pytest.mark.parametrize("predicted", [GOLD, OTHER, LATE])
def test_scores_are_those_of_words(tmp_path, predicted):
    (tree, gold), (found, doc) = docs_of(tmp_path, GOLD, predicted)
    counts = Counts()
    counts.add(["N", ",", "V", "N", "P", "N", "."], constituents_of(tree), constituents_of(found))
    scores = score_constituents([Example(doc, gold)])
    wanted = (counts.precision, counts.recall, counts.f1, counts.exact_match)
    assert tuple(scores[f"constituents_{name}"] for name in ("p", "r", "f", "exact")) == wanted
    assert (counts.f1 == 1) == (predicted != OTHER)


def test_each_label_and_sentence(tmp_path):
    (_, gold), (_, other) = docs_of(tmp_path, GOLD, OTHER)
    scores = constituents_scorer()([Example(gold.copy(), gold), Example(other, gold)])
    assert scores["constituents_exact"] == 0.5
    assert scores["constituents_per_type"]["NP"] == {"p": 1.0, "r": 7 / 8, "f": 14 / 15}
    assert scores["constituents_per_type"]["X"] == {"p": 0.0, "r": 0.0, "f": 0.0}
    assert scores["constituents_per_type"]["PP"] == {"p": 1.0, "r": 0.5, "f": 2 / 3}


def test_words_may_be_divided_otherwise():
    gold = document(["ab", "c", "d"], [(0, 3, "S"), (0, 2, "NP")], [True, False, False])
    found = document(["a", "b", "cd"], [(0, 3, "S"), (0, 2, "NP")])
    scores = score_constituents([Example(found, gold)])
    assert (scores["constituents_p"], scores["constituents_r"]) == (0.5, 0.5)
    found = document(["a", "bc", "d"], [(0, 3, "S"), (0, 2, "NP")])
    assert score_constituents([Example(found, gold)])["constituents_f"] == 1


def test_sentences_are_those_of_gold():
    gold = document(list("abcd"), [(0, 2, "S"), (2, 4, "S")], [True, False, True, False])
    found = document(list("abcd"), [(0, 2, "S"), (0, 4, "S")])
    scores = score_constituents([Example(found, gold)])
    assert (scores["constituents_p"], scores["constituents_r"], scores["constituents_exact"]) == (0.5, 0.5, 0.0)


def test_left_out_words_and_another_key():
    tags = ["N", "!", "N"]
    gold = document(list("a!c"), [(0, 3, "S"), (0, 1, "NP")], tags=tags, key="trees")
    found = document(list("a!c"), [(0, 3, "S"), (0, 2, "NP")], key="trees")
    assert constituents_scorer("trees")([Example(found, gold)])["constituents_f"] == 0.5
    assert constituents_scorer("trees", ignored=["!"])([Example(found, gold)])["constituents_f"] == 1
    assert constituents_scorer()([Example(found, gold)])["constituents_f"] is None


def test_documents_without_gold_are_left_out():
    gold = document(list("ab"), [(0, 2, "S")])
    bare = Doc(NLP.vocab, list("ab"))
    assert score_constituents([Example(gold.copy(), gold), Example(gold.copy(), bare)])["constituents_f"] == 1
    nothing = Example(Doc(NLP.vocab, list("ab"), spaces=[False, False]), gold)
    scores = score_constituents([nothing])
    assert (scores["constituents_p"], scores["constituents_r"], scores["constituents_f"]) == (0.0, 0.0, 0.0)
    assert set(score_constituents([]).values()) == {None}
    empty = Doc(NLP.vocab)
    empty.spans["constituents"] = []
    assert score_constituents([Example(empty.copy(), empty)])["constituents_f"] is None


@pytest.mark.parametrize("settings", [{"key": ""}, {"key": 3}, {"ignored": "."}, {"ignored": [1]}], ids=str)
def test_settings_are_checked(settings):
    with pytest.raises(ValueError, match=r"^\[M590\] The setting '(key|ignored)' of constituents_scorer must be"):
        constituents_scorer(**settings)
