"""Sentences longer than ``max_words``: parsed in pieces, with a warning, into one valid tree."""

import warnings

import numpy as np
import pytest

from spacy_mtl.models.tree import predict as tree_predict
from spacy_mtl.roots import crossing, doc_heads, first_off_tree

from .parsing import bare_doc, examples, make_parser, train, treebank

MOST = 20
KINDS = {"second pass": {}, "joint": {"labelling": "joint", "margin": None}, "several roots": {"roots": "several"}}


@pytest.fixture(scope="module", params=KINDS)
def parser(request):
    nlp = make_parser(max_words=MOST, **KINDS[request.param])
    return train(nlp, examples(nlp, treebank(60)), passes=3)


@pytest.fixture
def lengths(monkeypatch):
    """The lengths of all that is decoded."""
    found = []

    def noting(decode):
        return lambda starts, *rest: found.extend(np.diff(starts).tolist()) or decode(starts, *rest)

    for name in ("decode_arcs", "decode_pairs"):
        monkeypatch.setattr(tree_predict, name, noting(getattr(tree_predict, name)))
    return found


def one_sentence(nlp, n, seed=1):
    """Many sentences without borders between them, and one that is short."""
    doc = bare_doc(nlp, treebank(n + 1, seed))
    last = [token.i for token in doc if token.is_sent_start][-1]
    for token in doc:
        token.is_sent_start = token.i in (0, last)
    return doc


def test_a_long_sentence_gets_one_tree(parser, lengths):
    pipe = parser.get_pipe("mtl_parser")
    pipe._warned = False
    doc = one_sentence(parser, 30)
    with pytest.warns(UserWarning, match=r"\[M450\] A sentence of \d{3} words is longer than the 20 that 'mtl_parser'"):
        pipe(doc)
    assert max(lengths) <= MOST
    assert sum(lengths) == len(doc)
    trees = doc_heads(doc)
    heads = trees.heads[: trees.starts[1]]
    assert trees.starts.size == 2
    assert first_off_tree(heads) == 0
    assert not crossing(heads).any()
    if pipe.rules.single_root:
        assert (heads == 0).sum() == 1
        assert sum(abs(token.head.i - token.i) > MOST for token in doc) <= len(doc) // MOST
    assert {token.dep_ for token in doc} <= {*pipe.labels, "ROOT"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pipe(one_sentence(parser, 30, 2))  # it warns once


def test_short_sentences_are_parsed_as_without_the_limit(parser):
    pipe = parser.get_pipe("mtl_parser")
    docs = [bare_doc(parser, treebank(10, seed)) for seed in range(3)]
    found = pipe.predict(docs)
    pipe.max_words = None
    expected = pipe.predict(docs)
    pipe.max_words = MOST
    for one, other in zip(found, expected, strict=True):
        assert np.array_equal(one, other)


def test_no_limit(parser, lengths):
    pipe = parser.get_pipe("mtl_parser")
    pipe.max_words = None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pipe(one_sentence(parser, 30))
    pipe.max_words = MOST
    assert max(lengths) > 100


def test_a_sentence_in_pieces_has_an_empty_list_of_best_trees(parser):
    doc = one_sentence(parser, 30)
    long, short = parser.get_pipe("mtl_parser").considered([doc]).kbest({}, 2)
    assert long == []
    assert len(short[0].analysis) == len(list(doc.sents)[1])
