"""A grammar of a small treebank, what it allows, and models trained with it."""

from dataclasses import replace
from math import log

import numpy as np
import pytest

from spacy_mtl.constituents.binarize import Binarization
from spacy_mtl.constituents.brackets import read_brackets
from spacy_mtl.constituents.tree import Tree, constituents_of, words_of
from spacy_mtl.learning.grammar import GrammarRules, learn_corpus
from spacy_mtl.models.grammar.features import Words, pruned_forest
from spacy_mtl.models.grammar.model import most_probable
from spacy_mtl.models.grammar.treebank import read_grammar, rules_of
from spacy_mtl.structures.problem import block_starts
from spacy_mtl.templates.grammar import TemplateSet
from spacy_mtl.trainers.base import fit
from spacy_mtl.trainers.mtlstruct.trainer import MTLStruct

#: Where a prepositional phrase belongs is told by the preposition, which the tags do not show.
TEXT = """
(S (NP (N we)) (VP (V saw) (NP (NP (N men)) (PP (P of) (NP (N rome))))))
(S (NP (N men)) (VP (V saw) (NP (NP (N rome)) (PP (P of) (NP (N we))))))
(S (NP (N we)) (VP (V saw) (NP (N rome)) (PP (P by) (NP (N train)))))
(S (NP (N we)) (VP (V saw) (NP (N men)) (PP (P by) (NP (N train)))))
(S (NP (N men)) (VP (V saw) (NP (N rome)) (PP (P by) (NP (N train)))))
(FRAG (N rome))
"""
TREES = [placed.tree for placed in read_brackets(TEXT.splitlines(), "text")]
TEMPLATES = TemplateSet.from_texts(["U0:%i[0,TAG]/%j[0,TAG]", "U1:%i[0,ORTH]", "B0", "B1:%k[0,ORTH]"])


def words_from(trees: list[Tree]) -> Words:
    """Two columns, words and tags by their first letters."""
    leaves = [leaf for tree in trees for leaf in words_of(tree)]
    columns = [
        [ord(text[0]) for text in texts] for texts in ([leaf.word for leaf in leaves], [leaf.label for leaf in leaves])
    ]
    starts = block_starts([len(words_of(tree)) for tree in trees])
    return Words(np.array(columns, np.uint64), {"ORTH": 0, "TAG": 1}, starts, [leaf.label for leaf in leaves])


def tags_of(tree: Tree) -> list[str]:
    return [leaf.label for leaf in words_of(tree)]


@pytest.fixture(scope="module")
def grammar():
    return read_grammar((tags_of(tree), Binarization().symbols(tree)) for tree in TREES)


def test_probabilities_are_relative_frequencies(grammar):
    name = grammar.symbols
    rules = {
        (name[a], name[b], name[c]): score
        for a, b, c, score in zip(
            grammar.grammar.parent, grammar.grammar.left, grammar.grammar.right, grammar.rule_scores, strict=True
        )
    }
    assert rules["VP", "/V", "NP"] == pytest.approx(log(2 / 5))
    assert rules["VP", "/V", "@VP"] == pytest.approx(log(3 / 5))
    assert rules["@VP", "NP", "PP"] == 0
    assert rules["NP", "NP", "PP"] == pytest.approx(log(2 / 17))
    assert grammar.scores_of(["N"])[0, name.index("NP")] == pytest.approx(log(15 / 17))
    assert grammar.root_scores[name.index("S")] == pytest.approx(log(5 / 6))
    assert np.exp(grammar.root_scores).sum() == pytest.approx(1)
    left = np.zeros(len(name))
    np.add.at(left, grammar.grammar.parent, np.exp(grammar.rule_scores))
    np.testing.assert_allclose(left + np.exp(grammar.word_scores[:-1]).sum(axis=0), 1)


def test_anchored_rules():
    found = rules_of(Binarization().symbols(TREES[2]))
    assert sorted(found) == sorted(
        [
            (("S", "NP", "VP"), 0, 1, 5),
            (("VP", "/V", "@VP"), 1, 2, 5),
            (("@VP", "NP", "PP"), 2, 3, 5),
            (("PP", "/P", "NP"), 3, 4, 5),
        ]
    )


def test_the_most_probable_tree(grammar):
    """The rule under VP outweighs that under NP: tags alone attach every phrase to the verb."""
    for tree in TREES[:5]:
        assert most_probable(grammar, tags_of(tree)) == constituents_of(TREES[2])
    assert most_probable(grammar, ["N"]) == constituents_of(TREES[5])
    assert most_probable(grammar, ["P", "P"]) == []


def test_an_unknown_tag_may_be_any_word(grammar):
    assert most_probable(grammar, ["N", "?", "N", "P", "N"]) == constituents_of(TREES[2])


def test_margins_and_what_is_kept(grammar):
    tags = tags_of(TREES[0])
    narrow, wide = (pruned_forest(grammar, tags, margin) for margin in (0.0, 50.0))
    assert (narrow.symbol.size, narrow.rule.size) == (9, 4)
    assert wide.symbol.size == 10
    kept = pruned_forest(grammar, tags, 0.0, [(2, 5, grammar.number_of["NP"])])
    assert sorted(kept.symbol) == sorted(wide.symbol)


@pytest.mark.parametrize("support", ["gold", "all"])
def test_features_tell_what_tags_do_not(support):
    words = words_from(TREES)
    corpus = learn_corpus(words, TREES, TEMPLATES, GrammarRules(Binarization(), 5.0, support=support))
    training = fit(MTLStruct(p=2.0, C=10.0), corpus.problem, 100)
    model = corpus.model(training)
    assert model.predict(words) == [constituents_of(tree) for tree in TREES]
    other = list(
        read_brackets(
            ["(S (NP (N rome)) (VP (V saw) (NP (NP (N us)) (PP (P of) (NP (N trains))))))", "(X (P a) (P b))"], ""
        )
    )
    found = model.predict(words_from([other[1].tree, other[0].tree]))
    assert found == [[], constituents_of(other[0].tree)]
    short = replace(model, longest=4).predict(words)
    assert short == [[], [], [], [], [], constituents_of(TREES[5])]


def test_a_grammar_that_is_given(grammar):
    corpus = learn_corpus(words_from(TREES[:1]), TREES[:1], TEMPLATES, GrammarRules(Binarization(), 5.0), grammar)
    assert corpus.grammar is grammar
    assert corpus.problem.pair_width == grammar.rule_scores.size == 6
    with pytest.raises(ValueError, match=r"M253"):
        learn_corpus(words_from(TREES), TREES, TEMPLATES, GrammarRules(Binarization(horizontal=1)), grammar)
