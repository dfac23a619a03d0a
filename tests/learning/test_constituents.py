"""What a training of a grammar keeps when its grammar grows, and what tells its documents apart."""

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc, Span

from spacy_mtl.corpora.bracketed import BracketedCorpus
from spacy_mtl.learning.constituents import Columns, common_forests

from ..components.bracketing import TREES, make_finder

PERCEPTRON = {"@mtl_trainers": "spacy_mtl.Perceptron.v1"}


@pytest.fixture(scope="module")
def grown():
    """A learner's corpus, weights and places, before and after documents have joined that bring symbols and rules."""
    nlp = make_finder(trainer=PERCEPTRON)
    examples = list(BracketedCorpus(TREES / "train.mrg")(nlp))
    pipe = nlp.get_pipe("mtl_constituents")
    labels = sorted({label for example in examples for label in pipe.labels_of(example.reference)})
    pipe.initialize(lambda: examples[:15], nlp=nlp, labels=labels)
    for _ in range(3):
        nlp.update(examples[:15])
    learner = pipe._learner
    before = learner._corpus, learner.training.weights, learner._places
    pieces = list(learner.documents)
    inputs = pipe.read_input(pipe._reader, [example.predicted for example in examples[15:]])
    for example, (given, starts) in zip(examples[15:], inputs, strict=True):
        pieces.append(pipe.piece_of(pipe.key_of(example.reference), example, given, starts))
    learner.rebind(pieces)
    return before, (learner._corpus, learner.training.weights, learner._places)


def by_name(corpus, weights):
    """Weights by what is observed and what is scored, without zeros."""
    names = corpus.grammar.symbols
    rules = corpus.grammar.grammar
    triples = [tuple(names[a] for a in rule) for rule in zip(rules.parent, rules.left, rules.right, strict=True)]
    found = {}
    for matrix, index, scored in (
        (weights.node, corpus.features.node_index, names),
        (weights.pair, corpus.features.pair_index, triples),
    ):
        for row, column in np.argwhere(matrix).tolist():
            found[int(index.keys[row]), scored[column]] = float(matrix[row, column])
    return found


def test_weights_go_with_their_symbols_and_rules(grown):
    (old, weights, _), (new, carried, _) = grown
    assert len(new.grammar.symbols) > len(old.grammar.symbols)
    wanted = by_name(old, weights)
    assert len(wanted) > 50
    assert by_name(new, carried) == wanted


def test_outputs_of_the_same_forests_are_kept(grown):
    """Those of sentences whose forests have changed with the probabilities are not."""
    (old, _, old_places), (new, _, new_places) = grown
    columns = Columns.of(old.grammar, new.grammar)
    kept = common_forests(old, new, columns, old_places, new_places)
    same = np.flatnonzero(kept.sentences >= 0)
    assert 0 < same.size <= 15
    assert (kept.sentences[15:] == -1).all()
    arrays = old.problem.arrays, new.problem.arrays
    for i in same.tolist():
        k = kept.sentences[i]
        before, after = (slice(a.first[j], a.first[j + 1]) for a, j in zip(arrays, (k, i), strict=True))
        assert kept.slots[after].tolist() == list(range(before.start, before.stop))
        assert arrays[0].gold[before].tolist() == arrays[1].gold[after].tolist()
        names = [
            [corpus.grammar.symbols[a] for a in corpus.forest.symbol[slice(*corpus.forest.first_item[j : j + 2])]]
            for corpus, j in ((old, k), (new, i))
        ]
        assert names[0] == names[1]
    assert kept.owners.tolist() == np.repeat(np.arange(46), np.diff(new.forest.first)).tolist()


def test_documents_with_other_constituents_are_others():
    nlp = spacy.blank("en")
    pipe = make_finder(nlp=nlp).get_pipe("mtl_constituents")

    def key(*spans, starts=None):
        doc = Doc(nlp.vocab, ["a", "b", "c"], sent_starts=starts)
        doc.spans["constituents"] = [Span(doc, *span) for span in spans]
        return pipe.key_of(doc)

    keys = [
        key(), key((0, 3, "S")), key((0, 2, "S")), key((0, 3, "X")), key((0, 3, "S"), (0, 3, "X")), key((0, 3, "X"), (0, 3, "S")),
        key((0, 3, "S"), starts=[True, False, True]),
    ]  # fmt: skip
    assert len(set(keys)) == len(keys)
    assert key((0, 3, "S")) == keys[1]
